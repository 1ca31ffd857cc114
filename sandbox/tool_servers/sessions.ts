/** Sessions as the adapter keeps them: in one record per user, for all servers of the site, read and written whole. */

/** How many a user has at most; the oldest goes first. */
const SESSIONS_MAX = 32;
const IDLE_MS = 24 * 60 * 60_000;

interface Session {
  readonly created: number;
  last: number;
}

/** The sessions of a site's users. */
export class Sessions {
  readonly #of = new Map<number, ReadonlyMap<string, Session>>();

  /** `gap` is the time between reading a user's record and writing it. */
  constructor(readonly now: () => number, readonly gap: () => Promise<void>) {}

  /** Makes one; of several made at the same time only the last is kept. */
  async create(user: number): Promise<string> {
    const now = this.now();
    const kept = [...this.#of.get(user) ?? []].filter(([, { last }]) => last + IDLE_MS >= now);
    kept.sort(([, a], [, b]) => a.created - b.created);
    const id = crypto.randomUUID();
    const sessions = new Map([...kept.slice(Math.max(0, kept.length + 1 - SESSIONS_MAX)), [
      id,
      { created: now, last: now },
    ]]);
    await this.gap();
    this.#of.set(user, sessions);
    return id;
  }

  /** Whether the user has that session; one that is used lives on. */
  use(user: number, id: string): boolean {
    const session = this.#of.get(user)?.get(id);
    if (session === undefined || session.last + IDLE_MS < this.now()) return false;
    session.last = this.now();
    return true;
  }

  /** Ends one. */
  end(user: number, id: string): void {
    const left = new Map(this.#of.get(user));
    left.delete(id);
    this.#of.set(user, left);
  }

  /** Ends all of a user, or of everybody. */
  lose(user?: number): void {
    if (user === undefined) this.#of.clear();
    else this.#of.delete(user);
  }

  /** How many a user has. */
  count(user: number): number {
    return this.#of.get(user)?.size ?? 0;
  }
}
