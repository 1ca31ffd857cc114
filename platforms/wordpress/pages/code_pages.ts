/** Pages of a CMS made from HTML, CSS and JavaScript, through the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { CodeParts } from "../../../rules/code_pages/parts.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import type { PostHead, Written } from "../../_content/post.ts";
import { allOrThrow } from "../../../core/async.ts";
import { asking, COMPANION, makingPage, readCompanion, requireCapability } from "../companion/plugin.ts";
import { compareCodePage } from "./code_proof.ts";
import { requireParent } from "./pages.ts";
import { editingWarnings, type PartHashes, staleOf } from "../companion/guarded.ts";
import { STORED_ROWS, type StoredRows } from "../companion/stored_rows.ts";
import { type DependsOn, readTold, writeTold } from "../companion/guarded_routes.ts";
import { head, SLUG } from "../rest/records.ts";
import { checkState, judge, requireUnpublished } from "../rest/states.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import { written } from "../rest/writer.ts";

const SUMMARY = z.object({
  id: z.number().int().positive(),
  status: z.string(),
  url: z.string(),
  slug: SLUG,
  scope_class: z.string(),
});

const PARTS = SUMMARY.extend({
  html: z.string(),
  css: z.string(),
  js: z.string(),
  /** Left out by a plugin that knows no templates. */
  template: z.string().optional().catch(undefined),
  /** Whether the content is still as the plugin wrapped it. */
  scoped: z.boolean().default(true),
  /** Whether the content is what visitors see. */
  shown: z.boolean().default(true),
});

/** What a page is compared by after a write. */
const STORED = PARTS.extend({
  title: z.string().optional().catch(undefined),
  parent: z.number().optional().catch(undefined),
});

const TOLD = STORED.extend({
  title: z.string(),
  date_gmt: z.string().nullable(),
  modified_gmt: z.string().nullable(),
  stored: STORED_ROWS,
});
const PLACE = z.object({ taken: z.object({ id: z.number(), title: z.string() }).nullable() });
const guardedPage = (id: number) => ({ path: `code-pages/${id}`, part: "code_page", state: TOLD }) as const;

/** A page made from code, its parts as they are stored. */
export interface CodePage extends PostHead {
  readonly slug: string;
  readonly scope_class: string;
  readonly html: string;
  readonly css: string;
  readonly js: string;
  /** The name of the theme's template, "" for the theme's own layout; undefined where the plugin does not tell. */
  readonly template?: string | undefined;
  /** False where somebody changed the content by other means, so that the CSS may not hold for it. */
  readonly scoped: boolean;
  /** False where the site shows what the visual builder keeps of it, in place of its HTML. */
  readonly shown: boolean;
  /** What a person should know before approving a change, a sentence each. */
  readonly warnings: readonly string[];
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
  /** The rows that hold it; nothing where the site does not tell. */
  readonly stored?: StoredRows | undefined;
}

/** A page to be made; its parts as they are to be stored. */
export interface NewCodePage extends CodeParts {
  readonly title: string;
  readonly slug: string;
  readonly parent_id?: Id;
  readonly scope_class: string;
  readonly html: string;
  readonly template?: string | undefined;
}

/** What may be changed of one; what is absent stays as it is. */
export interface CodePageChange extends CodeParts {
  readonly title?: string;
  readonly template?: string | undefined;
}

/** The result of a write. */
export interface CodePageWritten extends Written {
  readonly slug: string;
  readonly scope_class: string;
  readonly stored?: StoredRows | undefined;
}

/** Where a page is to be made. */
export interface PreparedPlace {
  /** The page that has the slug already; null for none, or where the plugin does not tell. */
  readonly taken: { readonly id: number; readonly title: string } | null;
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
}

const RIGHTS = [["edit_pages", "write pages"], ["unfiltered_html", "store scripts and styles"]] as const;

/** Proves that the plugin is there and the account may; writes nothing. Throws E_COMPANION_REQUIRED, E_BAD_INPUT. */
export async function prepareCodePage(
  wire: WordPressClient,
  slug: string,
  parent?: Id,
): Promise<PreparedPlace> {
  const query = { slug, parent: parent === undefined ? undefined : numericId(parent, "parent_id") };
  const told = await readTold(wire, { path: "code-pages", state: PLACE }, query);
  if (told) return { taken: told.state.taken, hashes: told.hashes };
  await requireRights(wire, parent);
  return { taken: null };
}

async function requireRights(wire: WordPressClient, parent?: Id): Promise<void> {
  const [health] = await allOrThrow(readCompanion(wire, "code_page"), requireParent(wire, parent));
  for (const [right, doing] of RIGHTS) requireCapability(health, right, doing);
}

/**
 * Reads a page made from code and refuses one that is published; writes nothing. Throws E_COMPANION_REQUIRED,
 * E_FORBIDDEN_OP, CmsError (404 for a page that was not made from code).
 */
