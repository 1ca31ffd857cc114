/** What the handler of a write answers: its result, and what was proven of it. */
import type { Compared } from "../platforms/_content/compared.ts";
import type { Live, Seen } from "../platforms/_content/live.ts";

/** What a call replaces, as the same tool sets it back: by its `restore`, or where it has none by its arguments. */
export interface Before {
  /** Which thing it is: the arguments that name it, without the site; of a tool whose flags go by an argument that one too. */
  readonly of: Readonly<Record<string, unknown>>;
  /**
   * What stands there: by the arguments that would set it, or, for a `restore`, by part as it is stored, what is not there
   * as null. Of several changes that go back at once each part has its oldest value.
   */
  readonly values: Readonly<Record<string, unknown>>;
  /** That its arguments set it back although the tool has a `restore`, which does that on other platforms. */
  readonly byArguments?: true;
}

/** What the gateway puts beside a result itself, so that no tool has a key of that name. */
export interface Reserved {
  readonly verified?: never;
  readonly verified_reason?: never;
  readonly live?: never;
  readonly live_reason?: never;
  readonly warnings?: never;
  readonly request_id?: never;
}

/** What was proven of a write. */
interface Proof {
  /**
   * True only where what is stored was compared with what was asked for and is the same; false where it is not, which the
   * warnings name; null where it could not be compared.
   */
  readonly verified: boolean | null;
  /** Why `verified` is null; null otherwise. */
  readonly reason: string | null;
  readonly warnings: readonly string[];
  /** What visitors get, null where nobody looked, and why; left out of a write that is for nobody's eyes. */
  readonly live?: Live | null;
  readonly live_reason?: string | undefined;
  /** Null where nobody could tell whether visitors got it although it was no publication. */
  readonly published?: null;
  /** The parts of the plan's revision as the write left them; left out where that is not known. */
  readonly left?: Readonly<Record<string, unknown>>;
  /** What it replaced, where only the write itself could tell that; left out where the plan did. */
  readonly before?: Before;
}

/** A write's result with its proof. Made by `verified`, `compared` and `unverified` alone. */
export class WriteResult {
  readonly #result: object;
  readonly #proof: Proof;

  constructor(result: object, proof: Proof) {
    this.#result = result;
    this.#proof = proof;
  }

  /** Whether it is stored as it was asked for; null where that could not be compared. */
  get verified(): boolean | null {
    return this.#proof.verified;
  }

  /** Null where nobody could tell whether visitors got it although it was no publication; for the audit. */
  get published(): null | undefined {
    return this.#proof.published;
  }

  /** The parts of the plan's revision as the write left them; undefined where that is not known. */
  get left(): Readonly<Record<string, unknown>> | undefined {
    return this.#proof.left;
  }

  /** What it replaced, where only the write itself could tell that; undefined where the plan did. */
  get before(): Before | undefined {
    return this.#proof.before;
  }

  /**
   * The same with those parts as the upstream's answer shows them: by them it is seen later whether somebody changed it.
   * `before` takes the place of what the plan kept: with what only the write itself could tell, such as a branch it made.
   */
  leaving(left: Readonly<Record<string, unknown>> | undefined, before?: Before): WriteResult {
    if (left === undefined) return this;
    const proof = { ...this.#proof, left };
    return new WriteResult(this.#result, before === undefined ? proof : { ...proof, before });
  }

  /** The same with what visitors get beside it: it changes nothing of what was proven of the site's own answer. */
  seen({ live, reason, warnings }: Seen): WriteResult {
    const proof = { ...this.#proof, live, warnings: [...this.#proof.warnings, ...warnings] };
    return new WriteResult(this.#result, reason === undefined ? proof : { ...proof, live_reason: reason });
  }

  /** The same with more of its result. */
  also(more: Readonly<Record<string, unknown>> & Reserved): WriteResult {
    return new WriteResult({ ...this.#result, ...more }, this.#proof);
  }

  /** The same with what the preview warned of and what is so after the write as well. */
  warned(warnings: readonly string[]): WriteResult {
    return new WriteResult(this.#result, {
      ...this.#proof,
      warnings: [...this.#proof.warnings, ...warnings],
    });
  }

  /** The result with what was proven beside it, as callers get it. */
  toJSON(): Record<string, unknown> {
    const { verified, reason, live, live_reason, warnings } = this.#proof;
    return {
      ...this.#result,
      verified,
      ...(reason === null ? {} : { verified_reason: reason }),
      ...(live === undefined ? {} : { live }),
      ...(live_reason === undefined ? {} : { live_reason }),
      warnings,
    };
  }
}

/** The answer of a call that only read, by a tool that writes for some arguments. Made by `onlyRead` alone. */
export class ReadResult {
  readonly #made = true;
  constructor(readonly result: unknown) {}
}

/**
 * A write that is stored as it was asked for: what the upstream shows of it afterwards was compared, by the tool or by a
 * client that throws where it differs.
 */
export const verified = <Result extends object>(
  result: Result & Reserved,
  warnings: readonly string[] = [],
): WriteResult => new WriteResult(result, { verified: true, reason: null, warnings });

/** A write of which nothing tells whether it is stored as it was asked for, and why. */
export const unverified = <Result extends object>(
  reason: string,
  result: Result & Reserved,
  warnings: readonly string[] = [],
): WriteResult => new WriteResult(result, { verified: null, reason, warnings });

/**
 * A write whose client compared it: verified without differences, not so with any, each a warning; null where a part
 * could not be compared and the rest is as it was sent. The other keys are the result.
 */
export function compared<Answer extends Compared & Omit<Reserved, "warnings">>(
  { differences, warnings = [], uncompared, published, caches_asked: _told, ...result }: Answer,
): WriteResult {
  const all = [...differences, ...warnings];
  const isOther = differences.length > 0;
  return new WriteResult(result, {
    verified: isOther ? false : uncompared === undefined ? true : null,
    reason: isOther ? null : uncompared ?? null,
    warnings: all,
    ...published === null ? { published } : {},
  });
}

/** The writes of several calls as one: as proven as the least of them; so is `live` of those that visitors get. */
export function asOne<Result extends object>(
  result: Result & Reserved,
  parts: readonly WriteResult[],
): WriteResult {
  const all = parts.map((one) => one.toJSON());
  const open = all.find(({ verified }) => verified === null);
  const isOther = all.some(({ verified }) => verified === false);
  const proof = {
    verified: isOther ? false : open === undefined ? true : null,
    reason: isOther || open === undefined ? null : String(open["verified_reason"]),
    warnings: all.flatMap(({ warnings }) => warnings as string[]),
  };
  const lives = all.filter((one) => "live" in one);
  const isAsExpected = (one: (typeof all)[number]) => (one["live"] as Live | null)?.as_expected;
  const told = lives.find((one) => isAsExpected(one) === false) ??
    lives.find((one) => isAsExpected(one) !== true) ?? lives[0];
  const seen = told === undefined
    ? {}
    : { live: told["live"] as Live | null, live_reason: told["live_reason"] as string | undefined };
  return new WriteResult(result, { ...proof, ...seen });
}

/** The answer of a call that wrote nothing, its arguments asking for none. */
export const onlyRead = (result: unknown): ReadResult => new ReadResult(result);
