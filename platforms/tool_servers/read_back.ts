/** What stands after a write by a site's own tool, read by the site's own tools that read, compared with what was asked for. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Change } from "../../core/model.ts";
import { wordList } from "../../rules/proxied/words.ts";
import { payloadOf } from "./answers.ts";
import { comparedBlocks } from "./compared_blocks.ts";
import { contentStates } from "../_content/posts.ts";
import { editedBeside, type Seen, structural, touched, unseen } from "./compared.ts";
import { elementSettings, sentFor, withStored } from "./element_settings.ts";
import { allOf, type Found, unknown, wrong } from "./found.ts";
import { lostParts } from "./lost_settings.ts";
import { assertSeen, changesBlocks, partsOf } from "./page_shown.ts";
import type { PageState } from "./page_state.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Resolved } from "./resolved.ts";
import { paired } from "./sent_trees.ts";
import { changesBetween, newIn, shownOf, type Structure, structureOf, textChanges } from "./structure.ts";
import type { SiteOffer, ToolServers } from "./types.ts";

/** What was found of a write. */
export interface Verdict {
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly reason?: string;
  readonly warnings: readonly string[];
  readonly changes: readonly Change[];
  /** Whether what was asked for differs from before; null where that cannot be seen. */
  readonly changed: boolean | null;
  /** The record that was written, where another of the site's own tools shows it. */
  readonly shown?: Readonly<Record<string, unknown>>;
}

/** Looks before and after one write. */
export interface ReadBack {
  /** Reads what stands before. Throws E_UPSTREAM. */
  before(): Promise<void>;
  /** Reads what stands now; `payload` is what the tool answered, null where it failed. Never throws. */
  after(payload: unknown): Promise<Verdict>;
}

/** A verdict of a write that nothing tells about. */
export const unproven = (reason: string, changed: boolean | null = null): Verdict => ({
  verified: null,
  reason,
  warnings: [],
  changes: [],
  changed,
});

/** Why nothing is proven where nothing can be asked. */
export const NO_READER = "The site has no tool of its own that reads back what this one writes";
/** Why nothing is proven of a page that cannot be read again. */
export const UNREADABLE = "The page could not be read back by the site's own tool";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The tool of the site that reads what another one of the same source writes, by how its name ends. */
export function readerOf(
  { offersOf }: ProxyPorts,
  { site_id, ref: { source } }: SiteOffer,
  ending: string,
): SiteOffer | undefined {
  for (const offer of offersOf(site_id)) {
    if (offer.writes || offer.ref.source !== source) continue;
    if (offer.upstream_name === ending || offer.upstream_name.endsWith(`-${ending}`)) return offer;
  }
  return undefined;
}

/** What a reading tool answers; null where it says that it failed. */
export async function readWith(servers: ToolServers, reader: SiteOffer, args: Fields): Promise<unknown> {
  const result = await servers.call(reader.ref, reader.upstream_name, args, { writes: false });
  return result.isError ? null : payloadOf(result);
}

/** Whether an answer lists the parts of a page at all, and is of no other page than the one that was asked for. */
function isOfPage(payload: unknown, pageId: number | null): boolean {
  if (Array.isArray(payload)) return true;
  if (!isFields(payload)) return false;
  const own = [payload.post_id, payload.page_id].filter((one) => one !== undefined);
  return own.every((one) => String(one) === String(pageId)) && Object.values(payload).some(Array.isArray);
}

/** Where the site has no tool that shows a page. */
function unreadPage(call: Resolved, ctx: ProxyContext, state: PageState | null): ReadBack {
  const parts = partsOf(call, wordList(call.target.upstream_name), null);
  let warnings: readonly string[] = [];
  return {
    async before() {
      warnings = await assertSeen(call, ctx, { state, parts });
    },
    after: () => Promise.resolve({ ...unproven(NO_READER), warnings }),
  };
}

/** Reads the page that a call changes with the site's own tool; undefined where the site has none that shows it. */
function pageReader({ target, pageId }: Resolved, ports: ProxyPorts, servers: ToolServers) {
  const words = wordList(target.upstream_name);
  const blocks = changesBlocks(words);
  const reader = readerOf(ports, target, blocks ? "get-post-blocks" : "get-page-structure");
  if (reader === undefined) return undefined;
  const page = { [reader.page ?? "post_id"]: pageId };
  const look = async (id = pageId) => {
    const payload = await readWith(servers, reader, { ...page, [reader.page ?? "post_id"]: id });
    return isOfPage(payload, id) ? structureOf(payload) : null;
  };
  return { blocks, words, page, look };
}

