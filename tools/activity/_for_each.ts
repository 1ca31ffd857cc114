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
      return [name, names === null ? value : put(value, names, name)];
    }),
  );
}

/** Whether an argument of that name is HTML. */
const isHtml = (name: string) => name.split("_").includes("html");

function put(value: unknown, names: Names, name: string): unknown {
  if (typeof value === "string") return inText(value, names, isHtml(name));
  if (Array.isArray(value)) return value.map((one) => put(one, names, name));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, put(one, names, key)]));
}

/** One pass from left to right: what was put in is never looked at again. */
function inText(text: string, names: Names, html: boolean): string {
  let made = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("{{", at);
    const close = open < 0 ? -1 : text.indexOf("}}", open);
    if (close < 0) return made + text.slice(at);
    const name = text.slice(open + 2, close).trim();
    const value = valueOf(name, names);
    made += text.slice(at, open) +
      (value === null ? text.slice(open, close + 2) : html ? escaped(value) : value);
    at = close + 2;
  }
}

/** What stands for a name; null for what is none of ours, and stays as it is. */
function valueOf(name: string, names: Names): string | null {
  const [of] = name.split(".");
  if (of !== "site" && of !== "project") return null;
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
