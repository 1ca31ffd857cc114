/** SEO fields of posts over the companion plugin, and what every tool that needs the plugin asks first. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import { allOrThrow } from "../../../core/async.ts";
import { changedPart } from "./effect.ts";
import { asking, COMPANION, COMPANION_VERSION_MIN, readCompanion } from "../companion/plugin.ts";
import { editingWarnings } from "../companion/guarded.ts";
import { readTold, writeTold } from "../companion/guarded_routes.ts";
import { STORED_ROWS } from "../companion/stored_rows.ts";
import {
  entriesOf,
  replacedFields,
  SEO_IMAGES,
  SEO_TEXTS,
  type SeoChange,
  type SeoMeta,
  type SeoText,
} from "./fields.ts";
import { effectOfRecord, fieldsOfRecord, SEO_RECORD, UNKNOWN_PROVIDER } from "./record.ts";
import { requireUnchanged, seoPost } from "./post.ts";
import type { Query, WordPressClient } from "../rest/wordpress_client.ts";

/** A post's fields as the plugin tells them. */
export const META = SEO_RECORD.extend({
  post_id: z.number(),
  post_type: z.string(),
  post_status: z.string(),
  post_title: z.string().catch(""),
  date_gmt: z.string().nullish(),
  modified_gmt: z.string().nullish(),
  stored: STORED_ROWS,
  /** From version 1.5.0 on. */
  post_protected: z.boolean().optional().catch(undefined),
  /** From version 1.7.0 on. */
  post_live: z.boolean().optional().catch(undefined),
});
type MetaRecord = z.infer<typeof META>;

/** Throws E_SEOPLUGIN_PLUGIN_REQUIRED where the site's SEO channel is not the plugin; nothing is asked. */
export function requireChannel(site: Site): void {
  if (site.seo.channel === "plugin") return;
  throw new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    `Site "${site.id}" has the SEO channel "${site.seo.channel}"; this tool needs the companion plugin (version ` +
      `${COMPANION_VERSION_MIN} or newer) and the channel "plugin", which an operator sets with deno task admin site ` +
      `update ${site.id} --seo channel=plugin`,
  );
}

/** The fields of a post. Throws E_SEOPLUGIN_PLUGIN_REQUIRED, CmsError (404 for no post). */
export async function readBridge(wire: WordPressClient, id: number, images: Query = {}): Promise<SeoMeta> {
  const got = await asking("seo", () => wire.get(`${COMPANION}/seo/meta/${id}`, images, META));
  return metaOf(got.data, got.siteNow, id);
}

const route = (id: number) => ({ path: `seo/meta/${id}`, part: "seo", state: META }) as const;

/**
 * The same, the plugin proven new enough, and the fields to be those that the site shows. It is asked about the images of
 * a change too.
 */
export async function prepareBridge(
  wire: WordPressClient,
  id: number,
  change: SeoChange = {},
): Promise<SeoMeta> {
  const images = imagesOf(change);
  const meta = await readGuardedMeta(wire, id, images) ?? await readProven(wire, id, images);
  if (meta.provider !== UNKNOWN_PROVIDER) return meta;
  throw outOfReach();
}

const outOfReach = () =>
  new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    "The site's SEO plugin keeps its fields where the companion plugin cannot reach them; set them there, or use one " +
      "whose fields it reaches (Yoast SEO, Rank Math, SEOPress)",
  );

/**
 * Proves, before there is a post, that the plugin reaches what keeps a site's SEO; answers what that is, null where the
 * plugin does not tell. Throws E_SEOPLUGIN_PLUGIN_REQUIRED, CmsError.
 */
export async function requireBridge(wire: WordPressClient) {
  const { features: { seo_bridge } } = await readCompanion(wire, "seo");
  if (seo_bridge?.provider === UNKNOWN_PROVIDER) throw outOfReach();
  return seo_bridge;
}

function imagesOf(change: SeoChange): Record<string, string> {
  const images: Record<string, string> = {};
  for (const name of SEO_IMAGES) if (change[name]) images[name] = change[name];
  return images;
}

async function readGuardedMeta(wire: WordPressClient, id: number, images: Query): Promise<SeoMeta | null> {
  const told = await readTold(wire, route(id), images);
  if (told === null) return null;
  const { state, siteNow, hashes, editing } = told;
  return { ...metaOf(state, siteNow, id), hashes, warnings: editingWarnings(editing) };
}

