/** Erasing a site or a person: all that the store has of it but hashes, and what the audit's rows said of it. */
import { GatewayError } from "../core/errors.ts";
import { type AuditRow, LIMITS, type Site, type Token } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { Audit } from "./audit/audit.ts";
import type { CachedKind, Versions } from "./cache.ts";
import type { ConsentContent } from "./consent_types.ts";
import { type Database, deleteListed, listRecords, sha256 } from "./database.ts";
import { DECISIONS, type Erased, type Rule } from "./erasure_rules.ts";
import { rowsOf } from "./erasure_rows.ts";
import type { ErasureOptions, ErasureReport, ErasureStore, Swept } from "./erasure_types.ts";
import type { Sealed, Sealer } from "./seal.ts";
import type { LeaseStore } from "./store.ts";

/** The value of `["erasures", hash]`: what is sealed is what is erased. */
interface Begun {
  readonly id: string;
  readonly begun_at: number;
  readonly sealed: Sealed;
  /** Whether a pass came to its end. */
  readonly passed?: true;
  /** Whether the rows of the audit stay. */
  readonly keeps_rows?: true;
}

/** Where tokens are kept. */
const TOKEN_KINDS = ["tokens", "trial_tokens"] as const;
const LEASE = "erasure";
const LEASE_MS = 60_000;
/** A call that began before may be under way for so long: what it leaves is erased then. */
const SETTLED_MS = 3 * LIMITS.CALL_DEADLINE_MS;
const PASSES_MAX = 3;

const hashOf = (kind: Erased["kind"], id: string) => sha256(`${kind} ${id}`);
const recordKey = (hash: string) => ["erasures", hash];
const always = () => Promise.resolve(true);

/** The parts of a store that it works with. */
export interface ErasureParts {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly versions: Versions;
  readonly audit: Audit;
  readonly leases: LeaseStore;
}

/** The ErasureStore of a database. */
export class Erasures implements ErasureStore {
  constructor(private readonly parts: ErasureParts) {}

  async preview(
    kind: Erased["kind"],
    id: string,
    options: ErasureOptions = {},
  ): Promise<ErasureReport | null> {
    const of = await this.#known(kind, id);
    if (of === null) return null;
    const { rows, changed } = await this.parts.audit.erasable(rowsOf(of));
    const swept = await this.#sweep(of, true);
    return this.#report(of, swept, options.keepsRows ? { rows_stay: rows } : { rows, changed }, null);
  }

  async run(kind: Erased["kind"], id: string, options: ErasureOptions = {}): Promise<ErasureReport | null> {
    const of = await this.#known(kind, id);
    if (of === null) return null;
    const key = recordKey(hashOf(kind, id));
    const { db, sealer } = this.parts;
    const standing = await db.kv.get<Begun>(key);
    const { keeps_rows, ...begun }: Begun = standing.value ??
      { id: db.newId(), begun_at: db.now(), sealed: await sealer.seal(JSON.stringify(of), key) };
    // An erasure that is under way takes the rows, whoever asks for less of it now; a removal becomes one.
    const isRemoval = options.keepsRows === true && (standing.value === null || keeps_rows === true);
    const record: Begun = { ...begun, ...isRemoval ? { keeps_rows: true } : {} };
    // Before anything goes: what is cut off is gone on with by this record.
    const isAsStored = standing.value !== null && (keeps_rows === true) === isRemoval;
    if (!isAsStored) await db.commit(db.kv.atomic().check(standing).set(key, record));
    return await this.#leased((renew) => this.#erase(of, record, renew));
  }

  async settlesAt(kind: Erased["kind"], id: string): Promise<number | null> {
    const { value } = await this.parts.db.kv.get<Begun>(recordKey(hashOf(kind, id)));
    return value && value.begun_at + SETTLED_MS;
  }

