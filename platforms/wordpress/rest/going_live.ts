/** What goes live with a post or page: a look as plans show it, with its SEO fields and the address it gets. */
import type { Moment } from "../../../rules/schedule.ts";
import { SEO_ROBOTS, SEO_TEXTS, type SeoFields } from "../seo/names.ts";
import { type Address, addressToBe, type GoesLive, readable } from "./address.ts";
import { builderTold } from "./builders.ts";
import { type ContentRecord, plainName, utc } from "./records.ts";
import { type CmsSeen, datedAt, type Look, seenOf } from "./seen.ts";
import type { Wire } from "./wire.ts";

/** A look in the tools' words, with all that goes live at that moment, at once without one. */
export function seenLive(wire: Wire, found: Look, moment?: Moment, zone?: string): CmsSeen {
  const seen = seenOf(found);
  const date = datedAt(found);
  const keepsDate = moment === undefined && date !== null && Date.parse(date) <= wire.now();
  const address = addressOf(found, { at: keepsDate ? null : moment?.at ?? wire.now(), zone });
  return {
    ...seen,
    names: { ...namesOf(found), ...found.code, structured_data: found.guarded?.schema },
    ...address && { address: address.url, parts: { ...seen.parts, address: address.timeless } },
    warnings: [
      ...seen.warnings,
      ...contentWarnings(found),
      ...unreadWarnings(found.seo, wire.site.seo.enabled),
      ...addressWarnings(address, found, moment !== undefined),
    ],
  };
}

/** Who and what stands behind the numbers of a look, as far as that came along. */
function namesOf({ record, guarded }: Look): Record<string, unknown> {
  const { terms = [], author = null } = record._embedded ?? {};
  const all = guarded ? [...guarded.terms.tags, ...guarded.terms.categories] : terms;
  const names = new Map(all.map(({ id, name }) => [id, plainName(name)]));
  const named = (ids: readonly number[]) => ids.map((id) => names.get(id) ?? id);
  const { tags, categories, sticky, format } = record;
  return {
    // as they are told, never by the hash of one
    sticky: sticky || undefined,
    format: format === "standard" ? undefined : format,
    comments: undefined,
    tags: named(tags),
    categories: named(categories),
    author: guarded ? guarded.author : author,
  };
}

/** What to know of what visitors get beside or in place of its content. */
function contentWarnings({ record, code, guarded }: Look): string[] {
  const { led = null } = guarded ?? {};
  const built = builderTold(record) === "visual";
  return [
    ...code !== null && code.js.trim() !== ""
      ? ["js is script that runs in the browser of everyone who opens the page"]
      : [],
    ...led === null ? [] : [
      led.destination === ""
        ? `Visitors of its address are told that nothing is there (${led.status}), by a redirect that stands there`
        : `Visitors of its address are led to ${led.destination} (${led.status}) by a redirect, and do not see it`,
    ],
    ...built
      ? [
        "It is made with the visual builder: what visitors see is not its content_html; look at it in the CMS",
      ]
      : [],
  ];
}

/** What visitors and search engines get of them. */
const SHOWN_TEXTS = SEO_TEXTS.filter((name) => name !== "focus_keyword");

/** What to know of the SEO fields that go live and could not be read; nothing where all were. */
function unreadWarnings(seo: SeoFields | null, enabled: boolean): string[] {
  const where = enabled ? "see them with get_seo_meta, or in the CMS" : "look at them in the CMS";
  const end = `were not read: ${where}; a change of them between this preview and the write is not noticed`;
  if (seo === null) {
    return [
      `The SEO fields that go live with it (title, description, canonical address, robots, social texts) ${end}`,
    ];
  }
  const unread = [
    ...SHOWN_TEXTS.filter((name) => seo[name] === null),
    ...SEO_ROBOTS.filter((name) => seo.robots[name] === null).map((name) => `robots.${name}`),
  ];
  return unread.length === 0 ? [] : [`Of the SEO fields that go live with it ${unread.join(", ")} ${end}`];
}

/** The address it gets, where the site tells how it makes them. */
function addressOf({ record, guarded }: Look, live: GoesLive): Address | null {
  const { slug, date, permalink_template, generated_slug } = record;
  const rule = guarded
    ? guarded.address
    : permalink_template === undefined || generated_slug === undefined
    ? null
    : { template: permalink_template, slug: slug || generated_slug };
  if (rule === null) return null;
  const at = utc(record.date_gmt);
  return addressToBe(
    { ...rule, dated: date === undefined || at === null ? null : { local: date, utc: at } },
    live,
  );
}

/** What to know of that address. */
function addressWarnings(
  address: Address | null,
  { record, guarded }: Look,
  waits: boolean,
): string[] {
  if (address === null) {
    return ["url is the draft's own: the site did not say which address visitors will find it at"];
  }
  const day = address.day === null || waits ? [] : [
    `Its address holds the date: it is this one only if it goes live on ${address.day} by the site's clock`,
  ];
  const taken = guarded || !record.permalink_template?.includes("%")
    ? []
    : ["Where another post or page has its slug by then, WordPress puts a number behind that in the address"];
  return [...day, ...taken];
}

/** A sentence where visitors find it at another address than was shown. */
export function elsewhere({ address }: CmsSeen, { link }: ContentRecord): string[] {
  if (address === undefined || address === readable(link)) return [];
  return [`url: visitors find it at ${readable(link)}, not at ${address}, which was expected`];
}