async function readProven(wire: WordPressClient, id: number, images: Query): Promise<SeoMeta> {
  const [, meta] = await allOrThrow(readCompanion(wire, "seo"), readBridge(wire, id, images));
  return meta;
}

/**
 * Writes those fields of a change that differ, while the post and all fields of the change are as they were planned, and
 * answers them as they are then; `sending` is told right before, with whether visitors see the post. Throws
 * E_STALE_PREVIEW, E_FORBIDDEN_OP, CmsError.
 */
export async function writeBridge(
  wire: WordPressClient,
  site: Site,
  change: SeoChange,
  planned: SeoMeta,
  sending: (live: boolean) => void,
): Promise<SeoMeta> {
  const { id } = planned.post;
  const send = ({ live, due }: SeoMeta["post"]) => {
    sending(live);
    return {
      ...bodyOf(changedPart(change, planned)),
      ...(live || due !== null ? { allow_published: true } : {}),
    };
  };
  if (planned.hashes) {
    const names = ["status", "password", "provider", FOLLOWS, ...replacedFields(change).map(partName)];
    const dependsOn = { hashes: planned.hashes, names, what: `post ${id}`, words: FIELDS };
    const done = await writeTold(wire, route(id), dependsOn, send(planned.post), META);
    if (done) return metaOf(done.state, wire.now(), id);
  }
  const now = await readBridge(wire, id); // last before the write
  requireUntouched(site, planned, now, change);
  const json = send(now.post);
  const after = await asking("seo", () => wire.post(`${COMPANION}/seo/meta/${id}`, {}, json, META));
  return metaOf(after, wire.now(), id);
}

/**
 * Throws E_FORBIDDEN_OP for a state that forbids the write, and E_STALE_PREVIEW where somebody changed the state or what
 * is replaced since it was planned. Of a field that the site does not show, the time of the last change tells.
 */
export function requireUntouched(site: Site, planned: SeoMeta, now: SeoMeta, change: SeoChange): void {
  const [was, is] = [new Map(entriesOf(planned.fields)), new Map(entriesOf(now.fields))];
  const touched = now.post.modified_gmt !== planned.post.modified_gmt;
  const differ = replacedFields(change).filter((field) =>
    was.get(field) !== is.get(field) || (touched && (is.get(field) ?? null) === null)
  );
  const keeper = now.provider === planned.provider ? [] : ["provider"];
  requireUnchanged(site, planned.post, now.post, [...keeper, ...differ]);
}

/** The plugin's part for whether Open Graph's fields are shown in place of Twitter's. */
const FOLLOWS = "twitter_follows_og";
const partName = (field: string) => field.replace(/^(og|twitter)_/, "$1.");
/** The arguments' names of the plugin's parts. */
const FIELDS = {
  ...Object.fromEntries(SEO_TEXTS.map((name) => [partName(name), name])),
  [FOLLOWS]: "twitter_title",
};

/** The plugin's routes have `og_title` as `og: { title }`. */
function bodyOf({ robots, ...texts }: SeoChange): Record<string, unknown> {
  const body: Record<string, unknown> = robots === undefined ? {} : { robots };
  for (const name of SEO_TEXTS) {
    const [group, part] = partsOf(name);
    if (texts[name] === undefined) continue;
    if (part === undefined) body[group] = texts[name];
    else body[group] = { ...body[group] as Record<string, string> | undefined, [part]: texts[name] };
  }
  return body;
}

function partsOf(name: SeoText): readonly [group: string, part?: string] {
  const [group, part] = partName(name).split(".");
  return part === undefined ? [name] : [group!, part];
}

/** The same in this gateway's words; `siteNow` is the latest time the site's clock can show. */
export function metaOf(record: MetaRecord, siteNow: number, id: number): SeoMeta {
  if (record.post_id !== id) {
    throw new GatewayError(
      "E_UPSTREAM",
      `The site was asked for post ${id} and answered post ${record.post_id}; look at its plugins`,
      { upstream: 502 },
    );
  }
  const { post_type: type, post_status: status, post_title: title, date_gmt, modified_gmt } = record;
  const told = { protected: record.post_protected, seen: record.post_live };
  const post = { id, type, status, title, date_gmt, modified_gmt, ...told };
  return {
    post: seoPost(post, siteNow),
    provider: record.provider,
    fields: fieldsOfRecord(record),
    effect: effectOfRecord(record),
    ...record.stored === undefined ? {} : { stored: record.stored },
  };
}
