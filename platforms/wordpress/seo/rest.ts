/** SEO fields of posts without the companion plugin: over core REST and the SEO plugins' own routes. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import { allOrThrow } from "../../../core/async.ts";
import { COMPANION_VERSION_MIN, isNoRoute } from "../companion/plugin.ts";
import { CmsError } from "../errors.ts";
import { readIndex } from "../health.ts";
import { readBack } from "../rest/writer.ts";
import { fieldsOf, type Kind, POST_HEAD } from "../rest/records.ts";
import { isSeen } from "../rest/statuses.ts";
import { kindNamed, typeHaving } from "../rest/types.ts";
import { changedPart, NO_EFFECT } from "./effect.ts";
import { SEO_IMAGES, SEO_ROBOTS, SEO_TEXTS, type SeoChange, type SeoFields, type SeoMeta } from "./fields.ts";
import { requireUntouched } from "./bridge.ts";
import { attachmentAt } from "./library.ts";
import { seoPost } from "./post.ts";
import { type PostMeta, type SeoStore, type Stands, type Stored, STORES } from "./stores.ts";
import type { WordPressClient, WordPressResponse } from "../rest/wordpress_client.ts";

const POST = POST_HEAD.extend({
  type: z.string(),
  password: z.string().optional(),
  /** An empty list where there is none. */
  meta: z.record(z.string(), z.unknown()).catch({}),
  yoast_head_json: z.record(z.string(), z.unknown()).nullish().catch(null),
});
const FIELDS = fieldsOf(POST);

const INSTEAD =
  `install the companion plugin (version ${COMPANION_VERSION_MIN} or newer; an operator makes its zip with deno task ` +
  'companion) and set the site\'s SEO channel to "plugin"';

const required = (message: string) =>
  new GatewayError("E_SEOPLUGIN_PLUGIN_REQUIRED", `${message}; ${INSTEAD}`);

const noStore = () => required("The site shows no SEO plugin that keeps fields over REST");

interface Found {
  readonly meta: SeoMeta;
  readonly kind: Kind;
  readonly stored: PostMeta;
}

/** Reads content of any type for writers, whatever its status. Throws CmsError (404 where there is none). */
async function readRecord(wire: WordPressClient, id: number, known?: Kind) {
  const read = async (kind: Kind) => {
    const got = await wire.get(`wp/v2/${kind}/${id}`, { context: "edit", _fields: FIELDS }, POST);
    return { kind, got };
  };
  if (known) return await read(known);
  const isNone = (thrown: unknown) => thrown instanceof CmsError && thrown.upstream === 404;
  try {
    return await read("posts");
  } catch (thrown) {
    if (!isNone(thrown)) throw thrown;
  }
  try {
    return await read("pages");
  } catch (thrown) {
    const type = isNone(thrown) ? await typeHaving(wire, id) : null;
    if (type === null) throw thrown;
    return await read(type.kind);
  }
}

/** Which SEO plugin the site had last: only a guess at what can be read at once. */
const LAST_STORE = "seo_store";
const LAST_STORE_MS = 3_600_000;

/** What failed is asked again where it is needed, and fails in its own words then. */
function nothing(thrown: unknown): undefined {
  if (!(thrown instanceof GatewayError)) throw thrown;
}

async function find(wire: WordPressClient, id: number): Promise<Found> {
  const last = STORES.find(({ provider }) => provider === wire.cache.get<string>(LAST_STORE));
  const [{ namespaces }, { kind, got }, early] = await allOrThrow(
    readIndex(wire),
    readRecord(wire, id),
    last?.readApart?.(wire, id).catch(nothing),
  );
  const store = STORES.find(({ namespace }) => namespaces.includes(namespace));
  if (!store) throw noStore();
  wire.cache.set(LAST_STORE, store.provider, LAST_STORE_MS);
  const stored = storedOf(kind, got.data);
  const found = store === last && early ? early : await store.read(wire, stored);
  return { kind, stored, meta: metaOf(got, store, found, await isSeen(wire, got.data.status)) };
}

