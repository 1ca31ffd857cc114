/** Where a write of a static site goes: the preview branch of this token, or the deployed branch. */
import { allOrThrow } from "../../core/async.ts";
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
  /** The preview branch until now, which has been merged, so that a new one is begun. */
  readonly merged?: string;
}

/** What the plan of a call found, for its write; a call has a client of its own. */
const FOUND = new WeakMap<RepoClient, Standing>();

/**
 * Reads only: the branch that a write would go to and its files, rights proven. A preview branch that was merged is left
 * behind. Refuses a preview of an empty repository unless the write may be its first commit.
 */
export async function standing(to: Branch, ctx: StaticContext, mayBeFirst = false): Promise<Standing> {
  const client = await ctx.use(github);
  const deployed = await client.deployedBranch();
  const branch = to === "main" ? null : await remembered(ctx, deployed);
  const [main, own] = await allOrThrow(
    client.head(deployed),
    branch === null ? Promise.resolve(null) : client.head(branch),
  );
  const view = main === null ? await client.view(deployed) : await client.viewAt(main);
  await client.requireWrite();
  const first = view.commit === null && (mayBeFirst || to === "main");
  if (first) await client.requireFirst(deployed);
  if (to === "main" || first) {
    return { client, deployed, branch: deployed, view };
  }
  if (main === null) throw noCommit(ctx.site.repo ?? "");
  const found = await previewStanding({ client, deployed, branch: null, view }, main, branch, own);
  FOUND.set(client, found);
  return found;
}

/** Where a write to the preview goes that has that branch, with that head. */
async function previewStanding(
  anew: Standing,
  main: string,
  branch: string | null,
  own: string | null,
): Promise<Standing> {
  if (branch === null || own === null) return anew;
  const { client } = anew;
  if (await client.standing(own, main) === "merged") return { ...anew, merged: branch };
  return { ...anew, branch, view: await client.viewAt(own) };
}

/**
 * A commit, and where a person sees what its preview branch changes of the deployed one; nothing for that one itself. `note`
 * says where the branch is another than the last write's, and where the commit holds other writes.
 */
export interface PushedTo extends Pushed {
  readonly compared_at: { readonly compare_url?: string; readonly note?: string };
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
  const { merged } = FOUND.get(client) ?? {};
  const branch = await previewBranch(ctx, client, from);
  const pushed = await client.push({ ...target, branch, from }, recorded);
  const begun = merged === undefined || pushed.unchanged || pushed.branch === merged
    ? []
    : [`The preview branch "${merged}" has been merged, so this began a new one from "${from}"`];
  const notes = [...begun, ...besides(pushed)];
  const note = notes.length === 0 ? {} : { note: notes.join(". ") };
  return { ...pushed, compared_at: { ...comparedAt(pushed, from), ...note } };
}

const besides = ({ beside }: Pick<Pushed, "beside">) =>
  beside === undefined ? [] : [
    `The commit also holds ${
      beside === 1 ? "another write" : `${beside} other writes`
    } that waited for the branch`,
  ];

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

/** The branch remembered; another one where it has been deleted or merged, or is the deployed one now. */
async function previewBranch(ctx: StaticContext, client: RepoClient, deployed: string): Promise<string> {
  const seconds = Math.floor(ctx.now() / 1000);
  const known = await ctx.previews.get();
  if (known !== null) {
    if (known !== deployed && await goesOn(ctx, client, known)) return known;
    await ctx.previews.forget(known);
  }
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

/** Whether a write goes on with that branch: the plan of the call has looked, else the host is asked. */
async function goesOn(ctx: StaticContext, client: RepoClient, branch: string): Promise<boolean> {
  const found = FOUND.get(client);
  if (found?.merged === branch) return false;
  if (found?.branch === branch) return true;
  const age = Math.floor(ctx.now() / 1000) - Number(branch.split("/").at(-1));
  return age < YOUNG_SECONDS || await client.head(branch) !== null;
}

const noCommit = (name: string) =>
  new GatewayError(
    "E_UPSTREAM",
    `Repository "${name}" is empty, so there is nothing to preview on; begin it with init_static_project`,
    { upstream: 409 },
  );

/** The name of the branch, as a person is told; of a new one with why it is. */
export function branchWords({ branch, merged }: Pick<Standing, "branch" | "merged">): string {
  if (branch !== null) return `branch "${branch}"`;
  return merged === undefined
    ? "a new preview branch"
    : `a new preview branch, as "${merged}" has been merged`;
}