export async function readCodePage(wire: WordPressClient, id: number): Promise<CodePage> {
  const told = await readTold(wire, guardedPage(id));
  if (told) {
    const { html, css, js, template, scoped, shown, slug, scope_class, url: link, title, stored, ...state } =
      told.state;
    const record = { ...state, link, title: { raw: title } };
    judge("pages", "update")({ record, siteNow: told.siteNow });
    const parts = { html, css, js, template, scoped, shown, slug, scope_class };
    return {
      ...head(record),
      ...parts,
      hashes: told.hashes,
      stored,
      warnings: editingWarnings(told.editing),
    };
  }
  const [, page] = await allOrThrow(requireRights(wire), readPlain(wire, id));
  return page;
}

async function readPlain(wire: WordPressClient, id: number): Promise<CodePage> {
  const [state, got] = await allOrThrow(
    checkState(wire, "pages", id, "update"),
    asking("code_page", () => wire.get(`${COMPANION}/code-pages/${id}`, {}, PARTS)),
  );
  const { html, css, js, template, scoped, shown, slug, scope_class } = got.data;
  const { status, url, title, scheduled_at, modified_gmt, warnings } = state;
  const parts = { html, css, js, template, scoped, shown, slug, scope_class };
  return { id, status, url, title, scheduled_at, modified_gmt, warnings, ...parts };
}

/** Makes a draft. Throws E_STALE_PREVIEW, E_FORBIDDEN_OP, E_COMPANION_REQUIRED and the codes of the plugin's refusals. */
export async function createCodePage(
  wire: WordPressClient,
  page: NewCodePage,
  place: PreparedPlace,
  making: Making,
): Promise<CodePageWritten> {
  const { parent_id, ...rest } = page;
  const parent = parent_id === undefined ? {} : { parent: numericId(parent_id, "parent_id") };
  const what = `what is at the slug "${page.slug}"`;
  const dependsOn = place.hashes && { hashes: place.hashes, what };
  const made = await write(wire, "code-pages", { ...rest, ...parent }, dependsOn, making);
  if (made.scope_class !== page.scope_class) {
    throw new GatewayError(
      "E_UPSTREAM",
      `Page ${made.id} was made, but with the class "${made.scope_class}" its CSS is not for; look at it on the site`,
      { upstream: 502 },
    );
  }
  return made;
}

/** The plugin's parts that a change of each part relies on. */
const DEPENDS_ON = {
  title: ["title"],
  html: ["content", "builder"],
  css: ["css"],
  js: ["js"],
  template: ["template"],
} as const;
const CHANGED = ["title", "html", "css", "js", "template"] as const;

/** Changes the given parts of a draft or scheduled page that is still as it was seen. Throws as createCodePage. */
export async function updateCodePage(
  wire: WordPressClient,
  id: number,
  change: CodePageChange,
  seen: CodePage,
): Promise<CodePageWritten> {
  const given = CHANGED.filter((name) => change[name] !== undefined);
  const route = `code-pages/${id}`;
  if (seen.hashes) {
    const names = ["status", "date_gmt", "scope", ...given.flatMap((name) => DEPENDS_ON[name])];
    const dependsOn = { hashes: seen.hashes, names, what: `page ${id}`, words: { content: "html" } };
    return await write(wire, route, { ...change }, dependsOn, null, () => requireSame(wire, id, given, seen));
  }
  await requireSame(wire, id, given, seen);
  return await write(wire, route, { ...change }, undefined, null);
}

/** Last before a write without the guard: what is replaced, and who shows it, is as it was seen. */
async function requireSame(
  wire: WordPressClient,
  id: number,
  given: readonly (typeof CHANGED[number])[],
  seen: CodePage,
): Promise<void> {
  const now = await readPlain(wire, id);
  const names = [
    "status",
    "scheduled_at",
    "scope_class",
    ...given.includes("html") ? ["shown"] : [],
    ...given,
  ];
  const differ = (names as (keyof CodePage)[]).filter((name) => now[name] !== seen[name]);
  if (differ.length > 0) throw staleOf(`page ${id}`, differ, { by: null, at: now.modified_gmt });
}

async function write(
  wire: WordPressClient,
  path: string,
  sent: Record<string, unknown>,
  dependsOn: DependsOn | undefined,
  making: Making | null,
  last: () => Promise<void> = () => Promise.resolve(),
): Promise<CodePageWritten> {
  const json = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const route = { path, part: "code_page", state: TOLD } as const;
  const done = dependsOn && await writeTold(wire, route, dependsOn, json, SUMMARY, making);
  const plain = async () => {
    await last();
    return await makingPage("code_page", making, () => wire.post(`${COMPANION}/${path}`, {}, json, SUMMARY));
  };
  const answer = done?.written ?? await plain();
  const { id, status, url, slug, scope_class } = answer;
  const state = { id, status, link: url, date_gmt: null, modified_gmt: null };
  await requireUnpublished(wire, "pages", state, making);
  const read = async () => (await wire.forCleanup().get(`${COMPANION}/code-pages/${id}`, {}, STORED)).data;
  const proof = await compareCodePage(sent, done?.state ?? null, read);
  const told = written(wire, state, proof.differences);
  return { ...proof, ...told, slug, scope_class, stored: done?.state.stored };
}
