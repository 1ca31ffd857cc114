/** What a seed throws for a made-up location: numbers, ids, and moments at the edges of days. */

export type Row = Readonly<Record<string, unknown>>;

export const DAY_MS = 24 * 60 * 60_000;
/** A moment as the vendor writes it. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** What a seed throws: the same each time. */
export class Dice {
  #state: number;

  constructor(seed: number, readonly now: number, readonly zone: string) {
    this.#state = seed * 2_654_435_761 >>> 0;
  }

  /** From 0 to 1, the latter not included. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)]!;
  }

  /** An id as the vendor makes them. */
  id(length = 20): string {
    const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    return Array.from({ length }, () => signs[this.int(0, signs.length - 1)]).join("");
  }

  times<T>(count: number, make: (at: number) => T): T[] {
    return Array.from({ length: count }, (_, at) => make(at));
  }

  /** A moment between two days, counted from today: many lie at the edge of a day there, or of so many days of 24 hours. */
  moment(from: number, to: number): number {
    const day = this.int(from, to);
    const beside = this.pick([-1, 0, 1, -30 * 60_000, 30 * 60_000, 90 * 60_000, -90 * 60_000]);
    if (this.chance(0.4)) {
      const today = Temporal.Instant.fromEpochMilliseconds(this.now).toZonedDateTimeISO(this.zone)
        .toPlainDate();
      return today.add({ days: day }).toZonedDateTime(this.zone).epochMilliseconds + beside;
    }
    if (this.chance(0.15)) return this.now - this.pick([7, 14, 28]) * DAY_MS + beside;
    return this.now + day * DAY_MS + this.int(0, DAY_MS - 1);
  }

  /** One that is over. */
  past(days: number): number {
    return Math.min(this.moment(-days, 0), this.now - 1);
  }
}
