/** Revisions of a post or page: who saved it when, what differed, and the texts of two of them. */
import { z } from "zod";
import { allOrThrow } from "../../../core/async.ts";
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { oneLine } from "../../../core/one_line.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import {
  type HistoryClient,
  type HistoryOf,
  type Version,
  type VersionList,
  VERSIONS_PER_PAGE,
  type VersionTexts,
} from "../../_content/history.ts";
import { CmsError } from "../errors.ts";
import { readOne } from "./reader.ts";
import { fieldsOf, type Kind, plainName, RAW, totals, utc } from "./records.ts";
import { accountIfShown } from "./users.ts";
import { kindNamed } from "./types.ts";
import { type Query, WordPressClient } from "./wordpress_client.ts";

const TEXTS = { title: RAW, content: RAW, excerpt: RAW };
const NOW = z.object({ id: z.number(), modified_gmt: z.string().nullable(), ...TEXTS });
const REVISION = z.object({
  id: z.number().int().positive(),
  author: z.number().int().catch(0),
  modified_gmt: z.string().nullable().catch(null),
  slug: z.string().catch(""),
});
const WITH_TEXTS = REVISION.extend(TEXTS);
type Revision = z.infer<typeof REVISION> & Partial<Texts>;
type Texts = Readonly<Record<keyof typeof TEXTS, z.infer<typeof RAW>>>;
/** The texts are asked for whole: of a revision WordPress knows no `raw` alone, so it shows them too. */
const FIELDS = Object.keys(WITH_TEXTS.shape).join(",");
const NAMES = z.array(z.object({ id: z.number(), name: z.string() }));
/** How many revisions other posts have, and whether they were changed after they came out. */
const COUNTED = z.array(z.object({
  status: z.string(),
  date_gmt: z.string().nullable().catch(null),
  modified_gmt: z.string().nullable().catch(null),
  _links: z.object({ "version-history": z.tuple([z.object({ count: z.number() })]) }).nullish().catch(null),
}));

const NAME_CHARACTERS = 60;
/** Further ones, for what the last one of the page differs from; some may be autosaves. */
const BEYOND = 3;
/** Posts that are asked whether the site keeps revisions of any. */
const OTHERS = 20;

/** The revisions of a site's posts and pages (docs/upstreams/wordpress.md, "Revisions"). */
export function revisionsOf(ctx: SiteContext): HistoryClient {
  const wire = new WordPressClient(ctx);
  return {
    list: async (of, page) => await list(wire, await placeOf(wire, of), page),
    pair: async (of, from, to) => await pair(wire, await placeOf(wire, of), from, to),
  };
}

interface Place {
  readonly kind: Kind;
  readonly id: number;
}

async function placeOf(wire: WordPressClient, { post_id, page_id, type }: HistoryOf): Promise<Place> {
  return page_id === undefined
    ? { kind: await kindNamed(wire, type), id: numericId(post_id ?? "", "post_id") }
    : { kind: "pages", id: numericId(page_id, "page_id") };
}

const current = async (wire: WordPressClient, { kind, id }: Place) =>
  (await readOne(wire, kind, id, { context: "edit", _fields: fieldsOf(NOW) }, NOW)).data;

/** Revisions, newest first; null where the site keeps none of that kind at all. Past the end there are none. */
async function revisions<T>(wire: WordPressClient, { kind, id }: Place, query: Query, schema: z.ZodType<T>) {
  try {
    const { data, headers } = await wire.get(
      `wp/v2/${kind}/${id}/revisions`,
      { context: "edit", ...query },
      z.array(schema),
    );
    return { rows: data, ...totals(headers) };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    if (thrown.reason === "rest_no_route") return null;
    if (thrown.reason === "rest_revision_invalid_offset_number") return { rows: [], total: null };
    throw thrown;
  }
}

/** A page of them and some more; without their texts where the site fails to show these. */
async function pageOf(wire: WordPressClient, place: Place, page: number) {
  const offset = (page - 1) * VERSIONS_PER_PAGE;
  const asked = { orderby: "date", order: "desc", offset, per_page: VERSIONS_PER_PAGE + BEYOND };
  const ask = (schema: z.ZodType<Revision>, _fields: string) =>
    revisions(wire, place, { ...asked, _fields }, schema);
  try {
    return await ask(WITH_TEXTS, FIELDS);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (thrown instanceof CmsError && thrown.definite) throw thrown;
    return await ask(REVISION, fieldsOf(REVISION));
  }
}

async function list(wire: WordPressClient, place: Place, page: number): Promise<VersionList> {
  const [now, found] = await allOrThrow(current(wire, place), pageOf(wire, place, page));
  if (found === null) return { items: [], total: 0, next: null, kept: false, note: NEVER };
  if (found.rows.length === 0) return page === 1 ? await none(wire, place) : past(found.total);
  const shown = found.rows.slice(0, VERSIONS_PER_PAGE);
  const [names, own] = await allOrThrow(namesOf(wire, shown), accountIfShown(wire));
  const items = shown.map((row, at): Version => ({
    ...versionOf(row, names),
    gateway: own === null ? null : row.author === own.id,
    ...isAutosave(row) ? { kind: "autosave" as const } : {},
    fields: fieldsApart(row, found.rows.slice(at + 1).find((one) => !isAutosave(one))),
  }));
  const saved = found.rows.find((row) => !isAutosave(row));
  const changed = page === 1 && saved ? fieldsApart(saved, now) ?? [] : [];
  return {
    items,
    total: found.total,
    next: found.rows.length > VERSIONS_PER_PAGE ? page + 1 : null,
    kept: true,
    ...saved && !hasTexts(saved) ? { note: TEXTLESS } : changed.length > 0 ? { note: unseen(changed) } : {},
  };
}

