/** update_static_route: the html of a page of a static site, replaced. */
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import type { View } from "../../platforms/github/client.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { checkPage, type PageArgs, pageBytes } from "./_pages.ts";
import { madeOn, plannedOn, planOf, SHOWN_ON_BRANCH } from "./_plan.ts";
import {
  type Expected,
  managedPage,
  type Own,
  ownIn,
  requireSource,
  routeIn,
  routeWords,
} from "./_routes.ts";
import { beforeOf, restoringFiles } from "./_restore.ts";
import { pushTo, seenLater, standing } from "./_target.ts";

/** The page that stands there, and the bytes it gets. */
async function decide(view: View, args: Expected & PageArgs, own: Own) {
  const page = await managedPage(view, args, own);
  requireSource(page);
  return { page, bytes: await pageBytes(view, page.path, args) };
}

export default tool("update_static_route", {
  check: (args, { site }) => checkPage(routeIn(site, args.route, "route"), args),
  raises: ({ html, title, description }) => scriptRaises({ html, title, description }, SHOWN_ON_BRANCH),
  async plan({ target_branch, ...args }, ctx) {
    const route = routeIn(ctx.site, args.route, "route");
    const found = await standing(target_branch, ctx);
    const { page, bytes } = await decide(found.view, { ...args, route }, ownIn(ctx));
    const what = `Replace ${routeWords(route)} of ${ctx.site.name}`;
    const plan = planOf(what, found, [{ ...page, bytes: bytes.byteLength }]);
    const shows = textsOf(found.view, [{ ...page, next: bytes }]);
    const kept = beforeOf({ route, target_branch }, found, [{ ...page, bytes: null }]);
    return { ...plan, ...kept, shows, state: { ...page, planned: plannedOn(found, plan, args) } };
  },
  async run({ target_branch, message: given, ...args }, ctx, { changes, state, before }) {
    const route = routeIn(ctx.site, args.route, "route");
    const { sha: previous_sha, path, planned } = state;
    const message = commitMessage(given ?? `Replace ${routeWords(route)}`, ctx.caller.token.id);
    const pushed = await pushTo(target_branch, ctx, { message, planned }, async (view) => {
      const { page, bytes } = await decide(view, { ...args, route, sha: previous_sha }, ownIn(ctx));
      return [{ path: page.path, bytes }];
    });
    const { commit_sha, branch, shas, unchanged, proof, preview } = pushed;
    ctx.annotate({ result_id: path, changes: madeOn(pushed, changes) });
    const done = {
      route,
      file_path: path,
      sha: shas.get(path),
      previous_sha,
      commit_sha,
      branch,
      target_branch,
      ...preview,
      ...proof,
    };
    const written = compared(unchanged ? { ...done, unchanged } : done).leaving(...leavingOf(before, pushed));
    return await seenLater(written, pushed, ctx);
  },
  restore: restoringFiles,
});
