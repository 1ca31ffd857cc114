/** The companion plugin's guarded routes beside those of posts: what is there in parts, and writes compared with them. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { CmsError } from "../errors.ts";
import type { Query, WordPressClient } from "../rest/wordpress_client.ts";
import {
  hasNoGuard,
  PART_HASHES,
  type PartHashes,
  rememberNoGuard,
  staleOf,
  TRACE,
  type Trace,
} from "./guarded.ts";
import { elsewhereRefused } from "./elsewhere.ts";
import { asking, COMPANION, type CompanionPart, isNoRoute, makingPage } from "./plugin.ts";
import type { Making } from "../../../core/model.ts";

/** What the plugin tells in one request. */
export interface Told<T> {
  readonly state: T;
  readonly hashes: PartHashes;
  /** Who has it open in the editor; null for nobody. */
  readonly editing: Trace | null;
  /** The latest time the site's clock can show now. */
  readonly siteNow: number;
}

/** A route of the plugin that has a guarded twin. */
export interface GuardedRoute<T> {
  /** Below the plugin's namespace, as the route without the guard has it. */
  readonly path: string;
  readonly part: CompanionPart;
  /** What is read there, and what is stored after a write. */
  readonly state: z.ZodType<T>;
}

/**
 * What is there, in parts; null where the site has no such route, and where the plugin fails or refuses: the routes
 * without a guard say best what is wrong.
 */
export async function readTold<T>(
  wire: WordPressClient,
  { path, state }: Pick<GuardedRoute<T>, "path" | "state">,
  query: Query = {},
): Promise<Told<T> | null> {
  if (hasNoGuard(wire, path)) return null;
  const schema = z.object({ state, parts: PART_HASHES, editing: TRACE.nullable().catch(null) });
  try {
    const { data, siteNow } = await wire.get(`${COMPANION}/guarded/${path}`, query, schema);
    return { state: data.state, hashes: data.parts, editing: data.editing, siteNow };
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || [401, 429].includes(thrown.upstream ?? 0)) throw thrown;
    if (isNoRoute(thrown)) rememberNoGuard(wire, path);
    return null;
  }
}

/** What a write relies on, and how it is told where that differs. */
export interface DependsOn {
  readonly hashes: PartHashes;
  /** Names of the parts; every part without it. */
  readonly names?: readonly string[];
  /** What is written, for a sentence: `page 7`. */
  readonly what: string;
  /** The words of the tools' arguments for the plugin's parts, where they differ. */
  readonly words?: Readonly<Record<string, string>>;
}

/** What a write answers: its own answer, and what is stored after it. */
export interface Guarded<W, T> {
  readonly written: W;
  readonly state: T;
}

/**
 * Writes if every part relied on has the hash it had, in one request. null where the site has no such route any more.
 * Throws E_STALE_PREVIEW naming what differs, and as asking. `made` is told of a page that could not be finished.
 */
export async function writeTold<W, T>(
  wire: WordPressClient,
  { path, part, state }: GuardedRoute<T>,
  dependsOn: DependsOn,
  json: Readonly<Record<string, unknown>>,
  written: z.ZodType<W>,
  made: Making | null = null,
): Promise<Guarded<W, T> | null> {
  const { hashes, names } = dependsOn;
  const wanted = Object.entries(hashes).filter(([name]) => names === undefined || names.includes(name));
  const body = { ...json, expected: Object.fromEntries(wanted) };
  const schema = z.object({ written, state });
  const write = () =>
    asking(part, () =>
      wire.post(`${COMPANION}/guarded/${path}`, {}, body, schema).catch((thrown) => {
        if (!(thrown instanceof CmsError)) throw thrown;
        if (isNoRoute(thrown)) return null;
        if (thrown.reason === "site_ops_stale") throw staleAnswer(dependsOn, thrown);
        throw elsewhereRefused(dependsOn.what, thrown) ?? thrown;
      }));
  const done = made === null ? await write() : await makingPage(part, made, write);
  if (done === null) rememberNoGuard(wire, path);
  return done;
}

function staleAnswer({ what, words = {} }: DependsOn, error: CmsError): GatewayError {
  const differ = z.array(z.string()).catch([]).parse(error.data["differ"]);
  const trace = TRACE.catch({ by: null, at: null }).parse(error.data["changed"]);
  const fields = differ.map((name) => words[name] ?? WORDS[name] ?? name);
  return staleOf(what, [...new Set(fields)], trace, error);
}

const WORDS: Readonly<Record<string, string>> = {
  date_gmt: "scheduled_at",
  content: "content_html",
  featured_media: "featured_media_id",
  author: "author_id",
  parent: "parent_id",
};
