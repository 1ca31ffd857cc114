/** The set of calls that replaces a text on a site: found, chosen, read, and told what changes, what stays and how to go on. */
import { onDemand } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { counted, oneLine } from "../../core/one_line.ts";
import { postTexts } from "../../platforms/_content/posts.ts";
import { textSearch } from "../../platforms/_content/text_search.ts";
import github from "../../platforms/github/connector.ts";
import type { SetOrder, ToolContext } from "../../registry/tool.ts";
import { needleOf } from "./_places.ts";
import { chosen, type Going, grouped, hitsOf, type Made, madeOf, type Stay } from "./_replacing.ts";
import { bytesOf } from "../../rules/text.ts";
import type { Branch } from "./_rewrites.ts";

/** What is asked for. */
export interface Asked {
  readonly find: string;
  readonly replace: string;
  readonly kind: "text" | "phone" | "email";
  readonly only?: readonly string[] | undefined;
  readonly leave_out?: readonly string[] | undefined;
  readonly limit: number;
  readonly target_branch: "preview" | "main";
}

type Using = Pick<ToolContext, "use" | "can" | "calls" | "site" | "previews">;

/**
 * Reads only: the calls that replace it. Throws E_NOT_FOUND where it stands nowhere, E_BAD_INPUT where nothing of it can be
 * changed here or everything has the new text already.
 */
export async function replacementSet(asked: Asked, ctx: Using): Promise<SetOrder> {
  const { find, replace, kind, limit } = asked;
  const needle = await needleOf(kind, find, "find");
  const preview = await previewOf(asked, ctx);
  const found = await (await ctx.use(textSearch)).find(needle, preview?.commit);
  if (found.places.length === 0) throw nowhere(asked, ctx, preview, found.unread);
  const hits = chosen(hitsOf(found.places, ctx.site), asked);
  const { groups, stays } = grouped(hits);
  const branch: Branch = {
    target: asked.target_branch,
    view: onDemand(async () => await (await ctx.use(github)).view(preview?.commit)),
  };
  const wanted = {
    needle,
    to: replace,
    isPhone: kind === "phone",
    isWords: kind === "text" && !isAddress(find),
  };
  const made: Made[] = [];
  const items = () => made.filter(({ item }) => item !== null);
  while (made.length < Math.min(groups.length, LIMITS.REPLACE_READS) && items().length < limit) {
    const next = groups.slice(made.length, made.length + limit - items().length);
    made.push(...await madeOf(next, ctx, wanted, branch));
  }
  const told = { stays: [...stays, ...made.flatMap((one) => one.stays)], already: alreadyIn(made) };
  const { fitting, over } = within(made.filter(({ item }) => item !== null), LIMITS.SET_BYTES - TITLE_BYTES);
  if (fitting.length === 0) throw unchanged(asked, told, over);
  const rest = [
    ...over.flatMap(({ going }) => going),
    ...groups.slice(made.length).flatMap((one) => one.hits),
  ];
  const left = [
    ...staysWords(told.stays),
    ...alreadyWords(told.already),
    ...restWords(rest.map(({ id }) => id), found.total - found.places.length, found.isAtLeast),
    ...found.unread.map((one) => `Not searched: ${one}`),
  ];
  const isWhole = left.length === 0 && asked.only === undefined && asked.leave_out === undefined;
  return {
    title: titleOf(asked, fitting),
    changes: fitting.map(({ item }) => ({
      tool: item!.tool,
      arguments: { site_id: ctx.site.id, ...item!.arguments },
    })),
    on_failure: "continue",
    about: fitting.map(({ going }) => ({ hits: going.map((one) => goingFields(one, find)) })),
    refused: (items) => {
      const named = items.map((item) =>
        `item ${item} is of ${fitting[item - 1]!.going.map(({ id }) => id).join(", ")}`
      );
      return `${named.join(", ")}: name these in leave_out to replace the others`;
    },
    warnings: [
      ...left,
      ...needle.spots(replace).length === 0 ? [] : [HOLDS_IT],
      ...isWhole ? [WHOLE] : [],
    ],
  };
}

/** Whether a text that is looked for is one that only addresses hold. */
const isAddress = (find: string) => !find.includes(" ") && [..."/@.:#"].some((sign) => find.includes(sign));

const alreadyIn = (made: readonly Made[]) => made.reduce((sum, one) => sum + one.already, 0);

/** What a title takes of a set at most. */
const TITLE_BYTES = 4096;

/** The calls that a set of so many bytes has room for, and those beyond. */
export function within(
  made: readonly Made[],
  bytes: number,
): { readonly fitting: Made[]; readonly over: Made[] } {
  const [fitting, over]: [Made[], Made[]] = [[], []];
  let left = bytes;
  for (const one of made) {
    const own = bytesOf(JSON.stringify(one.item)) + ITEM_BYTES;
    (own <= left ? fitting : over).push(one);
    if (own <= left) left -= own;
  }
  return { fitting, over };
}

