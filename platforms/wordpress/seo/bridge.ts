/** SEO fields of posts over the companion plugin, and what every tool that needs the plugin asks first. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import type { Site } from "../../../model.ts";
import { together } from "../../../lib/async.ts";
import { asking, COMPANION, COMPANION_VERSION_MIN, readCompanion } from "../companion/plugin.ts";
import {
  entriesOf,
  SEO_TEXTS,
  type SeoChange,
  type SeoFields,
  type SeoMeta,
  type SeoText,
} from "./fields.ts";
import { requireUnchanged, seoPost } from "./post.ts";
import { readBack } from "../rest/read_back.ts";
import type { Wire } from "../rest/wire.ts";

const card = z.object({ title: z.string(), description: z.string(), image: z.string() });
const META = z.object({
  post_id: z.number(),
  post_type: z.string(),
  post_status: z.string(),
  post_title: z.string().catch(""),
  date_gmt: z.string().nullish(),
  modified_gmt: z.string().nullish(),
  provider: z.string(),
  title: z.string(),
  description: z.string(),
  focus_keyword: z.string(),
  canonical: z.string(),
  robots: z.object({
    noindex: z.boolean(),
    nofollow: z.boolean(),
    noarchive: z.boolean(),
    nosnippet: z.boolean(),
    noimageindex: z.boolean(),
  }),
  og: card,
  twitter: card,
});
type MetaRecord = z.infer<typeof META>;

/** The provider of a site whose SEO plugin the companion plugin does not know. */
const UNKNOWN = "other";

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
export async function readBridge(wire: Wire, id: number): Promise<SeoMeta> {
  const got = await asking("seo", () => wire.get(`${COMPANION}/seo/meta/${id}`, {}, META));
  return metaOf(got.data, got.siteNow, id);
}

/** The same, the plugin proven new enough, and the fields to be those that the site shows. */
export async function prepareBridge(wire: Wire, id: number): Promise<SeoMeta> {
  const [, meta] = await together(readCompanion(wire, "seo"), readBridge(wire, id));
  if (meta.provider !== UNKNOWN) return meta;
  throw new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    "The site's SEO plugin keeps its fields where the companion plugin cannot reach them; set them there, or use one " +
      "whose fields it reaches (Yoast SEO, Rank Math, SEOPress)",
  );
}

/**
 * Writes fields of a post that is still as it was planned, and answers them as they then stand; `sending` is told right
 * before, with whether visitors see the post.
 */
export async function writeBridge(
  wire: Wire,
  site: Site,
  change: SeoChange,
  planned: SeoMeta,
  sending: (live: boolean) => void,
): Promise<SeoMeta> {
  const { id } = planned.post;
  const now = await readBridge(wire, id); // last before the write
  requireUntouched(site, planned, now);
  const { live, due } = now.post;
  const json = { ...bodyOf(change), ...(live || due !== null ? { allow_published: true } : {}) };
  sending(live);
  await asking("seo", () => wire.post(`${COMPANION}/seo/meta/${id}`, {}, json, META));
  return await readBack(wire, `The fields of post ${id} were written`, (after) => readBridge(after, id));
}

/** Throws E_FORBIDDEN_OP where somebody changed the post or its fields since they were planned. */
export function requireUntouched(site: Site, planned: SeoMeta, now: SeoMeta): void {
  requireUnchanged(site, planned.post, now.post);
  const was = new Map(entriesOf(planned.fields));
  const other = entriesOf(now.fields).find(([field, value]) => was.get(field) !== value);
  if (other === undefined) return;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `Post ${now.post.id}: its ${
      other[0]
    } was changed on the site while this call was under way; nothing was written, ` +
      "call again",
  );
}

/** `og_title` stands as `og: { title }` on the wire. */
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
  const [, group, part] = /^(og|twitter)_(\w+)$/.exec(name) ?? [];
  return group === undefined ? [name] : [group, part];
}

function metaOf(record: MetaRecord, siteNow: number, id: number): SeoMeta {
  if (record.post_id !== id) {
    throw new GatewayError(
      "E_UPSTREAM",
      `The site was asked for post ${id} and answered post ${record.post_id}; look at its plugins`,
      { upstream: 502 },
    );
  }
  const { post_type: type, post_status: status, post_title: title, date_gmt, modified_gmt } = record;
  const { og, twitter, robots, description, focus_keyword, canonical } = record;
  const fields: SeoFields = {
    title: record.title,
    description,
    focus_keyword,
    canonical,
    og_title: og.title,
    og_description: og.description,
    og_image: og.image,
    twitter_title: twitter.title,
    twitter_description: twitter.description,
    twitter_image: twitter.image,
    robots,
  };
  return {
    post: seoPost({ id, type, status, title, date_gmt, modified_gmt }, siteNow),
    provider: record.provider,
    fields,
  };
}
