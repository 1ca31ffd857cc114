/** Several gateways on one store and a stand-in for each site, for change sets: each instance can be cut off at any step. */
import assert from "node:assert/strict";
import { assertTold } from "./told.ts";
import type { Flag } from "../core/model.ts";
import { createTransport, type PinnedFetch } from "../platforms/_http/transport.ts";
import {
  type Post,
  startWordPressStandIn,
  type WordPressStandIn,
} from "../sandbox/wordpress_standin/start.ts";
import { addPost } from "../sandbox/wordpress_standin/state.ts";
import type { NewToken } from "../store/store.ts";
import { type Ending, endingOf, WHOLE } from "./endings.ts";
import { instead } from "./instead.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "./kit.ts";
import { openMemory } from "./memory_kv.ts";

/** An item as callers are told of it. */
export interface ToldItem {
  readonly item: number;
  readonly site_id: string | null;
  readonly tool: string;
  readonly state: "done" | "failed" | "unknown" | "not_begun";
  readonly request_id?: string;
  readonly id?: number;
  readonly reason?: string;
  readonly outcome?: string;
  readonly verified?: boolean | null;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A set as callers are told of it. */
export interface Told {
  readonly needs_confirmation?: true;
  readonly set_id: string;
  readonly state: "preparing" | "prepared" | "running" | "interrupted" | "ended";
  readonly confirm_token: string;
  readonly tier: number;
  readonly items: readonly ToldItem[];
  readonly counts?: Readonly<Record<string, number>>;
  readonly stopped?: string;
  readonly cancelled_at?: string;
  readonly replayed?: true;
  readonly verified?: boolean | null;
  readonly next: string;
}

/** A call of a set. */
export interface Change {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The process of an instance, as far as it can end: nothing that it asks for comes back any more. */
export class Life {
  readonly #cut = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<never>();
  /** How many steps it takes before it is cut off. */
  left = Infinity;
  isOver = false;

  constructor() {
    this.#gone.promise.catch(() => {});
  }

  /** Resolves once it is cut off. */
  get cut(): Promise<void> {
    return this.#cut.promise;
  }

  end(): void {
    this.isOver = true;
    this.#cut.resolve();
  }

  /** To be awaited around whatever leaves the process: never resolves where that is over. */
  async step(): Promise<void> {
    if (this.left-- <= 0) this.end();
    if (this.isOver) await this.#gone.promise;
  }

  /** What waits for nothing unwinds, so that no timer is left; nothing of it can reach the store. */
  bury(): void {
    this.end();
    this.#gone.reject(new Error("the process is gone"));
  }
}

/** The KV as one instance has it. */
export function mortal(kv: Deno.Kv, life: Life): Deno.Kv {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await life.step();
    const done = await work();
    await life.step();
    return done;
  };
  const change = (real: Deno.AtomicOperation): Deno.AtomicOperation => {
    const proxy: Deno.AtomicOperation = new Proxy(real, {
      get(_, name) {
        if (name === "commit") return () => around(() => real.commit());
        const own = Reflect.get(real, name) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => (own.apply(real, args), proxy);
      },
    });
    return proxy;
  };
  async function* listed(...args: Parameters<Deno.Kv["list"]>) {
    await life.step();
    yield* kv.list(...args);
  }
  return instead(kv, {
    get: ((...args: Parameters<Deno.Kv["get"]>) => around(() => kv.get(...args))) as Deno.Kv["get"],
    getMany: ((...args: Parameters<Deno.Kv["getMany"]>) =>
      around(() => kv.getMany(...args))) as Deno.Kv["getMany"],
    list: listed as unknown as Deno.Kv["list"],
    atomic: () => change(kv.atomic()),
    close() {},
  });
}

/** One gateway. */
export interface Instance {
  readonly kit: Kit;
  readonly life: Life;
}

/** What a world may differ in. */
export interface WorldOptions extends Pick<KitOptions, "settings" | "http" | "store"> {
  readonly sites?: readonly string[];
  readonly flags?: Partial<Record<Flag, boolean>>;
  readonly token?: Partial<NewToken>;
  /** How many gateways are open at first; one where left out. */
  readonly instances?: number;
}

/** A request that changes something, as it is about to leave. */
export interface Leaving {
  readonly site: string;
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  readonly by: Instance;
}

/** A store, its instances, its sites. */
export class SetWorld implements AsyncDisposable {
  readonly cms = new Map<string, WordPressStandIn>();
  readonly instances: Instance[] = [];
  /** What is done before each request of a gateway leaves. */
  before: (leaving: Leaving) => unknown = () => {};
  /** Requests that ask for a change, in their order. */
  readonly writes: Leaving[] = [];
  now = NOW;
  #elapsed = 0;
  readonly #transport = createTransport();
  token = "";

