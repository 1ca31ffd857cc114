/** Asks a site as a visitor would: hop by hop, each judged before it is asked, without credentials, keeping no cookie. */
import { GatewayError } from "../../core/errors.ts";
import { cleaned } from "../../core/one_line.ts";
import { LIMITS } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import { CHECK_NAME, unreadFor, visitorAddress } from "../../rules/visitor_address.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { Incoming } from "../_http/request.ts";
import type { CacheSigns } from "../_content/live.ts";
import { cacheOf } from "./caches.ts";
import { baseOf, type PageFacts, readPage, robotsIn } from "./page.ts";
import { isCheck, type Wall, wallOf } from "./walls.ts";

/** One address that was asked, and where it led. */
export interface Hop {
  readonly address: string;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly location?: string;
  /** Why the way ends here, a sentence's part; left out where it was gone on, or where the page is. */
  readonly ends?: string;
}

/** What a visitor of an address gets. */
export interface Visit {
  readonly chain: readonly Hop[];
  /** Where the way ended. */
  readonly address: string;
  readonly status: number | null;
  /** What robots are told by a header. */
  readonly robots_header: readonly string[];
  /** Null where the answer is no HTML, or a redirect that was not followed. */
  readonly page: PageFacts | null;
  /** Where the page leads its visitors on to by itself, soon after they came; null where they stay. */
  readonly leads_on: string | null;
  readonly type: string;
  readonly wall: Wall | null;
  readonly cache: CacheSigns | null;
  /** Why no page was reached, a sentence's part; null where one was. */
  readonly ends: string | null;
  /** Whether no visitor gets anywhere: the way is a circle, or too long. */
  readonly lost: boolean;
}

/** A link of a page that leads to nothing. */
export interface DeadLink {
  readonly address: string;
  readonly status: number;
}

/** How many links within the site there are, how many of them were asked, and which lead to nothing. */
export interface DeadLinks {
  readonly found: number;
  readonly asked: number;
  readonly dead: DeadLink[];
}

/** More of a page is not read. */
const PAGE_BYTES = 2 * 1024 * 1024;
const HOPS_MAX = 6;
/** Nobody is led in a circle there but who keeps no cookie: bot checks of hosts, and plugins that count visitors. */
const COOKIE_ASKED =
  "sets a cookie and asks for the same address again, and this reader keeps no cookies; look at it in a browser";
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const LINKS_ASKED_MAX = 40;
const LINKS_AT_ONCE = 6;
const LINKS_MS = 8000;
const DEAD: ReadonlySet<number> = new Set([404, 410]);
/** With that many a page has been told enough of, and a firewall that counts missing pages has not. */
const DEAD_MAX = 20;
/** The site asks for less, or can do no more. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const ADDRESS_CHARACTERS = 500;
const HOUR_MS = 3_600_000;

/** The reader of one site. */
export class Visitor {
  readonly #ctx: SiteContext;

  constructor(ctx: SiteContext) {
    this.#ctx = ctx;
  }

  /** Where the site is; null where its record has no address. */
  get base(): string | null {
    return this.#ctx.site.base_url;
  }

  /** The same; throws E_BAD_INPUT where its record has no address. */
  home(): string {
    const { base_url, id } = this.#ctx.site;
    if (base_url) return base_url;
    throw new GatewayError(
      "E_BAD_INPUT",
      `Site "${id}" has no base_url, so nobody knows where its visitors are; its operator can set it with ` +
        `deno task admin site update ${id} --base-url <address>`,
    );
  }

  /** The address of a path of the site. Throws E_BAD_PATH, E_BAD_INPUT. */
  addressOf(path: string, field: string): string {
    return visitorAddress(path, this.home(), field);
  }

