/** Where a write of a static site goes, and what its answer says of that. */
import type { Decide, Planned, Pushed } from "../../platforms/github/client.ts";
import cloudflarePages from "../../platforms/cloudflare_pages/connector.ts";
import github from "../../platforms/github/connector.ts";
import { type PreviewAnswer, previewAnswer } from "../../platforms/github/preview_answer.ts";
import {
  type Branch,
  pushTo as push,
  type Standing,
  standing as found,
} from "../../platforms/github/target.ts";
import { DEPLOYED, notLive } from "../../platforms/visitor/live.ts";
import type { ContextOf, WriteResult } from "../../registry/tool.ts";

export { branchWords } from "../../platforms/github/target.ts";
export type { Branch, Standing } from "../../platforms/github/target.ts";

/** What a tool of a static site has at hand; the grant where the call may reach the deployed branch. */
export type StaticContext = ContextOf<{ site: "required"; publishes: "sometimes" }>;

/** Reads only: the branch that a write would go to and its files (platforms/github/target.ts). */
export const standing = async (to: Branch, ctx: StaticContext, mayBeFirst = false): Promise<Standing> =>
  await found(await ctx.use(github), to, ctx, mayBeFirst);

/** A commit, and what the answer says of its preview; nothing for the deployed branch. */
export interface PushedTo extends Pushed {
  readonly preview: PreviewAnswer;
}

/** Commits to that branch what was planned; a preview branch is made from the deployed one when there is none. */
export async function pushTo(
  to: Branch,
  ctx: StaticContext,
  commit: { readonly message: string; readonly planned: Planned | undefined },
  decide: Decide,
): Promise<PushedTo> {
  const pushed = await push(await ctx.use(github), to, ctx, commit, decide);
  return { ...pushed, preview: await previewOf(pushed, ctx) };
}

/** What the answer says of the preview that a push is seen on. */
export async function previewOf(pushed: Pushed, ctx: Pick<StaticContext, "use">): Promise<PreviewAnswer> {
  const client = await ctx.use(github);
  const deployed = await client.deployedBranch();
  return await previewAnswer(pushed, { client, deployed, hosting: () => ctx.use(cloudflarePages) });
}

/** The result of a write; of one to the deployed branch with how to see what visitors get of it. */
export async function seenLater(
  written: WriteResult,
  { branch }: Pick<Pushed, "branch">,
  { use }: Pick<StaticContext, "use">,
): Promise<WriteResult> {
  const isDeployed = branch === await (await use(github)).deployedBranch();
  return isDeployed ? written.seen(notLive(DEPLOYED)) : written;
}
