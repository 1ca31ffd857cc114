/** What stands after a site's own tool wrote fields of a post or page, such as its title: its own record says. */
import { decodeHTML } from "entities/decode";
import type { Change } from "../../core/model.ts";
import { wordList } from "../../rules/proxied/words.ts";
import { contentStates, type PostFields } from "../_content/posts.ts";
import { type Found, unknown } from "./found.ts";
import { assertSeen, partsOf } from "./page_shown.ts";
import type { PageState } from "./page_state.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { type ReadBack, unproven, UNREADABLE } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";
import { textChanges } from "./structure.ts";
import type { ToolServers } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Tools that are called so name the fields of a post as its record does. */
const FOR_POSTS = /(?:^|-)(?:create|update)-(?:post|page)$/;
/** Whether a tool writes the fields of a post or page under their own names. */
export const writesPost = ({ target }: Resolved): boolean => FOR_POSTS.test(target.upstream_name);

/** Names of arguments as a message shows them. */
export const namedShort = (names: readonly string[]): string =>
  names.slice(0, NAMED_MAX).map((one) => one.slice(0, NAME_CHARACTERS)).join(", ");
const NAMED_MAX = 10;
const NAME_CHARACTERS = 64;

/** Of arguments that no record shows. */
export const notShown = (names: readonly string[]): Found =>
  unknown(`What is read of a page does not show ${namedShort(names)}`);

/** Without what no reader of a title sees: elements, the spelling of entities, blanks. */
export function readTitle(title: string): string {
  const text = decodeHTML(title);
  // Behind the last end of a tag none is looked for.
  const end = text.lastIndexOf(">") + 1;
  return (text.slice(0, end).replace(/<[^>]*>/g, "") + text.slice(end)).replace(/\s+/g, " ").trim();
}
const readText = (text: string): string => decodeHTML(text).replace(/\s+/g, "").replace(/\/>/g, ">");

function isSame(name: string, sent: string | number, stored: string | number): boolean {
  if (name === "title") return readTitle(String(sent)) === readTitle(String(stored));
  if (name === "content" || name === "excerpt") return readText(String(sent)) === readText(String(stored));
  return String(sent) === String(stored);
}

/** Whether the record has the arguments as they were sent; null where it does not show all of them. */
export function comparedFields(args: Fields, now: PostFields): Found {
  const wrong: string[] = [];
  const hidden: string[] = [];
  for (const [name, sent] of Object.entries(args)) {
    const stored = now[name];
    const isPlain = typeof sent === "string" || typeof sent === "number";
    if (stored === undefined || !isPlain) hidden.push(name);
    else if (!isSame(name, sent, stored)) wrong.push(name);
  }
  const warnings = wrong.map((name) => `${name}: the page does not have it as it was sent`);
  if (warnings.length > 0) return { verified: false, warnings };
  if (hidden.length > 0) return notShown(hidden);
  return Object.keys(args).length > 0 ? { verified: true } : unknown("The call names nothing to change");
}

/** The fields of a record that differ. */
const differing = (before: PostFields, now: PostFields): string[] =>
  Object.keys(now).filter((name) => before[name] !== now[name]);

const changesOf = (before: PostFields, now: PostFields): Change[] =>
  differing(before, now).flatMap((field) =>
    field === "content"
      ? textChanges(String(before[field]), String(now[field]))
      : [{ field, from: before[field] ?? null, to: now[field]! }]
  );

/** What else of it was changed meanwhile. */
function beside(args: Fields, before: PostFields, now: PostFields): string[] {
  const others = differing(before, now).filter((name) => !(name in args));
  return others.length === 0
    ? []
    : [`${others.join(", ")}: differs from before too, and the call does not name it`];
}

/** Whether anything that the call names was changed; null where that would not show. */
function changed(args: Fields, before: PostFields, now: PostFields): boolean | null {
  const names = Object.keys(args);
  if (names.some((name) => before[name] !== now[name])) return true;
  return names.every((name) => name in now) && comparedFields(args, now).verified === false ? false : null;
}

/** The read-back of a write to the fields of a post or page. */
export function postReadBack(
  call: Resolved,
  ctx: ProxyContext,
  _ports: ProxyPorts,
  _servers: ToolServers,
  state: PageState | null,
): ReadBack {
  const { target, targetArgs, pageId } = call;
  const { [target.page ?? "post_id"]: _, ...args } = targetArgs;
  const read = async () => await (await ctx.use(contentStates)).fields(pageId!, state!.type!);
  let before: PostFields | null = null;
  let warned: readonly string[] = [];
  return {
    async before() {
      const parts = partsOf(call, wordList(target.upstream_name), null);
      warned = await assertSeen(call, ctx, { state, parts });
      before = await read();
    },
    async after() {
      const now = before && await read().catch(() => null);
      if (before === null || now === null) return { ...unproven(UNREADABLE), warnings: warned };
      const found = comparedFields(args, now);
      const warnings = [...found.warnings ?? [], ...beside(args, before, now), ...warned];
      return { ...found, warnings, changes: changesOf(before, now), changed: changed(args, before, now) };
    },
  };
}
