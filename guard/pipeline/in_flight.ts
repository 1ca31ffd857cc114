/** What may be under way at once, in this process's memory: calls of one token, and bytes of bodies. */
import { LIMITS } from "../../core/model.ts";
import { BodyTurns, type Turn } from "./body_turns.ts";
import { AFTER, type After, busy, waitIn, type Waiting } from "./waiting.ts";

interface Line {
  taken: number;
  readonly waiting: Set<Waiting>;
}

/** How many calls of one token are worked on at once; further ones wait for a place, those that came first first. */
export class CallsInFlight {
  readonly #most: number;
  readonly #after: After;
  readonly #lines = new Map<string, Line>();

  /** `most` 0 means no limit. */
  constructor(most: number, after: After = AFTER) {
    this.#most = most;
    this.#after = after;
  }

  /** The place of a call of that token, which it has not taken yet. `left` says where its client is seen leaving. */
  place(token: string, left?: () => AbortSignal | undefined): Place {
    return new Place(this, token, left);
  }

  /** Takes a place; a promise where one must be waited for. Throws or rejects with E_BUSY, E_CANCELLED. */
  take(token: string, left?: () => AbortSignal | undefined): void | Promise<void> {
    if (this.#most === 0) return;
    let line = this.#lines.get(token);
    if (!line) this.#lines.set(token, line = { taken: 0, waiting: new Set() });
    if (line.taken < this.#most) {
      line.taken++;
      return;
    }
    if (line.waiting.size >= LIMITS.CALLS_WAITING_PER_TOKEN) {
      throw busy(
        `The token has ${this.#most} calls under way and ${line.waiting.size} waiting, the most there may be`,
      );
    }
    return this.#wait(line.waiting, left?.());
  }

  /** Resolves with a place; throws E_CANCELLED where the client leaves, E_BUSY where it takes longer than a call may. */
  #wait(waiting: Line["waiting"], left?: AbortSignal): Promise<void> {
    return waitIn({
      join: (one) => void waiting.add(one),
      leave: (one) => void waiting.delete(one),
      after: this.#after,
      left,
      late: () => busy(`The call waited ${LIMITS.CALL_DEADLINE_MS / 1000} s for the token's others`),
    });
  }

  /** Gives the place to who waited longest. */
  leave(token: string): void {
    if (this.#most === 0) return;
    const line = this.#lines.get(token)!;
    const [next] = line.waiting;
    if (next) return next.go();
    line.taken--;
    if (line.taken === 0) this.#lines.delete(token);
  }
}

/** A call's place among those of its token. */
export class Place {
  #isTaken = false;

  constructor(
    private readonly calls: Pick<CallsInFlight, "take" | "leave">,
    private readonly token: string,
    private readonly left?: () => AbortSignal | undefined,
  ) {}

  /** Takes it; a promise where there is none at once. Throws or rejects with E_BUSY, E_CANCELLED. */
  take(): void | Promise<void> {
    if (this.#isTaken) return;
    const waits = this.calls.take(this.token, this.left);
    if (waits) return waits.then(() => void (this.#isTaken = true));
    this.#isTaken = true;
  }

  /** Gives it to another: at the end, and while the call itself only waits. */
  leave(): void {
    if (this.#isTaken) this.calls.leave(this.token);
    this.#isTaken = false;
  }
}

/** What one token may fill with several bodies at once: the rest is left for the others. */
const SHARE_OF_TOKEN = 3 / 4;

/** The bytes of bodies that are being read, or whose calls are under way; of large ones those that are worked on. */
export class BodiesInFlight {
  readonly #most: number;
  readonly #turns: BodyTurns;
  readonly #byToken = new Map<string, number>();
  #bytes = 0;

  constructor(most: number, turns: BodyTurns = new BodyTurns(LIMITS.LARGE_BODY_BYTES_AT_ONCE)) {
    this.#most = most;
    this.#turns = turns;
  }

  /** The body of one request of that token, of which nothing has come yet. `left` says where its client is seen leaving. */
  body(token: string, left?: () => AbortSignal | undefined): HeldBody {
    return new CountedBody(this, this.#turns, token, left);
  }

  /** Whether there is room for so many bytes more of a body that holds so many already. */
  hasRoom(token: string, own: number, bytes: number): boolean {
    const ofToken = this.#byToken.get(token) ?? 0;
    const most = ofToken > own ? this.#most * SHARE_OF_TOKEN : this.#most;
    return this.#bytes + bytes <= this.#most && ofToken + bytes <= most;
  }

  /** Counts so many bytes more of that token, or fewer. */
  count(token: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes += bytes;
    const left = (this.#byToken.get(token) ?? 0) + bytes;
    if (left === 0) this.#byToken.delete(token);
    else this.#byToken.set(token, left);
  }
}

/** A body that takes room until its call has ended. */
export interface HeldBody {
  /** Counts bytes that have come. Throws E_BUSY where there is no room for them; then it takes none any more. */
  add(bytes: number): void;
  /** Asked for once all of it has come; a promise where it must wait. Rejects with E_BUSY, E_CANCELLED. */
  turn(): void | Promise<void>;
  release(): void;
}

/** One body; a class, for every call has one. */
class CountedBody implements HeldBody {
  #own = 0;
  #turn: Turn | null = null;

  constructor(
    private readonly all: BodiesInFlight,
    private readonly turns: BodyTurns,
    private readonly token: string,
    private readonly left: (() => AbortSignal | undefined) | undefined,
  ) {}

  add(bytes: number): void {
    const hasRoom = this.all.hasRoom(this.token, this.#own, bytes);
    this.#count(hasRoom ? bytes : -this.#own);
    if (!hasRoom) throw busy("The bodies of the calls under way are as large as they may be together");
  }

  turn(): void | Promise<void> {
    if (this.#own <= LIMITS.LARGE_BODY_BYTES) return;
    this.#turn ??= this.turns.of(this.token, this.left);
    return this.#turn.take(this.#own);
  }

  release(): void {
    this.#count(-this.#own);
    this.#turn?.end();
  }

  #count(bytes: number): void {
    this.all.count(this.token, bytes);
    this.#own += bytes;
  }
}
