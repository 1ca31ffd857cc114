/** What has a slug already, and which one a post or page gets when it goes live (docs/upstreams/wordpress.md, "Slugs"). */
import { z } from "zod";
import { unseen } from "../errors.ts";
import { slugOf } from "../../../rules/code_pages/parts.ts";
import { quoted, type SlugHolder, slugTaken } from "../../../rules/wording.ts";
import { type Kind, RAW, SLUG } from "./records.ts";
import type { StateRead } from "./snapshot.ts";
import type { WordPressClient } from "./wordpress_client.ts";

const ROW = z.object({
  id: z.number(),
  slug: SLUG,
  title: RAW,
  parent: z.number().catch(0),
  post: z.number().nullish().catch(0),
});
const ROWS = z.array(z.unknown());

/** Which numbers WordPress is seen to put behind a slug. */
const TRIED = ["-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"];

/** What of these slugs is taken below that parent, as far as the account may see it; null where it may see nothing. */
async function holders(
  wire: WordPressClient,
  kind: Kind,
  slugs: readonly string[],
  { parent, id }: { readonly parent: number; readonly id?: number },
): Promise<SlugHolder[] | null> {
  const common = { slug: slugs, context: "edit", per_page: 100, order: "asc" };
  const fields = "id,slug,title.raw,parent,post";
  const rows = (place: string, more: Readonly<Record<string, string>>) =>
    wire.get(`wp/v2/${place}`, { ...common, ...more, _fields: fields }, ROWS).then(({ data }) => data);
  try {
    const [own, images] = await Promise.all([
      rows(kind, { status: "any" }),
      // Pages and files share their slugs.
      kind === "pages" ? rows("media", {}) : [],
    ]);
    const noun = kind === "pages" ? "page" : "post";
    return [...own.map((row) => ({ row, noun })), ...images.map((row) => ({ row, noun: "image" }))]
      .flatMap(({ row, noun }) => {
        const { success, data } = ROW.safeParse(row);
        if (!success || data.id === id || !slugs.includes(data.slug)) return [];
        const below = noun === "image" ? data.post ?? 0 : data.parent;
        return kind === "pages" && below !== parent ? [] : [{ ...data, title: data.title.raw, noun }];
      });
  } catch (thrown) {
    return unseen(thrown);
  }
}

/**
 * The warnings of a draft that is made, or given a slug, where something has that slug already. Without a slug it is the
 * one that its title will give it.
 */
export async function takenWarnings(
  wire: WordPressClient,
  kind: Kind,
  { slug, title, parent = 0, id }: {
    readonly slug?: string | undefined;
    readonly title?: string | undefined;
    readonly parent?: number | undefined;
    readonly id?: number | undefined;
  },
): Promise<string[]> {
  const wanted = slug ?? (title === undefined ? undefined : slugOf(title));
  if (wanted === undefined) return [];
  const found = await holders(wire, kind, [wanted], { parent, id });
  return (found ?? []).slice(0, 1).map(slugTaken);
}

/** The slug of something that goes live. */
export interface SlugToBe {
  readonly slug: string;
  /** The one that it was to have, where that is taken, and by what; null where nobody may tell what has it. */
  readonly taken: { readonly slug: string; readonly by: SlugHolder | null } | null;
}

/** The slug that it gets when it goes live now; null where the site does not tell. One request more where it is another. */
export async function slugToBe(
  wire: WordPressClient,
  kind: Kind,
  found: StateRead,
): Promise<SlugToBe | null> {
  const { record, guarded } = found;
  const told = guarded ? guarded.address?.slug : record.generated_slug;
  if (told === undefined) return null;
  const ofTitle = slugOf(record.title.raw);
  const own = record.slug;
  // Without the plugin the site tells what it would make of the title, whatever slug there is.
  const isOwn = guarded !== null || own === "" || own === ofTitle;
  const place = { parent: record.parent, id: record.id };
  if (isOwn) {
    const wanted = own === "" ? wantedOf(told, ofTitle) : own;
    if (told === wanted) return { slug: told, taken: null };
    const [by = null] = await holders(wire, kind, [wanted], place) ?? [];
    // A title may end with a number of its own.
    return { slug: told, taken: own === "" && by === null ? null : { slug: wanted, by } };
  }
  const all = await holders(wire, kind, [own, ...TRIED.map((end) => own + end)], place);
  if (all === null) return null;
  const taken = new Set(all.map(({ slug }) => slug));
  const slug = [own, ...TRIED.map((end) => own + end)].find((one) => !taken.has(one)) ?? own;
  const by = all.find((holder) => holder.slug === own) ?? null;
  return { slug, taken: slug === own ? null : { slug: own, by } };
}

/** The slug that a title gives, without the number that was put behind it because something has it. */
function wantedOf(told: string, ofTitle: string): string {
  const at = told.lastIndexOf("-");
  const end = told.slice(at + 1);
  const isNumbered = at > 0 && String(Number(end)) === end && Number(end) > 1;
  return told === ofTitle || !isNumbered ? told : told.slice(0, at);
}

/** The warning of what goes live at another address than its slug says. */
export function slugWarnings(going: SlugToBe | null): string[] {
  const { slug, taken = null } = going ?? {};
  if (taken === null) return [];
  const who = taken.by === null
    ? "is taken by something that the site's account cannot see"
    : `belongs to the ${taken.by.noun} ${quoted(taken.by.title)} (${taken.by.id})`;
  return [
    `slug: ${JSON.stringify(taken.slug)} ${who}, so visitors find this one as ${
      JSON.stringify(slug)
    }: give it another ` +
    "slug first where that is not wanted",
  ];
}
