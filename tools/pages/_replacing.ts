/** What was found as the calls that replace it: one for each thing and tool, and what stays, with the reason and another way. */
import { eachOf } from "../../core/async.ts";
import { pieceAround } from "../../core/credentials.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { cleaned } from "../../core/one_line.ts";
import type { FoundPlace } from "../../platforms/_content/text_search.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { type Rewriting, rewritten } from "../../rules/finding/rewriting.ts";
import { changeOf, hitId, type PlaceChange } from "./_places.ts";
import { CHANGE_ELEMENTS, settingOf } from "./_builder_texts.ts";
import { argumentsOf, type Branch, type Changed, READERS, type Thing } from "./_rewrites.ts";

/** A place that was found, by the name it is chosen by. */
export interface Hit {
  readonly id: string;
  readonly place: FoundPlace;
  readonly change: PlaceChange;
}

/** The hits of one thing that one tool changes. */
export interface Group {
  readonly tool: string;
  /** The arguments that name the thing. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly hits: readonly Hit[];
}

/** A hit that stays as it is. */
export interface Stay {
  readonly id: string;
  readonly why: string;
}

/** A hit that changes: how often, and in which spellings it stands there. */
export interface Going {
  readonly id: string;
  readonly times: number;
  readonly found: readonly string[];
}

/** A call of a set. */
export interface Item {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What becomes of a group. */
export interface Made {
  readonly item: Item | null;
  readonly going: readonly Going[];
  readonly stays: readonly Stay[];
  /** How many places have the new text already. */
  readonly already: number;
}

const AT_ONCE = 4;
const SPELLINGS_MAX = 5;

/** The hits of those places. */
export const hitsOf = (places: readonly FoundPlace[], site: Pick<Site, "flags">): Hit[] =>
  places.map((place) => ({ id: hitId(place), place, change: changeOf(place, site) }));

/** Those that are chosen: all of them, those named alone, or all but those named. Throws E_BAD_INPUT for a name of none. */
export function chosen(
  hits: readonly Hit[],
  { only, leave_out = [] }: {
    readonly only?: readonly string[] | undefined;
    readonly leave_out?: readonly string[] | undefined;
  },
): Hit[] {
  const known = new Set(hits.map(({ id }) => id));
  for (const [field, ids] of [["only", only ?? []], ["leave_out", leave_out]] as const) {
    const other = ids.find((id) => !known.has(id));
    if (other === undefined) continue;
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: there is no hit ${
        JSON.stringify(other)
      } now; find_text with the same text and kind names each as hit`,
    );
  }
  return hits.filter(({ id }) => (only === undefined || only.includes(id)) && !leave_out.includes(id));
}

/** Those that a tool changes, by thing and tool, what is of one thing behind each other; and those that none does, or may. */
export function grouped(hits: readonly Hit[]): { readonly groups: Group[]; readonly stays: Stay[] } {
  const groups = new Map<string, { tool: string; of: Group["of"]; hits: Hit[]; thing: string }>();
  const stays: Stay[] = [];
  for (const hit of hits) {
    const { place, id } = hit;
    const change = settingChange(place) ?? hit.change;
    if (change.tool === null) stays.push({ id, why: `change it ${change.how}` });
    else if (change.needs !== undefined) {
      stays.push({
        id,
        why: `${change.tool} changes it where the site has ${change.needs}, which an operator sets`,
      });
    } else {
      const { tool, of } = toolOf(change, place);
      const key = JSON.stringify([tool, of]);
      const thing = place.path ?? String(place.id);
      const group = groups.get(key) ?? { tool, of, hits: [], thing };
      group.hits.push(hit);
      groups.set(key, group);
    }
  }
  const things = [...new Set([...groups.values()].map(({ thing }) => thing))];
  const ordered = things.flatMap((thing) => {
    const own = [...groups.values()].filter((group) => group.thing === thing);
    // SEO values follow the title where a post has none of its own: so the post goes first.
    return [...own.filter(({ tool }) => tool !== SEO), ...own.filter(({ tool }) => tool === SEO)];
  });
  return { groups: ordered.map(({ tool, of, hits }) => ({ tool, of, hits })), stays };
}

const SEO = "set_seo_meta";

/** The site's own tool that changes a setting of a visual builder, where the site has it; null for any other place. */
const settingChange = ({ field, id, within }: FoundPlace): PlaceChange | null =>
  field === "builder" && settingOf(within) !== null
    ? { tool: CHANGE_ELEMENTS, arguments: { post_id: Number(id) } }
    : null;

/** The tool and what names the thing; all of a page made from code is changed by the tool that changes its code. */
function toolOf(
  { tool, arguments: args }: PlaceChange & { readonly tool: string },
  { madeWith, path, field }: FoundPlace,
): Pick<Group, "tool" | "of"> {
  if (path !== undefined) {
    const { files: _, ...named } = args;
    return { tool, of: { path, ...named } };
  }
  if (tool === "update_page_draft" && madeWith === "code" && field === "title") {
    return { tool: "update_page_from_code", of: args };
  }
  return { tool, of: args };
}

/** What becomes of each group, as its thing is read now. Throws what the reading of one does, but for what only it is like. */
export const madeOf = (
  groups: readonly Group[],
  ctx: Pick<ToolContext, "use" | "can" | "calls" | "site">,
  wanted: Rewriting,
  branch: Branch,
): Promise<Made[]> =>
  eachOf(groups, AT_ONCE, async (group) => {
    try {
      const within = group.hits.map(({ place }) => place.within);
      return itemOf(group, await READERS[group.tool]!(ctx, group.of, { branch, within }), wanted);
    } catch (thrown) {
      if (!isOfOne(thrown, group)) throw thrown;
      return {
        item: null,
        going: [],
        already: 0,
        stays: group.hits.map(({ id }) => ({ id, why: thrown.message })),
      };
    }
  });

/** Whether only the one thing is the reason: it is gone, no longer as it was found, or the site has no tool for it. */
const isOfOne = (thrown: unknown, { tool }: Group): thrown is GatewayError =>
  thrown instanceof GatewayError &&
  (tool === CHANGE_ELEMENTS ||
    ["E_FORBIDDEN_OP", "E_NOT_FOUND", "E_BUILDER_MISMATCH", "E_BAD_PATH"].includes(thrown.code) ||
    (thrown.code === "E_UPSTREAM" && thrown.upstream === 404));

/** The one call for all chosen hits of a thing, and what of them stays. */
export function itemOf({ tool, of, hits }: Group, { texts, beside }: Thing, wanted: Rewriting): Made {
  const changed: Changed[] = [];
  const going: Going[] = [];
  const stays: Stay[] = [];
  let already = 0;
  for (const { id, place } of hits) {
    const fields = place.path !== undefined
      ? Object.keys(texts)
      : [place.field === "builder" ? place.within! : place.field];
    const own: Changed[] = [];
    for (const field of fields) {
      const { text = null, form = "words", stays: why } = texts[field] ?? {};
      const found = text === null ? null : rewritten(text, form, wanted);
      const because = why ?? (text === null ? UNTOLD : undefined);
      if (because !== undefined) stays.push({ id, why: because });
      else if (found !== null) {
        const isBlank = field === "title" && found.text.trim() === "";
        already += found.already;
        if (isBlank) stays.push({ id, why: "nothing would be left of it, and a title is never blank" });
        else if (found.edits.length > 0) own.push({ field, text: text!, rewritten: found });
        stays.push(...found.stays.map((one) => ({ id, why: one })));
      }
    }
    changed.push(...own);
    const edits = own.flatMap(({ rewritten: { edits } }) => edits);
    if (edits.length > 0) {
      going.push({
        id,
        times: edits.length,
        found: spellings(edits.map(({ found }) => found)),
      });
    }
  }
  const item = changed.length === 0 ? null : { tool, arguments: argumentsOf(tool, { of, beside }, changed) };
  return { item, going, stays, already };
}

const UNTOLD = "the site does not tell what is stored there";

/** How it is written there, each spelling once, what looks like a credential hidden. */
const spellings = (found: readonly string[]) =>
  [...new Set(found)].slice(0, SPELLINGS_MAX).map((one) =>
    cleaned(pieceAround({ before: "", found: one, after: "", isCutBefore: false, isCutAfter: false }))
  );
