/** The way to one site's REST API: finds its root, signs requests, reads answers strictly. */
import type { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { memoize } from "../../../core/made_once.ts";
import { type Credentials, LIMITS } from "../../../core/model.ts";
import { excerpt } from "../../_content/excerpt.ts";
import type { FactCache, SiteContext } from "../../_connector/connector.ts";
import type { Incoming, Outgoing } from "../../_http/request.ts";
import { NO_ANSWER } from "../../_http/failures.ts";
import { isErrorBody, refusal, refusedWrite, unreadable, walled } from "../errors.ts";
import { elsewhereIn } from "../companion/elsewhere.ts";
import { secretsOf } from "../../../core/signed_secrets.ts";

/** Query of a route; what is undefined is left out, an array becomes `name[]`. */
export type Query = Readonly<Record<string, string | number | readonly (string | number)[] | undefined>>;

/** The address of a route (`wp/v2/posts`) under a root of either kind. */
function routeUrl(root: URL, route: string, query: Query): string {
  const url = new URL(root);
  const params = new URLSearchParams(url.search);
  const plain = params.get("rest_route");
  if (plain === null) url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/${route}`;
  else params.set("rest_route", `${plain.replace(/(?<!\/)\/+$/, "")}/${route}`);
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) {
      for (const item of value) params.append(`${name}[]`, String(item));
    } else if (value !== undefined) params.append(name, String(value));
  }
  if (params.size > 0) url.search = params.toString(); // each change of its own would parse the address again
  return url.href;
}

const ROOT_KEY = "root";
const ROOT_TTL_MS = 600_000;

/** Where the site is. Throws E_MISSING_SECRET, with the command that sets it, where its record does not say. */
function addressOf({ site: { id, base_url } }: Pick<SiteContext, "site">): string {
  if (base_url !== null) return base_url;
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Site "${id}" has no base_url, the address of the CMS; its operator can set it with deno task admin site update ` +
      `${id} --base-url …`,
  );
}

/**
 * The API's root as the front page's Link header gives it, always on the origin of base_url and without anything else
 * in its query, which would go along with every write; without that header the usual place, or the one of plain
 * permalinks where only that answers (docs/upstreams/wordpress.md, "Requests and answers"). With little time (`hurried`)
 * the usual place is a guess, which is not kept. Throws E_MISSING_SECRET without a base_url, E_UPSTREAM.
 */
async function findRoot(
  ctx: SiteContext,
  signIn: () => Promise<string>,
  hurried: boolean,
): Promise<URL> {
  const { cache } = ctx;
  const base = addressOf(ctx);
  if (!hurried) {
    const find = async () =>
      (await linkedRoot(ctx, base, false) ?? await answeringRoot(ctx, base, signIn)).href;
    return new URL(await cache.once(ROOT_KEY, ROOT_TTL_MS, find));
  }
  const known = cache.get<string>(ROOT_KEY);
  if (known !== undefined) return new URL(known);
  const root = await linkedRoot(ctx, base, true).catch(withoutAnswer);
  if (root === null) return new URL(`${base}/wp-json/`);
  cache.set(ROOT_KEY, root.href, ROOT_TTL_MS);
  return root;
}

async function linkedRoot(ctx: SiteContext, base: string, hurried: boolean): Promise<URL | null> {
  const out = {
    method: "HEAD",
    url: `${base}/`,
    effect: "read",
    headers: { accept: "text/html" },
  } as const;
  const answer = await ctx.send(hurried ? { ...out, deadline_ms: 1200 } : out);
  const link = /<([^<>]+)>\s*;\s*rel="https:\/\/api\.w\.org\/"/.exec(answer.headers.get("link") ?? "")?.[1];
  const named = link === undefined ? null : URL.parse(link, base);
  if (named === null) return null;
  const root = new URL(base);
  root.pathname = named.pathname;
  const plain = named.searchParams.get("rest_route");
  if (plain !== null) root.searchParams.set("rest_route", plain);
  return root;
}

