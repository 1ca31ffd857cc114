/** delete_static_route: a page taken out of the deployed branch; it stays in the repository's history. */
import { leavingOf } from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { plannedOn, planOf } from "./_plan.ts";
import { managedPage, ownIn, pagesAt, routeIn, routeWords } from "./_routes.ts";
import { beforeOf, restoringFiles } from "./_restore.ts";
import { pushTo, seenLater, standing } from "./_target.ts";

export default tool("delete_static_route", {
  check: ({ route }, { site }) => void routeIn(site, route, "route"),
  async plan(args, ctx) {
    const route = routeIn(ctx.site, args.route, "route");
    const found = await standing("main", ctx);
    const page = await managedPage(found.view, { ...args, route }, ownIn(ctx));
    const hidden = (await pagesAt(found.view, route)).find(({ path }) => path !== page.path)?.path ?? null;
    const effect = hidden === null
      ? "which takes it off the live site"
      : `after which ${JSON.stringify(hidden)} is shown there`;
    const what = `Delete ${routeWords(route)} of ${ctx.site.name}, ${effect},`;
    const plan = planOf(what, found, [{ ...page, bytes: null }]);
    const shows = textsOf(found.view, [{ ...page, next: null }]);
    const kept = beforeOf({ route, target_branch: "main" }, found, [{ ...page, bytes: null }]);
    return { ...plan, ...kept, shows, state: { ...page, hidden, planned: plannedOn(found, plan, args) } };
  },
  async run(args, ctx, { changes, before, state: { path, sha, hidden, planned } }) {
    const route = routeIn(ctx.site, args.route, "route");
    const message = commitMessage(`Delete ${routeWords(route)}`, ctx.caller.token.id);
    const pushed = await pushTo("main", ctx, { message, planned }, async (view) => {
      const page = await managedPage(view, { ...args, route, sha }, ownIn(ctx));
      return [{ path: page.path, bytes: null }];
    });
    const { commit_sha, proof } = pushed;
    ctx.annotate({ result_id: path, changes });
    const done = { route, file_path: path, deleted: true, commit_sha, ...proof };
    const note = `The route is served by ${JSON.stringify(hidden)} now`;
    const written = compared(hidden === null ? done : { ...done, note }).leaving(
      ...leavingOf(before, pushed),
    );
    return await seenLater(written, pushed, ctx);
  },
  restore: restoringFiles,
});
