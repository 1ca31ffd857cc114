/** What stood where calls have written: sealed in pieces, found by site and request, the oldest of a site dropped first. */
import { Buffer } from "node:buffer";
import { LIMITS, type Made } from "../core/model.ts";
import type {
  ChangeRoom,
  ChangeState,
  ChangeStore,
  KeptChange,
  Left,
  NewChange,
  Setback,
} from "./change_types.ts";
import type { Beside } from "./consent_types.ts";
import { type Database, deleteListed } from "./database.ts";
import type { Sealer } from "./seal.ts";
import { inPieces, keepPieces, ofPieces } from "./sealed_pieces.ts";

/** As KV keeps it. */
interface Kept extends Omit<ChangeState, "request_id" | "site_id" | "final" | "made"> {
  readonly final?: string;
  readonly made?: readonly Made[];
  /** In how many pieces, of how many bytes, the setbacks are. */
  readonly pieces: number;
  readonly bytes: number;
  readonly expires_at: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** A site's records are counted anew once so much was added to them. */
const RECOUNT_BYTES = LIMITS.UNDO_SITE_BYTES / 10;

const recordKey = (site_id: string, request_id: string) => ["changes", site_id, request_id];
const pieceKey = (site_id: string, request_id: string) => (n: number) => [
  "change_pieces",
  site_id,
  request_id,
  String(n),
];

const stateOf = (
  { grant, left, undone_by, final, made }: Kept,
  request_id: string,
  site_id: string,
): ChangeState => ({
  request_id,
  site_id,
  grant,
  left,
  undone_by,
  final: final ?? null,
  made: made ?? [],
});

/** Most calls make nothing. */
const madeOf = (made: readonly Made[]) => made.length === 0 ? {} : { made };

/** The ChangeStore of a database. */
export class Changes implements ChangeStore {
  /** Bytes added by this process since a site's were last counted. */
  readonly #added = new Map<string, number>();

  /** `days` is for how long a change can be taken back; 0 keeps nothing. */
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    readonly days: number,
  ) {}

  async begin(
    { request_id, site_id, grant, setbacks, final, left, made = [] }: NewChange,
  ): Promise<Beside[] | null> {
    if (this.days === 0) return [];
    const text = JSON.stringify(setbacks);
    const bytes = Buffer.byteLength(text);
    if (bytes > LIMITS.BEFORE_IMAGE_BYTES) return null;
    const expireIn = this.days * DAY_MS;
    const pieces = await inPieces(this.sealer, pieceKey(site_id, request_id), text, expireIn);
    const kept: Kept = {
      grant,
      left: left ?? null,
      undone_by: null,
      ...final === undefined ? {} : { final },
      ...madeOf(made),
      pieces: pieces.length,
      bytes,
      expires_at: this.db.now() + expireIn,
    };
    const along = bytes <= LIMITS.BEFORE_IMAGE_ALONG_BYTES;
    if (!along) await keepPieces(this.db, pieces);
    this.#count(site_id, bytes);
    return [{ key: recordKey(site_id, request_id), value: kept, expireIn }, ...along ? pieces : []];
  }

  ended(begun: readonly Beside[], left: readonly (Left | null)[], made: readonly Made[]): Beside[] {
    return begun.filter(({ key }) => key[0] === "changes").map(({ key, value }) => {
      const kept = value as Kept;
      const expireIn = Math.max(1, kept.expires_at - this.db.now());
      return { key, value: { ...kept, left, ...madeOf(made) } satisfies Kept, expireIn };
    });
  }

  async undone(request_id: string, site_id: string, by: string): Promise<Beside[]> {
    return await this.#changed(site_id, request_id, { undone_by: by });
  }

  dropped(request_id: string, site_id: string): Beside[] {
    return [{ key: recordKey(site_id, request_id), value: null }]; // its pieces go with their time
  }

  async state(site_id: string, request_id: string): Promise<ChangeState | null> {
    const kept = await this.#kept(site_id, request_id);
    return kept === null ? null : stateOf(kept, request_id, site_id);
  }

  async room(): Promise<ChangeRoom[]> {
    const rooms = new Map<string, ChangeRoom>();
    for await (const { key, value } of this.db.kv.list<Kept>({ prefix: ["changes"] }, { batchSize: 500 })) {
      if (this.db.now() >= value.expires_at) continue;
      const [site_id, request_id] = [String(key[1]), String(key[2])];
      const { changes, bytes, oldest } = rooms.get(site_id) ??
        { changes: 0, bytes: 0, oldest: { request_id, kept_until: value.expires_at } };
      rooms.set(site_id, { site_id, changes: changes + 1, bytes: bytes + value.bytes, oldest });
    }
    return [...rooms.values()];
  }

  async find(site_id: string, request_id: string): Promise<KeptChange | null> {
    const kept = await this.#kept(site_id, request_id);
    if (kept === null) return null;
    const text = await ofPieces(this.db, this.sealer, pieceKey(site_id, request_id), kept.pieces);
    if (text === null) return null;
    return { ...stateOf(kept, request_id, site_id), setbacks: JSON.parse(text) as Setback[] };
  }

  async #kept(site_id: string, request_id: string): Promise<Kept | null> {
    const { value } = await this.db.kv.get<Kept>(recordKey(site_id, request_id));
    return value === null || this.db.now() >= value.expires_at ? null : value;
  }

  async #changed(site_id: string, request_id: string, patch: Partial<Kept>): Promise<Beside[]> {
    const kept = await this.#kept(site_id, request_id);
    if (kept === null) return [];
    const expireIn = Math.max(1, kept.expires_at - this.db.now());
    return [{ key: recordKey(site_id, request_id), value: { ...kept, ...patch }, expireIn }];
  }

  #count(site_id: string, bytes: number): void {
    const added = (this.#added.get(site_id) ?? RECOUNT_BYTES) + bytes; // the first of a process counts
    this.#added.set(site_id, added);
    if (added < RECOUNT_BYTES) return;
    this.#added.set(site_id, 0);
    this.#trim(site_id).catch(() => {}); // what is too much now is so at the next count
  }

  /** Drops the oldest records of a site beyond what it may keep. */
  async #trim(site_id: string): Promise<void> {
    let left = LIMITS.UNDO_SITE_BYTES;
    for await (
      const { key, value } of this.db.kv.list<Kept>({ prefix: ["changes", site_id] }, { reverse: true })
    ) {
      left -= value.bytes;
      if (left >= 0) continue;
      await this.db.commit(this.db.kv.atomic().delete(key));
      const pieces = ["change_pieces", site_id, String(key[2])];
      await deleteListed(this.db, pieces, () => true, () => Promise.resolve(true));
    }
  }
}
