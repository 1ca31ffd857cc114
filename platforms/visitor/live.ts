/** Whether visitors get what a write was for: the page as it is served, beside the same page past any page cache. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import { type Home, homeOf, type Redirect, sameDestination } from "../../rules/redirect.ts";
import { cacheWords } from "./caches.ts";
import type { Visit, Visitor } from "./client.ts";
import type { CacheSigns, Difference, Live, Seen } from "../_content/live.ts";
import type { PageFacts } from "./page.ts";
import { isForAll } from "./walls.ts";

/** Judges a page that was reached. */
export type Expectation = (page: PageFacts, visit: Visit) => readonly Difference[];

type Finding =
  | { readonly kind: "ok" }
  | {
    readonly kind: "differs";
    readonly differs: readonly Difference[];
    readonly wall?: true;
    readonly next?: string;
  }
  | { readonly kind: "unseen"; readonly reason: string; readonly next: string };

const AGAIN = "read it again with view_live";
const LOOK = "read the page with view_live, and see which plugin, theme or template prints something else";

const LOOK_AT_IT = "look at the page with view_live";

const LED = "see which rule of a plugin or the host leads there, and whether the destination is there";

/** Why nobody looked. */
export const notLive = (reason: string): Seen => ({ live: null, reason, warnings: [] });

/** Of what is not published. */
export const UNPUBLISHED =
  "visitors do not see it as long as it is not published; look with view_live once it is";
/** Of what is in a state of a plugin's, which says who sees it. */
export const OTHER_STATE = "a plugin of the site says by its state who sees it; look at it in the CMS";

/** Why nobody looks at what is not published. */
export const unpublished = ({ status, live }: { readonly status: string; readonly live: boolean }): string =>
  live && status !== "private" ? OTHER_STATE : UNPUBLISHED;
/** Of a write to a branch that is deployed. */
export const DEPLOYED =
  "the branch is built and deployed first; ask check_static_deploy until it has succeeded, then look with view_live";

/**
 * What visitors get at an address after a write; never throws, for the write is made. An address that names a page by a
 * query, as `?p=7`, is followed to the page's own first. `asked` names the caches that were asked to drop the page.
 */
export async function liveAt(
  visitor: Visitor,
  address: string,
  expected: Expectation,
  asked: readonly string[] = [],
): Promise<Seen> {
  const deadline = visitor.now() + LIMITS.VISIT_MS;
  return await told(visitor, address, asked, async () => {
    const { plain, fresh } = await bothOf(visitor, address, deadline);
    const seen = findingOf(plain, expected);
    const first = fresh === null ? null : findingOf(fresh, expected);
    const isKept = seen.kind === "differs" && first?.kind === "differs" && mayBeKept(fresh);
    const again = isKept ? await past(visitor, plain.address, deadline, true) : null;
    const beyond = again === null ? first : findingOf(again, expected);
    return { visit: plain, ...verdictOf(seen, beyond, plain.cache ?? fresh?.cache ?? null, asked) };
  });
}

/**
 * What visitors get at the source of a redirect, which is asked plain, with a slash at its end and without, for people
 * have links of both; never throws.
 */
export async function liveRedirect(
  visitor: Visitor,
  redirect: Redirect,
  asked: readonly string[] = [],
): Promise<Seen> {
  const addresses = formsOf(redirect.source).map((path) => below(visitor.base, path));
  const deadline = visitor.now() + LIMITS.VISIT_MS;
  return await told(visitor, addresses[0]!, asked, async () => {
    const visits = await Promise.all(addresses.map((address) => visitor.visit(address, deadline)));
    const judged = await Promise.all(visits.map(async (visit) => {
      const finding = redirectFinding(visit, redirect, homeOf(visitor.home()));
      const isKept = finding.kind === "differs" && await isKeptPage(visitor, visit, redirect, deadline);
      return { visit, ...(isKept ? keptCopy(finding.differs, visit.cache, asked) : single(finding)) };
    }));
    return judged.find(({ as_expected }) => as_expected === false) ??
      judged.find(({ as_expected }) => as_expected === null) ?? judged[0]!;
  });
}

