/** A store in which two clients have worked for two people, everything named after whose it is, and all that is in it. */
import { inflateRawSync, inflateSync } from "node:zlib";
import assert from "node:assert/strict";
import type { Beside, Store } from "../../../store/store.ts";
import { LIMITS } from "../../../core/model.ts";
import { type Clock, open, proveAnew, row } from "./kit.ts";
import { sha256 } from "../../../store/database.ts";

/** Who works for whom: the names of a site and of a person, which stand in every text of theirs. */
export interface Party {
  readonly site: string;
  readonly person: string;
}

export const GONE: Party = { site: "zq-shop", person: "zq-ann" };
export const STAYS: Party = { site: "nb-shop", person: "nb-bob" };

/** What was made for a party, by its ids. */
export interface Made {
  readonly user_id: string;
  readonly token_id: string;
  readonly grant_id: string;
}

/** Opens the store of a file at the kit's clock. */
export const openAt = (path: string, clock: Clock) => open({ path, now: clock.now });

/** Fills the store with one of everything that a site and a person of the gateway leave. */
export async function fill(store: Store, { site, person }: Party): Promise<Made> {
  const base_url = `https://${site}.example`;
  const made = await store.sites.create({
    id: site,
    name: `The ${site}`,
    platform: "cms",
    base_url,
    repo: `agency/${site}`,
    behavior_project_id: `${site}project`,
    credentials: { cms: { username: `${site}-editor`, application_password: "aaaa bbbb cccc dddd" } },
  });
  assert.ok(made);
  const email = `${person}@agency.example`;
  const user = await store.users.create({ email, role: "member", allowed_sites: [site], max_risk: 2 });
  await store.freezes.set({ scope: "site", id: site, by: email, reason: `${site} moves` });
  const user_id = user!.id;
  await store.sites.update(site, { account_user_id: user_id });
  const { token } = await store.tokens.create({
    name: `${person}'s`,
    env: "prod",
    allowed_sites: [site],
    allowed_tools: ["*"],
    max_risk: 2,
    skip_write_confirm: false,
    owner_user_id: user_id,
  });
  const granted = {
    user_id,
    client_id: `https://client.example/${person}`,
    client_name: "Client",
    redirect_host: "client.example",
    allowed_sites: [site],
    groups: ["posts"],
    max_risk: 1,
    expires_at: Date.parse("2026-03-20T00:00:00Z"),
  } as const;
  const order = { granted, redirect_uri: "https://client.example/back", challenge: "c", resource: null };
  const code = await store.oauthGrants.issueCode(order);
  const redeemed = await store.oauthGrants.redeem(code, () => null);
  assert.ok(redeemed.outcome === "redeemed");
  const grant_id = redeemed.tokens.grant.id;
  await peopleOf(store, user_id, person);
  await workOf(store, { site, person }, { user_id, token_id: token.id, grant_id });
  return { user_id, token_id: token.id, grant_id };
}

/** A person froze all sites at once, which no erasure of a site lifts. */
export async function freezeAll(store: Store, { person }: Party): Promise<void> {
  await store.freezes.set({ scope: "all", id: "*", by: `${person}@agency.example`, reason: null });
}

async function peopleOf(store: Store, user_id: string, person: string): Promise<void> {
  const passkey = { id: `${person}-key`, name: person } as never;
  await store.signIns.change(user_id, () => ({ passphrase: null, passkeys: [passkey] })).catch(() => {});
  await store.invitations.create(user_id, null);
  const mark = await store.personSessions.mark(user_id);
  await store.personSessions.create({ user_id, method: "passphrase", agent: person }, mark);
  await store.personSessions.endAll(user_id);
  await store.personSessions.create(
    { user_id, method: "passphrase", agent: person },
    await store.personSessions.mark(user_id),
  );
  const grant = { access_token: "a", expires_in: 3600, refresh_token: "r", scopes: ["s"], account: person };
  await store.accounts.connect(user_id, "google", grant);
  await store.connectLinks.create({ user_id, kind: "google", rights: [] });
}