async function answeringRoot(ctx: SiteContext, base: string, signIn: () => Promise<string>): Promise<URL> {
  const usual = new URL(`${base}/wp-json/`);
  const plain = new URL(`${base}/?rest_route=/`);
  for (const root of [usual, plain]) {
    const url = routeUrl(root, "", { _fields: "namespaces" });
    const out = {
      method: "GET",
      url,
      effect: "read",
      headers: { authorization: await signIn() },
    } as const;
    const answer = await ctx.send(out);
    const index = answer.json();
    const speaks = typeof index === "object" && index !== null &&
      ("namespaces" in index || "code" in index);
    if (speaks) return root;
    const between = index === undefined ? walled(out, answer) : null;
    if (between !== null) throw between;
    if (answer.status === 429 || answer.status >= 500) throw refusal(out, answer);
  }
  throw new GatewayError(
    "E_UPSTREAM",
    `"${base}" shows no WordPress REST API; check that base_url is the address of its front page and that no ` +
      "plugin or firewall hides the API",
    { upstream: NO_ANSWER },
  );
}

/** A front page that fails says nothing about the API behind it. */
function withoutAnswer(thrown: unknown): null {
  if (thrown instanceof GatewayError && thrown.code === "E_UPSTREAM") return null;
  throw thrown;
}

/** A read's data with what its answer told beside. */
export interface WordPressResponse<T> {
  readonly data: T;
  readonly headers: Headers;
  /** The latest time the site's clock can show now (its `Date`, a second of rounding, the way there and back). */
  readonly siteNow: number;
}

/** Whether visitors get anything with that status; what cannot be told (null) counts as if they did. */
export const isAnswer = (status: number | null): boolean => status !== 404 && status !== 410;

const ENCODER = new TextEncoder();

/** The header of a credential; the store hands out the same one until it changes. */
const headerOf = memoize(({ username, application_password }: NonNullable<Credentials["cms"]>) => ({
  authorization: `Basic ${ENCODER.encode(`${username}:${application_password}`).toBase64()}`,
}));

/** The header that signs a request with the site's account. Throws E_INTERNAL where the site has no credentials. */
export async function signed(ctx: Pick<SiteContext, "secret">): Promise<{ readonly authorization: string }> {
  return headerOf(await ctx.secret("cms"));
}

/** Under which the account's rights are kept (users.ts); what the site refuses makes them doubtful. */
export const ACCOUNT = "account";

/** The page caches that the companion plugin knows how to ask (docs/upstreams/wordpress.md, "Companion plugin: page caches"). */
const CACHES = [
  ...[
    "WP Rocket",
    "WP Fastest Cache",
    "WP Super Cache",
    "W3 Total Cache",
    "LiteSpeed Cache",
    "Cache Enabler",
  ],
  ...["Hummingbird", "SiteGround Optimizer", "WP-Optimize"],
];

/** Those of them that an answer names as asked: a site's own words do not get into ours. */
const cachesIn = (headers: Headers): string[] => {
  const named = (headers.get("x-site-ops-caches") ?? "").split(", ");
  return CACHES.filter((name) => named.includes(name));
};

/** Requests to one site. With `deadline` (by `ctx.now`) every request shares that end. */
export class WordPressClient {
  readonly #ctx: SiteContext;
  readonly #deadline: number | undefined;
  #cleanup?: true;
  #part?: true;
  #cachesAsked = new Set<string>();
  #elsewhere = new Set<string>();
  #authorization: Promise<string> | undefined;
  #root: Promise<URL> | undefined;

  constructor(ctx: SiteContext, deadline?: number) {
    this.#ctx = ctx;
    this.#deadline = deadline;
  }

  now(): number {
    return this.#ctx.now();
  }

  get site(): SiteContext["site"] {
    return this.#ctx.site;
  }

  /** Small facts about the site. */
  get cache(): FactCache {
    return this.#ctx.cache;
  }

