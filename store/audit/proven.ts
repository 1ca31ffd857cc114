/** What of the chains of an audit is proven while they are followed: by a segment's own proof, or by what follows from it. */
import type { AuditKeys, EndKind, Judged } from "./keys.ts";
import { beganAt, judgeEnd, judgeSegment, type KeptHead, parseRow, type Segment } from "./segment.ts";
import type { AuditVerdict } from "./types.ts";

/** What segments are judged by; `format` where no version that proves them has opened the store, `keys` where nobody gave the keys. */
export type Proving = AuditKeys | "format" | "keys";

/** Segments of a chain that have no proof of their own that can be looked at, and that nothing behind them has vouched for yet. */
interface Open {
  readonly first: number;
  readonly last: number;
  readonly id: string;
  readonly segments: number;
  readonly rows: number;
  /** When the last of their rows began, in milliseconds. */
  readonly at: number;
  /** The keys of those that have a proof. */
  readonly keys: ReadonlySet<string>;
}

/** The part of a verdict that says how rows are proven. */
export type HowProven = Pick<AuditVerdict, "hashed" | "unproven">;

/** Keeps book of what is proven, a chain by its writer. */
export class Proven {
  readonly #open = new Map<string, Open>();
  #segments = 0;
  #rows = 0;
  #at = -Infinity;

  constructor(private readonly by: Proving) {}

  /** What is wrong with an end of a chain, a sentence; null for nothing. Only one that is right vouches for what leads to it. */
  faultOfEnd(kind: EndKind, writer: string, end: KeptHead): string | null {
    if (typeof this.by === "string") return null;
    const judged = judgeEnd(this.by, kind, writer, end);
    if (judged === "proven") return null;
    if (judged === "closed") {
      return `The ${kind} of writer ${writer} cannot be verified: ${closedText([end.key!])}`;
    }
    return `The ${kind} of writer ${writer} was changed: its proof is ${
      judged === null ? "missing" : "not the gateway's"
    }`;
  }

  /** Whether a segment is as the gateway wrote it by its own proof; null where that cannot be told. */
  judge(segment: Segment): Judged | null {
    return typeof this.by === "string" ? null : judgeSegment(this.by, segment);
  }

  /** Takes the next segment of a chain, as it was judged; `isNext` says that it follows from the one before. */
  follow(segment: Segment, id: string, judged: Judged | null, isNext: boolean): void {
    const { writer, n, lines, proof } = segment;
    const before = this.#open.get(writer);
    if (judged === "proven" || judged === "wrong") {
      if (before !== undefined && isNext && judged === "proven") this.#count(before);
      this.#open.delete(writer);
      return;
    }
    if (this.by === "keys") return;
    const row = parseRow(lines.at(-1) ?? "");
    const at = row === null ? -Infinity : beganAt(row.at);
    const named = proof === undefined ? [] : [proof.key];
    const keys = new Set([...before?.keys ?? [], ...named].slice(0, KEYS_SHOWN));
    this.#open.set(writer, {
      first: before?.first ?? n,
      last: n,
      id,
      segments: (before?.segments ?? 0) + 1,
      rows: (before?.rows ?? 0) + lines.length,
      at: Math.max(before?.at ?? -Infinity, Number.isNaN(at) ? -Infinity : at),
      keys,
    });
  }

  /** The chain has come to a proven end that names the hash of its last segment: what leads there is as it was then. */
  vouch(writer: string): void {
    const open = this.#open.get(writer);
    if (open !== undefined) this.#count(open);
    this.#open.delete(writer);
  }

  /** A sentence for each chain of which nothing vouches for some segments. */
  faults(): string[] {
    if (this.by === "format") {
      for (const writer of [...this.#open.keys()]) this.vouch(writer);
    }
    return [...this.#open].map(([writer, { first, last, id, keys }]) => {
      const which = first === last
        ? `Segment ${first} (${id})`
        : `Segments ${first} to ${last} (up to ${id})`;
      return keys.size > 0
        ? `${which} of writer ${writer} cannot be verified: ${closedText([...keys])}`
        : `${which} of writer ${writer} ${
          first === last ? "has" : "have"
        } no proof, and no head that the gateway wrote tells of ${
          first === last ? "it" : "them"
        }: somebody else wrote or changed that, or a version before 0.6.0 was still running`;
    });
  }

  /** How the rows are proven that have no proof of their own. */
  said(): HowProven {
    if (this.by === "keys") return { unproven: "keys" };
    if (this.by === "format") return { unproven: "format" };
    if (this.#segments === 0) return {};
    const until = Number.isFinite(this.#at) ? new Date(this.#at).toISOString() : null;
    return { hashed: { segments: this.#segments, rows: this.#rows, until } };
  }

  #count({ segments, rows, at }: Open): void {
    this.#segments += segments;
    this.#rows += rows;
    this.#at = Math.max(this.#at, at);
  }
}

const KEYS_SHOWN = 3;
const KEY_CHARACTERS = 12;

/** Who can write the store can name keys as he likes. */
function closedText(keys: readonly string[]): string {
  const named = keys.slice(0, KEYS_SHOWN).map((key) => JSON.stringify(key.slice(0, KEY_CHARACTERS))).join(
    ", ",
  );
  return `its proof was made with key ${named} of the audit, which is not in the store or does not open with these ENCRYPTION_KEYS`;
}
