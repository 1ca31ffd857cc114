/** The way to a site at Duda: listed routes alone, signed with the account's shared credentials. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { refusal, unreadable } from "./errors.ts";
import { turn } from "./pace.ts";
import { addressOfSite, ERROR, SITE, type SiteRecord } from "./records.ts";
import { addressOf, type DudaSettings, type RouteName, ROUTES } from "./routes.ts";

/** What a request is about. */
export interface Asked {
  readonly id?: string;
  readonly query?: Readonly<Record<string, number>>;
  readonly json?: unknown;
  readonly grant?: PublishGrant;
}

const BUSY_MS = 1000;
/** Writes that make something: one too many is worse than one too few, so they are sent once whatever comes. */
const CREATES: ReadonlySet<RouteName> = new Set([
  "create_page",
  "duplicate_page",
  "add_element",
  "import_post",
]);

/** Refuses a site, or a gateway, that is not set up: E_MISSING_SECRET. */
function assertConfigured({ site, settings }: SiteContext<DudaSettings>): void {
  if (site.site_alias === null) {
    throw new GatewayError(
      "E_MISSING_SECRET",
      `Site "${site.id}" has no site_alias, by which its platform knows it; its operator can set it with deno task ` +
        `admin site update ${site.id} --site-alias …`,
    );
  }
  for (const name of ["SITEBUILDER_API_USER", "SITEBUILDER_API_PASSWORD"] as const) {
    if (settings[name] !== null) continue;
    throw new GatewayError(
      "E_MISSING_SECRET",
      `Sites of a site builder need ${name}, which the gateway's operator has not set`,
    );
  }
}

/** One site's way; every method throws E_UPSTREAM (as DudaError where the platform answered). */
export class Wire {
  readonly #ctx: SiteContext<DudaSettings>;
  readonly #cleanup: boolean;

  constructor(ctx: SiteContext<DudaSettings>, cleanup = false) {
    assertConfigured(ctx);
    this.#ctx = ctx;
    this.#cleanup = cleanup;
  }

  /** The same, to look after a write and take it back when the call's time may be up. */
  forCleanup(): Wire {
    return new Wire(this.#ctx, true);
  }

  now(): number {
    return this.#ctx.now();
  }

  /** Sends one request and reads its answer; `siteNow` is the latest time the platform's clock can show. */
  async ask<T>(
    name: RouteName,
    schema: z.ZodType<T>,
    { id, query = {}, json, grant }: Asked = {},
  ): Promise<{ readonly data: T; readonly siteNow: number }> {
    const { site, settings } = this.#ctx;
    const { method, path } = ROUTES[name];
    const url = new URL(addressOf(name, site, settings, id));
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const effect = method === "GET" ? "read" : "write";
    const out: Outgoing = {
      method,
      url: url.href,
      headers: { accept: "application/json", authorization: this.#authorization() },
      effect,
      turn: turn(settings, effect),
      isRefusal: (json) => ERROR.safeParse(json).success,
      ...json === undefined ? {} : { json },
      ...effect === "write" ? { what: path.replace(/\{\w+\}/, id ?? "") } : {},
      ...effect === "write" && !CREATES.has(name) ? { busy } : {},
      ...grant === undefined ? {} : { grant },
      ...this.#cleanup ? { cleanup: true as const } : {},
    };
    const began = this.now();
    const answer = await this.#ctx.send(out);
    const ended = this.now();
    const dated = Date.parse(answer.headers.get("date") ?? "");
    const siteNow = Math.max(ended, Number.isNaN(dated) ? ended : dated + 1000 + (ended - began));
    return { data: this.#read(out, answer, schema), siteNow };
  }

  /** The site's record, asked anew. */
  async site(): Promise<SiteRecord> {
    return (await this.ask("site", SITE)).data;
  }

  /** The site's address; remembered for a while. */
  async address(): Promise<string | null> {
    const find = async () => addressOfSite(await this.site());
    return await this.#ctx.cache.once("address", 10 * 60 * 1000, find);
  }

  #read<T>(out: Outgoing, answer: Incoming, schema: z.ZodType<T>): T {
    const json = answer.bytes.length === 0 ? null : answer.json();
    // An error may come with the status of a success.
    if (answer.status < 200 || answer.status > 299 || ERROR.safeParse(json).success) {
      throw refusal(out, answer, this.#secrets());
    }
    if (json === undefined) throw unreadable(out, answer, "the answer is not JSON");
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const at = parsed.error.issues[0]?.path.join(".") || "its shape";
    throw unreadable(out, answer, `the answer lacks what was relied on (${at})`);
  }

  #authorization(): string {
    const { SITEBUILDER_API_USER: user, SITEBUILDER_API_PASSWORD: password } = this.#ctx.settings;
    return `Basic ${new TextEncoder().encode(`${user}:${password}`).toBase64()}`;
  }

  #secrets(): string[] {
    const { SITEBUILDER_API_PASSWORD: password } = this.#ctx.settings;
    return [this.#authorization().slice("Basic ".length), password ?? ""].filter((one) => one !== "");
  }
}

/** 429 is answered before anything is carried out. */
function busy({ status, headers }: Pick<Incoming, "status" | "headers">): number | null {
  if (status !== 429) return null;
  const seconds = headers.get("retry-after") ?? "";
  return /^\d{1,4}$/.test(seconds) ? Number(seconds) * 1000 : BUSY_MS;
}
