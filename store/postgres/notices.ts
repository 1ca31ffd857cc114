/** Tells the other instances on a PostgreSQL that something was changed; where it cannot, they look by themselves. */
import type { Place } from "./address.ts";
import { type Connection, oneConnection } from "./driver.ts";
import type { Session } from "./session.ts";

const CHANNEL = "gateway_kv";
const AGAIN_MS = 2000;
const TOLD = { name: "tell", text: `select pg_notify('${CHANNEL}', '')`, values: [] };

/** The channel of one store. Nothing depends on it: whoever is not told looks within LIMITS.CACHE_CHECK_MS. */
export class Notices {
  readonly #heard: (() => void)[] = [];
  #connection: Connection | null = null;
  #connecting: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(private readonly place: Place, private readonly session: Session) {}

  /** Tells everybody who listens, this instance too. */
  tell(): void {
    this.session.read(TOLD).catch(() => {}); // an engine without NOTIFY, or no connection
  }

  /** Has something done whenever somebody tells, and once the channel was lost for a while. */
  onTold(heard: () => void): void {
    if (this.#heard.push(heard) === 1) this.#listen();
  }

  async #listen(): Promise<void> {
    const connection = await oneConnection(this.place);
    if (this.#closed) return;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      if (this.#connection === connection) this.#connection = null;
      connection.end().catch(() => {});
      if (!this.#closed) this.#timer = setTimeout(() => this.#listen(), AGAIN_MS);
    };
    connection.on("error", over);
    connection.on("end", over);
    connection.on("notification", () => this.#tellAll());
    this.#connection = connection;
    try {
      this.#connecting = connection.connect();
      await this.#connecting;
      await connection.query(`listen ${CHANNEL}`);
      this.#tellAll();
    } catch {
      over();
    }
  }

  #tellAll(): void {
    for (const heard of this.#heard) heard();
  }

  /** Listens no more. A connection that is being made is made first, for its key is derived whoever ends it. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#connecting.catch(() => {});
    await this.#connection?.end().catch(() => {});
  }
}
