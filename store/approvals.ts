/** Requests that a person must approve: what is asked, sealed; its arguments in pieces, which go once it is decided. */
import { Buffer } from "node:buffer";
import { GatewayError } from "../core/errors.ts";
import { type Approval, type ApprovalState, type Deciding, LIMITS, type Outcome } from "../core/model.ts";
import type { ApprovalStore, NewApproval, WaitingApproval } from "./approval_types.ts";
import type { Beside } from "./consent_types.ts";
import { type Database, deleteListed } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { inPieces, keepPieces, ofPieces } from "./sealed_pieces.ts";

/** What is sealed of a request. */
type Told = Pick<Approval, "summary" | "confirm_token" | "words">;

/** As KV keeps it. */
interface Kept extends Omit<Approval, keyof Told | "id" | "asked_at" | "expires_at"> {
  readonly sealed: Sealed;
  readonly same: string;
  /** In how many pieces the arguments are; 0 once they are erased. */
  readonly pieces: number;
  readonly asked_at: number;
  readonly expires_at: number;
}

/** A piece, as KV keeps it; whose it is stands beside it, so that it goes where that is erased. */
interface KeptPiece extends Pick<NewApproval, "grant" | "sites"> {
  readonly sealed: Sealed;
}

/** The value of `["approvals_waiting", grant, same]`. */
interface Waiting extends Pick<NewApproval, "sites" | "owner_user_id" | "editors"> {
  readonly id: string;
  readonly expires_at: number;
}

const UNREADABLE: Told = {
  summary: "What was asked cannot be read: the key that it was sealed under is missing, or it was damaged",
  confirm_token: "",
  words: null,
};

const recordKey = (id: string) => ["approvals", id];
const pieceKey = (id: string) => (n: number) => ["approval_pieces", id, String(n)];
const waitingKey = (grant: string, same: string) => ["approvals_waiting", grant, same];
const waitingOf = ({ id, sites, owner_user_id, editors, expires_at }: Approval): Waiting => ({
  ...{ id, sites, owner_user_id },
  ...editors === undefined ? {} : { editors },
  expires_at: Date.parse(expires_at),
});
const sealedIn = (value: unknown): Sealed => (value as KeptPiece).sealed;
const timeOf = (ms: number) => new Date(ms).toISOString();

const tooLarge = (bytes: number) =>
  new GatewayError(
    "E_PAYLOAD_TOO_LARGE",
    `A person must approve this, and its arguments come to ${bytes} bytes; ${LIMITS.APPROVAL_BYTES} are kept at most. ` +
      "Send less at once, such as one thing a call; nothing was sent to the site",
    { outcome: "none" },
  );

/** The ApprovalStore of a database. */
export class Approvals implements ApprovalStore {
  constructor(private readonly db: Database, private readonly sealer: Sealer) {}

  async ask({ args, same, ...request }: NewApproval): Promise<{ approval: Approval; beside: Beside[] }> {
    const text = JSON.stringify(args);
    const bytes = Buffer.byteLength(text);
    if (bytes > LIMITS.APPROVAL_BYTES) throw tooLarge(bytes);
    const id = this.db.newId();
    const { grant, sites } = request;
    const pieces = (await inPieces(this.sealer, pieceKey(id), text, LIMITS.APPROVAL_MS))
      .map((piece) => ({ ...piece, value: { grant, sites, sealed: piece.value as Sealed } }));
    const along = bytes <= LIMITS.BEFORE_IMAGE_ALONG_BYTES;
    if (!along) await keepPieces(this.db, pieces);
    const now = this.db.now();
    const approval: Approval = {
      ...request,
      id,
      state: "pending",
      asked_at: timeOf(now),
      expires_at: timeOf(now + LIMITS.APPROVAL_MS),
      decided_at: null,
      decided: null,
      request_id: null,
      outcome: null,
      words: null,
    };
    const waits = {
      key: waitingKey(grant, same),
      value: waitingOf(approval),
      expireIn: LIMITS.APPROVAL_MS,
    };
    const record = await this.#record(approval, { same, pieces: pieces.length });
    return { approval, beside: [record, waits, ...along ? pieces : []] };
  }

  async asked(grant: string, same: string): Promise<Approval | null> {
    const { value } = await this.db.kv.get<Waiting>(waitingKey(grant, same));
    const approval = value === null ? null : await this.find(value.id);
    return approval?.state === "pending" && approval.confirm_token !== UNREADABLE.confirm_token
      ? approval
      : null;
  }

  async waiting(grant: string, most: number): Promise<number> {
    let count = 0;
    for await (const _ of this.db.kv.list({ prefix: ["approvals_waiting", grant] }, { limit: most })) count++;
    return count;
  }

  async pending(): Promise<WaitingApproval[]> {
    const found: WaitingApproval[] = [];
    for await (
      const { value: { expires_at, ...one } } of this.db.kv.list<Waiting>({ prefix: ["approvals_waiting"] }, {
        batchSize: 500,
      })
    ) if (this.db.now() < expires_at) found.push(one);
    return found.sort((one, other) => one.id < other.id ? -1 : 1);
  }

  async find(id: string): Promise<Approval | null> {
    const { value } = await this.db.kv.get<Kept>(recordKey(id));
    return value && await this.#opened(id, value);
  }

  async args(id: string): Promise<Record<string, unknown> | null> {
    const { value } = await this.db.kv.get<Kept>(recordKey(id));
    if (value === null || value.pieces === 0) return null;
    const text = await ofPieces(this.db, this.sealer, pieceKey(id), value.pieces, sealedIn);
    return text === null ? null : JSON.parse(text) as Record<string, unknown>;
  }

