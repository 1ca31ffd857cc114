/** What a held call did, or would have done: as changes, in sentences, and which of it may not be. */
import { counted, formOf } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Undoing } from "../../core/content.ts";
import type { Change } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import type { HeldEffect, HeldEffects } from "../_content/holds.ts";
import { mayPublish } from "./live_verdict.ts";
import type { ProxyContext } from "./proxied_context.ts";
import { jsonChanges } from "./json_changes.ts";
import type { Resolved } from "./resolved.ts";
import type { RolledBack } from "../tool_servers/types.ts";

/** Effects that are always allowed, and that nobody has to look at. */
const ALWAYS: ReadonlySet<string> = new Set(["cache", "own", "revision"]);
/** What allow_publish allows besides. */
const WITH_FLAG = ["live", "structure", "site", "settings"] as const;
/** What a call may need allow_publish for; of these, publishing and scheduling have tools of their own. */
export const VISIBLE: ReadonlySet<string> = new Set([...WITH_FLAG, "publish", "schedule"]);
/** What setting a call back may do. */
export const SET_BACK: ReadonlySet<string> = new Set([...ALWAYS, "draft", ...WITH_FLAG]);
const NAMED_MAX = 5;
const NAME_CHARACTERS = 120;

/** The kinds of effects that a call may have, and the post that drafts are bound to. */
export function allowedOf(
  call: Resolved,
  ctx: ProxyContext,
): { readonly labels: string[]; readonly of: number | null } {
  const { target: { effect, hold }, pageId } = call;
  const whole = effect === "site" && pageId === null;
  return {
    labels: [
      ...(pageId !== null || whole ? ["draft"] : []),
      ...(effect === "new" || whole ? ["draft-new"] : []),
      ...(mayPublish(ctx) ? WITH_FLAG : []),
      ...(hold?.files ? ["files"] : []),
      "own",
    ],
    of: pageId,
  };
}

/** What a dry run shows of a call. */
export interface DryRun {
  /** The dry run that a confirmed call must equal, as the site knows it. */
  readonly id: string;
  /** The same for the same effects. */
  readonly digest: string;
  readonly summary: string;
  readonly changes: readonly Change[];
  /** What a person should know before approving, a sentence each. */
  readonly warnings: readonly string[];
  /** Whether visitors would see a change at once. */
  readonly published: boolean;
  /** Why the call could not be taken back; null where it could. */
  readonly final: string | null;
}

/** A dry run as a preview shows it. */
export function dryRunOf({ id, held }: { readonly id: string; readonly held: HeldEffects }): DryRun {
  const changes = changesOf(held);
  const published = labelsOf(held).some((label) => VISIBLE.has(label));
  const warnings = [
    ...(published ? [`Visitors see this at once: it would have ${named(held, [...VISIBLE])}`] : []),
    ...(held.more > 0
      ? [`${counted(held.more, "further effect")} ${formOf(held.more, "is", "are")} not listed one by one`]
      : []),
    ...(changes.length === 0 ? ["The tool reports success, and would change nothing of the site"] : []),
  ];
  return {
    id,
    digest: held.digest,
    summary: named(held),
    changes,
    warnings,
    published,
    final: finalOf(held),
  };
}

const TOO_OLD = "The site's companion plugin is older than 1.5.0, and keeps nothing that would set it back";

/** Why what a held call did cannot be taken back, a sentence; null where it can. */
function finalOf({ setback }: HeldEffects): string | null {
  if (setback === undefined) return TOO_OLD;
  return setback.why === null ? null : `It cannot be taken back by the site: ${setback.why}`;
}

/** What is kept of a committed call, so that it can be taken back; or why it cannot be. */
export function undoingOf(id: string, held: HeldEffects): Undoing {
  const { image, sum } = held.setback ?? {};
  const final = finalOf(held);
  if (final !== null) return { final };
  if (image === undefined || sum === undefined) return { final: UNTOLD };
  return { before: { of: { held: id }, values: { image, sum } }, left: { rows: sum } };
}

const UNTOLD = "The site does not say what would set it back";

/** What of a dry run's effects the call itself would not be allowed. */
export function overOf(held: HeldEffects, call: Resolved, ctx: ProxyContext): string[] {
  const { effects } = held;
  const { labels: allowed, of } = allowedOf(call, ctx);
  // Where reads from other hosts are allowed, those that were sent are effects, and nothing else of the kind may be.
  const areReads = call.target.hold?.http === "get" &&
    effects.every(({ label, what }) => label !== "outbound" || !what.endsWith(UNSENT));
  // A dry run is told no post that it is bound to: which drafts it changed is judged here, as the site will for the write.
  const isOwnDraft = ({ post }: HeldEffect) =>
    (allowed.includes("draft-new") && post?.status_before === null) ||
    (allowed.includes("draft") && (of === null || post?.id === of));
  const areDrafts = effects.every((one) => one.label !== "draft" || isOwnDraft(one));
  const isAllowed = (label: string) =>
    ALWAYS.has(label) || (label === "draft" ? areDrafts : allowed.includes(label)) ||
    (label === "outbound" && areReads);
  return labelsOf(held).filter((label) => !isAllowed(label));
}

/** The kinds of effects that visitors see. */
export const visibleOf = (held: HeldEffects): string[] =>
  labelsOf(held).filter((label) => VISIBLE.has(label));

/** The kinds of all effects: those that the site names, and those of the effects that it lists. */
const labelsOf = ({ labels, effects }: HeldEffects): string[] => [
  ...new Set([...labels, ...effects.map(({ label }) => label)]),
];

/** How the plugin ends what it says of a request that it did not send. */
const UNSENT = "(not sent)";