/** Refuses a page that the site's own tool does not find either. Throws E_NOT_FOUND, E_UPSTREAM. */
export async function assertShown(call: Resolved, ctx: ProxyContext, ports: ProxyPorts): Promise<void> {
  const found = pageReader(call, ports, await ports.servers(ctx));
  if (found === undefined || await found.look() !== null) return;
  throw new GatewayError(
    "E_NOT_FOUND",
    `${call.target.page}: the site has no page or post ${call.pageId} that can be read; look for its id with a tool that ` +
      "lists pages or posts",
  );
}

/** The arguments with the place that is meant where it is left out: the end, as callers are shown of it. */
function withPlace({ target: { input_schema: { properties } }, targetArgs: args }: Resolved): Fields {
  const hasPlace = isFields(properties) && isFields(properties.position) &&
    properties.position.type === "integer";
  return hasPlace && args.position === undefined ? { ...args, position: -1 } : args;
}

type ReadSettings = ((element_id: string) => Promise<unknown>) | undefined;

/** Of a template that is given as a tree: whether its elements were added as they were sent. */
async function imported({ args, now }: Seen, before: Structure, read: ReadSettings): Promise<Found | null> {
  const { found, sent } = paired("template_json", args.template_json, newIn(now, before), now);
  return allOf(found, found?.verified ? elementSettings(await withStored(sent, read)) : null);
}

/** Of a template that is named: whether what was added shows what it shows. */
async function applied(
  { words, args: { template_id }, now }: Seen,
  before: Structure,
  look: (id: number) => Promise<Structure | null>,
): Promise<Found | null> {
  if (!words.includes("template") || template_id === undefined) return null;
  const id = Number(template_id);
  const template = Number.isSafeInteger(id) ? await look(id) : null;
  if (template === null) return unknown("template_id: what the template holds could not be read");
  return shownOf(template, [...template.elements.keys()]) === shownOf(now, newIn(now, before))
    ? { verified: true }
    : wrong("template_id: what was added does not show what the template shows");
}

/** The read-back of a write to one page. */
export function pageReadBack(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
  state: PageState | null,
): ReadBack {
  const found = pageReader(call, ports, servers);
  if (found === undefined) return unreadPage(call, ctx, state);
  const { blocks, words, page, look } = found;
  const { target } = call;
  const args = blocks ? call.targetArgs : withPlace(call);
  const reader = readerOf(ports, target, "get-element-settings");
  const readSettings = reader &&
    ((element_id: string) => readWith(servers, reader, { ...page, element_id }).catch(() => null));
  const type = state?.type ?? null;
  const readText = async () =>
    !blocks || type === null ? null : await (await ctx.use(contentStates)).text(call.pageId!, type);
  let before: Structure | null = null;
  let text: string | null = null;
  let warned: readonly string[] = [];
  return {
    async before() {
      [before, text] = await allOrThrow(look(), readText());
      const parts = partsOf(call, words, before?.elements.size ?? null);
      warned = await assertSeen(call, ctx, { state, parts });
    },
    async after(payload) {
      try {
        const sent = sentFor({ words, args, payload, page: target.page ?? "post_id" });
        // Beside each other, for each is a way there and back.
        const [now, own, nowText] = await allOrThrow(look(), withStored(sent, readSettings), readText());
        if (now === null) return { ...unproven(UNREADABLE), warnings: warned };
        const shown = before === null ? [] : changesBetween(before, now);
        const changes = shown.length > 0 ? shown : textChanges(text, nowText);
        const changed = before === null ? null : changes.length > 0;
        const seen = { words, args, payload, before, now, changed };
        const tree = before === null
          ? null
          : await imported(seen, before, readSettings) ?? await applied(seen, before, look);
        const found = (blocks ? comparedBlocks(words, args, { before: text, now: nowText }) : null) ??
          allOf(structural(seen), tree, elementSettings(own)) ?? unseen(changed);
        const gone = lostParts(sent, before, now);
        const warnings = [...found.warnings ?? [], ...gone, ...editedBeside(seen), ...warned];
        const isDone = blocks && found.verified === true && text !== nowText;
        return { ...found, warnings, changes, changed: isDone || touched(seen) };
      } catch {
        return { ...unproven(UNREADABLE), warnings: warned };
      }
    },
  };
}