/** The same of a post that was found before, as far as a change replaces it; the rest is as it was. */
async function findChanged(
  wire: WordPressClient,
  { post, fields, effect, provider }: SeoMeta,
  change: SeoChange,
): Promise<Found> {
  const { id, type } = post;
  const kind = type === "page" ? "pages" : await kindNamed(wire, type);
  const store = STORES.find((one) => one.provider === provider)!;
  const [{ got }, apart] = await allOrThrow(
    readRecord(wire, id, kind),
    store.readChanged?.(wire, id, change, { fields, effect }),
  );
  const stored = storedOf(kind, got.data);
  const read = apart ?? await store.read(wire, stored);
  return { kind, stored, meta: metaOf(got, store, read, await isSeen(wire, got.data.status)) };
}

const storedOf = (kind: Kind, { id, meta, yoast_head_json }: z.infer<typeof POST>): PostMeta => ({
  id,
  kind,
  meta,
  head: yoast_head_json ?? null,
});

function metaOf(
  { data, siteNow }: Pick<WordPressResponse<z.infer<typeof POST>>, "data" | "siteNow">,
  { provider }: SeoStore,
  { fields, effect = NO_EFFECT, shown }: Stored,
  seen: boolean,
): SeoMeta {
  const { id, type, status, date_gmt, modified_gmt, title, password } = data;
  const isProtected = password === undefined ? undefined : password !== "";
  const told = { id, type, status, title: title.raw, date_gmt, modified_gmt, protected: isProtected, seen };
  const post = seoPost(told, siteNow);
  return { post, provider, fields, effect, ...(shown ? { shown } : {}) };
}

/** The fields the site shows. Throws E_SEOPLUGIN_PLUGIN_REQUIRED where it shows none, CmsError. */
export async function readRest(wire: WordPressClient, id: number): Promise<SeoMeta> {
  const { meta } = await find(wire, id);
  if (isBlind(meta.fields)) {
    throw required(`The SEO plugin of the site (${meta.provider}) shows its fields to nobody over REST`);
  }
  return meta;
}

const isBlind = ({ robots, ...texts }: SeoFields) =>
  SEO_TEXTS.every((name) => texts[name] === null) && SEO_ROBOTS.every((name) => robots[name] === null);

/**
 * Reads what is there before a change and refuses what could not be written: E_SEOPLUGIN_PLUGIN_REQUIRED naming the
 * field, and E_FORBIDDEN_OP where saving the post could publish it; writes nothing.
 */
export async function prepareRest(wire: WordPressClient, id: number, change: SeoChange): Promise<SeoMeta> {
  const { meta, stored } = await find(wire, id);
  requireNotDue(meta);
  const store = STORES.find(({ provider }) => provider === meta.provider)!;
  const changed = changedPart(change, meta);
  requireOpen({ meta, stored }, changed);
  return await withAttachments(wire, store, meta, changed);
}

/**
 * Proves, before there is a page, that the site keeps those fields of one over REST, by the newest page that is published:
 * which fields a site's SEO plugin opens is the same for all pages. Throws E_SEOPLUGIN_PLUGIN_REQUIRED, CmsError.
 */
export async function requireRest(wire: WordPressClient, change: SeoChange): Promise<void> {
  const pages = z.array(z.object({ id: z.number() }));
  const query = { context: "edit", per_page: 1, _fields: "id" };
  const [page] = (await wire.get("wp/v2/pages", query, pages)).data;
  if (page !== undefined) return requireOpen(await find(wire, page.id), change);
  const { namespaces } = await readIndex(wire);
  if (!STORES.some(({ namespace }) => namespaces.includes(namespace))) throw noStore();
}