/** Calls, and what they leave. */
async function workOf(
  store: Store,
  { site, person }: Party,
  { user_id, token_id, grant_id }: Made,
): Promise<void> {
  await store.previews.claim(token_id, site, `preview/${site}`);
  await store.managedFiles.add(`agency/${site}`, [{ path: `src/${site}.md`, blob: "b" }]);
  const content = {
    grant: token_id,
    tool: "t",
    sites: [[site, "d"]],
    args: {},
    revision: null,
    tier: 1,
  } as const;
  const name = `cft_${site}`;
  const at = Date.parse("2026-03-01T12:00:00.000Z");
  const run = { request_id: `REQUEST${site}`, deadline: at + LIMITS.CALL_DEADLINE_MS };
  const spending = { name, content, found: null, expires_at: at + 3_600_000, frees_until: null };
  assert.ok(await store.consents.spend([spending], run));
  const setbacks = [{
    tool: "update_draft",
    site_id: site,
    destination: "d",
    of: { post_id: 7 },
    values: { title: site },
    found: null,
  }];
  const id = (n: number) => `01M8GH7CB0HT0873${site.slice(0, 2).toUpperCase()}${String(n).padStart(8, "0")}`;
  const of = { token_id, token_name: `${person}'s`, owner_user_id: user_id, site_id: site };
  const calls: Parameters<typeof row>[1][] = [
    { ...of, status: "started", deadline: new Date(at).toISOString() },
    { ...of, arguments: { path: `src/${site}.md`, title: person }, outcome: "made", result_id: `${site}-7` },
    {
      ...of,
      token_id: grant_id,
      client_id: `https://client.example/${person}`,
      status: "error",
      outcome: "unknown",
    },
    { ...of, site_id: null, target_site_id: site },
    {
      ...of,
      door: "admin",
      tier: null,
      tool: "user.create",
      site_id: null,
      arguments: { user_id, after: { email: `${person}@agency.example` } },
    },
  ];
  for (const [n, fields] of calls.entries()) {
    const beside = n !== 1 ? [] : [
      ...await store.consents.begin(spending, run),
      ...await store.consents.done(spending, run, { text: site }),
      ...(await store.approvals.ask({
        ...{ grant: token_id, token_name: `${person}'s`, client_id: null, owner_user_id: user_id },
        ...{ tool: "t", sites: [site], tier: 1, asked_by: id(n), summary: site, confirm_token: name },
        ...{ same: "s", args: { text: site } },
      })).beside,
      ...(await store.changes.begin({ request_id: id(n), site_id: site, grant: token_id, setbacks }))!,
      ...await fillSet(store, id(20), { site, person, grant: token_id }),
    ];
    await store.audit.append({ ...row(id(n), fields), request_id: id(n) }, beside);
  }
  // What an operator did about several at once.
  await store.audit.append(row(`${id(9)}`, {
    door: "admin",
    tier: null,
    site_id: null,
    tool: "token.create",
    token_id: "master",
    arguments: { allowed_sites: [site, "third"], note: `for ${person}@agency.example` },
  }));
  await store.allowances.take(["behavior", `${site}project`], "2026-03-01", 10);
  await store.allowances.keep([`${site}project`, "question"], { text: site }, 3_600_000);
}

/** A change set that ran; answers what is kept with the row of its item. */
async function fillSet(
  store: Store,
  set_id: string,
  { site, person, grant }: Party & { readonly grant: string },
): Promise<readonly Beside[]> {
  const shown = { grant, tool: "update_draft", sites: [], args: {}, revision: null, tier: 1 };
  const item = { item: 1, tool: "update_draft", site_id: site, sites: [site], args: { title: person } };
  const items = [{ ...item, uses: {}, thing: null, shown, preview: {} }];
  const content = { title: site, on_failure: "skip_site", first: false, items, warnings: [] } as const;
  await store.sets.prepared({ set_id, grant, token: null, failed: null }, content);
  const approved = { approval_id: "a", approved_by: `${person}@agency.example` };
  await store.sets.start(set_id, approved);
  const result = { item: 1, state: "done", request_id: set_id, answer: { id: 7 }, left: null } as const;
  return await store.sets.told({ set_id, grant, sites: [site] }, result);
}

