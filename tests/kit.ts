/** A whole gateway in memory for tests: real guard, store and doors; what leaves it is recorded. */
import assert from "node:assert/strict";
import { assertTold } from "./told.ts";
import { type Code, GatewayError } from "../core/errors.ts";
import { type Gateway, openGateway, readRegistry, type Replacements } from "../gateway/wire.ts";
import { type AuditRow, LIMITS, type PlatformKind, type Token, type User } from "../core/model.ts";
import { createHttp, type Http, type HttpOptions } from "../platforms/_http/http.ts";
import { createTransport, type PinnedFetch } from "../platforms/_http/transport.ts";
import { readSettings, type Settings } from "../core/settings.ts";
import { Answers } from "./answers.ts";
import { type Ending, endingOf, WHOLE } from "./endings.ts";
import { openMemory } from "./memory_kv.ts";
import { parted, type Proof } from "./proof.ts";
import type { AuditPage, NewSite, NewToken, Store, UserInput } from "../store/store.ts";

/** The clock a kit starts at. */
export const NOW = Date.parse("2026-11-21T12:00:00Z");
/** The master token of every kit. */
export const MASTER = "master-token-of-the-tests-0123456789abcdef";
/** The key that stores are sealed under. */
export const KEY = new Uint8Array(32).fill(7).toBase64();

/** A site to register: `site("acme", "cms", { base_url })`. */
export function site(id: string, platform: PlatformKind, more: Partial<NewSite> = {}): NewSite {
  const credentials = platform === "cms"
    ? { cms: { username: "admin", application_password: "aaaa bbbb cccc dddd eeee ffff" } }
    : {};
  const base_url = platform === "crm" ? null : `https://${id}.example`;
  return { id, name: id, platform, base_url, credentials, ...more };
}

/** What left the gateway. */
export interface Sent {
  readonly method: string;
  readonly url: string;
}

export interface KitOptions
  extends Pick<Replacements, "sources" | "toolServers" | "signedIn" | "storage" | "delay" | "callLog"> {
  readonly sites?: readonly NewSite[];
  /** Further tokens by a name to use in `as`; the token called `all` may do everything. */
  readonly tokens?: Readonly<Record<string, Partial<NewToken>>>;
  /** Answers what is sent, "network" over the real way out; without it every request fails the call. */
  readonly fetch?: typeof fetch | "network";
  readonly wayOut?: Http; // in place of `fetch` and `http`
  /** What else differs on the way out. */
  readonly http?: Partial<HttpOptions>;
  /** Hosts that may be plain http and private. */
  readonly allowPrivate?: readonly string[];
  readonly roots?: readonly URL[];
  readonly settings?: Partial<Settings>;
  readonly store?: (real: Store) => Store;
  /** The real clock instead of a fixed one, where an upstream keeps its own. */
  readonly realClock?: boolean;
  /** What the fixed clock shows first; NOW when left out. */
  readonly start?: number;
}

export interface CallOptions {
  readonly door?: "rest" | "mcp";
  /** The name of a token of the kit. */
  readonly as?: string;
  /** An idempotency key. */
  readonly key?: string;
  /** What is asked beside the arguments: by headers, or in `_meta`. */
  readonly asks?: { readonly dry_run?: boolean; readonly confirm?: boolean; readonly confirm_token?: string };
}