  private constructor(readonly options: WorldOptions, readonly kv: Deno.Kv) {}

  static async open(options: WorldOptions = {}): Promise<SetWorld> {
    const at = new SetWorld(options, await openMemory(":memory:"));
    for (const id of options.sites ?? ["a", "b"]) {
      at.cms.set(id, await startWordPressStandIn({ now: () => at.now }));
    }
    for (let n = 0; n < (options.instances ?? 1); n++) await at.start();
    const { store } = at.one.kit;
    for (const id of at.cms.keys()) await at.register(id);
    const more = { env: "dev", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 4 } as const;
    const rest = { skip_write_confirm: false, owner_user_id: null, ...options.token };
    const made = await store.tokens.create({ name: "sets", ...more, ...rest });
    at.token = made.text;
    at.tokenId = made.token.id;
    at.later(1000);
    return at;
  }

  tokenId = "";

  /** The first instance that is alive. */
  get one(): Instance {
    return this.instances.find(({ life }) => !life.isOver)!;
  }

  /** The other one. */
  get other(): Instance {
    return this.instances.filter(({ life }) => !life.isOver)[1]!;
  }

  async register(id: string, store = this.one.kit.store): Promise<void> {
    const { base_url, users: { admin: { username, application_password } } } = this.cms.get(id)!;
    const credentials = { cms: { username, application_password } };
    const { flags = {} } = this.options;
    assert.ok(
      await store.sites.create(site(id, "cms", { name: `Site ${id}`, base_url, credentials, flags })),
    );
  }

  /** Starts one more gateway on the store. */
  async start(): Promise<Instance> {
    const life = new Life();
    const { settings, http, store } = this.options;
    const kit = await gateway({
      allowPrivate: ["127.0.0.1"],
      settings: { rateLimitToken: 0, rateLimitSite: 0, ...settings },
      storage: {
        open: () => Promise.resolve(this.kv),
        around: (kv) => mortal(kv, life),
        clock: { elapsed: () => this.#elapsed, every: () => () => {} },
      },
      http: { sleep: () => Promise.resolve(), ...http },
      start: this.now,
      fetch: (url, init) => this.#send(instance, new URL(String(url)), init ?? {}),
      ...store && { store },
    });
    const instance: Instance = { kit, life };
    this.instances.push(instance);
    return instance;
  }

  async #send(by: Instance, url: URL, init: RequestInit): Promise<Response> {
    await by.life.step();
    const [site = ""] = [...this.cms].find(([, { base_url }]) => base_url === url.origin) ?? [];
    const body = init.body == null ? "" : await new Response(init.body).text();
    const leaving = { site, method: init.method ?? "GET", url, body, by };
    await this.before(leaving);
    await by.life.step();
    if (leaving.method !== "GET" && leaving.method !== "HEAD") this.writes.push(leaving);
    const sent = { ...init, body: body === "" ? null : body } as Parameters<PinnedFetch>[1];
    const answer = await this.#transport.fetch(url, sent, ["127.0.0.1"]);
    await by.life.step();
    return answer as unknown as Response;
  }

  /** Moves every clock. */
  later(ms: number): void {
    this.now += ms;
    this.#elapsed += ms;
    for (const { kit } of this.instances) kit.clock.now = this.now;
  }

