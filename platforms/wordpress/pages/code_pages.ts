/** Pages of a CMS made from HTML, CSS and JavaScript, through the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import type { CodeParts } from "../../../code_pages/parts.ts";
import { type Id, numericId } from "../../../lib/ids.ts";
import type { Making } from "../../../model.ts";
import type { PostHead, Written } from "../../post.ts";
import { together } from "../../../lib/async.ts";
import { asking, COMPANION, makingPage, readCompanion, requireCapability } from "../companion/plugin.ts";
import { requireParent } from "./pages.ts";
import { plainSlug, SLUG } from "../rest/records.ts";
import { checkState, requireUnpublished, written } from "../rest/states.ts";
import type { Wire } from "../rest/wire.ts";

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
  /** Whether the content is still as the plugin wrapped it. */
  scoped: z.boolean().default(true),
  /** Whether the content is what visitors see. */
  shown: z.boolean().default(true),
});

/** A page made from code, its parts as they are stored. */
export interface CodePage extends PostHead {
  readonly slug: string;
  readonly scope_class: string;
  readonly html: string;
  readonly css: string;
  readonly js: string;
  /** False where somebody changed the content by other means, so that the CSS may not hold for it. */
  readonly scoped: boolean;
  /** False where the site shows what the visual builder keeps of it, in place of its HTML. */
  readonly shown: boolean;
}

/** A page to be made; its parts as they are to be stored. */
export interface NewCodePage extends CodeParts {
  readonly title: string;
  readonly slug: string;
  readonly parent_id?: Id;
  readonly scope_class: string;
  readonly html: string;
}

/** What may be changed of one; what is absent stays as it is. */
export interface CodePageChange extends CodeParts {
  readonly title?: string;
}

/** The result of a write. */
export interface CodePageWritten extends Written {
  readonly slug: string;
  readonly scope_class: string;
}

const RIGHTS = [["edit_pages", "write pages"], ["unfiltered_html", "store scripts and styles"]] as const;

/** Proves that the plugin is there and the account may; writes nothing. Throws E_COMPANION_REQUIRED, E_BAD_INPUT. */
export async function prepareCodePage(wire: Wire, parent?: Id): Promise<void> {
  const [health] = await together(readCompanion(wire, "code_page"), requireParent(wire, parent));
  for (const [right, doing] of RIGHTS) requireCapability(health, right, doing);
}

/**
 * Reads a page made from code and refuses one that is published; writes nothing. Throws E_COMPANION_REQUIRED,
 * E_FORBIDDEN_OP, CmsError (404 for a page that was not made from code).
 */
export async function readCodePage(wire: Wire, id: number): Promise<CodePage> {
  const [, state, got] = await together(
    prepareCodePage(wire),
    checkState(wire, "pages", id, "update"),
    asking("code_page", () => wire.get(`${COMPANION}/code-pages/${id}`, {}, PARTS)),
  );
  const { html, css, js, scoped, shown, slug, scope_class } = got.data;
  const { id: _, status, url, title, scheduled_at, modified_gmt } = state;
  return {
    id,
    status,
    url,
    title,
    scheduled_at,
    modified_gmt,
    html,
    css,
    js,
    scoped,
    shown,
    slug,
    scope_class,
  };
}

/** Makes a draft. Throws E_FORBIDDEN_OP, E_COMPANION_REQUIRED and the codes of the plugin's refusals. */
export async function createCodePage(
  wire: Wire,
  page: NewCodePage,
  making: Making,
): Promise<CodePageWritten> {
  const { parent_id, ...rest } = page;
  const parent = parent_id === undefined ? {} : { parent: numericId(parent_id, "parent_id") };
  const made = await write(wire, "code-pages", { ...rest, ...parent }, making);
  if (made.scope_class !== page.scope_class) {
    throw new GatewayError(
      "E_UPSTREAM",
      `Page ${made.id} was made, but with the class "${made.scope_class}" its CSS is not for; look at it on the site`,
      { upstream: 502 },
    );
  }
  if (made.slug === plainSlug(page.slug)) return made;
  return { ...made, warnings: [`slug: the site kept "${made.slug}" instead of "${page.slug}"`] };
}

/** Changes the given parts of a draft or scheduled page. Throws as createCodePage. */
export async function updateCodePage(
  wire: Wire,
  id: number,
  change: CodePageChange,
): Promise<CodePageWritten> {
  await checkState(wire, "pages", id, "update"); // last before the write
  return await write(wire, `code-pages/${id}`, { ...change }, null);
}

async function write(
  wire: Wire,
  route: string,
  sent: Record<string, unknown>,
  making: Making | null,
): Promise<CodePageWritten> {
  const json = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const { id, status, url, slug, scope_class } = await makingPage(
    "code_page",
    making,
    () => wire.post(`${COMPANION}/${route}`, {}, json, SUMMARY),
  );
  const state = { id, status, link: url, date_gmt: null, modified_gmt: null };
  await requireUnpublished(wire, "pages", state, making);
  return { ...written(state), slug, scope_class };
}
