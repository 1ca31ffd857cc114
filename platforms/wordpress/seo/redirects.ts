/** Redirects of a CMS site, over the companion plugin: looked up, followed, added and changed, never taken away. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import {
  type Home,
  homeOf,
  mustStay,
  pathKey,
  pathOnSite,
  type Redirect,
  sameDestination,
} from "../../../rules/redirect.ts";
import type { Making, Site } from "../../../model.ts";
import { asking, COMPANION, readCompanion, requireCapability } from "../companion/plugin.ts";
import { CmsError } from "../errors.ts";
import { readBack } from "../rest/read_back.ts";
import type { Wire } from "../rest/wire.ts";

const ROW = z.object({
  id: z.union([z.number(), z.string()]),
  source: z.string(),
  destination: z.string(),
  status: z.number(),
});
const LIST = z.object({
  redirects: z.array(ROW),
  statuses: z.array(z.number()).optional(),
  hides: z.object({ id: z.number(), title: z.string() }).nullable().catch(null),
});
const WRITTEN = ROW.extend({ created: z.boolean() });

/** How many redirects in a row are followed; browsers give up at about as many. */
const HOPS_MAX = 20;

/** A redirect as the site keeps it. */
export type RedirectRow = z.infer<typeof ROW>;

/** A redirect to be set, and what leads from that source now; null for nothing. */
export interface PreparedRedirect {
  readonly redirect: Redirect;
  readonly now: RedirectRow | null;
  /** The published post or page that visitors no longer reach; null for none, or where the plugin does not tell. */
  readonly hides: { readonly id: number; readonly title: string } | null;
  /** Whether visitors get anything at the source today: a page, an archive, a file, a redirect. */
  readonly answers: boolean;
}

/** A path as the plugin takes it: it resolves escapes itself, and a bare blank is none of a path's. */
const escaped = (path: string) => path.replaceAll(" ", "%20");

async function look(wire: Wire, source: string): Promise<z.infer<typeof LIST>> {
  return (await asking(
    "seo",
    () => wire.get(`${COMPANION}/seo/redirects`, { source: escaped(source) }, LIST),
  )).data;
}

/**
 * Proves plugin and rights, looks the source up and follows where the destination leads; writes nothing. Throws
 * E_SEOPLUGIN_PLUGIN_REQUIRED, E_BAD_INPUT for a circle and for a status the site's SEO plugin does not have, CmsError.
 */
export async function prepareRedirect(wire: Wire, site: Site, redirect: Redirect): Promise<PreparedRedirect> {
  requireCapability(await readCompanion(wire, "seo"), "manage_options", "set redirects");
  const { redirects, statuses, hides } = await look(wire, redirect.source);
  if (statuses !== undefined && !statuses.includes(redirect.status)) {
    const has = statuses.join(", ");
    throw bad(`status: the site's SEO plugin has no redirects of status ${redirect.status}, only ${has}`);
  }
  await requireEnd(wire, redirect, homeOf(site.base_url));
  const now = redirects[0] ?? null;
  const answers = now !== null || hides !== null || await wire.answersVisitors(redirect.source);
  return { redirect, now, hides, answers };
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Follows the redirects there are from the destination on; throws where they never end. */
async function requireEnd(wire: Wire, { source, path }: Redirect, home: Home): Promise<void> {
  const chain = [source];
  for (let next = path; next !== null && !mustStay(next);) {
    const back = chain.some((one) => pathKey(one) === pathKey(next!));
    chain.push(next);
    if (back) {
      throw bad(`destination: would lead in a circle (${chain.join(" → ")}); change where it leads first`);
    }
    if (chain.length > HOPS_MAX) {
      throw bad(`destination: more than ${HOPS_MAX - 1} redirects follow on it; lead to where they end`);
    }
    const row = await rowFrom(wire, next);
    next = row === null ? null : pathOnSite(row.destination, home);
  }
}

/** The redirect from a path; none from a path the plugin takes no redirects from. */
async function rowFrom(wire: Wire, path: string): Promise<RedirectRow | null> {
  try {
    return (await look(wire, path)).redirects[0] ?? null;
  } catch (thrown) {
    const cause = thrown instanceof GatewayError ? thrown.cause : undefined;
    if (cause instanceof CmsError && cause.reason === "site_ops_redirect_target") return null;
    throw thrown;
  }
}

/** The result of a write. */
export interface RedirectWritten extends RedirectRow {
  /** False where the redirect from that source was changed. */
  readonly created: boolean;
}

/** Sets a redirect and reads it back. Throws E_BAD_INPUT where the plugin refuses it, E_UPSTREAM. */
export async function writeRedirect(
  wire: Wire,
  site: Site,
  { redirect }: PreparedRedirect,
  made: Making,
): Promise<RedirectWritten> {
  const { source, destination, status } = redirect;
  const json = { source: escaped(source), destination, status };
  const { id, created } = await asking(
    "seo",
    () => wire.post(`${COMPANION}/seo/redirects`, {}, json, WRITTEN),
  );
  if (created) made({ what: "redirect", id, name: source });
  const done = `The redirect from ${source} was set`;
  const stored = (await readBack(wire, done, (after) => look(after, source))).redirects[0];
  const home = homeOf(site.base_url);
  const fits = stored?.status === status && sameDestination(destination, stored.destination, home) &&
    pathKey(stored.source) === pathKey(source);
  if (fits) return { id, created, source: stored.source, destination: stored.destination, status };
  const is = stored ? `leads to ${stored.destination} with ${stored.status}` : "is not there";
  throw new GatewayError(
    "E_UPSTREAM",
    `The site said it set the redirect, but the one from ${source} ${is}; look at it there`,
    { upstream: 502 },
  );
}