/** Whether a page in the place of a redirect is a copy: the cache says so, or past it the redirect is made. */
async function isKeptPage(
  visitor: Visitor,
  { chain, cache }: Visit,
  redirect: Redirect,
  deadline: number,
): Promise<boolean> {
  if (chain.length > 1 || cache === null || cache.hit === false) return false;
  if (cache.hit) return true;
  const beyond = await past(visitor, chain[0]!.address, deadline, true);
  return beyond !== null && redirectFinding(beyond, redirect, homeOf(visitor.home())).kind === "ok";
}

/** A path as it is stored and with a slash at its end; the name of a file has none. */
function formsOf(path: string): string[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? [path] : [path, `${path}/`];
}

/** The address that was asked; of one that names a page by a query the one it led to, which is the page's own. */
const own = ([first, second]: Visit["chain"]): string =>
  second !== undefined && URL.parse(first!.address)?.search !== "" ? second.address : first!.address;

/** The same where the page tells nothing of what was written: that it was reached is no proof, so nobody knows. */
export function unknownBy(reason: string | null, seen: Seen): Seen {
  if (reason === null || seen.live?.as_expected !== true) return seen;
  return { ...seen, live: { ...seen.live, as_expected: null, reason, next: LOOK_AT_IT } };
}

/** The address of a path below the site's home. */
export const below = (base: string | null, path: string) => {
  const home = new URL(base ?? "https://invalid/");
  const folder = home.pathname.endsWith("/") ? home.pathname.slice(0, -1) : home.pathname;
  home.pathname = `${folder}${path}`;
  return home.href;
};

type Verdict = Pick<Live, "as_expected" | "differs" | "cause" | "cache" | "reason" | "next">;

async function told(
  visitor: Visitor,
  address: string,
  asked: readonly string[],
  look: () => Promise<Verdict & { visit: Visit }>,
): Promise<Seen> {
  const checked_at = new Date(visitor.now()).toISOString();
  const caches = asked.length === 0 ? {} : { caches_asked: asked };
  if (visitor.base === null) {
    return notLive("the site has no base_url, so nobody knows where its visitors are; set it");
  }
  if (!visitor.mayRead(address)) {
    return notLive("its address is not one that is read as a visitor; look at it in a browser");
  }
  try {
    const { visit, ...verdict } = await look();
    const live: Live = { checked_at, address: own(visit.chain), ...verdict, ...caches };
    return { live, warnings: warningsOf(live) };
  } catch (thrown) {
    const message = thrown instanceof GatewayError ? thrown.message : "the page could not be read";
    const live = {
      ...{ checked_at, address, as_expected: null, differs: [] },
      ...{ reason: message, next: AGAIN },
      ...caches,
    };
    return { live, warnings: [] };
  }
}

async function bothOf(visitor: Visitor, address: string, deadline: number) {
  const named = new URL(address).search !== "";
  if (named) {
    const plain = await visitor.visit(address, deadline);
    if (plain.page === null || plain.wall !== null) return { plain, fresh: null };
    return { plain, fresh: await past(visitor, plain.address, deadline) };
  }
  const [plain, fresh] = await Promise.all([
    visitor.visit(address, deadline),
    past(visitor, address, deadline),
  ]);
  return { plain, fresh };
}

/** Whether a page that was asked past the caches may be a copy all the same: some keep one for each query. */
const mayBeKept = (visit: Visit | null) => visit?.cache != null && visit.cache.hit !== false;

/** The page past its caches; null where it did not answer in time. */
async function past(
  visitor: Visitor,
  address: string,
  deadline: number,
  once = false,
): Promise<Visit | null> {
  try {
    return await visitor.visit(await visitor.marked(address, once), deadline);
  } catch {
    return null; // the plain address decides then
  }
}

function findingOf(visit: Visit, expected: Expectation): Finding {
  const { wall, page, status, ends, lost } = visit;
  if (wall !== null && !isForAll(wall)) return { kind: "unseen", reason: wall.message, next: wall.next };
  const instead = (seen: unknown): Difference => ({ field: "page", expected: "the page", seen });
  if (wall !== null) {
    return { kind: "differs", differs: [instead(wall.message)], wall: true, next: wall.next };
  }
  if (ends !== null && !lost) return { kind: "unseen", reason: `the address ${ends}`, next: AGAIN };
  if (ends !== null) return { kind: "differs", differs: [instead(ends)] };
  if (status === null || status < 200 || status > 299) {
    return { kind: "differs", differs: [{ field: "status", expected: 200, seen: status }] };
  }
  if (page === null) return { kind: "differs", differs: [instead(visit.type)] };
  const { leads_on: on } = visit;
  if (on !== null) return { kind: "differs", differs: [instead(`leads on to ${on} by itself`)] };
  const differs = expected(page, visit);
  if (differs.length === 0) return { kind: "ok" };
  if (!page.cut) return { kind: "differs", differs };
  return { kind: "unseen", reason: "the page is too long to be read whole", next: "look at it in a browser" };
}