  async resume(): Promise<readonly ErasureReport[]> {
    const { db, sealer } = this.parts;
    const reports: ErasureReport[] = [];
    for await (const { key, value } of db.kv.list<Begun>({ prefix: ["erasures"] })) {
      if (value.passed && db.now() < value.begun_at + SETTLED_MS) continue;
      const of = JSON.parse(await sealer.unseal(value.sealed, key as string[])) as Erased;
      reports.push(await this.#leased((renew) => this.#erase(of, value, renew)));
    }
    return reports;
  }

  async #leased<T>(work: (renew: () => Promise<void>) => Promise<T>): Promise<T> {
    let done: { readonly value: T } | null = null;
    const held = await this.parts.leases.hold(LEASE, LEASE_MS, async (renew) => {
      done = {
        value: await work(async () => {
          if (!await renew()) {
            throw new GatewayError("E_BUSY", "The erasure took so long that it goes on elsewhere");
          }
        }),
      };
    });
    if (held && done !== null) return (done as { readonly value: T }).value;
    throw new GatewayError(
      "E_BUSY",
      "Another erasure is under way; this one begins behind it, within a minute or two",
    );
  }

  /** One pass over everything; the record goes with the pass behind which no call can leave anything. */
  async #erase(of: Erased, begun: Begun, renew: () => Promise<void>): Promise<ErasureReport> {
    const { db, audit } = this.parts;
    const key = recordKey(hashOf(of.kind, of.id));
    const isLast = db.now() >= begun.begun_at + SETTLED_MS;
    const swept = await this.#sweep(of, false, renew);
    // What was changed at that very moment is left to the next time.
    for (let left = swept, tries = 1; !isNothing(left) && tries < PASSES_MAX; tries++) {
      left = await this.#sweep(of, false, renew);
    }
    const gone = (rows: readonly AuditRow[]) => this.#gone(rows);
    const counts = begun.keeps_rows
      ? { rows_stay: null }
      : await audit.erase({ ...rowsOf(of), by: begun.id, renew, gone });
    if (isLast) await db.commit(db.kv.atomic().delete(key));
    else await db.commit(db.kv.atomic().set(key, { ...begun, passed: true }));
    return this.#report(of, swept, counts, isLast ? null : begun.begun_at + SETTLED_MS);
  }

  #report(
    { kind, id }: Erased,
    swept: Swept,
    counts: { readonly rows: number; readonly changed: number } | { readonly rows_stay: number | null },
    settles_at: number | null,
  ): ErasureReport {
    const head = { of: hashOf(kind, id), kind, ...swept };
    if ("rows" in counts) return { ...head, rows: counts.rows, rows_changed: counts.changed, settles_at };
    const { rows_stay } = counts;
    return {
      ...head,
      removed: id,
      ...rows_stay === null ? {} : { rows_stay },
      rows: 0,
      rows_changed: 0,
      settles_at,
    };
  }

  /** What is known of it, while it is there; null where nothing is. */
  async #known(kind: Erased["kind"], id: string): Promise<Erased | null> {
    const { db, sealer } = this.parts;
    const key = recordKey(hashOf(kind, id));
    const { value } = await db.kv.get<Begun>(key);
    if (value !== null) return JSON.parse(await sealer.unseal(value.sealed, key)) as Erased;
    return kind === "site" ? await this.#site(id) : await this.#person(id);
  }

  async #site(id: string): Promise<Erased | null> {
    const all = await listRecords<Site>(this.parts.db.kv, "sites");
    const site = all.find((one) => one.id === id);
    // Of a site that was removed before, the audit's rows are left.
    if (site === undefined) {
      const { rows } = await this.parts.audit.list({ site_id: id }, { limit: 1 });
      return rows.length === 0 ? null : { kind: "site", id, names: [], tokens: [], links: [] };
    }
    const others = new Set(all.filter((one) => one !== site).flatMap((one) => Object.values(one)));
    const own = (one: unknown): one is string => typeof one === "string" && one !== "" && !others.has(one);
    const links = Object.entries(site).filter(([name]) => name === "repo" || name.endsWith("_id"))
      .map(([, value]) => value).filter(own);
    return { kind: "site", id, names: [site.base_url].filter(own), tokens: [], links };
  }

  async #person(id: string): Promise<Erased | null> {
    const { db } = this.parts;
    const { value } = await db.kv.get<{ readonly email: string }>(["users", id]);
    const kinds = await Promise.all(TOKEN_KINDS.map((kind) => listRecords<Token>(db.kv, kind)));
    const tokens = kinds.flat().filter((one) => one.owner_user_id === id);
    const grants: string[] = [];
    for await (const entry of db.kv.list<{ readonly user_id: string }>({ prefix: ["oauth_grants"] })) {
      if (entry.value.user_id === id) grants.push(String(entry.key[1]));
    }
    const names = await this.#emails(id);
    if (value !== null) names.add(value.email);
    if (value === null && names.size === 0 && tokens.length === 0) return null;
    return {
      kind: "user",
      id,
      names: [...names],
      tokens: [id, ...tokens.map((one) => one.id), ...grants], // people ask in their own name as well
      links: [],
    };
  }

  /** Each e-mail address that the person ever had, as far as the audit tells. */
  async #emails(id: string): Promise<Set<string>> {
    const emails = new Set<string>();
    for (const tool of ["user.create", "user.change", "user.remove"]) {
      let page: { readonly cursor?: string } | null = {};
      while (page !== null) {
        const { rows, next_cursor } = await this.parts.audit.list({ tool }, {
          ...page,
          limit: LIMITS.AUDIT_PAGE_MAX,
        });
        for (const { arguments: about } of rows) for (const email of emailsOf(about, id)) emails.add(email);
        page = next_cursor === null ? null : { cursor: next_cursor };
      }
    }
    return emails;
  }

  /** Goes over every kind of record; answers what became of how many of each, or would. */
  async #sweep(of: Erased, isDry: boolean, renew: () => Promise<void> = async () => {}): Promise<Swept> {
    const counts: Record<Fate, Record<string, number>> = { deleted: {}, unnamed: {}, ended: {} };
    const count = (kind: string) => (fate: Fate) => counts[fate][kind] = (counts[fate][kind] ?? 0) + 1;
    if (of.kind === "site" && !isDry) await this.#tools(of.id);
    for (const [kind, decision] of Object.entries(DECISIONS)) {
      const rule = decision[of.kind];
      if (typeof rule === "string") continue;
      await renew();
      await this.#apply(kind, rule, of, { isDry, cached: decision.cached, count: count(kind) });
    }
    for (let left = await this.#changes(of, isDry); left > 0; left--) count("changes")("deleted");
    for (let left = await this.#consents(of, isDry); left > 0; left--) count("consents")("deleted");
    return counts;
  }

  async #apply(
    kind: string,
    rule: Rule,
    of: Erased,
    { isDry, cached, count }: {
      readonly isDry: boolean;
      readonly cached: CachedKind | undefined;
      readonly count: (fate: Fate) => void;
    },
  ): Promise<void> {
    const { db, versions } = this.parts;
    for await (const entry of db.kv.list({ prefix: [kind] }, { batchSize: 100 })) {
      const { key, value } = entry;
      const left = rule(key as readonly string[], value, of, db.timestamp());
      if (left === undefined) continue;
      count(fateOf(value, left));
      if (isDry) continue;
      const atomic = db.kv.atomic().check(entry);
      if (left === null) atomic.delete(key);
      else atomic.set(key, left);
      if (kind === "kept" && isFields(value)) await this.#below("kept_parts", String(value["id"]));
      if (cached === undefined) await db.commit(atomic);
      else await versions.of(cached).commit(atomic);
    }
  }

  /** What stood there before changes: of a site all, of a person those of the person's tokens. */
  async #changes(of: Erased, isDry: boolean): Promise<number> {
    const { db } = this.parts;
    let count = 0;
    const prefix = of.kind === "site" ? ["changes", of.id] : ["changes"];
    for await (
      const { key, value } of db.kv.list<{ readonly grant: string }>({ prefix }, { batchSize: 500 })
    ) {
      if (of.kind === "user" && !of.tokens.includes(value.grant)) continue;
      count++;
      if (!isDry) await this.#change(String(key[1]), String(key[2]));
    }
    // Those of calls that did nothing, or whose record went first.
    if (of.kind === "site" && !isDry) await this.#below("change_pieces", of.id);
    return count;
  }

  async #change(site_id: string, request_id: string): Promise<void> {
    const { db } = this.parts;
    await this.#below("change_pieces", site_id, request_id);
    await db.commit(db.kv.atomic().delete(["changes", site_id, request_id]));
  }

  /** What calls of rows that go have kept under another site. */
  async #gone(rows: readonly AuditRow[]): Promise<void> {
    for (const { site_id, request_id, outcome } of rows) {
      if (outcome !== undefined && site_id !== null) await this.#change(site_id, request_id);
    }
  }

  /** Confirm tokens and idempotency keys with their answers; one that no key opens is worth nothing, and goes too. */
  async #consents(of: Erased, isDry: boolean): Promise<number> {
    const { db, sealer } = this.parts;
    let count = 0;
    for await (const { key, value } of db.kv.list<{ readonly sealed: Sealed }>({ prefix: ["consents"] })) {
      const text = await sealer.unseal(value.sealed, key as string[]).catch(() => null);
      const content = text === null ? null : JSON.parse(text) as ConsentContent;
      const isOf = content === null ||
        (of.kind === "site" ? content.sites.some(([id]) => id === of.id) : of.tokens.includes(content.grant));
      if (!isOf) continue;
      count++;
      const [, hash] = key as string[];
      const kinds = ["consent_answers", "consent_signs", "consents"];
      if (!isDry) {
        await db.commit(kinds.reduce((atomic, kind) => atomic.delete([kind, hash!]), db.kv.atomic()));
      }
    }
    return count;
  }

  /** Lists of a site's own tools, and those of their texts that no other site has. */
  async #tools(site_id: string): Promise<void> {
    const { db } = this.parts;
    const own = new Set<string>();
    const others = new Set<string>();
    for (const kind of ["tool_catalogs", "tool_pins", "tool_decisions"]) {
      for await (const { key, value } of db.kv.list({ prefix: [kind] }, { batchSize: 100 })) {
        const isOwn = key[1] === site_id;
        for (const text of textsIn(value)) (isOwn ? own : others).add(text);
        const content = isOwn && isFields(value) && isFields(value["content"]) ? value["content"] : null;
        if (kind === "tool_catalogs" && content !== null) {
          await this.#below("tool_catalog_parts", String(content["id"]));
        }
      }
    }
    const isLeft = ({ key }: Deno.KvEntry<unknown>) => own.has(String(key[1])) && !others.has(String(key[1]));
    await deleteListed(db, ["tool_texts"], isLeft, always);
  }

  async #below(...prefix: string[]): Promise<void> {
    await deleteListed(this.parts.db, prefix, () => true, always);
  }
}

type Fate = keyof Swept;

/** What becomes of a record that a rule leaves so. */
function fateOf(value: unknown, left: unknown): Fate {
  if (left === null) return "deleted";
  const isOver = (one: unknown) => isFields(one) && one["revoked_at"] != null;
  return isOver(left) && !isOver(value) ? "ended" : "unnamed";
}

const isNothing = (swept: Swept) => Object.values(swept).every((counts) => Object.keys(counts).length === 0);

/** Every text within a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The e-mail addresses that a row about that user names. */
function emailsOf(about: unknown, id: string): string[] {
  if (!isFields(about) || about["user_id"] !== id) return [];
  return [about, about["before"], about["after"]].flatMap((one) =>
    isFields(one) && typeof one["email"] === "string" ? [one["email"]] : []
  );
}
