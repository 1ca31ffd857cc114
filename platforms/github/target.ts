/** Where a write of a call goes: the preview branch of its token, or the branch that is deployed. */
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { Decide, Planned, Pushed, RepoClient, View } from "./client.ts";
import { type ManagedFiles, recordingPages } from "./managed.ts";
import { PREVIEW_PREFIX } from "./names.ts";

export type Branch = "preview" | "main";

/** What of a call a write to its site's repository needs. */
export interface Writing {
  readonly previews: {
    get(): Promise<string | null>;
    claim(branch: string): Promise<string | null>;
    forget(branch?: string): Promise<string | null>;
  };
  readonly managed: ManagedFiles;
  readonly caller: { readonly token: { readonly id: string } };
  readonly site: { readonly repo: string | null };
  /** The right to reach the deployed branch. */
  readonly grant?: PublishGrant;
  readonly made: Making;
  now(): number;
}

const TOKEN_CHARACTERS = 12;
/** A branch this young may still be in the making by another call of the token. */
const YOUNG_SECONDS = 120;
const NAMES = 3;

/** A name for a new preview branch: `mcp/<token>/<unix>`, short enough for the host's preview address. */
function previewName(tokenId: string, seconds: number): string {
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
export async function standing(
  client: RepoClient,
  to: Branch,
  call: Writing,
  mayBeFirst = false,
): Promise<Standing> {
  const deployed = await client.deployedBranch();
  const view = await client.view(deployed);
  await client.requireWrite();
  const first = view.commit === null && (mayBeFirst || to === "main");
  if (first) await client.requireFirst(deployed);
  if (to === "main" || first) return { client, deployed, branch: deployed, view };
  if (view.commit === null) throw noCommit(call.site.repo ?? "");
  const branch = await remembered(call, deployed);
  if (branch === null || await client.head(branch) === null) return { client, deployed, branch: null, view };
  return { client, deployed, branch, view: await client.view(branch) };
}

/** Commits to that branch what was planned; a preview branch is made from the deployed one when there is none. */
export async function pushTo(
  client: RepoClient,
  to: Branch,
  call: Writing,
  { message, planned }: { readonly message: string; readonly planned: Planned | undefined },
  decide: Decide,
): Promise<Pushed> {
  const from = await client.deployedBranch();
  const { grant, made } = call;
  const target = { message, planned, made };
  const recorded = recordingPages(call.managed, decide);
  if (to === "main") return await client.push({ ...target, branch: from, grant }, recorded);
  return await client.push({ ...target, branch: await previewBranch(call, client, from), from }, recorded);
}

/** The branch remembered for this token and site; null also where it has become the deployed one since. */
async function remembered({ previews }: Writing, deployed: string): Promise<string | null> {
  const branch = await previews.get();
  return branch === deployed ? null : branch;
}

/** The branch remembered; another one where it has been deleted, or is the deployed one now. */
async function previewBranch(call: Writing, client: RepoClient, deployed: string): Promise<string> {
  const seconds = Math.floor(call.now() / 1000);
  const known = await call.previews.get();
  if (known !== null) {
    const age = seconds - Number(known.split("/").at(-1));
    const stands = age < YOUNG_SECONDS || await client.head(known) !== null;
    if (known !== deployed && stands) return known;
    await call.previews.forget(known);
  }
  return await newBranch(client, call);
}

/**
 * Has another branch take the place of the remembered one: its name is claimed, then `make` makes it. The remembered one
 * stays remembered where that fails, or `make` answers null.
 */
export async function newPreview<Made>(
  client: RepoClient,
  call: Pick<Writing, "previews" | "now" | "caller">,
  remembered: string,
  make: (branch: string) => Promise<Made | null>,
): Promise<Made | null> {
  await call.previews.forget(remembered);
  let branch: string | null = null;
  let made: Made | null = null;
  try {
    branch = await newBranch(client, call);
    return made = await make(branch);
  } finally {
    if (made === null) {
      if (branch !== null) await call.previews.forget(branch);
      await call.previews.claim(remembered);
    }
  }
}

/** Claims the name of a branch that is not there yet. */
async function newBranch(
  client: RepoClient,
  call: Pick<Writing, "previews" | "now" | "caller">,
): Promise<string> {
  const seconds = Math.floor(call.now() / 1000);
  for (let [more, taken] = [0, 0]; taken < NAMES; more++) {
    const name = previewName(call.caller.token.id, seconds + more);
    if (await client.head(name) !== null) {
      taken++;
      continue;
    }
    const claimed = await call.previews.claim(name);
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

/** The name of the branch, as a person is told; null for a new preview branch. */
export const branchWords = (branch: string | null): string =>
  branch === null ? "a new preview branch" : `branch "${branch}"`;
