/** The templates that a site's theme has for pages, and which of them a page that is to be wide or bare gets. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { cut } from "../../../core/values.ts";
import { COMPANION } from "../companion/plugin.ts";
import { CmsError } from "../errors.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

const flag = z.boolean().nullable().catch(null);
const TEMPLATE = z.object({
  name: z.string().max(200),
  title: z.string().catch("").transform((title) => cut(title, 80)),
  frame: flag,
  shows_title: flag,
});
const TEMPLATES = z.object({
  theme: z.string().catch("").transform((name) => cut(name, 80)),
  templates: z.array(TEMPLATE).max(200),
});

/** One of them; without a name the layout that the theme gives every page. */
export type ThemeTemplate = z.infer<typeof TEMPLATE>;
type ThemeTemplates = z.infer<typeof TEMPLATES>;

const KEY = "theme templates";
const TTL_MS = 60_000;

/** Those of the site; null where it has no companion plugin, or one too old to tell. Throws CmsError. */
async function themeTemplates(wire: WordPressClient): Promise<ThemeTemplates | null> {
  return await wire.cache.once(KEY, TTL_MS, async () => {
    try {
      return (await wire.get(`${COMPANION}/page-templates`, {}, TEMPLATES)).data;
    } catch (thrown) {
      if (!(thrown instanceof CmsError) || [401, 429].includes(thrown.upstream ?? 0)) throw thrown;
      return null;
    }
  });
}

/** The layout that a caller wishes, in place of a name: the theme's own, one for a wide page, one without anything around. */
const WISHES: ReadonlySet<string> = new Set(["theme", "wide", "blank"]);
const BLANK: readonly string[] = ["blank", "canvas", "empty"];

/** The words of its name and title. */
function wordsOf({ name, title }: ThemeTemplate): string[] {
  const text = `${name} ${title}`.toLowerCase().replaceAll(".php", " ");
  return [..."-_/ .()&,"].reduce((words, mark) => words.flatMap((word) => word.split(mark)), [text])
    .filter((word) => word !== "");
}

const isBlank = (template: ThemeTemplate): boolean =>
  template.frame === false ||
  (template.frame === null && wordsOf(template).some((word) => BLANK.includes(word)));

/** Whether it gives a page the whole width, or leaves the title to the page. */
function isWide(template: ThemeTemplate): boolean {
  const words = wordsOf(template);
  const has = (first: string, second: string) =>
    words.some((word, at) => word === first && words[at + 1] === second);
  const isNamed = words.includes("fullwidth") || has("full", "width") || has("no", "title");
  return !isBlank(template) && template.shows_title !== true && isNamed;
}

/**
 * The theme's template for what a caller gave: `theme`, `wide`, `blank`, or a template's own name. Throws E_BAD_INPUT with
 * those there are (docs/decisions/0105-a-template-is-one-of-the-theme.md).
 */
export function templateFor({ theme, templates }: ThemeTemplates, wanted: string): ThemeTemplate {
  const own = templates.filter(({ name }) => name !== "");
  const found = wanted === "" || wanted === "theme"
    ? templates.find(({ name }) => name === "")
    : own.find(({ name }) => name === wanted) ??
      (wanted === "blank" ? own.find(isBlank) : wanted === "wide" ? own.find(isWide) : undefined);
  if (found) return found;
  const listed = own.map(({ name, title }) => title === "" ? name : `${name} (${JSON.stringify(title)})`);
  const there = listed.length === 0
    ? "none but its own layout, theme"
    : `${listed.join(", ")}; theme is its own layout`;
  throw new GatewayError(
    "E_BAD_INPUT",
    `template: the theme ${JSON.stringify(theme)} has no template ${
      WISHES.has(wanted) ? `that is ${wanted}` : JSON.stringify(wanted)
    }; it has ${there}`,
  );
}

const needed = (what: string) =>
  new GatewayError(
    "E_COMPANION_REQUIRED",
    `template: ${what} only with a companion plugin that knows the theme's templates; an operator makes the newest with ` +
      "deno task companion and uploads it on the site's Plugins page",
  );

/** The template of a page from code; null where the site does not tell and none was asked for. Throws as templateFor. */
export async function codeTemplate(
  wire: WordPressClient,
  wanted: string | undefined,
  current: string | undefined,
): Promise<ThemeTemplate | null> {
  const known = await themeTemplates(wire);
  if (wanted === undefined) {
    return known?.templates.find(({ name }) => name === (current ?? "")) ?? null;
  }
  if (known === null) throw needed("a page from code is given one");
  return templateFor(known, wanted);
}

/** The name of the template of a page of blocks; without the plugin WordPress judges it with the write. Throws as templateFor. */
export async function blockTemplate(
  wire: WordPressClient,
  wanted: string | undefined,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const known = await themeTemplates(wire);
  if (known !== null) return templateFor(known, wanted).name;
  if (wanted === "theme") return "";
  if (WISHES.has(wanted)) throw needed(`"${wanted}" is found`);
  return wanted;
}