  /** Whether the address is one of the site's that may be read. */
  mayRead(address: string): boolean {
    const url = URL.parse(address);
    return url !== null && url.origin === URL.parse(this.#ctx.site.base_url ?? "")?.origin &&
      unreadFor(url) === null;
  }

  now(): number {
    return this.#ctx.now();
  }

  /** What a visitor gets at an address of the site, redirects followed within it. Throws E_UPSTREAM where nothing answers. */
  async visit(address: string, deadline = this.#ctx.now() + LIMITS.VISIT_MS): Promise<Visit> {
    const chain: Hop[] = [];
    const seen = new Set<string>();
    for (let at = address;;) {
      seen.add(at);
      let answer: Incoming;
      try {
        answer = await this.#get(at, deadline);
      } catch (thrown) {
        if (chain.length === 0 || !(thrown instanceof GatewayError)) throw thrown;
        return ended([...chain, { address: at, status: null, ends: thrown.message }], thrown.message);
      }
      const given = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
      if (given === null) {
        return await this.#arrived([...chain, { address: at, status: answer.status }], answer);
      }
      const target = URL.parse(given, at);
      // A visitor's browser keeps the fragment and asks without it.
      const location = cut(cleaned(target?.href ?? given), ADDRESS_CHARACTERS);
      if (target !== null) target.hash = "";
      const isAsked = target?.href === at && answer.headers.has("set-cookie");
      const ends = isAsked ? COOKIE_ASKED : this.#endOf(target, seen, chain.length);
      const hop = { address: at, status: answer.status, location };
      if (ends === null) {
        chain.push(hop);
        at = target!.href;
        continue;
      }
      const wall = target === null
        ? null
        : wallOf({ status: answer.status, headers: answer.headers, page: null, location: target });
      const lost = target !== null && !isAsked && (seen.has(target.href) || chain.length + 1 >= HOPS_MAX);
      return { ...ended([...chain, { ...hop, ends }], ends), wall, lost };
    }
  }

  /** The bytes of a file of the site, up to so many; null where nobody but the site's own people can have it. */
  async fileAt(address: string, max_bytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    if (!this.mayRead(address)) return null;
    try {
      const { status, bytes } = await this.#send(
        "GET",
        address,
        this.#ctx.now() + LIMITS.VISIT_MS,
        max_bytes,
      );
      return status === 200 ? bytes : null;
    } catch (thrown) {
      if (thrown instanceof GatewayError) return null;
      throw thrown;
    }
  }

  /**
   * The address with the reader's own mark: the same within the hour, so that nobody's cache fills up with it; with `once`
   * one that was never asked.
   */
  async marked(address: string, once = false): Promise<string> {
    const part = once ? crypto.randomUUID() : Math.floor(this.#ctx.now() / HOUR_MS);
    const text = new TextEncoder().encode(`${this.#ctx.site.id} ${part}`);
    const mark = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex().slice(0, 12);
    const url = new URL(address);
    url.searchParams.set(CHECK_NAME, mark);
    return url.href;
  }

  /** The links of a page within the site that lead to nothing, of the first that may be asked; each is asked by HEAD. */
  async deadLinks(visit: Visit): Promise<DeadLinks> {
    const { page, address } = visit;
    return page === null
      ? { found: 0, asked: 0, dead: [] }
      : await this.deadAmong(page.links, address, baseOf(page, address));
  }

  /** The same of links as they are written on a page that is found, or will be, at that address; relative to `base`. */
  async deadAmong(links: readonly string[], address: string, base = address): Promise<DeadLinks> {
    const all = new Set<string>();
    for (const link of links) {
      const url = URL.parse(link, base);
      if (url === null) continue;
      url.hash = "";
      if (url.href !== address && this.mayRead(url.href)) all.add(url.href);
    }
    const asked = [...all].slice(0, LINKS_ASKED_MAX);
    const deadline = this.#ctx.now() + LINKS_MS;
    const dead: DeadLink[] = [];
    let count = 0;
    let isOver = false;
    const left = asked.values();
    const ask = async () => {
      for (const address of left) {
        if (isOver || dead.length >= DEAD_MAX) return;
        const status = await this.#statusOf(address, deadline);
        if (status === null) continue;
        if (BUSY.has(status)) {
          isOver = true;
          return;
        }
        count++;
        if (DEAD.has(status)) dead.push({ address: cut(address, ADDRESS_CHARACTERS), status });
      }
    };
    await Promise.all(Array.from({ length: LINKS_AT_ONCE }, ask));
    const order = new Map(asked.map((address, at) => [cut(address, ADDRESS_CHARACTERS), at]));
    dead.sort((a, b) => order.get(a.address)! - order.get(b.address)!);
    return { found: all.size, asked: count, dead };
  }

  async #statusOf(address: string, deadline: number): Promise<number | null> {
    try {
      return (await this.#send("HEAD", address, deadline)).status;
    } catch {
      return null; // a link that could not be asked is not called dead
    }
  }

  /** Throws E_UPSTREAM, with words of its own for a page that does not end. */
  async #get(address: string, deadline: number): Promise<Incoming> {
    try {
      return await this.#send("GET", address, deadline);
    } catch (thrown) {
      if (this.#ctx.now() < deadline || !(thrown instanceof GatewayError)) throw thrown;
      throw new GatewayError(
        "E_UPSTREAM",
        `${new URL(address).host} did not finish the page within ${
          LIMITS.VISIT_MS / 1000
        } s; look at it in a browser, and see what makes the site slow`,
        { upstream: 504, cause: thrown },
      );
    }
  }

  #send(
    method: "GET" | "HEAD",
    url: string,
    deadline: number,
    max_bytes = PAGE_BYTES,
  ): Promise<Incoming> {
    return this.#ctx.send({
      method,
      url,
      effect: "read",
      once: true,
      redirects: "answered",
      cut_off: true,
      max_bytes,
      deadline_ms: Math.max(1, deadline - this.#ctx.now()),
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
    });
  }

  /** Why a redirect is not followed, a sentence's part; null where it is. */
  #endOf(target: URL | null, seen: ReadonlySet<string>, hops: number): string | null {
    if (target === null) return "redirects to an address that cannot be read";
    const home = new URL(this.home());
    if (target.origin !== home.origin) {
      const place = cut(target.origin === "null" ? target.protocol : target.origin, 100);
      return `leads to "${place}", which is not this site and was not asked; if the site has moved there, set its base_url to that`;
    }
    if (isCheck(target)) return "leads to a bot check";
    const why = unreadFor(target);
    if (why !== null) return `was not followed: ${why}`;
    if (seen.has(target.href)) return "leads in a circle: visitors never get a page";
    return hops + 1 >= HOPS_MAX ? `redirects more than ${HOPS_MAX} times` : null;
  }

  async #arrived(chain: readonly Hop[], answer: Incoming): Promise<Visit> {
    const { status, headers } = answer;
    const type = (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
    const isPage = type === "text/html" || type === "application/xhtml+xml" || type === "";
    const page = isPage ? await readPage(textOf(answer), answer.cut === true) : null;
    const wall = wallOf({ status, headers, page });
    const robots = robotsIn(headers.get("x-robots-tag") ?? "");
    const cache = cacheOf(headers, page);
    const { address } = chain.at(-1)!;
    return {
      ...ended(chain, null),
      address,
      status,
      robots_header: robots,
      page,
      leads_on: page === null ? null : leadsOn(page, address),
      type,
      wall,
      cache,
    };
  }
}

