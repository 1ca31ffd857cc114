/** Where a write of a call goes: the preview branch of its token, or the branch that is deployed. */
import { allOrThrow } from "../../core/async.ts";
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
/** A branch that was merged keeps its name, so that several in a few seconds are passed over. */
const NAMES = 20;

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
  /** The preview branch until now, which has been merged, so that a new one is begun. */
  readonly merged?: string;
}

/** What the plan of a call found, for its write; a call has a client of its own. */
const FOUND = new WeakMap<RepoClient, Standing>();

/**
 * Reads only: the branch that a write would go to and its files, rights proven. A preview branch that was merged is left
 * behind. Refuses a preview of an empty repository unless the write may be its first commit.
 */
export async function standing(
  client: RepoClient,
  to: Branch,
  call: Writing,
  mayBeFirst = false,
): Promise<Standing> {
  const deployed = await client.deployedBranch();
  const branch = to === "main" ? null : await remembered(call, deployed);
  const [main, own] = await allOrThrow(
    client.head(deployed),
    branch === null ? Promise.resolve(null) : client.head(branch),
  );
  const view = main === null ? await client.view(deployed) : await client.viewAt(main);
  await client.requireWrite();
  const first = view.commit === null && (mayBeFirst || to === "main");
  if (first) await client.requireFirst(deployed);
  if (to === "main" || first) return { client, deployed, branch: deployed, view };
  if (main === null) throw noCommit(call.site.repo ?? "");
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
 * Commits to that branch what was planned; a preview branch is made from the deployed one when there is none. `merged` names
 * the one that was left behind for that.
 */
export async function pushTo(
  client: RepoClient,
  to: Branch,
  call: Writing,
  { message, planned }: { readonly message: string; readonly planned: Planned | undefined },
  decide: Decide,
): Promise<Pushed & { readonly merged?: string }> {
  const from = await client.deployedBranch();
  const { grant, made } = call;
  const target = { message, planned, made };
  const recorded = recordingPages(call.managed, decide);
  if (to === "main") return await client.push({ ...target, branch: from, grant }, recorded);
  const { merged } = FOUND.get(client) ?? {};
  const pushed = await client.push(
    { ...target, branch: await previewBranch(call, client, from), from },
    recorded,
  );
  return merged === undefined || pushed.unchanged || pushed.branch === merged
    ? pushed
    : { ...pushed, merged };
}

/** The branch remembered for this token and site; null also where it has become the deployed one since. */
async function remembered({ previews }: Writing, deployed: string): Promise<string | null> {
  const branch = await previews.get();
  return branch === deployed ? null : branch;
}

/** The branch remembered; another one where it has been deleted or merged, or is the deployed one now. */
async function previewBranch(call: Writing, client: RepoClient, deployed: string): Promise<string> {
  const known = await call.previews.get();
  if (known !== null) {
    if (known !== deployed && await goesOn(call, client, known)) return known;
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

/** Whether a write goes on with that branch: the plan of the call has looked, else the host is asked. */
async function goesOn(call: Writing, client: RepoClient, branch: string): Promise<boolean> {
  const found = FOUND.get(client);
  if (found?.merged === branch) return false;
  if (found?.branch === branch) return true;
  const age = Math.floor(call.now() / 1000) - Number(branch.split("/").at(-1));
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