/** What the name of a site takes beside an item. */
const ITEM_BYTES = 256;

/** The token's preview branch, which is written to, with its newest commit; null where the deployed one is read. */
async function previewOf({ target_branch }: Asked, ctx: Using): Promise<Preview | null> {
  if (target_branch === "main" || ctx.can(postTexts)) return null;
  const branch = await ctx.previews.get();
  if (branch === null) return null;
  const client = await ctx.use(github);
  const commit = branch === await client.deployedBranch() ? null : await client.head(branch);
  return commit === null ? null : { branch, commit };
}

/** A branch that is read, as it was when it was looked up. */
interface Preview {
  readonly branch: string;
  readonly commit: string;
}

const HOLDS_IT =
  "The new text holds what is looked for: a later search finds it there too, and a place that has the new text whole stays";

/** That a preview leaves out nothing that find_text would name. */
const WHOLE = "These are all: find_text finds it in no other place";

const SHOWN_CHARACTERS = 80;
const quoted = (text: string) => JSON.stringify(oneLine(text, SHOWN_CHARACTERS));

function titleOf({ find, replace }: Asked, made: readonly Made[]): string {
  const places = made.flatMap(({ going }) => going).reduce((sum, { times }) => sum + times, 0);
  return `Replace ${quoted(find)} with ${quoted(replace)}, ${counted(places, "place")}`;
}

/** A hit; how often it changes and how it is written there, where that is not once and as it was asked for. */
const goingFields = ({ id, times, found }: Going, find: string) => ({
  hit: id,
  ...times === 1 ? {} : { times },
  ...found.every((one) => one === find) ? {} : { found },
});

const STAYS_SHOWN = 20;
const STAYS = "Stays: ";
const NOT_PART = "Not part of this set: ";

function staysWords(stays: readonly Stay[]): string[] {
  const shown = stays.slice(0, STAYS_SHOWN).map(({ id, why }) => `${STAYS}${id}: ${why}`);
  const more = stays.length - shown.length;
  return more > 0 ? [...shown, `${STAYS}${counted(more, "more hit")}, which find_text names`] : shown;
}

function alreadyWords(places: number): string[] {
  if (places === 0) return [];
  return [`${counted(places, "place")} ${places === 1 ? "has" : "have"} the new text already`];
}

function restWords(ids: readonly string[], unlisted: number, isAtLeast: boolean): string[] {
  if (ids.length === 0 && unlisted === 0 && !isAtLeast) return [];
  const named = ids.slice(0, STAYS_SHOWN);
  const more = ids.length - named.length + unlisted;
  const which = [...named, ...more > 0 ? [`${more} more`] : [], ...isAtLeast ? ["perhaps others"] : []];
  return [`${NOT_PART}${which.join(", ")}; call replace_text again once this one has run`];
}

function nowhere(
  { find }: Asked,
  { site, can }: Using,
  preview: Preview | null,
  unread: readonly string[],
): GatewayError {
  const where = can(postTexts)
    ? "in what is live, scheduled or a draft"
    : `in the files of ${
      preview === null ? "the deployed branch" : `branch ${JSON.stringify(preview.branch)}`
    }`;
  const left = unread.length === 0 ? "" : `; not searched: ${unread.join("; ")}`;
  return new GatewayError(
    "E_NOT_FOUND",
    `find: ${quoted(find)} stands nowhere ${where} of "${site.id}"${left}`,
  );
}

function unchanged(
  { find }: Asked,
  { stays, already }: { readonly stays: readonly Stay[]; readonly already: number },
  over: readonly Made[],
): GatewayError {
  const why = stays.slice(0, STAYS_SHOWN).map(({ id, why }) => `${id}: ${why}`);
  const large = over.flatMap(({ going }) => going).map(({ id }) => `${id}: the text is too long for a set`);
  const all = [...alreadyWords(already), ...why, ...large];
  return new GatewayError(
    "E_BAD_INPUT",
    `find: nothing of ${quoted(find)} would change: ${
      all.length === 0 ? "no hit is left of those chosen" : all.join("; ")
    }`,
  );
}

/** What is left to search, where every place that the preview had found is proven to have the new text alone. */
export function nothingLeft(
  { verified }: { readonly verified: boolean | null },
  warnings: readonly string[],
): { readonly note?: string } {
  const isNone = warnings.includes(WHOLE) && !warnings.includes(HOLDS_IT);
  return verified === true && isNone ? { note: NOTHING_LEFT } : {};
}

const NOTHING_LEFT =
  "Nothing of it is left: all places that the preview had found were read back with the new text; search again only for what was written since";

/** What is said once more with the answer: what the set did not change. */
export const leftIn = (warnings: readonly string[]): string[] =>
  warnings.filter((one) => [STAYS, NOT_PART].some((begin) => one.startsWith(begin)));
