/** Change sets: what was shown of each, sealed in pieces, and what became of its items. */
import { LIMITS } from "../core/model.ts";
import type { Beside } from "./consent_types.ts";
import { AGAIN, type Database, untilSettled } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { inPieces, keepPieces, ofPieces, prolongPieces } from "./sealed_pieces.ts";
import type { KeptSet, SetApproval, SetContent, SetHead, SetResult, SetStore } from "./set_types.ts";

/** As KV keeps it. */
interface Kept extends Omit<SetHead, "set_id" | "token"> {
  readonly token: Sealed | null;
  readonly pieces: number;
  readonly expires_at: number;
}

/** A piece of a set, or a result, as KV keeps it; whose it is stands beside it, so that it goes where that is erased. */
interface KeptPart extends Pick<SetHead, "grant" | "sites"> {
  readonly sealed: Sealed;
}

/** A set that is to be shown and confirmed: as long as its token, and a little for who looks at it later. */
const SHOWN_MS = LIMITS.CONFIRM_TOKEN_MS + 5 * 60_000;
/** One that runs ends long before. */
const RUNNING_MS = 2 * LIMITS.SET_KEPT_MS;

const headKey = (set_id: string) => ["sets", set_id];
const pieceKey = (set_id: string) => (n: number) => ["set_pieces", set_id, String(n)];
const resultKey = (set_id: string, item: number) => ["set_results", set_id, String(item).padStart(3, "0")];

const sealedIn = (value: unknown): Sealed => (value as KeptPart).sealed;
const sitesOf = (content: SetContent | null) => [
  ...new Set(content?.items.flatMap(({ sites }) => sites) ?? []),
];

/** The SetStore of a database. */
export class Sets implements SetStore {
  constructor(private readonly db: Database, private readonly sealer: Sealer) {}

  async begin({ set_id, grant }: Pick<SetHead, "set_id" | "grant">): Promise<void> {
    const nothing = {
      ...{ sites: [], items: 0, cancelled_at: null, approved: null, failed: null, token: null, pieces: 0 },
    };
    await this.#put(set_id, { ...nothing, grant, state: "preparing", expires_at: this.#until(SHOWN_MS) });
  }