/** Who is led on later has seen the page. */
const STAYED_SECONDS = 10;

function leadsOn(page: PageFacts, address: string): string | null {
  if (page.refresh === null || page.refresh.seconds > STAYED_SECONDS) return null;
  const target = URL.parse(page.refresh.to, baseOf(page, address));
  return target === null || bare(target) === bare(new URL(address))
    ? null
    : cut(cleaned(target.href), ADDRESS_CHARACTERS);
}

/** An address without its anchor and without the reader's own mark. */
function bare({ href }: URL): string {
  const url = new URL(href);
  url.hash = "";
  url.searchParams.delete(CHECK_NAME);
  return url.href;
}

/** A way that ended without a page. */
const ended = (chain: readonly Hop[], ends: string | null): Visit => ({
  chain,
  address: chain.at(-1)!.address,
  status: chain.at(-1)!.status,
  robots_header: [],
  page: null,
  leads_on: null,
  type: "",
  wall: null,
  cache: null,
  ends,
  lost: false,
});

const SNIFFED_BYTES = 1024;
/** What names of charsets are made of. */
const LABEL = "abcdefghijklmnopqrstuvwxyz0123456789_-";

/** The answer's text, by the charset it names: in its header, or in a meta element near its beginning. */
function textOf({ headers, bytes }: Pick<Incoming, "headers" | "bytes">): string {
  const begin = new TextDecoder("latin1").decode(bytes.subarray(0, SNIFFED_BYTES)).toLowerCase();
  const label = charsetIn(headers.get("content-type")?.toLowerCase() ?? "") ?? charsetIn(begin) ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** What stands behind `charset=`. */
function charsetIn(text: string): string | null {
  const at = text.indexOf("charset=");
  if (at < 0) return null;
  let label = "";
  for (const one of text.slice(at + "charset=".length).trimStart().slice(0, 40)) {
    if (one === '"' || one === "'") continue;
    if (!LABEL.includes(one)) break;
    label += one;
  }
  return label === "" ? null : label;
}