const past = (total: number | null): VersionList => ({ items: [], total, next: null, kept: true });

const NEVER =
  "This site keeps no revisions of that kind of content, so nobody can tell from it who changed what";

const TEXTLESS =
  "The site failed to show the texts of so many revisions, so nobody can tell which fields each one changed; compare two";

const unseen = (fields: readonly string[]) =>
  `What stands there now differs from the newest saved version in ${
    fields.join(", ")
  }: it was changed without a ` +
  "revision, such as by an import or a plugin";

/**
 * What is said where there are none. WordPress keeps one with the first change of a post, whatever was changed: where no
 * post has any, and one that is out was changed later, they are switched off.
 */
async function none(wire: WordPressClient, { kind }: Place): Promise<VersionList> {
  const query = {
    context: "edit",
    status: "publish,future,draft,pending,private",
    orderby: "modified",
    order: "desc",
    per_page: OTHERS,
    _fields: "status,date_gmt,modified_gmt,_links.version-history",
  };
  const { data } = await wire.get(`wp/v2/${kind}`, query, COUNTED);
  const told = data.flatMap(({ _links, ...row }) =>
    _links ? [{ ...row, count: _links["version-history"][0].count }] : []
  );
  const empty = { items: [], total: 0, next: null };
  if (told.some(({ count }) => count > 0)) return { ...empty, kept: true, note: UNCHANGED };
  const changed = told.filter(({ status, date_gmt, modified_gmt }) =>
    status === "publish" && (utc(modified_gmt) ?? "") > (utc(date_gmt) ?? "9")
  );
  if (changed.length > 0) {
    return { ...empty, kept: false, note: `The site has ${OFF}: what people changed cannot be seen` };
  }
  return { ...empty, kept: null, note: `${UNCHANGED}, or the site has ${OFF}` };
}

const UNCHANGED = "It was not changed since it was made";
const OFF = "revisions switched off (WP_POST_REVISIONS in wp-config.php, or a plugin)";

/** Names of people by id, as far as the site shows them. */
async function namesOf(
  wire: WordPressClient,
  rows: readonly Revision[],
): Promise<ReadonlyMap<number, string>> {
  const include = [...new Set(rows.map(({ author }) => author))].filter((id) => id > 0);
  if (include.length === 0) return new Map();
  try {
    const query = { include, per_page: include.length, _fields: fieldsOf(NAMES.element) };
    const { data } = await wire.get("wp/v2/users", query, NAMES);
    return new Map(data.map(({ id, name }) => [id, oneLine(plainName(name), NAME_CHARACTERS)]));
  } catch (thrown) {
    if (thrown instanceof CmsError && thrown.definite) return new Map(); // hidden by a plugin, say
    throw thrown;
  }
}

const versionOf = ({ id, author, modified_gmt }: Revision, names: ReadonlyMap<number, string>) => ({
  id,
  at: utc(modified_gmt),
  by: names.get(author) ?? (author > 0 ? `user ${author}` : null),
});

/** WordPress names an autosave after its post. */
const isAutosave = ({ slug }: Revision): boolean => slug.includes("-autosave-v");

const hasTexts = (row: Revision): row is Revision & Texts => row.content !== undefined;

const textsOf = ({ title, content, excerpt }: Texts): Record<string, string> => ({
  title: title.raw,
  content_html: content.raw,
  excerpt: excerpt.raw,
});

function fieldsApart(one: Revision, other: Partial<Texts> | undefined): string[] | null {
  if (!other || !hasTexts(one) || !hasTexts(other as Revision)) return null;
  const [these, those] = [textsOf(one), textsOf(other as Texts)];
  return Object.keys(these).filter((name) => these[name] !== those[name]);
}

async function pair(wire: WordPressClient, place: Place, from: Id, to?: Id) {
  const wanted = [numericId(from, "from"), ...to === undefined ? [] : [numericId(to, "to")]];
  // Asked for as a list: one revision alone is shown only to who may delete the post.
  const [now, found] = await allOrThrow(
    current(wire, place),
    revisions(wire, place, { include: wanted, per_page: 2, _fields: FIELDS }, WITH_TEXTS),
  );
  const rows = found?.rows ?? [];
  const names = await namesOf(wire, rows);
  const texts = (field: string, id: number): VersionTexts => {
    const row = rows.find((one) => one.id === id);
    if (row) return { ...versionOf(row, names), texts: textsOf(row) };
    throw new GatewayError(
      "E_NOT_FOUND",
      `${field}: the site has no revision ${id} of ${
        place.kind.slice(0, -1)
      } ${place.id}; call get_content_history ` +
        "without from for those it has",
    );
  };
  const stands = { id: null, at: utc(now.modified_gmt), by: null, texts: textsOf(now) };
  return [texts("from", wanted[0]!), wanted[1] === undefined ? stands : texts("to", wanted[1])] as const;
}