/**
 * Each value that is another one now; of people and of what has no values only that it changed. Ids that only name a new row,
 * and the time of the write itself, are left out.
 */
export function changesOf({ effects, more }: HeldEffects): Change[] {
  const shown = effects.filter(({ label }) => !ALWAYS.has(label));
  const rest = more === 0 ? [] : [{ field: "more", from: null, to: counted(more, "more effect") }];
  return [...shown.flatMap(changes), ...rest];
}

function changes(effect: HeldEffect): Change[] {
  const { label, what, change, table, post, fields } = effect;
  const name = post === null ? what : `${post.type} ${post.id}`;
  const telling = fields.filter((one) => !isBookkeeping(one, effect));
  if (telling.length === 0 || label === "people") {
    const whole = table === "postmeta" && post ? `${name}: ${fieldOf("meta_value", effect)}` : what;
    const about = label === "people" ? [what, ...fields.map((one) => one.name)].join(", ") : whole;
    return [{
      field: about,
      from: change === "made" ? null : "there",
      to: change === "removed" ? null : change,
    }];
  }
  return telling.flatMap(({ name: column, from = null, to = null }) => {
    const field = fieldOf(column, effect);
    const whole = field === null ? name : `${name}: ${field}`;
    const parts = jsonChanges(from, to) ?? [{ field: "", from, to }];
    return parts.map((one) => ({ ...one, field: one.field === "" ? whole : `${whole}, ${one.field}` }));
  });
}

/** Columns that say which row a new one is, by its table. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  posts: ["ID", "guid"],
  postmeta: ["meta_id", "post_id", "meta_key"],
  term_relationships: ["object_id", "term_taxonomy_id", "term_order"],
  options: ["option_id", "option_name", "autoload"],
};
const TIMES = ["post_modified", "post_modified_gmt"];

type Field = HeldEffect["fields"][number];

/** Whether a value tells nothing beside the others: which row a new one is, or when it was written. */
function isBookkeeping({ name, to }: Field, { table, change, fields }: HeldEffect): boolean {
  if (change !== "changed" && (KEYS[table ?? ""] ?? []).includes(name)) return true;
  if (table !== "posts" || fields.every((one) => TIMES.includes(one.name))) return false;
  // WordPress dates a draft anew each time it is saved.
  const saved = fields.find((one) => one.name === "post_modified")?.to;
  return TIMES.includes(name) || (name === "post_date" && saved !== undefined && to === saved);
}

/** How a value of a post is called; null where what was changed is the value itself, such as an option. */
function fieldOf(column: string, { what, post }: HeldEffect): string | null {
  if (!/^(meta_value|option_value|value)$/.test(column)) return column;
  if (post === null) return null;
  return shortened(/^Field (.+?) of /s.exec(what)?.[1] ?? what);
}

/** The effects in a sentence's part, those of these kinds where any are given; fields of a post that is named too are not. */
export function named({ labels, effects, more }: HeldEffects, only?: readonly string[]): string {
  const wanted = effects.filter(({ label }) =>
    only === undefined ? !ALWAYS.has(label) : only.includes(label)
  );
  const ofPost = ({ label, post }: HeldEffect) => post === null ? "" : `${post.id} ${label}`;
  const posts = new Set(wanted.filter(({ table }) => table === "posts").map(ofPost));
  const told = wanted.filter((one) => one.table === "posts" || one.post === null || !posts.has(ofPost(one)));
  const words = told.map(({ label, what, change }) => {
    const kind = what.endsWith(`(${label})`) ? "" : ` (${label})`;
    return `${change} ${shortened(what)}${kind}`;
  });
  const unique = [...new Set(words)];
  const rest = unique.length - NAMED_MAX + more;
  const shown = unique.slice(0, NAMED_MAX);
  // The kinds are known also of effects that are not listed.
  if (shown.length === 0) {
    const known = labels.filter((label) => only?.includes(label) ?? (more > 0 && !ALWAYS.has(label)));
    const kinds = known.length > 0 ? known : only ?? [];
    return kinds.length === 0 ? "changed nothing" : `had effects of these kinds: ${kinds.join(", ")}`;
  }
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join("; ");
}

const shortened = (text: string) => cut(text, NAME_CHARACTERS);

/** Effects beyond those that the call may have; nothing was changed. */
export function refusedOver(
  { over, held }: Pick<RolledBack, "over" | "held">,
  call: Resolved,
  ctx: ProxyContext,
): GatewayError {
  const { served: { name } } = call.target;
  const may = mayPublish(ctx);
  const isVisible = over.length > 0 && over.every((label) => VISIBLE.has(label));
  const code = !may && isVisible ? "E_PUBLISH_NOT_ALLOWED" : "E_FORBIDDEN_OP";
  const what = named(held, over);
  return new GatewayError(
    code,
    `"${name}" was taken back, and nothing was changed, for it would have: ${what}; ${
      neededFor(over, may, ctx)
    }`,
    { outcome: "none" },
  );
}

function neededFor(over: readonly string[], may: boolean, { site }: ProxyContext): string {
  if (over.includes("publish") || over.includes("schedule")) {
    return "call it without what publishes; then publish_post and publish_page publish, schedule_draft and schedule_page " +
      "schedule, where the site allows it";
  }
  if (over.every((label) => WITH_FLAG.some((one) => one === label)) && !may) {
    return site.flags.allow_publish
      ? "what visitors see takes a token of max_risk 3"
      : `what visitors see takes allow_publish on site "${site.id}"`;
  }
  if (over.includes("draft")) return "a call may change the one draft that it names, and make no other";
  return "no token may do that by a tool of the site's own; a person does it in the CMS";
}
