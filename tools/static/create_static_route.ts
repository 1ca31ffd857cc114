/** create_static_route: a new page of a static site. */
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { fileOfRoute } from "../../rules/route.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { checkPage, newPage } from "./_pages.ts";
import { madeOn, plannedOn, planOf, SHOWN_ON_BRANCH } from "./_plan.ts";
import { beforeOf } from "./_restore.ts";
import { routeIn, routeWords } from "./_routes.ts";
import { pushTo, seenLater, standing } from "./_target.ts";

export default tool("create_static_route", {
  check: (args, { site }) => checkPage(routeIn(site, args.route, "route"), args),
  raises: ({ html, title, description }) => scriptRaises({ html, title, description }, SHOWN_ON_BRANCH),
  async plan({ target_branch, ...args }, ctx) {
    const route = routeIn(ctx.site, args.route, "route");
    const found = await standing(target_branch, ctx);
    const { path, bytes } = await newPage(found.view, { ...args, route });
    const what = `Make ${routeWords(route)} of ${ctx.site.name}`;
    const made = { path, sha: null, size: null, bytes: bytes.byteLength };
    const plan = planOf(what, found, [made]);
    const shows = textsOf(found.view, [{ path, sha: null, size: null, next: bytes }]);
    const { final } = beforeOf({ route, target_branch }, found, [made]);
    return { ...plan, final, shows, state: plannedOn(found, plan) };
  },
  async run({ target_branch, message: given, ...args }, ctx, { changes, state: planned }) {
    const route = routeIn(ctx.site, args.route, "route");
    const message = commitMessage(given ?? `Add ${routeWords(route)}`, ctx.caller.token.id);
    const pushed = await pushTo(
      target_branch,
      ctx,
      { message, planned },
      async (view) => [await newPage(view, { ...args, route })],
    );
    const file_path = fileOfRoute(route);
    const { commit_sha, branch, shas, proof, preview } = pushed;
    ctx.annotate({ result_id: file_path, changes: madeOn(pushed, changes) });
    const sha = shas.get(file_path);
    return await seenLater(
      compared({ route, file_path, sha, commit_sha, branch, target_branch, ...preview, ...proof }),
      pushed,
      ctx,
    );
  },
});
