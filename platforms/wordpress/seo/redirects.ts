/** Redirects of a CMS site, over the companion plugin: looked up, followed, added and changed, never taken away. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import {
  type Home,
  homeOf,
  mustStay,
  pathKey,
  pathOnSite,
  type Redirect,
  sameDestination,
} from "../../../rules/redirect.ts";
import type { Compared } from "../../_content/compared.ts";
import type { Making, Site } from "../../../core/model.ts";
import { asking, COMPANION, readCompanion, requireCapability } from "../companion/plugin.ts";
import { type PartHashes, staleOf } from "../companion/guarded.ts";
import { openedRows, STORED_ROWS, type StoredRows } from "../companion/stored_rows.ts";
import { readTold, writeTold } from "../companion/guarded_routes.ts";
import { CmsError } from "../errors.ts";
import { allOrThrow } from "../../../core/async.ts";
import { readBack } from "../rest/writer.ts";
import { requireSamePlugin, tooOld } from "./stored.ts";
import { isAnswer, type WordPressClient } from "../rest/wordpress_client.ts";

const ROW = z.object({
  id: z.union([z.number(), z.string()]),
  source: z.string(),
  destination: z.string(),
  status: z.number(),
});
const LIST = z.object({
  redirects: z.array(ROW),
  statuses: z.array(z.number()).optional(),
  /** Where a visitor of the source is sent, by a pattern too; nothing of a plugin that does not tell. */
  resolves: ROW.nullable().optional().catch(undefined),
  /** Who keeps them, from version 1.5.0 on; none for the companion plugin itself. */
  provider: z.string().optional().catch(undefined),
  hides: z.object({ id: z.number(), title: z.string() }).nullable().catch(null),
  /** The rows of that redirect, where they can be set back. */
  stored: STORED_ROWS,
});
const WRITTEN = ROW.extend({ created: z.boolean() });
/** What a guarded read tells beside: the redirects that are followed from the destination on, in order. */
const FOUND = LIST.extend({ follow: z.array(ROW).default([]) });
const GUARDED_REDIRECTS = { path: "seo/redirects", part: "seo", state: FOUND } as const;

/** Through how many redirects in a row a visitor may be led, the new one among them. */
const HOPS_MAX = 10;

/** A redirect as the site keeps it. */
export type RedirectRow = z.infer<typeof ROW>;

/** A redirect to be set, and what leads from that source now; null for nothing. */
export interface PreparedRedirect {
  readonly redirect: Redirect;
  readonly now: RedirectRow | null;
  /** The published post or page that visitors no longer reach; null for none, or where the plugin does not tell. */
  readonly hides: { readonly id: number; readonly title: string } | null;
  /** Whether visitors get anything at the source today that is not the destination: a page, an archive, a file, a redirect. */
  readonly answers: boolean;
  /** The status with which the web server answers there today; null where no answer told. */
  readonly answered: number | null;
  /** Who keeps the site's redirects; left out where the plugin does not tell. */
  readonly provider?: string | undefined;
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
  /** The rows of the redirect that is there, where they can be set back. */
  readonly stored?: StoredRows | undefined;
}

/** A path as the plugin takes it: it resolves escapes itself, and a bare blank is none of a path's. */
const escaped = (path: string) => path.replaceAll(" ", "%20");

async function readRules(wire: WordPressClient, source: string): Promise<z.infer<typeof LIST>> {
  return (await asking(
    "seo",
    () => wire.get(`${COMPANION}/seo/redirects`, { source: escaped(source) }, LIST),
  )).data;
}

/**
 * Proves plugin and rights, looks the source up and follows where the destination leads; writes nothing. Throws
 * E_SEOPLUGIN_PLUGIN_REQUIRED, E_BAD_INPUT for a circle and for a status the site's SEO plugin does not have, CmsError.
 */
