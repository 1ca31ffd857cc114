/** How many requests were sent one after another: what a faster upstream would not shorten but fewer rounds would. */

interface Span {
  readonly begun: number;
  /** Infinity while it lasts. */
  ended: number;
}

/** Counts rounds: requests that overlap in time are one step, for none of them waited for the other. */
export class Steps {
  #spans: Span[] = [];
  #tick = 0;

  /** Notes the beginning of a request; what it answers notes the end. */
  begin(): () => void {
    const span: Span = { begun: this.#tick++, ended: Infinity };
    this.#spans.push(span);
    return () => void (span.ended = this.#tick++);
  }

  /** The longest chain of requests so far in which each began after the one before it had ended. */
  get count(): number {
    let steps = 0;
    let free = -1;
    for (const { begun, ended } of [...this.#spans].sort((a, b) => a.ended - b.ended)) {
      if (begun <= free) continue;
      steps++;
      free = ended;
    }
    return steps;
  }

  /** Forgets all of it. */
  clear(): void {
    this.#spans = [];
  }
}
