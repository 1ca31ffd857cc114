/** A gateway in front of one site for sequences of calls: anything can go wrong with one request, and its process can be killed. */
import { createTransport, type PinnedFetch } from "../platforms/_http/transport.ts";
import { survey } from "../store/survey.ts";
import { Sealer } from "../store/seal.ts";
import type { NewSite, NewToken } from "../store/store.ts";
import { type Ending, endingOf, WHOLE } from "./endings.ts";
import { gateway, KEY, type Kit, type KitOptions } from "./kit.ts";
import { openMemory } from "./memory_kv.ts";
import { Life, mortal } from "./sets_kit.ts";

/** What may go wrong with a request, or happen right before it. */
export const TROUBLES = [
  "answers 500",
  "answers 500 too late",
  "is not reached",
  "is cut off",
  "hangs",
  "hangs too late",
  "a person edits",
  "the caller goes",
  "the gateway is killed before",
  "the gateway is killed after",
] as const;
/** That it happens, and to which request of the next call. */
export interface Trouble {
  readonly what: typeof TROUBLES[number];
  readonly of: "any" | "writes";
  readonly nth: number;
}

/** How a call is made. */
export interface Asked {
  readonly door: "rest" | "mcp";
  readonly as: string;
  readonly key?: string | undefined;
}

/** The time of a call, another minute until its doubt is judged, and some. */
const KILLED_MS = 125_000;
const HANGS_MS = 20_000;
/** The site accepts signatures of a clock that is five minutes ahead; a sequence's clock stays within that. */
const AHEAD_MS = 250_000;

const isRead = (method: string, url: URL) =>
  ["GET", "HEAD", "OPTIONS"].includes(method) || url.pathname.startsWith("/app/installations/");

/** The gateway, its store and what is wrong. */
export class Gate implements AsyncDisposable {
  #kit: Kit | undefined;
  #life = new Life();
  readonly #old: [Kit, Life][] = [];
  readonly #transport = createTransport();
  readonly #texts = new Map<string, string>();
  #ahead = 0;
  #trouble: Trouble | null = null;
  #seen = 0;
  #leave: AbortController | null = null;
  /** Whether what was asked for has happened. */
  hasHappened = false;

  private constructor(
    readonly options: Pick<KitOptions, "settings" | "sites">,
    readonly kv: Deno.Kv,
    readonly edit: () => Promise<void>,
  ) {}

  /** Opens one; `edit` is what a person does right before a request. */
  static async open(
    options: Pick<KitOptions, "settings" | "sites">,
    tokens: Readonly<Record<string, Partial<NewToken>>>,
    edit: () => Promise<void>,
  ): Promise<Gate> {
    const at = new Gate(options, await openMemory(":memory:"), edit);
    await at.#start(options.sites, tokens);
    for (const name of ["all", ...Object.keys(tokens)]) at.#texts.set(name, at.kit.token(name));
    return at;
  }

  get kit(): Kit {
    return this.#kit!;
  }

  /** Whether the clock may still go ahead by a trouble's time. */
  get mayWait(): boolean {
    return this.#ahead + KILLED_MS <= AHEAD_MS;
  }

