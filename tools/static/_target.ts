/** Where a write of a static site goes: the preview branch of this token, or the deployed branch. */
import { GatewayError } from "../../core/errors.ts";
import type { Decide, Planned, Pushed, RepoClient, View } from "../../platforms/github/client.ts";
import { recordingPages } from "../../platforms/github/managed.ts";
import { PREVIEW_PREFIX } from "../../platforms/github/names.ts";
import github from "../../platforms/github/connector.ts";
import { DEPLOYED, notLive } from "../../platforms/visitor/live.ts";
import type { ContextOf, WriteResult } from "../../registry/tool.ts";

/** What a tool of a static site has at hand; the grant where the call may reach the deployed branch. */
export type StaticContext = ContextOf<{ site: "required"; publishes: "sometimes" }>;
export type Branch = "preview" | "main";

const TOKEN_CHARACTERS = 12;
/** A branch this young may still be in the making by another call of the token. */
const YOUNG_SECONDS = 120;
const NAMES = 3;

/** A name for a new preview branch: `mcp/<token>/<unix>`, short enough for the host's preview address. */
export function previewName(tokenId: string, seconds: number): string {
  const token = tokenId.toLowerCase().replace(/[^a-z0-9-]/g, "").slice(-TOKEN_CHARACTERS);
  return `${PREVIEW_PREFIX}${token}/${seconds}`;
}

/** What a write would find. `branch` is null where a new preview branch would be made. */
export interface Standing {
  readonly client: RepoClient;
  readonly deployed: string;
  readonly branch: string | null;
  readonly view: View;
}

/**
 * Reads only: the branch that a write would go to and its files, rights proven. Refuses a preview of an empty repository
 * unless the write may be its first commit.
 */
export async function standing(to: Branch, ctx: StaticContext, mayBeFirst = false): Promise<Standing> {
  const client = await ctx.use(github);
  const deployed = await client.deployedBranch();
  const view = await client.view(deployed);
  await client.requireWrite();
  const first = view.commit === null && (mayBeFirst || to === "main");
  if (first) await client.requireFirst(deployed);
  if (to === "main" || first) {
    return { client, deployed, branch: deployed, view };
  }
  if (view.commit === null) throw noCommit(ctx.site.repo ?? "");
  const branch = await remembered(ctx, deployed);
  if (branch === null || await client.head(branch) === null) return { client, deployed, branch: null, view };
  return { client, deployed, branch, view: await client.view(branch) };
}

/** A commit, and where a person sees what its preview branch changes of the deployed one; nothing for that one itself. */
export interface PushedTo extends Pushed {
  readonly compared_at: { readonly compare_url?: string };
}

/** Commits to that branch what was planned; a preview branch is made from the deployed one when there is none. */
export async function pushTo(
  to: Branch,
  ctx: StaticContext,
  { message, planned }: { readonly message: string; readonly planned: Planned | undefined },
  decide: Decide,
): Promise<PushedTo> {
  const client = await ctx.use(github);
  const from = await client.deployedBranch();
  const { grant, made } = ctx;
  const target = { message, planned, made };
  const recorded = recordingPages(ctx.managed, decide);
  if (to === "main") {
    return { ...await client.push({ ...target, branch: from, grant }, recorded), compared_at: {} };
  }
  const branch = await previewBranch(ctx, client, from);
  const pushed = await client.push({ ...target, branch, from }, recorded);
  return { ...pushed, compared_at: comparedAt(pushed, from) };
}

/** The host's page of what a branch changes (docs/upstreams/github.md, "Contents, git objects, branches"). */
function comparedAt({ web, branch }: Pushed, from: string): PushedTo["compared_at"] {
  const part = (name: string) => name.split("/").map(encodeURIComponent).join("/");
  if (web === null || web === undefined || branch === from) return {};
  return { compare_url: `${web}/compare/${part(from)}...${part(branch)}` };
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

/** The branch remembered for this token and site; null also where it has become the deployed one since. */
async function remembered(ctx: StaticContext, deployed: string): Promise<string | null> {
  const branch = await ctx.previews.get();
  return branch === deployed ? null : branch;
}

/** The branch remembered; another one where it has been deleted, or is the deployed one now. */
async function previewBranch(ctx: StaticContext, client: RepoClient, deployed: string): Promise<string> {
  const seconds = Math.floor(ctx.now() / 1000);
  const known = await ctx.previews.get();
  if (known !== null) {
    const age = seconds - Number(known.split("/").at(-1));
    const stands = age < YOUNG_SECONDS || await client.head(known) !== null;
    if (known !== deployed && stands) return known;
    await ctx.previews.forget(known);
  }
  return await newBranch(ctx, client);
}

/**
 * Has another branch take the place of the remembered one: its name is claimed, then `make` makes it. The remembered one
 * stays remembered where that fails, or `make` answers null.
 */
export async function newPreview<Made>(
  ctx: Pick<StaticContext, "use" | "previews" | "now" | "caller">,
  remembered: string,
  make: (branch: string) => Promise<Made | null>,
): Promise<Made | null> {
  await ctx.previews.forget(remembered);
  let branch: string | null = null;
  let made: Made | null = null;
  try {
    branch = await newBranch(ctx, await ctx.use(github));
    return made = await make(branch);
  } finally {
    if (made === null) {
      if (branch !== null) await ctx.previews.forget(branch);
      await ctx.previews.claim(remembered);
    }
  }
}

/** Claims the name of a branch that is not there yet. */
async function newBranch(
  ctx: Pick<StaticContext, "previews" | "now" | "caller">,
  client: RepoClient,
): Promise<string> {
  const seconds = Math.floor(ctx.now() / 1000);
  for (let [more, taken] = [0, 0]; taken < NAMES; more++) {
    const name = previewName(ctx.caller.token.id, seconds + more);
    if (await client.head(name) !== null) {
      taken++;
      continue;
    }
    const claimed = await ctx.previews.claim(name);
    if (claimed !== null) return claimed; // else another site's, whose first write came in the same second
  }
  throw new GatewayError("E_UPSTREAM", "The names for a new preview branch are all taken; try again", {
    upstream: 422,
  });
}

const noCommit = (name: string) =>
  new GatewayError(
    "E_UPSTREAM",
    `Repository "${name}" is empty, so there is nothing to preview on; begin it with init_static_project`,
    { upstream: 409 },
  );

/** The name of the branch, as a person is told. */
export const branchWords = (branch: string | null): string =>
  branch === null ? "a new preview branch" : `branch "${branch}"`;