/** Throws E_SEOPLUGIN_PLUGIN_REQUIRED naming the field that the SEO plugin keeps closed. */
function requireOpen({ meta, stored }: Pick<Found, "meta" | "stored">, changed: SeoChange): void {
  const store = STORES.find(({ provider }) => provider === meta.provider)!;
  const closed = store.closed(stored, meta.fields, changed);
  if (closed === null) return;
  throw required(`${closed} over the REST API of the site's SEO plugin (${meta.provider})`);
}

/** The same with the numbers of the images that are set, and those that would not be shown. */
async function withAttachments(
  wire: WordPressClient,
  { libraryOnly }: SeoStore,
  meta: SeoMeta,
  changed: SeoChange,
): Promise<SeoMeta> {
  const given = SEO_IMAGES.filter((name) => changed[name]);
  if (given.length === 0) return meta;
  const found = await allOrThrow(...given.map((name) => attachmentAt(wire, changed[name]!)));
  const attachments = Object.fromEntries(given.map((name, at) => [name, found[at]]));
  const missing = given.filter((name) => libraryOnly && attachments[name] === 0);
  const fixed = { ...meta.effect.fixed, ...Object.fromEntries(missing.map((name) => [name, "library"])) };
  return { ...meta, attachments, effect: { ...meta.effect, fixed } };
}

/** A late save of a scheduled post publishes it, whatever the site allows for SEO. */
function requireNotDue({ post }: SeoMeta): void {
  if (post.due === null) return;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `Post ${post.id} goes live at ${post.due}, and a change now could publish it at once; unschedule it first`,
  );
}

const switchedOff = ({ provider }: SeoMeta, cause?: unknown) =>
  new GatewayError(
    "E_SEOPLUGIN_PLUGIN_REQUIRED",
    `The site's SEO plugin (${provider}) has been switched off since it was looked at, and nothing of what was sent is ` +
      "stored; switch it on under Plugins in the CMS, and preview again",
    { cause },
  );

/** What is asked of the SEO plugin's own routes, which go with it. */
async function whileActive<T>(planned: SeoMeta, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw thrown instanceof CmsError && isNoRoute(thrown) ? switchedOff(planned, thrown) : thrown;
  }
}

/** Whether all that was sent could be read before, and nothing of it can be now: WordPress ignores meta that nobody registers. */
const isForgotten = ({ robots: _, ...texts }: SeoChange, before: SeoFields, after: SeoFields): boolean => {
  const names = SEO_TEXTS.filter((name) => texts[name] !== undefined);
  return names.length > 0 && names.every((name) => before[name] !== null && after[name] === null);
};

/** Writes the fields that differ, of a post that is still as it was planned, and answers all fields as they are then. */
export async function writeRest(
  wire: WordPressClient,
  site: Site,
  change: SeoChange,
  planned: SeoMeta,
  sending: (live: boolean) => void,
  stands: Stands,
): Promise<SeoMeta> {
  const { id } = planned.post;
  const { meta, stored } = await whileActive(planned, () => findChanged(wire, planned, change));
  requireNotDue(meta);
  requireUntouched(site, planned, meta, change);
  const store = STORES.find(({ provider }) => provider === meta.provider)!;
  sending(meta.post.live);
  const { attachments = {} } = planned;
  const writing = { now: meta.fields, attachments, stands };
  const changed = changedPart(change, planned);
  await whileActive(planned, () => store.write(wire, stored, changed, writing));
  const { meta: after } = await readBack(
    wire,
    `The fields of post ${id} were written`,
    (later) => findChanged(later, meta, change),
    // Whether somebody published it meanwhile is what the read was for.
    meta.post.live ? {} : { published: null },
  );
  if (isForgotten(changed, meta.fields, after.fields)) throw switchedOff(planned);
  if (!after.post.live || meta.post.live) return after;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `Post ${id} was changed and is ${after.post.status} now: somebody published it meanwhile, and the change is on the ` +
      "live page; look at it",
    { outcome: "made", published: true },
  );
}
