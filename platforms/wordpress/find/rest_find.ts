/** Where a text occurs on a site without the companion plugin: WordPress's own search finds what may hold it, and the texts are read. */
import { z } from "zod";
import { eachOf } from "../../../core/async.ts";
import { LIMITS } from "../../../core/model.ts";
import type { Needle } from "../../../rules/finding/signs.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import {
  type FoundPlace,
  type FoundTexts,
  spotsOf,
  type TextSearchClient,
} from "../../_content/text_search.ts";
import { CmsError } from "../errors.ts";
import { type Kind, RAW, statusWord, totals } from "../rest/records.ts";
import { ownTypes, rightAt } from "../rest/types.ts";
import { requireRight } from "../rest/users.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { COMPANION_WAY, findReport, isOlder } from "../companion/plugin.ts";
import { findByCompanion } from "./companion_find.ts";

/** The plugin that finds texts, and the first that finds longer ones than so many words. */
const FIND_VERSION = "1.5.0";
const LONG = { words: 12, version: "1.6.0" };

/** What WordPress's own search does not look into, and why the site's plugin was not asked. */
const beyond = (why: string) =>
  "SEO fields, what the visual builder keeps, code of pages, menus, widgets, reusable blocks and templates: only the " +
  `companion plugin finds texts in those, ${why}; ${COMPANION_WAY}`;
const NO_PLUGIN = `version ${FIND_VERSION} or newer, and the site has none`;

const PER_PAGE = 50;
const AT_ONCE = 4;
/** States that are not looked into; those of plugins are. */
const LEFT_OUT: ReadonlySet<string> = new Set(["private", "trash", "auto-draft", "inherit"]);

const TEXT = RAW.default({ raw: "" });
const ROW = z.object({
  id: z.number().int().positive(),
  status: z.string(),
  password: z.string().default(""),
  title: TEXT,
  content: TEXT,
  excerpt: TEXT,
  /** The companion plugin's field, of an older one too. */
  site_ops_builder: z.enum(["block", "visual"]).nullish().catch(null),
});
const ROWS = z.array(ROW);
const FIELDS = "id,status,password,title.raw,content.raw,excerpt.raw,site_ops_builder";

/** The texts of a site. */
export function textSearchOf(ctx: SiteContext): TextSearchClient {
  const wire = new WordPressClient(ctx);
  return {
    find: async (needle) => {
      const old = await tooOldFor(wire, needle);
      if (old !== null) return await findOverRest(wire, needle, old);
      return await findByCompanion(wire, needle) ?? await findOverRest(wire, needle, NO_PLUGIN);
    },
  };
}

/** Why the site's plugin cannot be asked: an older one finds a long text nowhere, and does not say so. Null where it can. */
async function tooOldFor(wire: WordPressClient, { parts, between }: Needle): Promise<string | null> {
  if (between === "separators" || parts.length <= LONG.words) return null;
  const report = await findReport(wire);
  if (report === null || !isOlder(report.plugin_version, LONG.version)) return null;
  const has = JSON.stringify(report.plugin_version.slice(0, 40));
  return `version ${LONG.version} or newer for a text of so many words, and the site has ${has}`;
}

interface Listed {
  readonly about: Pick<FoundPlace, "kind" | "type" | "isForWriters">;
  readonly kind: Kind;
}

async function findOverRest(wire: WordPressClient, needle: Needle, why: string): Promise<FoundTexts> {
  const listed: Listed[] = [
    { about: { kind: "post" }, kind: "posts" },
    { about: { kind: "page" }, kind: "pages" },
    ...(await ownTypes(wire)).map(({ slug, kind }): Listed => ({
      about: { kind: "other", type: slug, isForWriters: true },
      kind,
    })),
  ];
  const found = await eachOf(listed, AT_ONCE, (one) => findInKind(wire, one, needle));
  const places = found.flatMap((one) => one.places);
  const unread = found.flatMap((one) => one.unread);
  return { places, total: places.length, isAtLeast: unread.length > 0, unread: [...unread, beyond(why)] };
}

async function findInKind(wire: WordPressClient, { about, kind }: Listed, needle: Needle) {
  const query = {
    context: "edit",
    status: "any",
    search: searchFor(needle),
    orderby: "modified",
    order: "desc",
    per_page: PER_PAGE,
    _fields: FIELDS,
  };
  const read = async (page: number) => {
    const { data, headers } = await wire.get(`wp/v2/${kind}`, { ...query, page }, ROWS);
    return {
      places: data.flatMap((row) => placesIn(row, about, needle)),
      ...totals(headers),
      rows: data.length,
    };
  };
  try {
    const first = await read(1);
    const pages = first.total_pages ?? (first.rows < PER_PAGE ? 1 : LIMITS.FIND_PAGES);
    const last = Math.min(pages, LIMITS.FIND_PAGES);
    const more = await eachOf(Array.from({ length: last - 1 }, (_, at) => at + 2), AT_ONCE, read);
    const unread = pages > last
      ? [
        `${kind}: only the ${last * PER_PAGE} changed last were read of ${
          first.total ?? "more"
        } that may hold it; give a longer or rarer text`,
      ]
      : [];
    return { places: [first, ...more].flatMap((one) => one.places), unread };
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    if (thrown.reason === "rest_invalid_param") {
      await requireRight(wire, await rightAt(wire, kind, "edit_posts"), `see ${kind} that are not published`);
    }
    throw thrown;
  }
}

function placesIn(
  row: z.infer<typeof ROW>,
  about: Listed["about"],
  needle: Needle,
): FoundPlace[] {
  if (row.password !== "" || LEFT_OUT.has(row.status)) return [];
  const texts = { title: row.title.raw, content_html: row.content.raw, excerpt: row.excerpt.raw };
  return Object.entries(texts).flatMap(([field, text]) => {
    const found = spotsOf(needle, text);
    if (found === null) return [];
    const { id, status, title: { raw: title }, site_ops_builder } = row;
    const madeWith = site_ops_builder === "visual" ? site_ops_builder : null;
    return [{ ...about, id, status: statusWord(status), title, field, madeWith, ...found }];
  });
}

/**
 * What WordPress's search takes so that it finds every row that may hold the needle: the longest word, for of several it
 * drops common ones; of a number its figures but 0, which it drops too (WP_Query::parse_search and parse_search_terms).
 */
function searchFor({ parts, between }: Needle): string | undefined {
  if (between === "separators") return [...new Set(parts)].filter((one) => one !== "0").join(" ");
  const words = parts.flatMap((part) => part.split(/[,+\s]/)).filter((word) => word.length > 1);
  return words.toSorted((a, b) => b.length - a.length)[0];
}
