/** Large bodies are worked on a few at a time: what is made of one takes several times its size. */
import { LIMITS } from "../../core/model.ts";
import { AFTER, type After, busy, waitIn, type Waiting } from "./waiting.ts";

/** Who waits with so many bytes. */
interface Sized extends Waiting {
  readonly bytes: number;
}

/**
 * So many bytes of large bodies have their turn at once. The others wait once they have come, those of one token in their
 * order, the tokens one after the other; smaller bodies never do. So who sends slowly holds up nobody.
 */
export class BodyTurns {
  readonly #atOnce: number;
  readonly #after: After;
  /** By token; the one that is next first. */
  readonly #lines = new Map<string, Set<Sized>>();
  #taken = 0;

  constructor(atOnce: number, after: After = AFTER) {
    this.#atOnce = atOnce;
    this.#after = after;
  }

  /** How many bodies wait. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The turn of one body of that token. `left` says where its client is seen leaving. */
  of(token: string, left?: () => AbortSignal | undefined): Turn {
    let own = 0;
    let isOver = false;
    return {
      take: (bytes) => {
        if (bytes <= LIMITS.LARGE_BODY_BYTES || own > 0) return;
        const take = () => {
          own = bytes;
          this.#taken += bytes;
        };
        if (this.#lines.size === 0 && this.#fits(bytes)) return take();
        return this.#wait(token, { bytes, take, left: left?.() });
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#taken -= own;
        this.#goOn();
      },
    };
  }

  /** One may be larger than all of them together; then it is alone. */
  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#atOnce;
  }

  async #wait(
    token: string,
    { bytes, take, left }: { bytes: number; take: () => void; left: AbortSignal | undefined },
  ): Promise<void> {
    let own: Sized;
    try {
      await waitIn({
        join: (one) => {
          own = {
            bytes,
            go() {
              take();
              one.go();
            },
          };
          const line = this.#lines.get(token) ?? new Set();
          this.#lines.set(token, line.add(own));
        },
        leave: () => this.#leave(token, own),
        after: this.#after,
        left,
        late: waitedTooLong,
      });
    } catch (why) {
      this.#goOn(); // one behind it may be smaller
      throw why;
    }
  }

  /** Leaves the line; the token's next one waits behind those of the others. */
  #leave(token: string, one: Sized): void {
    const line = this.#lines.get(token);
    if (!line?.delete(one)) return;
    this.#lines.delete(token);
    if (line.size > 0) this.#lines.set(token, line);
  }

  #goOn(): void {
    for (;;) {
      const [line] = this.#lines.values();
      const [next] = line ?? [];
      if (next === undefined || !this.#fits(next.bytes)) return;
      next.go();
    }
  }
}

/** A body's turn, until its call has ended. */
export interface Turn {
  /** Asked for once the body is there: a promise where it is large and must wait. Rejects with E_BUSY, E_CANCELLED. */
  take(bytes: number): void | Promise<void>;
  end(): void;
}

const MIB = 1024 * 1024;

const waitedTooLong = () =>
  busy(
    `Bodies over ${LIMITS.LARGE_BODY_BYTES / MIB} MiB are worked on a few at a time, and this one waited ${
      LIMITS.CALL_DEADLINE_MS / 1000
    } s for its turn`,
  );
