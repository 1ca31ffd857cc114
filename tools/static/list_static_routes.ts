/** list_static_routes: the pages of the deployed branch, and which of them this service made. */
import { routeOfFile } from "../../rules/route.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";
import { isManaged } from "./_routes.ts";

/** Files looked into for the marker; of the rest it is not told. */
const LOOKED_INTO_MAX = 300;
const IN_FLIGHT = 6;
/** After so long no further file is looked into, so that an answer still comes. */
const LOOKING_MS_MAX = 40_000;

async function marks(view: View, pages: readonly Entry[], now: () => number): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  const until = now() + LOOKING_MS_MAX;
  const left = pages.slice(0, LOOKED_INTO_MAX).values();
  const work = async () => {
    for (const page of left) {
      if (now() >= until) return;
      found.set(page.path, await isManaged(view, page));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return found;
}

export default tool("list_static_routes", async ({ prefix = "" }, ctx) => {
  const view = await (await ctx.use(github)).view();
  const { entries, truncated } = await view.list("src/pages/");
  const wanted = `/${prefix.replace(/^\//, "")}`.toLowerCase();
  const pages = entries.flatMap((page) => {
    const route = routeOfFile(page.path);
    return route !== null && route.toLowerCase().startsWith(wanted) ? [{ route, page }] : [];
  });
  const managed = await marks(view, pages.map(({ page }) => page), ctx.now);
  const routes = pages.map(({ route, page: { path, sha } }) => ({
    route,
    file_path: path,
    sha,
    managed: managed.get(path) ?? null,
  })).sort((a, b) => (a.route < b.route ? -1 : 1));
  const note = pages.length > managed.size
    ? `Only the first ${managed.size} pages were looked into; managed is null for the rest, narrow it with prefix`
    : undefined;
  return { routes, truncated, ...(note === undefined ? {} : { note }) };
});
