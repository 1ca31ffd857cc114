/** The set of calls that replaces a text on a site: found, chosen, read, and told what changes, what stays and how to go on. */
import { onDemand } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import { oneLine } from "../../core/one_line.ts";
import { textSearch } from "../../platforms/_content/text_search.ts";
import github from "../../platforms/github/connector.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { needleOf } from "./_places.ts";
import {
  chosen,
  type Going,
  type Group,
  grouped,
  hitsOf,
  type Item,
  type Made,
  madeOf,
  type Stay,
} from "./_replacing.ts";
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

/** A set as it is asked for. */
export interface WantedSet {
  readonly title: string;
  readonly changes: readonly Item[];
  readonly warnings: readonly string[];
}

type Using = Pick<ToolContext, "use" | "can" | "calls" | "site" | "previews">;

/** As many things are read at most, so that those that have the new text already do not take the call's whole time. */
const READ_MAX = 150;

/**
 * Reads only: the calls that replace it. Throws E_NOT_FOUND where it stands nowhere, E_BAD_INPUT where nothing of it can be
 * changed here or everything has the new text already.
 */
export async function replacementSet(asked: Asked, ctx: Using): Promise<WantedSet> {
  const { find, replace, kind, limit } = asked;
  const needle = await needleOf(kind, find, "find");
  const ref = await previewRef(asked, ctx);
  const found = await (await ctx.use(textSearch)).find(needle, ref);
  if (found.places.length === 0) throw nowhere(asked, ctx, ref, found.unread);
  const hits = chosen(hitsOf(found.places, ctx.site), asked);
  const { groups, stays } = grouped(hits);
  const branch: Branch = {
    target: asked.target_branch,
    view: onDemand(async () => await (await ctx.use(github)).view(ref)),
  };
  const wanted = { needle, to: replace, isPhone: kind === "phone" };
  const made: Made[] = [];
  const items = () => made.filter(({ item }) => item !== null);
  while (made.length < Math.min(groups.length, READ_MAX) && items().length < limit) {
    const next = groups.slice(made.length, made.length + limit - items().length);
    made.push(...await madeOf(next, ctx, wanted, branch));
  }
  const all = [...stays, ...made.flatMap((one) => one.stays)];
  const already = made.reduce((sum, one) => sum + one.already, 0);
  if (items().length === 0) throw unchanged(asked, all, already);
  const unlisted = found.total - found.places.length;
  return {
    title: titleOf(asked, ctx, items()),
    changes: items().map(({ item }) => ({
      tool: item!.tool,
      arguments: { site_id: ctx.site.id, ...item!.arguments },
    })),
    warnings: [
      ...items().map(({ going }, at) => `Change ${at + 1} is of ${going.map(goingWords).join(", ")}`),
      ...staysWords(all),
      ...already === 0
        ? []
        : [`${counted(already, "place")} ${already === 1 ? "has" : "have"} the new text already`],
      ...restWords(groups.slice(made.length), unlisted, found.isAtLeast),
      ...needle.spots(replace).length === 0 ? [] : [HOLDS_IT],
      ...found.unread.map((one) => `Not searched: ${one}`),
    ],
  };
}

/** The branch that is read: the token's preview branch, which is written to, where it stands; else the deployed one. */
async function previewRef({ target_branch }: Asked, ctx: Using): Promise<string | undefined> {
  if (target_branch === "main" || ctx.site.platform !== "static") return undefined;
  const branch = await ctx.previews.get();
  if (branch === null) return undefined;
  const client = await ctx.use(github);
  const stands = branch !== await client.deployedBranch() && await client.head(branch) !== null;
  return stands ? branch : undefined;
}

const HOLDS_IT =
  "The new text holds what is looked for: a later search finds it there too, and a place that has the new text whole stays";

const SHOWN_CHARACTERS = 80;
const quoted = (text: string) => JSON.stringify(oneLine(text, SHOWN_CHARACTERS));
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function titleOf({ find, replace }: Asked, { site }: Using, made: readonly Made[]): string {
  const places = made.flatMap(({ going }) => going).reduce((sum, { times }) => sum + times, 0);
  return `Replace ${quoted(find)} with ${quoted(replace)} on ${site.name}: ${counted(places, "place")}`;
}

/** A hit with how often it changes, and how it is written there. */
function goingWords({ id, times, found }: Going): string {
  const written = found.map((one) => JSON.stringify(one)).join(", ");
  return `${id} (${times === 1 ? "once" : `${times} times`}, written ${written})`;
}

const STAYS_SHOWN = 20;

function staysWords(stays: readonly Stay[]): string[] {
  const shown = stays.slice(0, STAYS_SHOWN).map(({ id, why }) => `Stays: ${id}: ${why}`);
  const more = stays.length - shown.length;
  return more > 0 ? [...shown, `Stays: ${counted(more, "more hit")}, which find_text names`] : shown;
}

function restWords(groups: readonly Group[], unlisted: number, isAtLeast: boolean): string[] {
  const hits = groups.flatMap((group) => group.hits);
  if (hits.length === 0 && unlisted === 0 && !isAtLeast) return [];
  const named = hits.slice(0, STAYS_SHOWN).map(({ id }) => id);
  const more = hits.length - named.length + unlisted;
  const which = [...named, ...more > 0 ? [`${more} more`] : [], ...isAtLeast ? ["perhaps others"] : []];
  return [`Not part of this set: ${which.join(", ")}; call replace_text again once this one has run`];
}

function nowhere(
  { find }: Asked,
  { site }: Using,
  ref: string | undefined,
  unread: readonly string[],
): GatewayError {
  const where = site.platform !== "static"
    ? "in what is live, scheduled or a draft"
    : `in the files of ${ref === undefined ? "the deployed branch" : `branch ${JSON.stringify(ref)}`}`;
  const left = unread.length === 0 ? "" : `; not searched: ${unread.join("; ")}`;
  return new GatewayError(
    "E_NOT_FOUND",
    `find: ${quoted(find)} stands nowhere ${where} of "${site.id}"${left}`,
  );
}

function unchanged({ find }: Asked, stays: readonly Stay[], already: number): GatewayError {
  const why = stays.slice(0, STAYS_SHOWN).map((one) => `${one.id}: ${one.why}`).join("; ");
  const has = already === 0
    ? ""
    : `${counted(already, "place")} ${already === 1 ? "has" : "have"} the new text already; `;
  return new GatewayError(
    "E_BAD_INPUT",
    `find: nothing of ${quoted(find)} would change: ${has}${
      why === "" ? "no hit is left of those chosen" : why
    }`,
  );
}
