/** How fast an upstream is asked: so many requests in any stretch of time, of which some can be kept for others. */

/** What was sent lately. */
export class Pace {
  #sent: number[] = [];

  constructor(readonly most: number, readonly window_ms: number) {}

  /**
   * Milliseconds until a request may be sent that leaves `spare` of them to requests that cannot wait; at 0 it counts
   * as sent. Asked again after that time: whoever asks first goes first.
   */
  take(now: number, spare = 0): number {
    // A clock that was set back would hold everybody up until it has caught up.
    this.#sent = this.#sent.filter((at) => at <= now && at > now - this.window_ms);
    const most = this.most - spare;
    if (this.#sent.length >= most) return this.#sent.at(-most)! + this.window_ms - now;
    this.#sent.push(now);
    return 0;
  }
}