export async function prepareRedirect(
  wire: WordPressClient,
  site: Site,
  redirect: Redirect,
): Promise<PreparedRedirect> {
  const { source, destination, status } = redirect;
  const asked = { source: escaped(source), destination, status };
  const [told, { status: answered, to }] = await allOrThrow(
    readTold(wire, GUARDED_REDIRECTS, asked),
    wire.visitorsLed(source),
  );
  if (told === null) {
    requireCapability(await readCompanion(wire, "seo"), "manage_options", "set redirects");
  }
  const { redirects, statuses, hides, provider, stored } = told?.state ?? await readRules(wire, source);
  if (statuses !== undefined && !statuses.includes(redirect.status)) {
    const has = statuses.join(", ");
    throw bad(`status: the site's SEO plugin has no redirects of status ${redirect.status}, only ${has}`);
  }
  const follow = told?.state.follow.values();
  const next = (path: string) => follow ? follow.next().value ?? null : rowFrom(wire, path);
  await requireEnd(redirect, homeOf(site.base_url), next);
  const now = redirects[0] ?? null;
  const home = homeOf(site.base_url);
  // WordPress leads visitors of an address that is nobody's to one that begins like it.
  const isThere = to !== null && isPlain(destination) &&
    sameDestination(pathOnSite(to, home) ?? to, destination, home);
  const answers = now !== null || hides !== null || (isAnswer(answered) && !isThere);
  const found = { redirect, now, hides, answers, answered, provider, stored };
  return { ...found, ...(told ? { hashes: told.hashes } : {}) };
}

/** Whether an address is that of a page alone. */
const isPlain = (address: string) => !address.includes("?") && !address.includes("#");

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Follows the redirects there are from the destination on, as a visitor would; throws where they never end. */
async function requireEnd(
  { source, path }: Redirect,
  home: Home,
  rowFrom: (path: string) => RedirectRow | null | Promise<RedirectRow | null>,
): Promise<void> {
  const chain = [source];
  for (let next = path; next !== null && !mustStay(next);) {
    const back = chain.some((one) => pathKey(one) === pathKey(next!));
    chain.push(next);
    if (back) {
      throw bad(`destination: would lead in a circle (${chain.join(" → ")}); change where it leads first`);
    }
    const row = await rowFrom(next);
    if (row === null || row.destination === "") return;
    if (chain.length > HOPS_MAX) {
      throw bad(
        `destination: more than ${HOPS_MAX} redirects in a row (${
          chain.join(" → ")
        }); lead to where they end`,
      );
    }
    next = pathOnSite(row.destination, home);
  }
}

/** Where a visitor of a path is sent; nowhere from a path the plugin takes no redirects from. */
async function rowFrom(wire: WordPressClient, path: string): Promise<RedirectRow | null> {
  try {
    const { redirects, resolves } = await readRules(wire, path);
    return resolves === undefined ? redirects[0] ?? null : resolves;
  } catch (thrown) {
    const cause = thrown instanceof GatewayError ? thrown.cause : undefined;
    if (cause instanceof CmsError && cause.reason === "site_ops_redirect_target") return null;
    throw thrown;
  }
}

/** The result of a write. */
export interface RedirectWritten extends RedirectRow, Compared {
  /** False where the redirect from that source was changed. */
  readonly created: boolean;
  readonly stored?: StoredRows | undefined;
}

/**
 * Sets a redirect, while what it takes the place of is as it was planned, and reads it back. Throws E_STALE_PREVIEW,
 * E_BAD_INPUT where the plugin refuses it, E_UPSTREAM.
 */
export async function writeRedirect(
  wire: WordPressClient,
  site: Site,
  planned: PreparedRedirect,
  made: Making,
): Promise<RedirectWritten> {
  return await provenRedirect(wire, site, planned, await send(wire, planned, made));
}

/**
 * The same for a redirect that is to be set back to the rows that were kept. Throws E_FORBIDDEN_OP where it is not there any
 * more, and where another plugin, or another version of it, kept them.
 */
export async function prepareRestore(
  wire: WordPressClient,
  site: Site,
  redirect: Redirect,
  kept: Readonly<Record<string, unknown>>,
): Promise<PreparedRedirect> {
  const planned = await prepareRedirect(wire, site, redirect);
  if (planned.hashes?.["plugin"] === undefined) throw tooOld("seo");
  const { plugin, values } = openedRows(kept);
  requireSamePlugin(plugin, values, planned.stored ?? { plugin, rows: {} });
  return planned;
}

/**
 * Sets a redirect back to the rows that were kept, and reads it back; what was planned is where they lead. Throws as
 * writeRedirect.
 */
export async function restoreRedirect(
  wire: WordPressClient,
  site: Site,
  planned: PreparedRedirect,
  kept: Readonly<Record<string, unknown>>,
): Promise<RedirectWritten> {
  const { redirect: { source }, hashes = {} } = planned;
  const { values: rows } = openedRows(kept);
  const dependsOn = { hashes, what: `the redirect from ${source}`, words: wordsOf(hashes) };
  const path = { path: "stored/redirects", part: "seo", state: LIST } as const;
  const done = await writeTold(wire, path, dependsOn, { source: escaped(source), rows }, WRITTEN);
  if (done) return await provenRedirect(wire, site, planned, { written: done.written, after: done.state });
  throw tooOld("seo");
}

