/** Where a text occurs, asked of the companion plugin; what it finds is judged by the rules of the needle. */
import { z } from "zod";
import type { Piece } from "../../../core/credentials.ts";
import { LIMITS } from "../../../core/model.ts";
import type { Needle } from "../../../rules/finding/signs.ts";
import type { FoundPlace, FoundTexts, PlaceKind } from "../../_content/text_search.ts";
import { COMPANION, isNoRoute } from "../companion/plugin.ts";
import { CmsError } from "../errors.ts";
import { statusWord } from "../rest/records.ts";
import { type OwnType, ownTypes } from "../rest/types.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

/** The plugin's places of one answer; beyond them it counts. */
const PLACES = 1000;
/** Its spots of one place. */
const SPOTS = 3;

const SPOT = z.tuple([z.string(), z.string(), z.string(), z.boolean(), z.boolean()]);
const PLACE = z.object({
  kind: z.string(),
  id: z.union([z.number().int().positive(), z.string().max(100)]),
  type: z.string().max(80).optional(),
  status: z.string().optional(),
  title: z.string().default(""),
  made: z.enum(["visual", "code"]).nullish().catch(null),
  field: z.string().max(80),
  within: z.string().optional(),
  times: z.number().int().positive(),
  spots: z.array(SPOT).min(1),
});
const FOUND = z.object({
  places: z.array(PLACE),
  more: z.number().int().nonnegative(),
  next: z.number().int().positive().nullable(),
  left_out: z.array(z.string()).catch([]),
  own_only: z.array(z.string()).catch([]),
});
type PlaceRecord = z.infer<typeof PLACE>;
type Found = z.infer<typeof FOUND>;

/** Where it occurs; null where the site's plugin has no such route. Throws CmsError. */
export async function findByCompanion(wire: WordPressClient, needle: Needle): Promise<FoundTexts | null> {
  const answers: Found[] = [];
  let below: number | null | undefined;
  const listed = () => answers.reduce((sum, { places }) => sum + places.length, 0);
  do {
    const answer: Found | null = await ask(wire, needle, below ?? undefined);
    if (answer === null) return null;
    answers.push(answer);
    below = answer.next;
  } while (below !== null && answers.length < LIMITS.FIND_REQUESTS && listed() < PLACES);
  const records = answers.flatMap(({ places }) => places);
  const types = await typesOf(wire, records);
  const judged = records.map((record) => placeOf(record, needle, types));
  const places = judged.flatMap((place) => place ?? []);
  const more = answers.reduce((sum, one) => sum + one.more, 0);
  const isDoubted = records.some((record, at) => judged[at] === null && record.times > SPOTS);
  return {
    places,
    total: places.length + (needle.plain ? more : 0),
    isAtLeast: below !== null || isDoubted || (!needle.plain && more > 0),
    unread: [
      ...below === null
        ? []
        : [`content with ids below ${below}: the search took too long; give a longer or rarer text`],
      ...leftOut(answers[0]!),
    ],
  };
}

async function ask(wire: WordPressClient, needle: Needle, below?: number): Promise<Found | null> {
  const { parts, between } = needle;
  try {
    return (await wire.get(`${COMPANION}/find`, { parts, between, below }, FOUND)).data;
  } catch (thrown) {
    if (thrown instanceof CmsError && isNoRoute(thrown)) return null;
    throw thrown;
  }
}

/** The site's own types for writers, where something of another type than posts and pages was found. */
async function typesOf(wire: WordPressClient, records: readonly PlaceRecord[]): Promise<readonly OwnType[]> {
  const isOther = ({ kind, type }: PlaceRecord) => kind === "post" && type !== "post" && type !== "page";
  return records.some(isOther) ? await ownTypes(wire) : [];
}

const AROUND: ReadonlySet<string> = new Set([
  "menu item",
  "block menu",
  "reusable block",
  "template",
  "widget",
]);

/** The place where it truly stands there; null where it does not. */
function placeOf(record: PlaceRecord, needle: Needle, types: readonly OwnType[]): FoundPlace | null {
  const spots = record.spots.flatMap((spot) =>
    needle.plain ? pieceOf(spot) : provenPiece(spot, needle) ?? []
  );
  if (spots.length === 0) return null;
  const { id, kind, type, status, title, field, within, made } = record;
  const isSeo = field.startsWith("seo.");
  return {
    ...kindOf(kind, type, types),
    id,
    ...status === undefined ? {} : { status: statusWord(status) },
    title,
    field: fieldOf(field),
    ...isSeo ? { isSeo } : {},
    ...within === undefined || within === "" ? {} : { within },
    madeWith: made ?? null,
    spots,
    times: record.times > SPOTS
      ? record.times
      : spots.length === record.spots.length
      ? record.times
      : spots.length,
  };
}

function kindOf(
  kind: string,
  type: string | undefined,
  types: readonly OwnType[],
): Pick<FoundPlace, "kind" | "type" | "isForWriters"> {
  if (AROUND.has(kind)) return { kind: kind as PlaceKind };
  if (type === "post" || type === "page") return { kind: type };
  return { kind: "other", type: type ?? kind, isForWriters: types.some(({ slug }) => slug === type) };
}

/** `content_html` for the plugin's `content`, `og_title` for its `seo.og.title`. */
function fieldOf(field: string): string {
  if (field === "content") return "content_html";
  return field.startsWith("seo.") ? field.slice("seo.".length).replace(".", "_") : field;
}

type SpotRecord = z.infer<typeof SPOT>;

const pieceOf = ([before, found, after, isCutBefore, isCutAfter]: SpotRecord): Piece => ({
  before,
  found,
  after,
  isCutBefore,
  isCutAfter,
});

/** The spot as the needle's rules have it: of a phone number with what is dialled before it; null where it is none. */
function provenPiece(spot: SpotRecord, needle: Needle): Piece | null {
  const [before, found, after, isCutBefore, isCutAfter] = spot;
  const whole = before + found + after;
  const end = before.length + found.length;
  const proven = needle.spots(whole).find(({ from, to }) => from < end && to > before.length);
  if (proven === undefined) return null;
  const { from, to } = proven;
  return {
    before: whole.slice(0, from),
    found: whole.slice(from, to),
    after: whole.slice(to),
    isCutBefore,
    isCutAfter,
  };
}

const NAMES: Readonly<Record<string, string>> = {
  post: "posts",
  page: "pages",
  widget: "widgets",
  nav_menu_item: "menus",
  wp_navigation: "block menus",
  wp_block: "reusable blocks",
  wp_template: "templates",
  wp_template_part: "parts of templates",
};

const named = (types: readonly string[]) =>
  [...new Set(types)].map((type) => NAMES[type] ?? `the type ${type.replaceAll(/[^\w-]/g, "")}`).join(", ");

function leftOut({ left_out, own_only }: Found): string[] {
  return [
    ...left_out.length === 0 ? [] : [
      `${named(left_out)}: the site's account may not edit them; an account with the role administrator may`,
    ],
    ...own_only.length === 0
      ? []
      : [`${named(own_only)} of others: the site's account may edit its own alone; give it the role editor`],
  ];
}
