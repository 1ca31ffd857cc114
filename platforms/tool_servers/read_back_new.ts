/** What stands after a site's own tool made something new: a page, and whether all of it was stored. */
import { contentStates, type FoundState } from "../_content/posts.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { elementSettings, withStored } from "./element_settings.ts";
import { allOf, type Found, unknown, wrong } from "./found.ts";
import { type ReadBack, readerOf, readWith, unproven, type Verdict } from "./read_back.ts";
import { comparedFields, notShown, readTitle, writesPost } from "./read_back_post.ts";
import type { Resolved } from "./resolved.ts";
import { paired } from "./sent_trees.ts";
import { structureOf } from "./structure.ts";
import type { ToolServers } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

const NOT_NAMED = "The tool does not say which page or post it made";
const DRY = "It was a dry run, which makes nothing";

/** The read-back of a write that makes a page or a post. */
export function newReadBack(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadBack {
  const { targetArgs } = call;
  let began = Infinity;
  return {
    before() {
      began = ctx.now();
      return Promise.resolve();
    },
    async after(payload) {
      const id = payload === null ? null : madeId(payload);
      const isDry = targetArgs.dry_run === true;
      if (id === null) return unproven(isDry ? DRY : NOT_NAMED);
      try {
        const state = await (await ctx.use(contentStates)).find(id);
        if (state === null) return await unread(id, payload as Fields, call, ports, servers);
        ctx.annotate({ result_id: id });
        const changes = [{
          field: `page ${id}`,
          from: null,
          to: { status: state.status, title: state.title },
        }];
        const found = otherPage(targetArgs, state) ??
          standing(state, ctx.now() - began) ??
          (isDry ? wrong(`dry_run: the tool made page ${id} all the same`) : null) ??
          unseen(targetArgs, state) ??
          await stored(call, state, ctx, ports, servers);
        const live = ["published", "private"].includes(state.status)
          ? [
            `Page ${id} is public: the site's own tool made it so, though nothing asked for it; take it back in the CMS`,
          ]
          : [];
        const { warnings = [], ...verdict } = live.length > 0 ? { ...found, verified: false } : found;
        return { ...verdict, warnings: [...live, ...warnings], changes, changed: true };
      } catch {
        return unproven(`What was made, ${id}, could not be read back`);
      }
    },
  };
}

/** A page with another title, status, type or template than was sent; null where it has those. */
function otherPage({ title, status, post_type, template }: Fields, state: FoundState): Found | null {
  const differs = (sent: unknown, stored: string) => typeof sent === "string" && sent !== stored;
  const warnings = [
    ...(typeof title === "string" && readTitle(title) !== readTitle(state.title)
      ? ["title: the page does not have it as it was sent"]
      : []),
    ...(differs(status, state.status) ? [`status: the page is ${state.status}`] : []),
    ...(differs(post_type, state.type) ? [`post_type: it is a ${state.type}`] : []),
    ...(differs(template, state.template) ? ["template: the page does not have it as it was sent"] : []),
  ];
  return warnings.length === 0 ? null : { verified: false, warnings };
}

/** Clocks differ by less. */
const CLOCK_MS = 300_000;

/** A page that nobody has changed since before the call began is none that it made; null for any other. */
function standing({ id, modified_gmt, siteNow }: FoundState, since: number): Found | null {
  const changed = Date.parse(modified_gmt ?? "");
  return changed < siteNow - since - CLOCK_MS
    ? { verified: null, reason: `Page ${id} was there before, by its own date` }
    : null;
}

/** What is neither a page nor a post: of another kind where the site's own tool shows it, else not kept. */
async function unread(
  id: number,
  { post_id, page_id }: Fields,
  { target }: Resolved,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Verdict> {
  const why = `What was made, ${id}, is neither a page nor a post that can be read`;
  const reader = readerOf(ports, target, "get-page-structure");
  // An id alone may be one of a menu, a term, a setting.
  const isPost = (post_id ?? page_id) !== undefined;
  if (reader === undefined || !isPost) return unproven(why);
  if (await readWith(servers, reader, { [reader.page ?? "post_id"]: id }) !== null) return unproven(why);
  return {
    verified: false,
    warnings: [`The tool reports that it made ${id}, which the site does not have`],
    changes: [],
    changed: false,
  };
}

/** The id of what was made, as tools name it. */
function madeId(payload: unknown): number | null {
  if (typeof payload !== "object" || payload === null) return null;
  const { post_id, page_id, id } = payload as Fields;
  const named = post_id ?? page_id ?? id;
  // What is no plain number would be the id of another page to other readers.
  const found = typeof named === "string" && /^\d{1,15}$/.test(named) ? Number(named) : named;
  return typeof found === "number" && Number.isSafeInteger(found) && found > 0 ? found : null;
}

/** Arguments that name the page's elements. */
const TREES = ["structure", "content"];
const treeIn = (args: Fields) => TREES.find((one) => Array.isArray(args[one]) && !isEmpty(args[one]));

/** A page whose elements nobody sees; null of any other. */
function unseen(args: Fields, { id, builder }: FoundState): Found | null {
  const name = treeIn(args);
  if (name === undefined || builder !== "block") return null;
  return wrong(`${name}: page ${id} is shown by WordPress's own editor, so nobody sees its elements`);
}

/** All that can be compared of a page that was made. */
const COMPARED: ReadonlySet<string> = new Set(["title", "status", "post_type", "template", "dry_run"]);

/** Whether the elements are stored that were sent; that the page is there, where none were. */
async function stored(
  call: Resolved,
  { id, type }: FoundState,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Found> {
  const { target, targetArgs } = call;
  const name = treeIn(targetArgs);
  const others = Object.entries(targetArgs).filter(([one, value]) =>
    one !== name && !COMPARED.has(one) && !isEmpty(value)
  );
  const settings = others.length > 0
    ? await ownFields(call, { id, type }, Object.fromEntries(others), ctx)
    : null;
  if (name === undefined) return settings ?? { verified: true };
  const reader = readerOf(ports, target, "get-page-structure");
  const page = { [reader?.page ?? "post_id"]: id };
  const payload = reader && await readWith(servers, reader, page);
  if (payload === undefined || payload === null) return unknown("Its elements could not be read back");
  const there = structureOf(payload);
  const { found, sent } = paired(name, targetArgs[name], [...there.elements.keys()], there);
  if (found?.verified === false) return found;
  const one = readerOf(ports, target, "get-element-settings");
  const read = one &&
    ((element_id: string) => readWith(servers, one, { ...page, element_id }).catch(() => null));
  return allOf(found, elementSettings(await withStored(sent, read)), settings) ?? { verified: true };
}

/** Whether the record has the other arguments, as far as it shows them. */
async function ownFields(
  call: Resolved,
  { id, type }: Pick<FoundState, "id" | "type">,
  args: Fields,
  ctx: ProxyContext,
): Promise<Found> {
  const now = writesPost(call) ? await (await ctx.use(contentStates)).fields(id, type) : null;
  return now === null ? notShown(Object.keys(args)) : comparedFields(args, now);
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
