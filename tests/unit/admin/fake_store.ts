/** A store in memory, as far as the admin side uses one. */
import { FLAGS } from "../../../core/model.ts";
import { CONNECTORS } from "../../connectors.ts";
import type { AuditRow, CredentialKind, Project, Site, Token, User } from "../../../core/model.ts";
import type { AuditQuery, NewSite, SiteInput, Store } from "../../../store/store.ts";

type Fake = Pick<Store, "tokens" | "sites" | "projects" | "users" | "sessions" | "audit"> & {
  /** What was handed to `sites.create` and `sites.update`. */
  readonly written: SiteInput[];
  /** Rows of the audit, oldest first. */
  readonly rows: AuditRow[];
};

const AT = "2026-11-21T00:00:00.000Z";

function merged(site: Site, patch: SiteInput): Site {
  const { credentials = {}, flags, seo, ...plain } = patch;
  const kinds = new Set(site.credentials);
  for (const kind of CONNECTORS.credentials.keys() as Iterable<CredentialKind>) {
    if (credentials[kind] === null) kinds.delete(kind);
    else if (credentials[kind] !== undefined) kinds.add(kind);
  }
  return {
    ...site,
    ...plain,
    flags: { ...site.flags, ...flags },
    seo: { ...site.seo, ...seo },
    credentials: [...kinds],
    updated_at: AT,
  };
}

function blank(given: NewSite): Site {
  const { id, name, platform } = given;
  return {
    ...CONNECTORS.blank(given),
    id,
    name,
    platform,
    base_url: null,
    project_id: null,
    flags: Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Site["flags"],
    confirm_policy: "flag",
    credentials: [],
    credentials_version: 1,
    created_at: AT,
    updated_at: AT,
  } as unknown as Site;
}

function matching(rows: readonly AuditRow[], query: AuditQuery): AuditRow[] {
  const { from, to, ...equal } = query;
  return rows.filter((row) =>
    (from === undefined || row.at >= from) && (to === undefined || row.at < to) &&
    Object.entries(equal).every(([key, value]) => value === undefined || row[key as keyof AuditRow] === value)
  );
}

/** An empty store. */
export function fakeStore(): Fake {
  const tokens = new Map<string, Token>();
  const sites = new Map<string, Site>();
  const projects = new Map<string, Project>();
  const users = new Map<string, User>();
  const sessions = new Set<string>();
  const written: SiteInput[] = [];
  const rows: AuditRow[] = [];
  let count = 0;
  const taken = (email: string, but?: string) =>
    [...users.values()].some((user) => user.id !== but && user.email.toLowerCase() === email.toLowerCase());
  return {
    written,
    rows,
    tokens: {
      create(input) {
        const token: Token = {
          ...input,
          confirm_policy: input.confirm_policy ?? "flag",
          id: `t${++count}`,
          created_at: AT,
          revoked_at: null,
        };
        tokens.set(token.id, token);
        return Promise.resolve({ token, text: `gate_${input.env}_text${count}` });
      },
      find: () => null,
      get: (id) => Promise.resolve(tokens.get(id) ?? null),
      list: () => Promise.resolve([...tokens.values()]),
      update(id, patch) {
        const token = tokens.get(id);
        if (token) tokens.set(id, { ...token, ...patch });
        return Promise.resolve(tokens.get(id) ?? null);
      },
      revoke(id) {
        const token = tokens.get(id);
        if (token === undefined) return Promise.resolve(null);
        const revoked = { ...token, revoked_at: token.revoked_at ?? AT };
        tokens.set(id, revoked);
        return Promise.resolve(revoked);
      },
    },
    sites: {
      create(input) {
        if (sites.has(input.id)) return Promise.resolve(null);
        written.push(input);
        sites.set(input.id, merged(blank(input), input));
        return Promise.resolve(sites.get(input.id)!);
      },
      get: (id) => sites.get(id) ?? null,
      list: () => [...sites.values()].sort((a, b) => a.id < b.id ? -1 : 1),
      update(id, patch) {
        const site = sites.get(id);
        if (site === undefined) return Promise.resolve(null);
        written.push(patch);
        sites.set(id, merged(site, patch));
        return Promise.resolve({ before: site, site: sites.get(id)!, dropped: [] });
      },
      secret: () => Promise.resolve(null),
    },
    projects: {
      create({ id, name }) {
        if (projects.has(id)) return Promise.resolve(null);
        projects.set(id, { id, name, created_at: AT });
        return Promise.resolve(projects.get(id)!);
      },
      get: (id) => projects.get(id) ?? null,
      list: () => [...projects.values()],
    },
    users: {
      create(input) {
        if (taken(input.email)) return Promise.resolve(null);
        const user = { ...input, id: `u${++count}`, created_at: AT };
        users.set(user.id, user);
        return Promise.resolve(user);
      },
      get: (id) => users.get(id) ?? null,
      byEmail: (email) =>
        Promise.resolve(
          [...users.values()].find((user) => user.email.toLowerCase() === email.toLowerCase()) ?? null,
        ),
      remove(id) {
        const user = users.get(id) ?? null;
        users.delete(id);
        return Promise.resolve(user);
      },
      list: () => Promise.resolve([...users.values()]),
      update(id, patch) {
        const user = users.get(id);
        if (user === undefined) return Promise.resolve(null);
        users.set(id, { ...user, ...patch });
        return Promise.resolve(users.get(id)!);
      },
    },
    sessions: {
      create() {
        const text = `session${++count}`;
        sessions.add(text);
        return Promise.resolve(text);
      },
      valid: (text) => Promise.resolve(sessions.has(text)),
      end(text) {
        sessions.delete(text);
        return Promise.resolve();
      },
    },
    audit: {
      append(row) {
        rows.push(row);
        return Promise.resolve();
      },
      list(query, { limit, cursor }) {
        const all = matching(rows, query).reverse();
        const at = Number(cursor ?? 0);
        const next_cursor = at + limit < all.length ? String(at + limit) : null;
        return Promise.resolve({ rows: all.slice(at, at + limit), next_cursor });
      },
      async *export(query) {
        for (const row of matching(rows, query)) yield JSON.stringify(row);
      },
      async *open() {},
      unknown: () => Promise.resolve(null),
      resolution: () => Promise.resolve(null),
      settle: () => Promise.resolve(false),
      doubts: () => Promise.resolve({ unknown: 0, open: 0 }),
      verify: () => Promise.resolve({ ok: true, writers: 1, segments: 1, rows: rows.length, faults: [] }),
      retain: () => Promise.resolve({ segments: 0, entries: 0 }),
      amount: () => Promise.resolve({ segments: 0, entries: 0 }),
      age: () => Promise.resolve({ oldest: null, newest: null, dropped: null }),
      retention: () =>
        Promise.resolve({ horizon: null, days: null, dropping: null, waiting: null, ran_at: null }),
      setRetention: () => Promise.resolve(),
      flush: () => Promise.resolve(),
    },
  };
}
