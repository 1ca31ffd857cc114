/** The same writes on several sites, each with the site's own names in its texts. */
import { clipped, GatewayError } from "../../core/errors.ts";
import type { Project, Site } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import type { SetChange, SitesPort } from "../../registry/tool.ts";

/** What a text may name, and what stands there then. */
const NAMES = ["site.name", "site.base_url", "project.name"] as const;
type Names = Readonly<Record<(typeof NAMES)[number], string | null>>;

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Each of them for each site, a site's together; `{"$from": n}` goes on meaning the n-th of the same site. */
export async function onEachSite(
  changes: readonly SetChange[],
  ids: readonly string[],
  sites: Pick<SitesPort, "list" | "projects">,
): Promise<SetChange[]> {
  if (new Set(ids).size < ids.length) throw bad("for_each.sites: a site is named twice");
  for (const [at, { arguments: { site_id } }] of changes.entries()) {
    if (site_id !== undefined) {
      throw bad(`changes[${at}].arguments.site_id: leave it out; for_each names the sites`);
    }
  }
  const all = new Map((await sites.list()).map((site) => [site.id, site]));
  const projects = new Map((await sites.projects()).map((one) => [one.id, one]));
  return ids.flatMap((id, at) => {
    const site = all.get(id);
    // One that there is not, or not for this caller, is refused as any call on it is.
    const names = site && namesOf(site, projects);
    return changes.map(({ tool, arguments: args }) => ({
      tool,
      arguments: { site_id: id, ...filled(args, names ?? null, at * changes.length) },
    }));
  });
}

/** Whether a text among them names what stands for a site's own value. */
export const namesSite = (changes: readonly SetChange[]): boolean => {
  const text = JSON.stringify(changes);
  return NAMES.some((name) => text.includes(`{{${name}}}`));
};

const namesOf = (site: Site, projects: ReadonlyMap<string, Project>): Names => ({
  "site.name": site.name,
  "site.base_url": site.base_url,
  "project.name": projects.get(site.project_id ?? "")?.name ?? null,
});

/** The arguments with names put in and references moved on. */
function filled(
  args: Readonly<Record<string, unknown>>,
  names: Names | null,
  before: number,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const from = isFields(value) ? value["$from"] : undefined;
      if (typeof from === "number") return [name, { ...value as object, $from: from + before }];
      return [name, names === null ? value : put(value, names, writingOf(name, args))];
    }),
  );
}

/** What a text is read as, by which a name is written in it. */
type Writing = "text" | "html" | "code" | "json";

/** By the ending of the file that a text is the content of. */
const OF_FILES: Readonly<Record<string, Writing>> = {
  html: "html",
  htm: "html",
  astro: "html",
  svg: "html",
  xml: "html",
  vue: "html",
  svelte: "html",
  css: "code",
  scss: "code",
  js: "code",
  mjs: "code",
  cjs: "code",
  ts: "code",
  jsx: "code",
  tsx: "code",
  mdx: "code",
  json: "json",
};

/** What an argument of that name is, beside those others. */
function writingOf(name: string, beside: Readonly<Record<string, unknown>>): Writing {
  if (name.split("_").includes("html")) return "html";
  if (name === "js" || name === "css") return "code";
  const { path } = beside;
  if (name !== "content" || typeof path !== "string") return "text";
  return OF_FILES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "text";
}

function put(value: unknown, names: Names, writing: Writing): unknown {
  if (typeof value === "string") return inText(value, names, isJson(value) ? "json" : writing);
  if (Array.isArray(value)) return value.map((one) => put(one, names, writing));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const own = writingOf(key, value);
      return [key, put(one, names, own === "text" ? writing : own)];
    }),
  );
}

/** Whether a text is JSON by itself, names not yet put in. */
function isJson(text: string): boolean {
  if (!["{", "["].includes(text.trimStart()[0] ?? "")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One pass from left to right: what was put in is never looked at again. */
function inText(text: string, names: Names, writing: Writing): string {
  let made = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("{{", at);
    const close = open < 0 ? -1 : text.indexOf("}}", open);
    if (close < 0) return made + text.slice(at);
    const name = text.slice(open + 2, close).trim();
    const value = valueOf(name, names);
    made += text.slice(at, open) + (value === null ? "{" : written(value, name, writing));
    at = value === null ? open + 1 : close + 2; // braces before a name are none of its own
  }
}

/** Signs that end a text in code, or begin something else there. */
const BREAKS_CODE = ['"', "'", "`", "\\", "<", ">", "&", "$", "{", "}", "*", "\n", "\r"];

/** A name as it is written there. Throws E_BAD_INPUT for one that would be more than a text. */
function written(value: string, name: string, writing: Writing): string {
  if (writing === "html") return escaped(value);
  if (writing === "json") return JSON.stringify(value).slice(1, -1);
  const broken = writing === "code" ? BREAKS_CODE.find((one) => value.includes(one)) : undefined;
  if (broken === undefined) return value;
  throw bad(
    `{{${name}}}: ${JSON.stringify(clipped(value))} has ${
      JSON.stringify(broken)
    }, which in code is no text; write it out`,
  );
}

/** What stands for a name; null for what is none of ours, and stays as it is. */
function valueOf(name: string, names: Names): string | null {
  const [of = ""] = name.split(".");
  if (!["site", "project"].includes(of.toLowerCase())) return null;
  if (!(NAMES as readonly string[]).includes(name)) {
    throw bad(
      `{{${clipped(name)}}}: there is no such value; there are ${
        NAMES.map((one) => `{{${one}}}`).join(", ")
      }`,
    );
  }
  const value = names[name as keyof Names];
  if (value === null) throw bad(`{{${name}}}: site "${names["site.name"]}" has none; leave it out`);
  return value;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => [...text].map((one) => ENTITIES[one] ?? one).join("");
