/** Redirects of the companion plugin on the stand-in: found, resolved as visitors are led, and set. */
import { fault, needs } from "./companion.ts";
import type { Answer, Ask } from "./rest.ts";

/** A redirect as the plugin answers it. */
export interface StoredRedirect {
  readonly id: number;
  source: string;
  destination: string;
  status: number;
}

/** The redirects of a site, and what its SEO plugin does beside them. */
export interface RedirectRules {
  provider: "none" | "other" | "yoast" | "rankmath" | "seopress";
  /** Paths that a pattern of the site's SEO plugin fits, each with where it leads. */
  readonly patterns: Map<RegExp, string>;
  /** Patterns that go before a redirect from exactly a path. */
  readonly foremost: Set<RegExp>;
  readonly redirects: StoredRedirect[];
}

const key = (path: string) => path.toLowerCase().replace(/\/{2,}/g, "/").replace(/(?<=.)\/+$/, "");

/** The redirect from a source. */
function find({ redirects }: RedirectRules, source: string): StoredRedirect | undefined {
  return redirects.find((row) => key(row.source) === key(source));
}

/** Where a visitor of a path is sent, by a pattern too. */
export function resolve(plugin: RedirectRules, path: string): StoredRedirect | null {
  const one = find(plugin, path);
  const fitting = [...plugin.patterns].find(([pattern]) => pattern.test(path));
  const led = fitting ? { id: 900, source: path, destination: fitting[1], status: 301 } : null;
  return fitting && plugin.foremost.has(fitting[0]) ? led : one ?? led;
}

function sourceOf(given: unknown): string {
  const source = String(given);
  if (/^\/(?!\/*(wp-|xmlrpc|index\.php|$))[^?#\s]*$/i.test(source)) {
    return source.replace(/\/+$/, "").replaceAll("%20", " ");
  }
  throw fault("redirect_target", 422, "source must be a path on this site", { param: "source" });
}

/** Who keeps the redirects: of these two their own, else the companion plugin. */
const keeperOf = ({ provider }: RedirectRules) =>
  ["rankmath", "seopress"].includes(provider) ? provider : "none";

const statusesOf = (
  { provider }: RedirectRules,
) => [301, 302, 307, ...(provider === "seopress" ? [] : [308])];

/** Redirects, or what there is at a source. */
export function readRedirects(plugin: RedirectRules, ask: Ask): Answer {
  needs(ask, "manage_options");
  const { source } = ask.params;
  const one = source === undefined ? undefined : find(plugin, sourceOf(source));
  const redirects = source === undefined ? plugin.redirects : one ? [one] : [];
  const there = [...ask.state.posts.values()].find(({ status, slug }) =>
    status === "publish" && source !== undefined && key(`/${slug}`) === key(sourceOf(source))
  );
  const hides = there && { hides: { id: there.id, title: there.title } };
  const resolves = source === undefined ? {} : { resolves: resolve(plugin, sourceOf(source)) };
  return {
    body: {
      redirects,
      total: redirects.length,
      statuses: statusesOf(plugin),
      ...resolves,
      provider: keeperOf(plugin),
      ...hides,
    },
  };
}

/** Sets a redirect. */
export function writeRedirect(plugin: RedirectRules, ask: Ask): Answer {
  needs(ask, "manage_options");
  const source = sourceOf(ask.params["source"]);
  const destination = String(ask.params["destination"]);
  const status = ask.params["status"] as number;
  if (!statusesOf(plugin).includes(status)) {
    throw fault("redirect_target", 422, `There are no redirects of status ${status}`, { param: "status" });
  }
  for (let hop = 0, at: string | undefined = destination; at?.startsWith("/"); hop++) {
    if (key(at) === key(source) || hop > 50) {
      throw fault("redirect_loop", 422, `A redirect from ${source} would lead in a circle`);
    }
    at = resolve(plugin, at)?.destination;
  }
  const old = find(plugin, source);
  const row = old ?? { id: plugin.redirects.length + 1, source, destination, status };
  Object.assign(row, { destination, status });
  if (!old) plugin.redirects.push(row);
  return { body: { ...row, created: !old } };
}
