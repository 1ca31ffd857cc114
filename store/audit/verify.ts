/** Verifying the audit: every chain from its beginning or checkpoint to its head, and what came after that. */
import { GatewayError } from "../../core/errors.ts";
import { quoted } from "../../core/fields.ts";
import { Proven, type Proving } from "./proven.ts";
import {
  chainHash,
  checkpointKey,
  GENESIS,
  type Head,
  headKey,
  isErasedLine,
  type KeptHead,
  parseRow,
  parseSegment,
  type Segment,
} from "./segment.ts";
import { SaidErasures } from "./erasing.ts";
import { makeFilter } from "./query.ts";
import { ALL, oldestFirst, segmentsNewestFirst, type Stored } from "./source.ts";
import { damageText } from "../damage.ts";
import { type Database, isDamage } from "../database.ts";
import { messageOf } from "../store_file.ts";
import type { AuditVerdict, VerifyOptions } from "../store.ts";

const TOLD_EVERY = 1000;
const SEGMENT_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** How far a chain was followed; `n` 0 is its beginning. */
interface Chain {
  readonly last: Head;
  /** The number of its last segment that is in a bundle: no head says less. */
  readonly packed: number;
  /** The head before reading began; null for a chain begun later. */
  readonly head: Head | null;
  /** Whether the gateway wrote that head: then it vouches for the segments up to it. */
  readonly isHeadProven: boolean;
  /** Whether the last segment was named as changed already, so that nothing more need be said of what does not follow from it. */
  readonly isNamed: boolean;
  /** Whether the last segment has a proof of its own: such a one may stand behind the head that a backup took. */
  readonly hasProof: boolean;
}

const BEGUN: Chain = {
  last: { n: 0, hash: GENESIS, id: "" },
  packed: 0,
  head: null,
  isHeadProven: false,
  isNamed: false,
  hasProof: false,
};

/** Throws a GatewayError for what is no segment's id: behind that nothing might be looked at, and all be called whole. */
export function assertSegmentId(after: string | undefined): void {
  if (after === undefined || SEGMENT_ID.test(after)) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `after: expected the id of a segment, as it was shown while the audit was verified, not ${quoted(after)}`,
  );
}

/** Throws a GatewayError where no segment is as new as that one, behind which nothing was found. */
async function assertReached(db: Database, after: string): Promise<void> {
  let newest: string | null = null;
  for await (const { id } of segmentsNewestFirst(db, makeFilter({}), null)) {
    newest = id;
    break;
  }
  if (newest !== null && after <= newest) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `after: the audit ends before segment ${quoted(after)}, so nothing was verified; ${
      newest === null ? "it has no segments" : `its newest segment is ${newest}`
    }`,
  );
}

/**
 * Checks all chains, reading every segment once; memory does not grow with their number. Writing may go on. Behind a segment
 * that is named only what follows is checked; E_BAD_INPUT where there is none such. An entry that is damaged is named, and
 * reading goes on.
 */
export async function verifyAudit(
  given: Database,
  by: Proving,
  { after, told, anchor }: VerifyOptions = {},
): Promise<AuditVerdict> {
  assertSegmentId(after);
  const db = given.aroundDamage();
  const verifier = new AuditVerifier(db, { by, after: after ?? null, anchor });
  const first = after === undefined ? "" : `${after}0`;
  let read = 0;
  try {
    await verifier.readEnds();
    for await (const stored of oldestFirst(db, { ...ALL, first, damaged: (key) => verifier.damaged(key) })) {
      read = await verifier.follow(stored);
      if (read % TOLD_EVERY === 0) told?.(read, stored.id);
    }
    if (after !== undefined && read === 0) await assertReached(db, after);
  } catch (thrown) {
    // Else the store does not answer, or is closed.
    if (thrown instanceof GatewayError && !isDamage(thrown)) throw thrown;
    return verifier.giveUp(thrown);
  }
  return await verifier.conclude();
}

/** How an audit is verified. */
export interface Verifying {
  readonly by: Proving;
  /** The segment behind which it begins, which is believed; null for all. */
  readonly after?: string | null;
  /** No chain may end before it. */
  readonly anchor?: VerifyOptions["anchor"];
}

/** Follows the chains of an audit as its segments are handed over, each writer's in their order. */
export class AuditVerifier {
  readonly #db: Database;
  readonly #chains = new Map<string, Chain>();
  readonly #faults: string[] = [];
  #segments = 0;
  #rows = 0;
  #newest: string | null = null;
  readonly #damaged = new Set<string>();
  readonly #erasures = new SaidErasures();
  readonly #proven: Proven;
  readonly #after: string | null;
  readonly #anchor: VerifyOptions["anchor"];
  /** By writer the segment of the anchor that was not read yet. */
  readonly #unmet: Map<string, { readonly n: number; readonly hash: string }>;