  async prepared(
    { set_id, grant, token, failed }: Pick<SetHead, "set_id" | "grant" | "token" | "failed">,
    content: SetContent | null,
  ): Promise<void> {
    if ((await this.#get(set_id)).value?.state === "ended") return;
    const pieces = await this.#keep({ set_id, grant, content });
    const sealed = token && await this.sealer.seal(JSON.stringify(token), headKey(set_id));
    const next: Kept = {
      grant,
      sites: sitesOf(content),
      items: content?.items.length ?? 0,
      state: content === null ? "ended" : "prepared",
      cancelled_at: null,
      approved: null,
      failed,
      token: sealed,
      pieces,
      expires_at: this.#until(SHOWN_MS),
    };
    // One that was cancelled while it was planned stays so.
    await this.#replace(set_id, (kept) => kept?.state === "ended" ? null : next);
  }

  async head(set_id: string): Promise<SetHead | null> {
    const { value } = await this.#get(set_id);
    return value === null ? null : await this.#headOf(set_id, value);
  }

  async find(set_id: string): Promise<KeptSet | null> {
    const { value } = await this.#get(set_id);
    if (value === null) return null;
    const head = await this.#headOf(set_id, value);
    if (value.pieces === 0) return { ...head, content: null };
    const text = await ofPieces(this.db, this.sealer, pieceKey(set_id), value.pieces, sealedIn);
    return text === null ? null : { ...head, content: JSON.parse(text) as SetContent };
  }

  async start(set_id: string, approved: SetApproval | null = null): Promise<boolean> {
    const { value: found } = await this.#get(set_id);
    if (found === null || found.pieces === 0 || found.state === "ended") return false;
    // They are not opened for that: a set may have four megabytes.
    if (!await prolongPieces(this.db, pieceKey(set_id), found.pieces, RUNNING_MS)) return false;
    const expires_at = this.#until(RUNNING_MS);
    const started = await this.#change(
      set_id,
      (kept) =>
        kept.state === "ended"
          ? null
          : { ...kept, state: "running", approved: kept.approved ?? approved, expires_at },
    );
    return started?.state === "running";
  }

  async cancel(set_id: string): Promise<SetHead | null> {
    const kept = await this.#change(set_id, (kept) => {
      if (kept.state === "ended" || kept.cancelled_at !== null) return null;
      return { ...kept, cancelled_at: this.db.timestamp() };
    });
    return kept === null ? null : await this.#headOf(set_id, kept);
  }

  async end(set_id: string, failed: string | null, beside: readonly Beside[] = []): Promise<void> {
    const expires_at = this.#until(LIMITS.SET_KEPT_MS);
    await this.#replace(
      set_id,
      (kept) =>
        kept === null || kept.state === "ended" ? null : { ...kept, state: "ended", failed, expires_at },
      beside,
    );
  }

  async told(
    { set_id, grant, sites }: Pick<SetHead, "set_id" | "grant" | "sites">,
    result: SetResult,
  ): Promise<Beside[]> {
    const key = resultKey(set_id, result.item);
    const value: KeptPart = { grant, sites, sealed: await this.sealer.seal(JSON.stringify(result), key) };
    return [{ key, value, expireIn: RUNNING_MS }];
  }

  async result(set_id: string, item: number): Promise<SetResult | null> {
    const key = resultKey(set_id, item);
    const { value } = await this.db.kv.get<KeptPart>(key);
    return value === null ? null : JSON.parse(await this.sealer.unseal(value.sealed, key)) as SetResult;
  }

  async results(set_id: string): Promise<Map<number, SetResult>> {
    const found = new Map<number, SetResult>();
    for await (const { key, value } of this.db.kv.list<KeptPart>({ prefix: ["set_results", set_id] })) {
      const result = JSON.parse(await this.sealer.unseal(value.sealed, key as string[])) as SetResult;
      found.set(result.item, result);
    }
    return found;
  }

  async #headOf(set_id: string, { token, pieces: _, expires_at: __, ...head }: Kept): Promise<SetHead> {
    const opened = token && JSON.parse(await this.sealer.unseal(token, headKey(set_id))) as SetHead["token"];
    return { ...head, set_id, token: opened };
  }

  async #keep({ set_id, grant, content }: Pick<KeptSet, "set_id" | "grant" | "content">): Promise<number> {
    if (content === null) return 0;
    const pieces = await inPieces(this.sealer, pieceKey(set_id), JSON.stringify(content), SHOWN_MS);
    const sites = sitesOf(content);
    await keepPieces(
      this.db,
      pieces.map(({ value, ...piece }) => ({ ...piece, value: { grant, sites, sealed: value as Sealed } })),
    );
    return pieces.length;
  }

  async #get(set_id: string) {
    const entry = await this.db.kv.get<Kept>(headKey(set_id));
    const { value } = entry;
    return { entry, value: value !== null && this.db.now() < value.expires_at ? value : null };
  }

  async #put(set_id: string, kept: Kept): Promise<void> {
    const expireIn = Math.max(1, kept.expires_at - this.db.now());
    await this.db.commit(this.db.kv.atomic().set(headKey(set_id), kept, { expireIn }));
  }

  /** Changes the record; `patch` answers null for one that stays as it is. Answers what it is by then. */
  async #change(set_id: string, patch: (kept: Kept) => Kept | null): Promise<Kept | null> {
    return await this.#replace(set_id, (kept) => kept && patch(kept));
  }

  /** The same of one that may not be there yet. */
  async #replace(
    set_id: string,
    patch: (kept: Kept | null) => Kept | null,
    beside: readonly Beside[] = [],
  ): Promise<Kept | null> {
    return await untilSettled(async () => {
      const { entry, value } = await this.#get(set_id);
      const next = patch(value);
      if (next === null) return value;
      const expireIn = Math.max(1, next.expires_at - this.db.now());
      const change = this.db.kv.atomic().check(entry).set(entry.key, next, { expireIn });
      for (const one of beside) change.set([...one.key], one.value, { expireIn: one.expireIn });
      return (await this.db.commit(change)).ok ? next : AGAIN;
    });
  }

  #until(ms: number): number {
    return this.db.now() + ms;
  }
}
