/** create_static_routes: many new pages of a static site, in one commit on the preview branch. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { fileOfRoute } from "../../rules/route.ts";
import type { View } from "../../platforms/github/client.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { checkPage, newPage, type PageArgs } from "./_pages.ts";
import { madeOn, plannedOn, planOf, SHOWN_ON_BRANCH } from "./_plan.ts";
import { beforeOf } from "./_restore.ts";
import { routeIn } from "./_routes.ts";
import { pushTo, standing } from "./_target.ts";

interface Wanted extends PageArgs {
  readonly route: string;
  readonly field: string;
}

/** The pages with their routes in the one form. Throws E_BAD_ROUTE, E_BAD_INPUT for a route that is there twice. */
function wantedOf(pages: readonly (PageArgs & { readonly route: string })[], site: Site): Wanted[] {
  const seen = new Map<string, number>();
  return pages.map((page, at) => {
    const field = `pages[${at}].route`;
    const route = routeIn(site, page.route, field);
    const before = seen.get(route);
    if (before !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `${field}: ${JSON.stringify(route)} is the route of pages[${before}] already; change one of them`,
      );
    }
    seen.set(route, at);
    return { ...page, route, field };
  });
}

const NAMED_MAX = 5;

/** The new files; all routes that are taken are named at once. Throws E_ROUTE_EXISTS. */
async function newPages(view: View, pages: readonly Wanted[]) {
  const made: { path: string; bytes: Uint8Array }[] = [];
  const taken: string[] = [];
  for (const page of pages) {
    try {
      made.push(await newPage(view, page));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== "E_ROUTE_EXISTS") throw error;
      taken.push(error.message);
    }
  }
  if (taken.length === 0) return made;
  const more = taken.length > NAMED_MAX ? `; and ${taken.length - NAMED_MAX} more` : "";
  throw new GatewayError(
    "E_ROUTE_EXISTS",
    `${taken.slice(0, NAMED_MAX).join("; ")}${more}: nothing was written; leave those out`,
  );
}

export default tool("create_static_routes", {
  check({ pages }, { site }) {
    for (const [at, { route, ...page }] of wantedOf(pages, site).entries()) {
      checkPage(route, page, (part) => `pages[${at}].${part}`);
    }
  },
  raises: ({ pages }) => scriptRaises({ pages }, SHOWN_ON_BRANCH),
  async plan({ pages }, ctx) {
    const found = await standing("preview", ctx);
    const files = await newPages(found.view, wantedOf(pages, ctx.site));
    const made = files.map(({ path, bytes }) => ({ path, sha: null, size: null, bytes: bytes.byteLength }));
    const plan = planOf(`Make ${counted(made.length, "page")} of ${ctx.site.name}`, found, made);
    const { final } = beforeOf({ target_branch: "preview" }, found, made);
    const shows = textsOf(
      found.view,
      files.map(({ path, bytes }) => ({ path, sha: null, size: null, next: bytes })),
    );
    return { ...plan, final, shows, state: plannedOn(found, plan) };
  },
  async run({ pages, message: given }, ctx, { changes, state: planned }) {
    const wanted = wantedOf(pages, ctx.site);
    const message = commitMessage(given ?? `Add ${counted(wanted.length, "page")}`, ctx.caller.token.id);
    const pushed = await pushTo("preview", ctx, { message, planned }, (view) => newPages(view, wanted));
    const { commit_sha, branch, shas, proof, preview } = pushed;
    ctx.annotate({ result_id: commit_sha, changes: madeOn(pushed, changes) });
    const made = wanted.map(({ route }) => {
      const file_path = fileOfRoute(route);
      return { route, file_path, sha: shas.get(file_path) };
    });
    return compared({ pages: made, commit_sha, branch, ...preview, ...proof });
  },
});