  async list(states?: readonly ApprovalState[]): Promise<Approval[]> {
    const found: Promise<Approval>[] = [];
    for await (const { key, value } of this.#all()) {
      if (states === undefined || states.includes(this.#stateOf(value))) {
        found.push(this.#opened(String(key[1]), value));
      }
    }
    return await Promise.all(found);
  }

  async begun(approval: Approval, decided: Deciding, request_id: string): Promise<Beside[]> {
    const decided_at = this.db.timestamp();
    return await this.#changed({ ...approval, state: "approved", decided_at, decided, request_id });
  }

  async ended(
    approval: Approval,
    decided: Deciding,
    request_id: string,
    outcome: Outcome,
  ): Promise<Beside[]> {
    if (outcome === "none") return await this.#changed(approval);
    const decided_at = this.db.timestamp();
    return await this.#changed({ ...approval, state: "approved", decided_at, decided, request_id, outcome });
  }

  async rejected(
    approval: Approval,
    decided: Deciding,
    words: string | null,
    edited_to?: string,
  ): Promise<Beside[]> {
    const decided_at = this.db.timestamp();
    const edited = edited_to === undefined ? {} : { edited_to };
    return await this.#changed({ ...approval, state: "rejected", decided_at, decided, words, ...edited });
  }

  async expire(approval: Approval, why: string, beside: readonly Beside[] = []): Promise<boolean> {
    const entry = await this.db.kv.get<Kept>(recordKey(approval.id));
    if (entry.value === null || entry.value.state !== "pending") return false;
    const change = this.db.kv.atomic().check(entry);
    const decided_at = this.db.timestamp();
    const changed = await this.#changed({ ...approval, state: "expired", decided_at, words: why });
    for (const { key, value, expireIn } of [...changed, ...beside]) {
      if (value === null) change.delete([...key]);
      else change.set([...key], value, { expireIn });
    }
    return (await this.db.commit(change)).ok;
  }

  async forget(id: string, beside: readonly Beside[] = []): Promise<void> {
    const entry = await this.db.kv.get<Kept>(recordKey(id));
    if (entry.value !== null && this.#stateOf(entry.value) === "pending") return;
    await deleteListed(this.db, ["approval_pieces", id], () => true, () => Promise.resolve(true));
    if (entry.value === null || entry.value.pieces === 0) return;
    const expireIn = this.#lifetime(entry.value.asked_at);
    const change = this.db.kv.atomic().check(entry)
      .set(entry.key, { ...entry.value, pieces: 0 }, { expireIn });
    for (const one of beside) change.set([...one.key], one.value, { expireIn: one.expireIn });
    await this.db.commit(change);
  }

  async unforgotten(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key, value } of this.#all()) {
      if (value.pieces > 0 && this.#stateOf(value) !== "pending") ids.push(String(key[1]));
    }
    return ids;
  }

  #all() {
    return this.db.kv.list<Kept>({ prefix: ["approvals"] }, { batchSize: 500 });
  }

  #stateOf({ state, expires_at }: Pick<Kept, "state" | "expires_at">): ApprovalState {
    return state === "pending" && this.db.now() >= expires_at ? "expired" : state;
  }

  async #opened(id: string, { sealed, same: _, pieces: __, ...kept }: Kept): Promise<Approval> {
    // One whose key is gone must not hide the others.
    const told = await this.sealer.unseal(sealed, recordKey(id)).then((text) => JSON.parse(text) as Told)
      .catch(() => UNREADABLE);
    const { asked_at, expires_at } = kept;
    return {
      ...kept,
      ...told,
      id,
      state: this.#stateOf(kept),
      asked_at: timeOf(asked_at),
      expires_at: timeOf(expires_at),
    };
  }

  /** The record as it is to be; one that waits no more is not found as that. */
  async #changed(approval: Approval): Promise<Beside[]> {
    const { value } = await this.db.kv.get<Kept>(recordKey(approval.id));
    if (value === null) return []; // it was erased
    const { same, pieces } = value;
    const key = waitingKey(approval.grant, same);
    const expireIn = Math.max(1, value.expires_at - this.db.now());
    const waits = approval.state === "pending" ? waitingOf(approval) : null;
    const standing = waits === null ? await this.db.kv.get<Waiting>(key) : null;
    // An equal request was asked for meanwhile, for this one could not be read.
    const isOthers = standing !== null && standing.value !== null && standing.value.id !== approval.id;
    if (isOthers) return [await this.#record(approval, { same, pieces })];
    return [await this.#record(approval, { same, pieces }), { key, value: waits, expireIn }];
  }

  async #record(
    { id, summary, confirm_token, words, ...rest }: Approval,
    more: Pick<Kept, "same" | "pieces">,
  ): Promise<Beside> {
    const key = recordKey(id);
    const told: Told = { summary, confirm_token, words };
    const asked_at = Date.parse(rest.asked_at);
    const value: Kept = {
      ...rest,
      ...more,
      asked_at,
      expires_at: Date.parse(rest.expires_at),
      sealed: await this.sealer.seal(JSON.stringify(told), key),
    };
    return { key, value, expireIn: this.#lifetime(asked_at) };
  }

  #lifetime(asked_at: number): number {
    return Math.max(1, asked_at + LIMITS.APPROVAL_KNOWN_MS - this.db.now());
  }
}
