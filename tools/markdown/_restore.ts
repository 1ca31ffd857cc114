/** How a markdown file is set back: a new commit puts the blob that stood there onto the site's branch. */
import type { Planned, Pushed } from "../../platforms/github/client.ts";
import {
  branchWritten,
  commitFormer,
  commitFormerLine,
  type Former,
  formerBytes,
  formerOf,
  keptFiles,
  leftOf,
} from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import github from "../../platforms/github/connector.ts";
import { DEPLOYED, notLive } from "../../platforms/visitor/live.ts";
import { type Before, compared, type Plan, type WriteResult } from "../../registry/tool.ts";
import { type MarkdownContext, markdownIn } from "./_repository.ts";

const ONLY_MADE = "It makes a new file, and files are never deleted; a person takes it out of the repository";

/** What is kept of the file that a write replaces on the site's branch. */
export function beforeOf(
  path: string,
  branch: string,
  standing: { readonly sha: string; readonly size: number } | null,
): Pick<Plan, "before" | "final"> {
  const { sha = null, size = null } = standing ?? {};
  const values = keptFiles([{ path, sha, size }]);
  return values === null ? { final: ONLY_MADE } : { before: { of: { path, branch }, values } };
}

/** The result of a write that was planned so, with what it left of the file. */
export const leftBy = (
  written: WriteResult,
  pushed: Pick<Pushed, "shas" | "unchanged">,
  { before }: Pick<Plan, "before">,
): WriteResult => before === undefined ? written : written.leaving(leftOf(before.values, pushed));

interface Restored {
  readonly branch: string;
  readonly file: Former;
  readonly planned: Planned;
}

type Ready = Plan<Restored> & { state: Restored };

/** The way back of the tools that write a markdown file. */
export const restoringMarkdown = {
  async plan({ of, values }: Before, ctx: MarkdownContext): Promise<Plan<Restored>> {
    const branch = String(of["branch"]);
    const view = await branchWritten(await ctx.use(github), branch, true);
    const file = formerOf(values).files[0]!;
    const path = markdownIn(ctx.site, file.path);
    const now = await view.find(path);
    const next = await formerBytes(view, file);
    const revision = { [path]: now?.sha ?? null };
    return {
      summary: `Set back "${path}" on branch "${branch}" of ${ctx.site.repo}`,
      changes: [{
        field: path,
        from: now && { sha: now.sha, bytes: now.size },
        to: { sha: file.sha, bytes: file.bytes },
      }],
      shows: textsOf(view, [{ path, sha: now?.sha ?? null, size: now?.size ?? null, next }]),
      revision,
      paths: [path],
      ...beforeOf(path, branch, now),
      state: { branch, file, planned: { commit: view.commit, files: revision } },
    };
  },
  async run(_: Before, ctx: MarkdownContext, { changes, state: { branch, file, planned } }: Ready) {
    const message = commitMessage(commitFormerLine([file.path]), ctx.caller.token.id);
    const target = { branch, message, planned, grant: ctx.grant, made: ctx.made };
    const pushed = await commitFormer(await ctx.use(github), target, [file]);
    ctx.annotate({ result_id: file.path, changes });
    const { commit_sha, unchanged, proof, shas } = pushed;
    const sha = shas.get(file.path) ?? null;
    const done = { path: file.path, sha, branch, commit_sha, ...unchanged ? { unchanged } : {}, ...proof };
    const written = compared(done).leaving({ [file.path]: sha });
    return ctx.grant === undefined ? written : written.seen(notLive(DEPLOYED));
  },
};