  /** The writers whose chains were taken up behind the segment that was named; null where all is read. */
  readonly #taken: Set<string> | null;

  constructor(db: Database, { by, after = null, anchor }: Verifying) {
    this.#db = db;
    this.#proven = new Proven(by);
    this.#after = after;
    this.#anchor = anchor;
    this.#unmet = new Map(Object.entries(anchor?.heads ?? {}));
    this.#taken = after === null ? null : new Set();
  }

  /** Reads all heads and checkpoints. */
  async readEnds(): Promise<void> {
    for (const [writer, head] of await this.#readAll("head")) {
      const fault = this.#proven.faultOfEnd("head", writer, head);
      if (fault !== null) this.#faults.push(fault);
      this.#chains.set(writer, { ...BEGUN, head, isHeadProven: fault === null });
    }
    for (const [writer, last] of await this.#readAll("checkpoint")) {
      const anchored = this.#unmet.get(writer);
      if (anchored !== undefined && last.n >= anchored.n) this.#meet(writer, last);
      const fault = this.#proven.faultOfEnd("checkpoint", writer, last);
      if (fault !== null) this.#faults.push(fault);
      this.#chains.set(writer, { ...this.#chains.get(writer) ?? BEGUN, last });
    }
  }

  /** Takes note of a bundle or a part that is damaged: the segments in it are missing then. */
  damaged(key: Deno.KvKey): void {
    const sentence = `The ${String(key[1])} ${damageText(key)}`;
    if (this.#damaged.has(sentence)) return;
    this.#damaged.add(sentence);
    this.#faults.push(sentence);
  }

  /** Takes the next segment in the order of ids; answers how many that makes. */
  async follow({ id, value, isPacked }: Stored): Promise<number> {
    this.#segments++;
    this.#newest = id;
    const segment = parseSegment(value);
    if (segment === null) {
      this.#faults.push(`Segment ${id} cannot be read: it was damaged or changed`);
      return this.#segments;
    }
    const { writer } = segment;
    if (this.#taken?.has(writer) === false) this.#takeUp(segment);
    const chain = this.#chains.get(writer) ?? BEGUN;
    if (segment.segment !== id) {
      this.#faults.push(`Segment ${id} of writer ${writer} holds the text of segment ${segment.segment}`);
    }
    const judged = this.#proven.judge(segment);
    const isNext = await this.#link(id, segment, chain);
    if (judged === "wrong") {
      this.#faults.push(
        `Segment ${segment.n} (${id}) of writer ${writer} was changed: its proof is not the gateway's`,
      );
    }
    this.#checkRows(id, segment);
    const last = { n: segment.n, hash: chainHash(segment), id };
    this.#proven.follow(segment, id, judged, isNext);
    if (this.#unmet.get(writer)?.n === last.n) this.#meet(writer, last);
    if (segment.erased !== undefined) this.#erasures.changed(id, segment);
    if (last.n === chain.head?.n && last.hash === chain.head.hash && chain.isHeadProven) {
      this.#proven.vouch(writer);
    } else if (last.n === chain.head?.n && last.hash !== chain.head.hash && judged !== "wrong") {
      this.#faults.push(
        `Segment ${last.n} (${id}) of writer ${writer} was changed: the writer's head names another hash`,
      );
    }
    this.#chains.set(writer, {
      ...chain,
      last,
      packed: isPacked ? segment.n : chain.packed,
      isNamed: judged === "wrong",
      hasProof: segment.proof !== undefined,
    });
    return this.#segments;
  }

  /** Compares the segment of the anchor, or what retention has left of it, with what the anchor says. */
  #meet(writer: string, { n, hash, id }: Head): void {
    const anchored = this.#unmet.get(writer)!;
    this.#unmet.delete(writer);
    if (n > anchored.n || hash === anchored.hash) return;
    this.#faults.push(
      `Segment ${n} (${id}) of writer ${writer} is another than when the anchor of ${
        this.#anchor!.at
      } was made`,
    );
  }

  /** What the first segment that is read of a chain names as before it is believed. */
  #takeUp({ writer, n, prev }: Segment): void {
    this.#taken?.add(writer);
    const last = { n: n - 1, hash: prev, id: this.#after ?? "" };
    this.#chains.set(writer, { ...this.#chains.get(writer) ?? BEGUN, last });
  }

  /** Checks the heads and sums up. */
  async conclude(): Promise<AuditVerdict> {
    for (const [writer, chain] of this.#chains) {
      if (this.#taken?.has(writer) !== false) await this.#checkEnd(writer, chain);
    }
    this.#faults.push(...this.#erasures.faults(), ...this.#proven.faults());
    for (const [writer, { n }] of this.#unmet) {
      const reached = this.#chains.get(writer)?.last.n ?? 0;
      this.#faults.push(
        `Missing: ${numbers(reached + 1, n)} of writer ${writer}, which were there when the anchor of ${
          this.#anchor!.at
        } was made: the end was cut off, or an older copy was put in the place of the store`,
      );
    }
    return this.#verdict();
  }

  /** Sums up where the store could not be read to the end: what is missing behind that is not known. */
  giveUp(thrown: unknown): AuditVerdict {
    const where = this.#newest === null ? "No segment" : `Nothing after segment ${this.#newest}`;
    this.#faults.push(`${where} can be read, for it is damaged (${messageOf(thrown)})`);
    return this.#verdict();
  }

  #verdict(): AuditVerdict {
    return {
      ok: this.#faults.length === 0,
      writers: this.#taken?.size ?? this.#chains.size,
      segments: this.#segments,
      rows: this.#rows,
      ...this.#erasures.rows > 0 && { erased: this.#erasures.rows },
      ...this.#proven.said(),
      faults: this.#faults,
      ...this.#faults.length > 0 && this.#db.place !== undefined && { place: this.#db.place },
      ...this.#after !== null && { after: this.#after },
    };
  }

  /** Answers whether the segment follows from the one before. */
  async #link(id: string, { writer, n, prev }: Segment, { last: before, isNamed }: Chain): Promise<boolean> {
    let last: Head = before;
    if (n > last.n + 1) {
      // Retention may have come between.
      const checkpoint = asHead((await this.#db.kv.get(checkpointKey(writer))).value);
      const isLater = checkpoint !== null && checkpoint.n > last.n && checkpoint.n < n;
      if (isLater && this.#proven.faultOfEnd("checkpoint", writer, checkpoint) === null) last = checkpoint;
    }
    if (n === last.n + 1 && prev === last.hash) return true;
    if (n > last.n + 1) {
      this.#faults.push(
        `Missing: ${numbers(last.n + 1, n - 1)} of writer ${writer}, before segment ${n} (${id})`,
      );
    } else if (n <= last.n) {
      this.#faults.push(
        `Segment ${n} (${id}) of writer ${writer} is out of turn: it follows segment ${last.n}`,
      );
    } else if (!isNamed) {
      this.#faults.push(
        last.n === 0
          ? `Segment 1 (${id}) of writer ${writer} was changed: it does not begin a chain`
          : `Segment ${last.n} (${last.id}) of writer ${writer} was changed: segment ${n} (${id}) names another hash`,
      );
    }
    return false;
  }

  #checkRows(id: string, { writer, n, lines }: Segment): void {
    lines.forEach((line, index) => {
      const row = parseRow(line);
      if (row !== null) this.#erasures.said(row);
      if (row !== null) this.#rows++;
      else if (isErasedLine(line)) this.#erasures.rows++;
      else this.#faults.push(`Row ${index + 1} of segment ${n} (${id}) of writer ${writer} cannot be read`);
    });
  }

  /** A head is written behind: what comes after it is followed, and where that ends nobody can say. */
  async #checkEnd(writer: string, { last, packed, head, hasProof }: Chain): Promise<void> {
    if (head !== null && last.n < head.n) {
      this.#faults.push(`Missing: ${numbers(last.n + 1, head.n)} of writer ${writer}, at the end`);
    } else if (packed > (head?.n ?? 0) && !(head !== null && hasProof)) {
      const current = asHead((await this.#db.kv.get(headKey(writer))).value);
      const isRight = current !== null && this.#proven.faultOfEnd("head", writer, current) === null;
      if (isRight && current.n >= packed) return;
      this.#faults.push(
        current === null
          ? `Writer ${writer} has segments up to ${last.n} and no head: it was removed or changed`
          : `Writer ${writer} has segment ${last.n} (${last.id}), but its head says ${current.n} is the last`,
      );
    }
  }

  async #readAll(kind: "head" | "checkpoint"): Promise<Map<string, KeptHead>> {
    const all = new Map<string, KeptHead>();
    for await (const { key, value } of this.#db.kv.list({ prefix: ["audit", kind] }, { batchSize: 500 })) {
      const head = asHead(value);
      if (head !== null) all.set(String(key[2]), head);
      else {this.#faults.push(
          `The ${kind} of writer ${String(key[2])} cannot be read: it was damaged or changed`,
        );}
    }
    return all;
  }
}

function asHead(value: unknown): KeptHead | null {
  const head = value as Partial<KeptHead> | null;
  return Number.isSafeInteger(head?.n) && typeof head?.hash === "string" ? head as KeptHead : null;
}

function numbers(first: number, last: number): string {
  return first === last ? `segment ${first}` : `segments ${first} to ${last}`;
}