  /** A draft of somebody's. */
  draft(site: string, title: string, more: Partial<Post> = {}): Post {
    return addPost(this.cms.get(site)!.state, {
      type: "post",
      author: 2,
      title,
      content: "<p>Old</p>",
      slug: title.toLowerCase().replaceAll(" ", "-"),
      ...more,
    });
  }

  /** A person changes a post by other means than the gateway. */
  edit(post: Post, change: Partial<Post>): void {
    Object.assign(post, { modified: this.now, ...change });
  }

  /** The call's ending, by the world's own token. */
  async end(
    tool: string,
    args: Record<string, unknown>,
    { by = this.one, door = "rest", token = this.token, key }: {
      by?: Instance;
      door?: "rest" | "mcp";
      token?: string;
      key?: string;
    } = {},
  ): Promise<Ending> {
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...key && { "idempotency-key": key },
    };
    const params = {
      name: tool,
      arguments: args,
      ...key && { _meta: { "site-operations/idempotency-key": key } },
    };
    const body = door === "rest" ? args : { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const path = door === "rest" ? `/api/v1/tools/${tool}` : WHOLE;
    const init = { method: "POST", headers, body: JSON.stringify(body), as: null };
    return await endingOf(door, await by.kit.http(path, init));
  }

  /** Its answer; a refusal fails the test. */
  async call<T = Told>(
    tool: string,
    args: Record<string, unknown>,
    options?: Parameters<SetWorld["end"]>[2],
  ): Promise<T> {
    const ending = await this.end(tool, args, options);
    if ("code" in ending) assert.fail(`${tool}: ${ending.code}: ${ending.message}`);
    return ending.value as T;
  }

  /** Asserts that a call is refused so, and that nothing was written; answers the message. */
  async refuses(
    args: Record<string, unknown>,
    code: string,
    says: RegExp,
    options?: Parameters<SetWorld["end"]>[2],
    tool = "prepare_changes",
  ): Promise<string> {
    const before = [this.writes.length, this.dump()];
    const ending = await this.end(tool, args, options);
    assert.ok("code" in ending, `${tool} was answered: ${JSON.stringify(ending)}`);
    assert.equal(ending.code, code, ending.message);
    assertTold(ending, says);
    assert.deepEqual([this.writes.length, this.dump()], before, "nothing is written");
    return ending.message;
  }

  /** Shows a set; answers what was shown, and the call that confirms it. */
  async shown(
    changes: readonly Change[],
    more: Record<string, unknown> = {},
    options?: Parameters<SetWorld["end"]>[2],
  ): Promise<{ shown: Told; confirmed: Record<string, unknown> }> {
    const before = this.writes.length;
    const order = { title: "A set", changes, ...more };
    const shown = await this.call("prepare_changes", order, options);
    assert.equal(shown.needs_confirmation, true, JSON.stringify(shown));
    assert.equal(this.writes.length, before, "a preview writes nothing");
    return { shown, confirmed: { ...order, confirm: true, confirm_token: shown.confirm_token } };
  }

  /** Every post of every site, as their databases have it. */
  dump(): string {
    return JSON.stringify([...this.cms].map(([id, { posts }]) => [id, [...posts.values()]]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { life } of this.instances) {
      life.left = Infinity;
      if (life.isOver) life.bury();
    }
    for (const { kit, life } of this.instances) {
      const closed = kit[Symbol.asyncDispose]();
      await (life.isOver ? Promise.allSettled([closed]) : closed);
    }
    this.#transport[Symbol.dispose]();
    for (const cms of this.cms.values()) await cms.stop();
    this.kv.close();
  }
}

/** A new draft with that title. */
export const create = (site_id: string, title: string, more: Record<string, unknown> = {}): Change => ({
  tool: "create_draft",
  arguments: { site_id, title, content_html: `<p>${title}</p>`, ...more },
});

/** Another title of a draft: its id, or the item that makes it. */
export const rename = (site_id: string, post_id: number | { $from: number }, title: string): Change => ({
  tool: "update_draft",
  arguments: { site_id, post_id, title },
});

/** The states of items, in their order. */
export const statesOf = ({ items }: Pick<Told, "items">) => items.map(({ state }) => state);