/** What has no short way in: as store/SCHEMA.md says that it stands there. */
export async function fillRaw(
  path: string,
  { site, person }: Party,
  { user_id, token_id }: Made,
): Promise<void> {
  const kv = await Deno.openKv(path);
  const parts = `parts-${site}`;
  const texts = sha256(`text ${site}`);
  const entries: [Deno.KvKey, unknown][] = [
    [["leases", `https://${site}.example pages`], { holder: "h", ends_at: 0 }],
    [["budgets", "site", site], { taken: 1, left: 1, at: 0 }],
    [["budgets", "token", token_id], { taken: 1, left: 1, at: 0 }],
    [["token_uses", token_id], "2026-11-21T10:00:00.000Z"],
    [["trial_tokens", `try_${token_id}`], {
      ...{ id: `try_${token_id}`, name: "Try", allowed_sites: [site], owner_user_id: user_id },
    }],
    [["trials", `trial-${site}`, "0"], { user_id, sites: [site], ends_at: 0, count: 1, sealed: null }],
    [["snapshots", "clarity", site, "2026-02-28"], { site_id: site, metrics: { text: site } }],
    [["tool_catalogs", site, "cms", "server"], { site_id: site, content: { id: parts, parts: 1 } }],
    [["tool_pins", site, "cms", "server"], { tool: sha256(`pin ${site}`) }],
    [["tool_catalog_parts", parts, 0], new TextEncoder().encode(site)],
    [["tool_decisions", site, "cms", "server", "tool"], { site_id: site, hash: texts }],
    [["tool_texts", texts], { name: "tool", description: `of ${site}` }],
    [["sign_ins", user_id], { passphrase: null, passkeys: [{ id: `key-${person}` }] }],
    [["passkeys", sha256(`key ${person}`)], user_id],
    [["webhook_deliveries", "hook", `msg_${site}`], { sites: [site], sealed: null }],
    [["webhooks_waiting", "hook", `msg_${site}`], { next_at: 0, sites: [site] }],
    [["webhook_marks", "tool.held", site], "0123456789"],
    [["webhook_marks", "connection.broken", user_id, "google"], `id-${person} refused`],
    [["change_pieces", site, "orphan", "0"], { key: "k", iv: new Uint8Array(1), data: new Uint8Array(1) }],
  ];
  for (const [key, value] of entries) await kv.set(key, value);
  kv.close();
  await proveAnew(path);
}

/** Everything in the store as text, a line each, packed parts of the audit opened; kinds of record apart. */
export async function dump(
  path: string,
): Promise<{ readonly text: string; readonly kinds: Map<string, number> }> {
  const kv = await Deno.openKv(path);
  const kinds = new Map<string, number>();
  const lines: string[] = [];
  for await (const { key, value } of kv.list({ prefix: [] })) {
    const kind = key[0] === "audit" ? `audit/${String(key[1])}` : String(key[0]);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    lines.push(`${JSON.stringify(key)} ${textOf(value)}`);
  }
  kv.close();
  return { text: lines.join("\n"), kinds };
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return new TextDecoder("latin1").decode(inflated(value));
  return JSON.stringify(
    value,
    (_, one) => one instanceof Uint8Array ? textOf(one) : typeof one === "bigint" ? String(one) : one,
  ) ?? "";
}

function inflated(bytes: Uint8Array): Uint8Array {
  for (const inflate of [inflateRawSync, inflateSync]) {
    try {
      return inflate(bytes);
    } catch {
      // it is not deflated in that way
    }
  }
  return bytes;
}