  /** The page caches that the companion plugin said it asked to drop what this client's writes changed. */
  get cachesAsked(): readonly string[] {
    return [...this.#cachesAsked];
  }

  /** What the companion plugin said of other posts that this client's writes changed, a sentence each. */
  get changedElsewhere(): readonly string[] {
    return [...this.#elsewhere];
  }

  /** The same, to look after a write and take it back when the call's time may be up. */
  forCleanup(): WordPressClient {
    return this.#another(true, this.#part);
  }

  /** The same, for writes that only prepare what was asked for. */
  aside(): WordPressClient {
    return this.#another(this.#cleanup, true, this.#deadline);
  }

  #another(cleanup?: true, part?: true, deadline?: number): WordPressClient {
    const wire = new WordPressClient(this.#ctx, deadline);
    [wire.#cleanup, wire.#part] = [cleanup, part];
    [wire.#cachesAsked, wire.#elsewhere] = [this.#cachesAsked, this.#elsewhere];
    [wire.#authorization, wire.#root] = [this.#authorization, this.#root];
    return wire;
  }

  /** Reads a route with the site's credentials. Throws CmsError, E_UPSTREAM. */
  async get<T>(route: string, query: Query, schema: z.ZodType<T>): Promise<WordPressResponse<T>> {
    const out: Outgoing = { ...await this.#signed(route, query), method: "GET", effect: "read" };
    const began = this.now();
    const answer = await this.#ctx.send(this.#timed(out));
    const dated = Date.parse(answer.headers.get("date") ?? "");
    const ended = this.now();
    const siteNow = Math.max(ended, Number.isNaN(dated) ? ended : dated + 1000 + (ended - began));
    return { data: this.#read(out, answer, schema), headers: answer.headers, siteNow };
  }

  /** Writes JSON to a route; the answer is the record as it now stands, in edit context. */
  async post<T>(
    route: string,
    query: Query,
    json: Readonly<Record<string, unknown>>,
    schema: z.ZodType<T>,
    shown: Pick<Outgoing, "grant" | "live"> = {},
  ): Promise<T> {
    const signed = await this.#signed(route, query);
    const about = { what: route, ...(this.#part && { part: true as const }) };
    const out: Outgoing = { ...signed, method: "POST", effect: "write", ...about, json, ...shown };
    return this.#read(out, await this.#ctx.send(this.#timed(out)), schema);
  }

  /** The same with PUT, for routes of plugins that take nothing else. */
  async put<T>(route: string, json: Readonly<Record<string, unknown>>, schema: z.ZodType<T>): Promise<T> {
    const signed = await this.#signed(route, {});
    const out: Outgoing = { ...signed, method: "PUT", effect: "write", what: route, json };
    return this.#read(out, await this.#ctx.send(this.#timed(out)), schema);
  }

  /** Sends it to a route with further headers, which are made of the whole request. Throws CmsError, E_UPSTREAM. */
  async ask<T>(
    route: string,
    more: Omit<Outgoing, "url">,
    schema: z.ZodType<T>,
    further: (out: Outgoing) => Promise<Readonly<Record<string, string>>>,
    query: Query = {},
  ): Promise<{ readonly data: T; readonly headers: Headers }> {
    const { headers, ...signed } = await this.#signed(route, query);
    const plain: Outgoing = { ...signed, ...more, what: route, headers: { ...headers, ...more.headers } };
    const out = { ...plain, headers: { ...plain.headers, ...await further(plain) } };
    const answer = await this.#ctx.send(this.#timed(out));
    return { data: this.#read(out, answer, schema), headers: answer.headers };
  }

  /** Writes bytes to a route; `left` is told of the attachment a failed answer says it left behind. */
  async upload<T>(
    route: string,
    body: Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
    schema: z.ZodType<T>,
    left: (id: number) => void,
  ): Promise<T> {
    const signed = await this.#signed(route, {});
    const out: Outgoing = {
      ...signed,
      headers: { ...signed.headers, ...headers },
      method: "POST",
      effect: "write",
      what: route,
      body,
    };
    const answer = await this.#ctx.send(this.#timed(out));
    try {
      return this.#read(out, answer, schema);
    } catch (thrown) {
      const id = Number(answer.headers.get("x-wp-upload-attachment-id"));
      if (Number.isSafeInteger(id) && id > 0) left(id);
      throw thrown;
    }
  }

  /** With which status a path below the site's address is answered, redirects followed; null where no answer tells. */
  async visitorsGet(path: string): Promise<number | null> {
    return (await this.#visit(path))?.status ?? null;
  }

  /** The same with the address where they end up; null for one that they are not led away from. */
  async visitorsLed(path: string): Promise<{ readonly status: number | null; readonly to: string | null }> {
    const answer = await this.#visit(path);
    const isLed = answer !== null && answer.url !== this.#addressOf(path);
    return { status: answer?.status ?? null, to: isLed ? answer.url : null };
  }

  /** Whether visitors get anything at a path below the site's address; what cannot be told counts as if they did. */
  async answersVisitors(path: string): Promise<boolean> {
    return isAnswer(await this.visitorsGet(path));
  }

  /** The address at which visitors of a path end up; null where no answer tells. */
  async visitorsEndAt(path: string): Promise<string | null> {
    const answer = await this.#visit(path);
    return answer === null || answer.status >= 400 && answer.url === this.#addressOf(path)
      ? null
      : answer.url;
  }

  #addressOf(path: string): string {
    const url = new URL(addressOf(this.#ctx));
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
    return url.href;
  }

  async #visit(path: string): Promise<Incoming | null> {
    const url = this.#addressOf(path);
    const out = { method: "HEAD", url, effect: "read", headers: { accept: "text/html" } } as const;
    try {
      return await this.#ctx.send({ ...out, deadline_ms: LIMITS.VISIT_DEADLINE_MS });
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return null;
      throw thrown;
    }
  }

  /** A text of the site's as it may be shown to a person, without what requests sign in with. */
  async shown(text: string): Promise<string> {
    return excerpt(text, secretsOf(await this.#signIn()));
  }

  async #signed(route: string, query: Query): Promise<Pick<Outgoing, "url" | "headers" | "isRefusal">> {
    const authorization = await this.#signIn();
    const url = routeUrl(await this.#findRoot(), route, query);
    return { url, headers: { authorization }, isRefusal: isErrorBody };
  }

  #signIn(): Promise<string> {
    return this.#authorization ??= signed(this.#ctx).then(({ authorization }) => authorization);
  }

  #timed(out: Outgoing): Outgoing {
    if (this.#cleanup) return { ...out, cleanup: true };
    if (this.#deadline === undefined) return out;
    return { ...out, deadline_ms: Math.max(1, this.#deadline - this.now()) };
  }

  #read<T>(out: Outgoing, answer: Incoming, schema: z.ZodType<T>): T {
    const asked = new URL(out.url).origin;
    const from = new URL(answer.url).origin;
    if (from !== asked) {
      throw new GatewayError(
        "E_UPSTREAM",
        `The site points from "${asked}" to "${from}"; set its base_url to that`,
        {
          upstream: 502,
        },
      );
    }
    if (answer.status === 401 || answer.status === 403) this.cache.drop(ACCOUNT);
    if (answer.status < 200 || answer.status > 299) {
      throw out.effect === "write" ? refusedWrite(refusal(out, answer)) : refusal(out, answer);
    }
    if (out.effect === "write") {
      for (const name of cachesIn(answer.headers)) this.#cachesAsked.add(name);
      for (const one of elsewhereIn(answer.headers)) this.#elsewhere.add(one);
    }
    const json = answer.json();
    if (json === undefined) throw unreadable(out, answer, "the answer is not JSON");
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const at = parsed.error.issues[0]?.path.join(".") ?? "";
    throw unreadable(out, answer, `the answer lacks what was relied on (${at === "" ? "its shape" : at})`);
  }

  #findRoot(): Promise<URL> {
    return this.#root ??= findRoot(this.#ctx, () => this.#signIn(), this.#deadline !== undefined);
  }
}
