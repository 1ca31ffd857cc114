/** How a markdown file is set back: a new commit puts the blob that stood there onto the branch that was written to. */
import type { Planned } from "../../platforms/github/client.ts";
import {
  branchWritten,
  commitFormer,
  commitFormerLine,
  type Former,
  formerBytes,
  formerOf,
  keptFiles,
} from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import type { Branch } from "../../platforms/github/target.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import github from "../../platforms/github/connector.ts";
import { type Before, compared, type Plan } from "../../registry/tool.ts";
import { type MarkdownContext, markdownIn, runRaises, seenLater } from "./_repository.ts";

const ONLY_MADE = "It makes a new file, and files are never deleted; a person takes it out of the repository";

/** What names a write of a file: its arguments, and with them the flags that it needs. */
interface Of {
  readonly path: string;
  /** Null where the write makes it, and tells its name later. */
  readonly branch: string | null;
  readonly target_branch: Branch;
}

/** What is kept of the file that a write replaces on a branch. */
export function beforeOf(
  of: Of,
  standing: { readonly sha: string; readonly size: number } | null,
): Pick<Plan, "before" | "final"> {
  const { sha = null, size = null } = standing ?? {};
  const values = keptFiles([{ path: of.path, sha, size }]);
  return values === null ? { final: ONLY_MADE } : { before: { of: kept(of), values } };
}

/** Of the site's branch, which every kind of site has, no argument names it. */
const kept = ({ target_branch, ...of }: Of) => target_branch === "main" ? of : { ...of, target_branch };

interface Restored {
  readonly to: Branch;
  readonly branch: string;
  readonly file: Former;
  readonly planned: Planned;
}

type Ready = Plan<Restored> & { state: Restored };

/** The way back of the tools that write a markdown file. */
export const restoringMarkdown = {
  async plan({ of, values }: Before, ctx: MarkdownContext): Promise<Plan<Restored>> {
    // What an older version kept was of the site's branch.
    const to = of["target_branch"] === "preview" ? "preview" : "main";
    const branch = String(of["branch"]);
    const view = await branchWritten(await ctx.use(github), branch, to === "main");
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
      ...beforeOf({ path, branch, target_branch: to }, now),
      raises: await runRaises(to, path, { [path]: new TextDecoder().decode(next) }),
      state: { to, branch, file, planned: { commit: view.commit, files: revision } },
    };
  },
  async run(_: Before, ctx: MarkdownContext, { changes, state: { to, branch, file, planned } }: Ready) {
    const message = commitMessage(commitFormerLine([file.path]), ctx.caller.token.id);
    const target = { branch, message, planned, grant: to === "main" ? ctx.grant : undefined, made: ctx.made };
    const pushed = await commitFormer(await ctx.use(github), target, [file]);
    ctx.annotate({ result_id: file.path, changes });
    const { commit_sha, unchanged, proof, shas } = pushed;
    const sha = shas.get(file.path) ?? null;
    const done = { path: file.path, sha, branch, commit_sha, ...unchanged ? { unchanged } : {}, ...proof };
    return seenLater(compared(done).leaving({ [file.path]: sha }), ctx);
  },
};
