/** How far the reading of a call is, counted in pages of the CRM. */

/** Told so many pages were read, of so many where that is known, and what was read. */
export type Report = (done: number, total: number | undefined, message: string) => void;

/** The pages of one call. */
export class Progress {
  #done = 0;
  #ahead = 0;

  constructor(private readonly report: Report = () => {}) {}

  /** So many more pages are known to come. */
  expect(pages: number): void {
    this.#ahead += Math.max(0, pages);
  }

  /** A page was read, or was known already. */
  read(message: string): void {
    this.#done++;
    if (this.#ahead > 0) this.#ahead--;
    this.report(this.#done, this.#ahead > 0 ? this.#done + this.#ahead : undefined, message);
  }
}