/** The arguments that its parts and rows are named by. */
function wordsOf(hashes: PartHashes): Record<string, string> {
  const isStatus = (row: string) => ["header_code", "_status", "_type"].some((end) => row.endsWith(end));
  const rows = Object.keys(hashes).filter((name) => name.startsWith("row:"));
  return {
    hides: "source",
    ...Object.fromEntries(rows.map((name) => [name, isStatus(name) ? "status" : "destination"])),
  };
}

type Sent = { readonly written: z.infer<typeof WRITTEN>; readonly after: z.infer<typeof LIST> };

async function provenRedirect(
  wire: WordPressClient,
  site: Site,
  planned: PreparedRedirect,
  { written: { id, created }, after: { redirects: [stored], resolves, stored: rows } }: Sent,
): Promise<RedirectWritten> {
  const { source, destination, status } = planned.redirect;
  const home = homeOf(site.base_url);
  const fits = stored?.status === status && sameDestination(destination, stored.destination, home) &&
    pathKey(stored.source) === pathKey(source);
  if (fits) {
    const row = {
      id,
      created,
      source: stored.source,
      destination: stored.destination,
      status,
      ...rows ? { stored: rows } : {},
    };
    const led: RedirectRow | null = resolves === undefined ? row : resolves;
    if (led?.status === status && sameDestination(destination, led.destination, home)) {
      return { ...row, ...await followed(wire, planned, home) };
    }
    return { ...row, differences: [ledElsewhere(source, led)] };
  }
  const is = stored ? `leads to ${stored.destination} with ${stored.status}` : "is not there";
  throw new GatewayError(
    "E_UPSTREAM",
    `The site said it set the redirect, but the one from ${source} ${is}; look at it there`,
    { upstream: 502 },
  );
}

/** What is said of a redirect that is stored, while another rule of the site's goes before it. */
const ledElsewhere = (source: string, led: RedirectRow | null) =>
  `source: the redirect is stored, and visitors of ${source} ` +
  (led?.destination ? `are still led to ${led.destination} (${led.status})` : "do not follow it") +
  "; another rule of the site's SEO plugin goes before it: look at its redirects";

/**
 * Whether visitors follow it where something answered that is neither a redirect nor a post: a file of the web server, or
 * another plugin, may go first. Elsewhere what is stored is what is followed.
 */
async function followed(
  wire: WordPressClient,
  { redirect: { source }, now, hides, answers }: PreparedRedirect,
  home: Home,
): Promise<Compared> {
  if (!answers || now !== null || hides !== null) return { differences: [] };
  const end = await wire.visitorsEndAt(source);
  if (end === null) {
    return { differences: [], uncompared: `the site did not show whether visitors of ${source} are sent on` };
  }
  const at = pathOnSite(end, home);
  if (at === null || pathKey(at) !== pathKey(source)) return { differences: [] };
  const stays =
    `source: the redirect is stored, and visitors of ${source} still get what answered there before; a file, a ` +
    "cache or another plugin goes first: look at that address";
  return { differences: [stays] };
}

async function send(
  wire: WordPressClient,
  { redirect: { source, destination, status }, now, hides, provider, hashes }: PreparedRedirect,
  made: Making,
): Promise<Sent> {
  const json = { source: escaped(source), destination, status };
  const told = (written: z.infer<typeof WRITTEN>) => {
    if (written.created) made({ what: "redirect", id: written.id, name: source });
    return written;
  };
  const what = `the redirect from ${source}`;
  if (hashes) {
    const dependsOn = { hashes, what, words: wordsOf(hashes) };
    const done = await writeTold(wire, GUARDED_REDIRECTS, dependsOn, json, WRITTEN);
    if (done) return { written: told(done.written), after: done.state };
  }
  const is = await readRules(wire, source); // last before the write
  const row = is.redirects[0];
  const differ = [
    ...row?.destination === now?.destination ? [] : ["destination"],
    ...row?.status === now?.status ? [] : ["status"],
    ...is.hides?.id === hides?.id ? [] : ["source"],
    ...is.provider === provider ? [] : ["provider"],
  ];
  if (differ.length > 0) throw staleOf(what, differ);
  const written = told(
    await asking("seo", () => wire.post(`${COMPANION}/seo/redirects`, {}, json, WRITTEN)),
  );
  const done = `The redirect from ${source} was set`;
  return { written, after: await readBack(wire, done, (after) => readRules(after, source)) };
}
