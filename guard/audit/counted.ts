/** Refusals that come in floods: wrong and refused tokens by address, limited calls by token; counted a minute, in one row of the audit. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS, type Token } from "../../core/model.ts";
import type { Sender } from "../../core/senders.ts";
import type { Actor, recorder } from "./admin_row.ts";

const MINUTE_MS = 60_000;
/** So many addresses and tokens are counted apart within a minute; what comes after them is counted together. */
const COUNTED_MAX = 10_000;
const OTHERS = "others";
/** So many addresses have a row of their own, of one token or of all that nobody knows: a network has as many as it likes. */
const ROWS_MAX = 100;

/** Whoever sends a token that nobody knows. */
const UNKNOWN: Actor = { token_id: "unknown", token_name: "unknown token", owner_user_id: null };

/** What is counted: one kind of refusal, of one address or token, in one minute. */
interface Counted {
  readonly minute: number;
  readonly by: Actor;
  readonly what: Readonly<Record<string, string | number>>;
  readonly kind: Kind;
  count: number;
}

/** How each kind stands in the audit. */
const KINDS = {
  wrong: { tool: "token.refused", status: "denied", error: "E_AUTH" },
  refused: { tool: "token.refused", status: "denied", error: "E_AUTH" },
  limited: { tool: "calls.limited", status: "error", error: "E_RATE_LIMITED" },
} as const;
type Kind = keyof typeof KINDS;

/** What it needs. */
export interface CountedPorts {
  readonly record: ReturnType<typeof recorder>;
  now(): number;
}

/** Counts them, and writes the rows of minutes that are over. */
export class CountedRefusals {
  #counts = new Map<string, Counted>();
  #minute = -1;

  constructor(private readonly ports: CountedPorts) {}

  /**
   * A token that nobody knows. Throws E_RATE_LIMITED, with the seconds until the next minute, once its address has sent
   * LIMITS.WRONG_TOKENS_PER_MINUTE; tokens that are known never come here.
   */
  wrong(sender: Sender): void {
    const address = sender.counted();
    const count = this.#add("wrong", address, UNKNOWN, { address });
    if (count <= LIMITS.WRONG_TOKENS_PER_MINUTE) return;
    const left = MINUTE_MS - this.ports.now() % MINUTE_MS;
    const seconds = Math.max(1, Math.ceil(left / 1000));
    throw new GatewayError(
      "E_RATE_LIMITED",
      `Too many wrong tokens came from this address; try again in ${seconds} s. A valid token is let in all the same`,
      { retryAfter: seconds },
    );
  }

  /** A token that is known, and was refused: from elsewhere than it may come from, revoked, over, or of nobody any more. */
  refused({ id, name, owner_user_id }: Pick<Token, "id" | "name" | "owner_user_id">, sender: Sender): void {
    const address = sender.counted();
    const by = { token_id: id, token_name: name, owner_user_id };
    this.#add("refused", `${id} ${address}`, by, { address });
  }

  /** A call that a rate limit refused. */
  limited(by: Actor): void {
    this.#add("limited", by.token_id, by, {});
  }

  /** Writes the rows of the minutes that are over. */
  async run(): Promise<void> {
    if (this.#minute !== minuteOf(this.ports.now())) await this.flush();
  }

  /** Writes what was counted so far; what cannot be written is in the log. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    const groups = Map.groupBy(counts.values(), ({ kind, by }) => `${kind} ${by.token_id}`);
    for (const { kind, by, what, count, minute } of groups.values().flatMap(rowsOf)) {
      const { tool, status, error } = KINDS[kind];
      const said = { ...what, count, minute: new Date(minute * MINUTE_MS).toISOString() };
      await this.ports.record(by, tool, said, { status, error }).catch(() => {}); // the log has it
    }
  }

  #add(kind: Kind, of: string, by: Actor, what: Counted["what"]): number {
    const minute = minuteOf(this.ports.now());
    if (minute !== this.#minute) {
      if (this.#counts.size > 0) void this.flush();
      this.#minute = minute;
    }
    const isNew = !this.#counts.has(`${kind} ${of}`);
    if (isNew && this.#counts.size >= COUNTED_MAX && of !== OTHERS) {
      return this.#add(kind, OTHERS, UNKNOWN, { address: OTHERS });
    }
    const key = `${kind} ${of}`;
    const counted = this.#counts.get(key) ?? { minute, by, what, kind, count: 0 };
    this.#counts.set(key, counted);
    return ++counted.count;
  }
}

/** What is written of the counts of one kind and token: those that are highest, and the rest in one. */
function rowsOf(counts: Counted[]): Counted[] {
  if (counts.length <= ROWS_MAX) return counts;
  const sorted = counts.sort((one, other) => other.count - one.count);
  const rest = sorted.slice(ROWS_MAX);
  const count = rest.reduce((sum, one) => sum + one.count, 0);
  return [...sorted.slice(0, ROWS_MAX), {
    ...rest[0]!,
    what: { address: OTHERS, addresses: rest.length },
    count,
  }];
}

const minuteOf = (now: number): number => Math.floor(now / MINUTE_MS);