/** `past` is the same page past any page cache. */
function verdictOf(
  plain: Finding,
  past: Finding | null,
  cache: CacheSigns | null,
  asked: readonly string[],
): Verdict {
  if (plain.kind === "differs" && past?.kind === "ok") return keptCopy(plain.differs, cache, asked);
  if (plain.kind === "ok" && past?.kind === "differs" && cache?.hit === true) {
    return {
      as_expected: false,
      differs: past.differs,
      cause: "page",
      cache,
      reason: `${cacheWords(cache)} still shows what was expected, the site itself no longer does`,
      next: LOOK,
    };
  }
  return { ...single(plain), ...(cache === null ? {} : { cache }) };
}

function single(finding: Finding): Verdict {
  if (finding.kind === "ok") return { as_expected: true, differs: [] };
  if (finding.kind === "unseen") {
    return { as_expected: null, differs: [], reason: finding.reason, next: finding.next };
  }
  const { differs, wall, next = LOOK } = finding;
  return { as_expected: false, differs, cause: wall ? "wall" : "page", next };
}

const keptCopy = (
  differs: readonly Difference[],
  cache: CacheSigns | null,
  asked: readonly string[],
): Verdict => ({
  as_expected: false,
  differs,
  cause: "page_cache",
  ...(cache === null ? {} : { cache }),
  reason: `${
    cacheWords(cache)
  } still serves visitors the page as it was; the site itself shows it as expected`,
  next: `${
    asked.length === 0
      ? ""
      : `${asked.join(", ")} ${asked.length === 1 ? "was" : "were"} asked to drop it already; `
  }empty that cache for this address, or wait until its copy has expired, then ${AGAIN}`,
});

const SHOWN_CHARACTERS = 120;
const shown = (value: unknown) => cut(JSON.stringify(value) ?? "null", SHOWN_CHARACTERS);

function warningsOf({ as_expected, differs, reason, next, cause, address }: Live): string[] {
  if (as_expected !== false) return [];
  if (cause === "page_cache") return [`live: at ${address} ${reason}; ${next}`];
  const what = differs.slice(0, 3).map(({ field, expected, seen }) =>
    `${field} is ${shown(seen)}, expected ${shown(expected)}`
  );
  const more = differs.length > 3 ? `, and ${differs.length - 3} more` : "";
  return [`live: visitors of ${address} get something else: ${what.join("; ")}${more}; ${next}`];
}

/** The hop that the redirect makes: many sites lead from a path to the same with a slash at its end first. */
function leadingHop({ chain: [first, second] }: Visit) {
  const bare = (address: string) => address.endsWith("/") ? address.slice(0, -1) : address;
  const to = first?.location && URL.parse(first.location, first.address)?.href;
  const isSame = to && second !== undefined && bare(to) === bare(first!.address);
  return isSame ? second : first;
}

function redirectFinding(visit: Visit, { destination, status }: Redirect, home: Home): Finding {
  const first = leadingHop(visit);
  const { wall } = visit;
  if (first?.location === undefined) {
    if (wall !== null) return findingOf(visit, () => []);
    return { kind: "differs", differs: [{ field: "status", expected: status, seen: first?.status ?? null }] };
  }
  const differs: Difference[] = [];
  if (first.status !== status) differs.push({ field: "status", expected: status, seen: first.status });
  if (
    !sameDestination(destination, first.location, home) && !sameDestination(first.location, destination, home)
  ) {
    differs.push({ field: "destination", expected: destination, seen: first.location });
  }
  if (visit.lost) differs.push({ field: "destination", expected: "a page", seen: visit.ends });
  if (
    visit.ends === null && visit.status !== null && visit.status >= 400 && (wall === null || isForAll(wall))
  ) {
    differs.push({ field: "destination", expected: "a page", seen: wall?.message ?? visit.status });
  }
  return differs.length === 0 ? { kind: "ok" } : { kind: "differs", differs, next: LED };
}
