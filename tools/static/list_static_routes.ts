/** list_static_routes: the pages of a static site, those that a dynamic page makes of markdown too, and which are ours. */
import { isMarkdown } from "../../platforms/astro/block.ts";
import { readAt } from "../../rules/branch.ts";
import { collectionPageOf, contentRouteOf, routeOfFile } from "../../rules/route.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";
import { type Facts, factsOf, knownFacts } from "./_facts.ts";

/** Files looked into in one call, beside those that are known; of the rest it is not told. */
const LOOKED_INTO_MAX = 300;
const IN_FLIGHT = 6;
/** After so long no further file is looked into, so that an answer still comes. */
const LOOKING_MS_MAX = 40_000;
const CONTENT = "src/content/";

/** Looks into files, as many as one call may. */
class Looks {
  #left = LOOKED_INTO_MAX;
  readonly #until: number;

  constructor(readonly view: View, readonly now: () => number) {
    this.#until = now() + LOOKING_MS_MAX;
  }

  /** What each of them says, by its path; those that are left over are not in it. */
  async into(files: readonly Entry[]): Promise<Map<string, Facts>> {
    const found = new Map<string, Facts>();
    const unread = files.filter((one) => {
      const known = knownFacts(one);
      if (known) found.set(one.path, known);
      return known === undefined;
    });
    const some = unread.slice(0, this.#left).values();
    const work = async () => {
      for (const one of some) {
        if (this.now() >= this.#until) return;
        this.#left--;
        found.set(one.path, await factsOf(this.view, one));
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    for (const one of unread) { // two files may be the same
      const known = knownFacts(one);
      if (known) found.set(one.path, known);
    }
    return found;
  }
}

interface Page {
  readonly route: string;
  readonly entry: Entry;
  readonly facts: Facts | undefined;
  /** The dynamic page that makes it of a markdown file. */
  readonly made_by?: string;
}

/** The pages that dynamic pages make of the markdown files of a collection. */
async function contentPages(view: View, pages: readonly Entry[], looks: Looks) {
  const dynamic = pages.filter(({ path }) => collectionPageOf(path) !== null);
  if (dynamic.length === 0) return { found: [], truncated: false };
  const { entries, truncated } = await view.list(CONTENT);
  const texts = entries.filter(({ path }) => isMarkdown(path));
  const said = await looks.into(dynamic);
  const found: Page[] = [];
  for (const { path } of dynamic) {
    const { folder, deep } = collectionPageOf(path)!;
    const asked = said.get(path)?.collections ?? [];
    const collections = asked.length > 0 ? asked : folder === "" ? [] : [folder];
    for (const collection of collections) {
      const below = `${CONTENT}${collection}/`;
      const own = texts.filter((one) => one.path.startsWith(below));
      const facts = await looks.into(own);
      for (const entry of own) {
        const of = facts.get(entry.path);
        const route = contentRouteOf(folder, entry.path.slice(below.length), of?.slug ?? null, deep);
        if (route !== null) found.push({ route, entry, facts: of, made_by: path });
      }
    }
  }
  return { found, truncated };
}

export default tool("list_static_routes", async ({ prefix = "", ref }, ctx) => {
  const at = await readAt(ref, ctx.previews);
  const view = await (await ctx.use(github)).view(at);
  const looks = new Looks(view, ctx.now);
  const { entries, truncated } = await view.list("src/pages/");
  const wanted = `/${prefix.replace(/^\//, "")}`.toLowerCase();
  const isWanted = ({ route }: { route: string }) => route.toLowerCase().startsWith(wanted);
  const plain = entries.flatMap((entry) => {
    const route = routeOfFile(entry.path);
    return route === null ? [] : [{ route, entry }];
  }).filter(isWanted);
  const said = await looks.into(plain.map(({ entry }) => entry));
  const content = await contentPages(view, entries, looks);
  const own = new Set(plain.map(({ route }) => route.toLowerCase()));
  const all: Page[] = [
    ...plain.map((one) => ({ ...one, facts: said.get(one.entry.path) })),
    ...content.found.filter((one) => isWanted(one) && !own.has(one.route.toLowerCase())),
  ];
  const routes = all.map(({ route, entry: { path, sha }, facts, made_by }) => ({
    route,
    file_path: path,
    sha,
    managed: facts?.managed ?? null,
    ...made_by === undefined ? {} : { made_by, status: facts?.status ?? null },
  })).sort((a, b) => (a.route < b.route ? -1 : 1));
  const unread = all.filter(({ facts }) => facts === undefined).length;
  const note = unread === 0
    ? undefined
    : `Only the first ${
      all.length - unread
    } pages were looked into; managed is null for the rest, call again for more ` +
      "or narrow it with prefix";
  return { routes, truncated: truncated || content.truncated, ...(note === undefined ? {} : { note }) };
});