  tick(ms = 0): void {
    this.#ahead += ms;
    this.kit.clock.now = Math.max(this.kit.clock.now, Date.now() + this.#ahead);
  }

  async #start(sites: readonly NewSite[] = [], tokens: Readonly<Record<string, Partial<NewToken>>> = {}) {
    const life = this.#life = new Life();
    const rings = new Set<() => void>();
    this.#kit = await gateway({
      allowPrivate: ["127.0.0.1"],
      start: Date.now() + this.#ahead,
      sites,
      tokens,
      settings: { rateLimitToken: 0, rateLimitSite: 0, ...this.options.settings },
      storage: { open: () => Promise.resolve(this.kv), around: (kv) => mortal(kv, life) },
      http: {
        sleep: () => Promise.resolve(),
        alarm: (_, ring) => (rings.add(ring), () => void rings.delete(ring)),
      },
      fetch: (url, init) => this.#send(life, rings, new URL(String(url)), init ?? {}),
    });
  }

  async #send(life: Life, rings: ReadonlySet<() => void>, url: URL, init: RequestInit): Promise<Response> {
    await life.step();
    const method = init.method ?? "GET";
    const body = init.body == null ? null : await new Response(init.body).bytes();
    const what = this.#happens(method, url);
    const pass = async () =>
      await this.#transport.fetch(
        url,
        { ...init, body } as unknown as Parameters<PinnedFetch>[1],
        ["127.0.0.1"],
      ) as unknown as Response;
    const gone = async () => await (await pass()).body?.cancel();
    const hang = async (): Promise<never> => {
      this.tick(HANGS_MS);
      for (const ring of rings) ring();
      await life.step();
      throw new DOMException("The signal has been aborted", "AbortError");
    };
    switch (what) {
      case "answers 500 too late":
        await gone();
        return new Response("<html>500</html>", { status: 500, headers: { "content-type": "text/html" } });
      case "answers 500":
        return new Response("<html>500</html>", { status: 500, headers: { "content-type": "text/html" } });
      case "is not reached":
        throw Object.assign(new TypeError("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      case "is cut off":
        await gone();
        throw Object.assign(new TypeError("socket hang up"), { code: "ECONNRESET" });
      case "hangs":
        return await hang();
      case "hangs too late":
        await gone();
        return await hang();
      case "a person edits":
        await this.edit();
        break;
      case "the caller goes":
        this.#leave?.abort();
        break;
      case "the gateway is killed before":
        life.end();
        break;
      case "the gateway is killed after":
        await gone();
        life.end();
    }
    await life.step();
    const answer = await pass();
    await life.step();
    return answer;
  }

  #happens(method: string, url: URL): Trouble["what"] | null {
    const trouble = this.#trouble;
    if (trouble === null || (trouble.of === "writes" && isRead(method, url))) return null;
    if (this.#seen++ !== trouble.nth) return null;
    this.#trouble = null;
    this.hasHappened = true;
    return trouble.what;
  }

  /** The call's ending; null where the gateway was killed meanwhile, after which another has started on its store. */
  async end(tool: string, args: Record<string, unknown>, asked: Asked, trouble: Trouble | null = null) {
    this.tick();
    [this.#trouble, this.#seen, this.hasHappened] = [trouble, 0, false];
    this.#leave = new AbortController();
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${this.#texts.get(asked.as)}`,
      ...asked.key === undefined ? {} : { "idempotency-key": asked.key },
    };
    const _meta = asked.key === undefined ? {} : { "site-operations/idempotency-key": asked.key };
    const rpc = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: args, _meta },
    };
    const body = JSON.stringify(asked.door === "rest" ? args : rpc);
    const path = asked.door === "rest" ? `/api/v1/tools/${tool}` : WHOLE;
    const init = { method: "POST", headers, body, as: null, signal: this.#leave.signal };
    const answered = this.kit.http(path, init).then((response) => endingOf(asked.door, response));
    const ending: Ending | null = await Promise.race([answered, this.#life.cut.then(() => null)]);
    this.#trouble = null;
    if (this.#life.isOver) await this.#again();
    return ending;
  }

  async #again(): Promise<void> {
    this.#old.push([this.kit, this.#life]);
    // In one process the lines of writes to a branch are shared: nobody is to wait there behind the dead.
    this.#life.bury();
    this.#ahead += KILLED_MS;
    // What it held is free by then: a lease's time is the machine's, not that of the sequence.
    for await (const { key } of this.kv.list({ prefix: ["leases"] })) await this.kv.delete(key);
    await this.#start();
    await this.kit.gateway.doubts.run();
  }

  /** What the audit and the records are found to lack. */
  async faults(): Promise<string[]> {
    await this.kit.gateway.doubts.run();
    const sealer = await Sealer.open([Uint8Array.fromBase64(KEY)]);
    const now = () => this.kit.clock.now;
    const { faults, audit } = await survey(this.kv, { path: ":memory:", sealer, now });
    return [...faults, ...audit.faults.map(String)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [kit, life] of this.#old) {
      life.left = Infinity;
      life.bury();
      await Promise.allSettled([kit[Symbol.asyncDispose]()]);
    }
    await this.kit[Symbol.asyncDispose]();
    this.#transport[Symbol.dispose]();
    this.kv.close();
  }
}
