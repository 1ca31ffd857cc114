/** How the pages tools find out and describe what they would do. */
import type { Id } from "../../core/ids.ts";
import { refuseUnseen, whenScheduled } from "../../rules/change.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { canBeGiven, lastChange, notTakenAway, quoted, replaced } from "../../rules/wording.ts";
import type { Change } from "../../core/model.ts";
import type { Before, Plan, ToolContext } from "../../registry/tool.ts";
import type { Seen } from "../../platforms/_content/post.ts";
import { type PreparedFields, storedContent, storedFields } from "../../platforms/_content/stored_content.ts";
import type {
  Page,
  PageFields,
  PagesClient,
  PreparedClone,
  PreparedPage,
} from "../../platforms/_content/pages.ts";

export {
  dateChanges,
  lastChange,
  liveWarnings,
  MADE_FINAL,
  publishWarnings,
  quoted,
  replaced,
  revealed,
  STATE_FINAL,
  stateChanges,
} from "../../rules/wording.ts";

/** Where script in a page runs. */
export const SHOWN_PAGE = "in the browser of everyone who opens the page, its preview included";

/** A page's fields, or a template to clone and the texts for its placeholders. */
export interface DraftArgs extends PageFields {
  readonly builder_template_id?: Id;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Reads what the write needs: the template where one is given, else the parent and, of a new page (no id), the rights. */
export async function prepared(
  client: PagesClient,
  args: DraftArgs,
  id: Id | null,
): Promise<PreparedPage | PreparedClone> {
  const { title, slug, parent_id, builder_template_id, variables = {}, ...fields } = args;
  const common = { title, slug, parent_id };
  return builder_template_id === undefined
    ? await client.prepare({ ...common, ...fields }, id)
    : await client.prepareClone({ ...common, template_id: builder_template_id, variables }, id);
}

/** Refuses new content for a page that shows what the visual builder keeps instead: E_BUILDER_MISMATCH. */
export function requireShown(field: string, id: Id, shown: boolean): void {
  if (!shown) {
    refuseUnseen(`Page ${id}`, field, "clone it anew with update_page_draft and builder_template_id, ");
  }
}

/** One change per given value; `from` is what stands there now, null for what is made new. */
export function changesOf(given: object, now: object | null): Change[] {
  const current = now as Readonly<Record<string, unknown>> | null;
  return Object.entries(given).filter(([, value]) => value !== undefined)
    .map(([field, to]) => ({ field, from: current?.[field] ?? null, to }));
}

/** The changes of a draft; of a clone also which placeholder gets which text. `now` is null for a new page. */
export function draftChanges(draft: PreparedPage | PreparedClone, now: Page | null): Change[] {
  if (!("template" in draft)) {
    // A platform that stages pages sets this with every change.
    const staged = ({ field, from, to }: Change) => field !== "publish_on_next_site_publish" || from !== to;
    return changesOf(draft.fields, now).filter(staged);
  }
  const { template_id: _, variables, ...given } = draft.fields;
  const texts = draft.template.placeholders.map((key) => {
    return { field: `variables.${key}`, from: `{{${key}}}`, to: variables[key] };
  });
  return [
    ...changesOf(given, now),
    { field: "builder_template_id", from: null, to: draft.template.id },
    ...texts,
  ];
}

/** What sets the fields of a page back as they are stored; nothing for a clone, which no fields set back. */
export function storedBefore(
  page_id: Id,
  draft: PreparedPage | PreparedClone,
  now: Page & Seen,
): Pick<Plan, "before" | "final"> {
  if ("template" in draft) return { final: CLONED };
  const values = storedFields(now, changesOf(draft.fields, now).map(({ field }) => field));
  return values === null ? {} : { before: { of: { page_id }, values } };
}

const CLONED = "Nothing is kept of what the visual builder shows, so a page that was made anew stays so";

/** A plan that sets fields of a draft page back as they were stored. */
export async function restoring(
  kept: Before,
  ctx: Pick<ToolContext, "use" | "site">,
): Promise<Omit<Plan, "state"> & { readonly state: PreparedFields }> {
  const { page_id: id } = kept.of as { page_id: Id };
  const prepared = await (await ctx.use(storedContent)).prepare(
    { type: "page", id, live: false },
    kept.values,
  );
  const { now, fields, shown } = prepared;
  if ("content_html" in fields) requireShown("content_html", id, shown !== false);
  const what = `the page ${quoted(now.title)}`;
  const stored = storedFields(now, Object.keys(fields));
  return {
    summary: `Set back ${what} on ${ctx.site.name}${lastChange(now)}`,
    changes: Object.entries(fields).map(([field, to]) => ({ field, from: now.parts[field] ?? null, to })),
    revision: replaced(now, fields),
    ...stored === null ? {} : { before: { of: kept.of, values: stored } },
    warnings: now.warnings,
    raises: [...whenScheduled(now, what), ...await scriptRaises(fields, SHOWN_PAGE)],
    state: prepared,
  };
}

/**
 * What sets the fields of a page back; nothing for a clone, which no fields set back, and where a text would not be stored
 * as it is. Asks nothing.
 */
export async function valuesBefore(
  client: Pick<PagesClient, "prepare">,
  page_id: Id,
  draft: PreparedPage | PreparedClone,
  now: Page,
): Promise<Pick<Plan, "before" | "final">> {
  if ("template" in draft) return {};
  if (draft.fields.publish_on_next_site_publish === false && now.publish_on_next_site_publish === true) {
    return { final: "publish_on_next_site_publish: a page is not staged again by taking a change back" };
  }
  const before = changesOf(draft.fields, now).map(({ field, from, to }) => {
    return [field, field === "seo" ? partOf(from, to) : from] as const;
  });
  const empty = before.flatMap(([field, value]) => emptyIn(field, value));
  if (empty.length > 0) return { final: notTakenAway(empty) };
  const values = Object.fromEntries(before);
  const { content_html } = values;
  if (typeof content_html === "string") {
    const again = await client.prepare({ content_html }, page_id); // an editor keeps HTML in blocks of its own
    if (again.fields.content_html !== content_html) return {};
  }
  return { before: { of: { page_id }, values, byArguments: true } };
}

/** Of a group of values those that are given. */
const partOf = (now: unknown, given: unknown) =>
  Object.fromEntries(
    Object.keys(Object(given)).map((name) => [name, (Object(now) as Record<string, unknown>)[name] ?? null]),
  );

/** The names of what has no value that its argument takes. */
const emptyIn = (field: string, value: unknown): string[] =>
  field === "seo"
    ? Object.entries(Object(value)).filter(([, one]) => one === null).map(([name]) => `seo.${name}`)
    : canBeGiven(field, value)
    ? []
    : [field];

/** The template a clone is made of and what is promised of the page's place; null for what is no clone. */
export function templateOf(draft: PreparedPage | PreparedClone): Record<string, unknown> | null {
  return "template" in draft ? { builder_template_id: draft.template, ...draft.parts } : null;
}

/** " from the template …" of a clone, with the variables it has no use for; else "". */
export function origin(draft: PreparedPage | PreparedClone): string {
  if (!("template" in draft)) return "";
  const { template, unused } = draft;
  const idle = unused.length === 0 ? "" : `; the template has no placeholder ${unused.join(", ")}`;
  return ` from the template ${quoted(template.title)} (${template.id})${idle}`;
}