export type { Ending };
export interface Kit extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly store: Store;
  /** Everything that left, oldest first. */
  readonly requests: Sent[];
  /** What the gateway logged. */
  readonly logged: Record<string, unknown>[];
  readonly clock: { now: number };
  /** The text of a token by name. */
  token(name?: string): string;
  /** The answer of a tool; a refusal fails the test. */
  call<T = unknown>(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<T>;
  /** The answer of a site's own tool that wrote, and what the gateway says was proven of it; a refusal fails the test. */
  proven<T = unknown>(
    tool: string,
    args: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<{ done: T; proof: Proof }>;
  /** The call's ending, refused or not. */
  end(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<Ending>;
  /** Asserts the code through both doors, and what the message says where that is given; answers the message. */
  refuses(
    tool: string,
    args: Record<string, unknown>,
    code: Code,
    says?: RegExp | CallOptions,
    options?: CallOptions,
  ): Promise<string>;
  /** Asserts the code and the message through one door, for a call that would end otherwise the next time. */
  fails(
    tool: string,
    args: Record<string, unknown>,
    code: Code,
    says: RegExp,
    options?: CallOptions,
  ): Promise<string>;
  /** One HTTP request to the gateway. */
  http(path: string, init?: RequestInit & { as?: string | null }): Promise<Response>;
  /** Every audit row, newest first. */
  audit(): Promise<AuditRow[]>;
}

/** A token that may do everything. */
const ALL: Omit<NewToken, "name"> = {
  env: "dev",
  allowed_sites: ["*"],
  allowed_tools: ["*"],
  max_risk: 4,
  skip_write_confirm: false,
  owner_user_id: null,
};

/** A member of every site and risk unless `grants` says otherwise, with a token of theirs that claims everything. */
export async function owned(
  store: Store,
  grants: UserInput = {},
  claims: Partial<NewToken> = {},
): Promise<{ user: User; token: Token; text: string }> {
  const everything = { email: "a@b.example", role: "member", allowed_sites: ["*"], max_risk: 4 } as const;
  const user = await store.users.create({ ...everything, ...grants });
  assert.ok(user, "the email is free");
  return { user, ...await store.tokens.create({ ...ALL, name: "owned", ...claims, owner_user_id: user.id }) };
}

/** The registry that is built in, the same for every kit of a file: a hundred openings need not read them a hundred times. */
let builtIn: ReturnType<typeof readRegistry> | undefined;

/** Opens a kit; dispose of it with `await using`. */
export async function gateway(options: KitOptions = {}): Promise<Kit> {
  const clock = { now: options.start ?? NOW };
  const { sources, toolServers, signedIn, storage, delay } = options;
  const now = options.realClock ? Date.now : () => clock.now;
  const requests: Sent[] = [];
  const logged: Record<string, unknown>[] = [];
  const answers = new Answers();
  const transport = createTransport();
  const recorded: PinnedFetch = async (url, init, addresses) => {
    requests.push({ method: init.method, url: url.href });
    if (!options.fetch) throw new TypeError("a tripwire: nothing may be sent");
    return options.fetch === "network"
      ? await transport.fetch(url, init, addresses)
      : await options.fetch(url, init);
  };
  const env: Record<string, string> = { KV_PATH: ":memory:", MASTER_TOKEN: MASTER, ENCRYPTION_KEYS: KEY };
  const registry = options.roots ? await readRegistry(options.roots) : await (builtIn ??= readRegistry());
  const read = readSettings((name) => env[name], "start", registry.connectors.settings);
  const upstream = { ...read.upstream, ...options.settings?.upstream };
  const opened = await openGateway({ ...read, ...options.settings, upstream }, registry, {
    now,
    ...{ sources, toolServers, signedIn, delay },
    storage: { open: openMemory, ...storage },
    log: (event) => void logged.push(event),
    answers: answers.judge,
    http: options.wayOut ?? createHttp({
      allowPrivate: options.allowPrivate ?? [],
      fetch: recorded,
      now,
      ...(options.fetch === "network" ? {} : { lookup: () => Promise.resolve(["203.0.113.7"]) }),
      ...options.http,
    }),
    wrapStore: options.store,
    callLog: options.callLog,
    passphraseCost: { n: 2, r: 1, p: 1 },
  });
  for (const one of options.sites ?? []) {
    assert.ok(await opened.store.sites.create(one), `site ${one.id} is registered`);
  }
  const tokens = new Map<string, string>();
  for (const [name, more] of Object.entries({ all: {}, ...options.tokens })) {
    const { text } = await opened.store.tokens.create({ ...ALL, name, ...more });
    tokens.set(name, text);
  }
  return new OpenKit(opened, requests, logged, clock, tokens, transport, answers);
}

class OpenKit implements Kit {
  readonly store: Store;
  constructor(
    readonly gateway: Gateway,
    readonly requests: Sent[],
    readonly logged: Record<string, unknown>[],
    readonly clock: { now: number },
    readonly tokens: ReadonlyMap<string, string>,
    readonly transport: Disposable,
    readonly answers: Answers,
  ) {
    this.store = gateway.store;
  }

  token(name = "all"): string {
    const text = this.tokens.get(name);
    assert.ok(text, `no token is called ${name}`);
    return text;
  }

  async http(path: string, { as = "all", ...init }: Parameters<Kit["http"]>[1] = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (as !== null && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${this.token(as)}`);
    }
    headers.set("host", "127.0.0.1:8000");
    return await this.gateway.fetch(new Request(`http://127.0.0.1:8000${path}`, { ...init, headers }));
  }

  async end(
    tool: string,
    args: Record<string, unknown>,
    { door = "rest", as, key, asks = {} }: CallOptions = {},
  ): Promise<Ending> {
    const asked = Object.entries(asks).map(([name, value]) => [name.replace("_", "-"), value] as const);
    const headers = {
      "content-type": "application/json",
      ...key && { "idempotency-key": key },
      ...Object.fromEntries(asked.map(([name, value]) => [name, String(value)])),
    };
    const init = (body: unknown) => ({ method: "POST", headers, body: JSON.stringify(body), as });
    const meta = [["idempotency-key", key] as const, ...asked].map(([name, value]) =>
      [`site-operations/${name}`, value] as const
    );
    const params = { name: tool, arguments: args, _meta: Object.fromEntries(meta) };
    const response = door === "rest"
      ? await this.http(`/api/v1/tools/${encodeURIComponent(tool)}`, init(args))
      : await this.http(WHOLE, init({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    return await endingOf(door, response);
  }

  async call<T>(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<T> {
    const ending = await this.end(tool, args, options);
    if ("code" in ending) assert.fail(`${tool}: ${ending.code}: ${ending.message}`);
    return ending.value as T;
  }

  async proven<T>(tool: string, args: Record<string, unknown>, options?: CallOptions) {
    const ending = await this.end(tool, args, options);
    if ("code" in ending) assert.fail(`${tool}: ${ending.code}: ${ending.message}`);
    return { done: ending.value as T, proof: parted(ending.beside).proof };
  }

  async refuses(
    tool: string,
    args: Record<string, unknown>,
    code: Code,
    says: RegExp | CallOptions = {},
    more: CallOptions = {},
  ): Promise<string> {
    const options = says instanceof RegExp ? more : says;
    const doors = options.door ? [options.door] : ["rest", "mcp"] as const;
    let message = "";
    for (const door of doors) {
      const ending = await this.end(tool, args, { ...options, door });
      assert.ok("code" in ending, `${tool} through ${door} was answered: ${JSON.stringify(ending)}`);
      assert.equal(ending.code, code, `${door}: ${ending.message}`);
      if (door === "rest") assert.equal(ending.status, new GatewayError(code, "").status);
      assert.ok(!/\bat file:|\.ts:\d/.test(ending.message), `no stack trace: ${ending.message}`);
      if (says instanceof RegExp) assertTold(ending, says, `${tool} through ${door}`);
      message = ending.message;
    }
    return message;
  }

  async fails(
    tool: string,
    args: Record<string, unknown>,
    code: Code,
    says: RegExp,
    { door = "rest", ...options }: CallOptions = {},
  ): Promise<string> {
    return await this.refuses(tool, args, code, says, { ...options, door });
  }

  async audit(): Promise<AuditRow[]> {
    const rows: AuditRow[] = [];
    let cursor: string | null = null;
    do {
      const page: AuditPage = await this.store.audit.list({}, {
        limit: LIMITS.AUDIT_PAGE_MAX,
        ...cursor && { cursor },
      });
      rows.push(...page.rows);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.transport[Symbol.dispose]();
    await this.gateway.close();
    this.answers.assertAsPromised();
  }
}
