/** What of a preview branch would reach the deployed one, and what stands against it: reads only. */
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Change, Site } from "../../core/model.ts";
import { isBlocked } from "../../rules/path.ts";
import { quoted } from "../../rules/wording.ts";
import type { BranchRules, Differing, Parting, RepoClient, View } from "../../platforms/github/client.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import github from "../../platforms/github/connector.ts";
import { named, type Shown } from "./_plan.ts";
import type { StaticContext } from "./_target.ts";

/** The preview branch of the call's token and the deployed branch, with the commits they are at. */
export interface Branches {
  readonly client: RepoClient;
  readonly deployed: string;
  readonly live: string;
  readonly preview: string;
  readonly head: string;
}

/** The two branches, rights to write proven. Throws E_NOT_FOUND where this token has no preview branch, or it is gone. */
export async function branchesOf(ctx: Pick<StaticContext, "use" | "previews">): Promise<Branches> {
  const client = await ctx.use(github);
  const preview = await ctx.previews.get();
  const deployed = await client.deployedBranch();
  if (preview === null || preview === deployed) {
    throw new GatewayError(
      "E_NOT_FOUND",
      "This token has no preview branch on the site: write to one first, as with create_static_route or edit_static_file",
    );
  }
  await client.requireWrite();
  const [live, head] = await allOrThrow(client.head(deployed), client.head(preview));
  if (live !== null && head !== null) return { client, deployed, live, preview, head };
  throw new GatewayError(
    "E_NOT_FOUND",
    `The repository has no branch "${live === null ? deployed : preview}" with a commit any more; ${
      live === null ? "check the site's repo_branch" : "the next write to a preview begins a new one"
    }`,
  );
}

/** How the preview branch stands to the deployed one. */
export interface Standing {
  readonly parting: Parting;
  /** What the preview branch would change of the deployed branch as it is now; none where all of it is there already. */
  readonly files: readonly Differing[];
  /** What the deployed branch has changed since the two parted. */
  readonly theirs: readonly Differing[];
}

/**
 * What the preview branch would change. Throws E_SHA_MISMATCH for a path that both branches changed to different contents,
 * naming who changed it last on the deployed one; E_BAD_PATH for what this service never writes.
 */
export async function standingOf(branches: Branches, site: Site): Promise<Standing> {
  const { client: { release }, live, head } = branches;
  const parting = await release.parting(live, head);
  const [mine, theirs] = await allOrThrow(
    release.differing(parting.base, head),
    parting.behind === 0 ? [] : release.differing(parting.base, live),
  );
  const others = new Map(theirs.map((one) => [one.path, one]));
  const files = mine.filter(({ path, to }) => !isSame(others.get(path), to));
  checkPaths(files, site);
  const clashes = files.filter(({ path }) => others.has(path) || isAcross(path, theirs));
  if (clashes.length > 0) throw await bothChanged(branches, clashes, site);
  return { parting, files, theirs };
}

const isSame = (other: Differing | undefined, to: Differing["to"]) =>
  other !== undefined && other.to?.sha === to?.sha && other.to?.mode === to?.mode;

/** Whether a path needs a folder where the others made a file, or the other way round. */
const isAcross = (path: string, theirs: readonly Differing[]) =>
  theirs.some(({ path: other, to }) =>
    to !== null && (path.startsWith(`${other}/`) || other.startsWith(`${path}/`))
  );

const FILE = /^100(644|755)$/;

/** Refuses what no tool of this service could have written: somebody pushed it, and merges it at the host. */
function checkPaths(files: readonly Differing[], { repo_prefix }: Site): void {
  const isOutside = ({ path, from, to }: Differing) =>
    (repo_prefix !== null && !path.startsWith(`${repo_prefix}/`)) || isBlocked(path) ||
    [from, to].some((side) => side !== null && !FILE.test(side.mode));
  const outside = files.filter(isOutside).map(({ path }) => path);
  if (outside.length === 0) return;
  throw new GatewayError(
    "E_BAD_PATH",
    `The preview branch changes ${
      named(outside)
    }, which this service never writes (it is blocked, no plain file, or outside ` +
      "the site's folder); a person who may do that merges the branch at the repository's host",
  );
}

const AUTHORS_MAX = 3;

async function bothChanged(
  { client, live, deployed }: Branches,
  clashes: readonly Differing[],
  { repo_prefix }: Site,
): Promise<GatewayError> {
  const own = (path: string) => repo_prefix === null ? path : path.slice(repo_prefix.length + 1);
  const told = await Promise.all(
    clashes.slice(0, AUTHORS_MAX).map(async ({ path }) => {
      const last = await client.lastChange(own(path), live);
      const by = last === null
        ? ""
        : ` (there last by ${last.by === null ? "somebody" : quoted(last.by)}${
          last.at === null ? "" : ` at ${last.at}`
        }, commit ${last.commit_sha})`;
      return JSON.stringify(path) + by;
    }),
  );
  const more = clashes.length > AUTHORS_MAX ? ` and ${clashes.length - AUTHORS_MAX} more` : "";
  return new GatewayError(
    "E_SHA_MISMATCH",
    `${
      told.join(", ")
    }${more}: changed on branch "${deployed}" and on the preview branch since the two parted, so nothing is ` +
      `joined. Read what stands on "${deployed}", begin a new preview with reset_static_preview_branch, and make the change there`,
  );
}

/** Refuses what the host would refuse: E_MAIN_BRANCH_LOCKED naming the way that is open. */
export function checkRules({ byPullRequest, isClosed }: BranchRules, deployed: string): void {
  if (!byPullRequest && !isClosed) return;
  const why = byPullRequest
    ? "only changed by pull requests"
    : "only changed by accounts that its rules name";
  throw new GatewayError(
    "E_MAIN_BRANCH_LOCKED",
    `Branch "${deployed}" is ${why}, by the repository's rules; propose_static_changes opens a pull request of the preview branch`,
  );
}

/** What the rules may still refuse, a sentence each. */
export function ruleWarnings({ checks, isProtected }: BranchRules, deployed: string): string[] {
  const few = checks.slice(0, 5).map((name) => quoted(name)).join(", ");
  return [
    ...checks.length === 0
      ? []
      : [`The repository's rules ask that the commit has passed ${few}; where it has not, the host refuses`],
    ...isProtected
      ? [
        `Branch "${deployed}" is protected by rules that the app cannot read; where they forbid it, the host refuses`,
      ]
      : [],
  ];
}

/** Rows of a preview that fit into it. */
const SHOWN_MAX = 200;

/** What visitors read, which is shown first. */
const isPage = (path: string) => path.includes("src/pages/") || path.includes("src/content/");
const pagesFirst = (files: readonly Differing[]) =>
  files.toSorted((a, b) => Number(isPage(b.path)) - Number(isPage(a.path)));

const sizeOf = (side: Differing["to"]) => side === null ? null : { bytes: side.bytes };

/** All paths as a preview shows them, pages first, behind their counts. */
export function rowsOf(files: readonly Differing[]): Change[] {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { from, to } of files) counts[from === null ? "added" : to === null ? "removed" : "changed"]++;
  return [
    { field: "files", from: null, to: counts },
    ...pagesFirst(files).slice(0, SHOWN_MAX).map(({ path, from, to }) => ({
      field: path,
      from: sizeOf(from),
      to: sizeOf(to),
    })),
  ];
}

/** What of the paths is not listed, a sentence. */
export const leftOut = (files: readonly Differing[], { web }: Parting): string[] =>
  files.length <= SHOWN_MAX ? [] : [
    `${files.length - SHOWN_MAX} of ${files.length} files are not listed${
      web === null ? "" : `; all are at ${web}`
    }`,
  ];

/** What goes off the live site, a sentence. */
export function removedWarnings(files: readonly Differing[]): string[] {
  const gone = files.filter(({ to }) => to === null).map(({ path }) => path);
  return gone.length === 0 ? [] : [`Taken off the live site: ${named(gone)}`];
}

/** Paths relative to the site's folder. */
export const ownPath = (path: string, { repo_prefix }: Site): string =>
  repo_prefix === null ? path : path.slice(repo_prefix.length + 1);

/** Files as they stand, for what is kept of them. */
export const standingFiles = (
  files: readonly Differing[],
  site: Site,
): Pick<Shown, "path" | "sha" | "size">[] =>
  files.map(({ path, from }) => ({
    path: ownPath(path, site),
    sha: from?.sha ?? null,
    size: from?.bytes ?? null,
  }));

const TEXTS_MAX = 5;
const TEXT_BYTES_MAX = 256 * 1024;

/** For a preview: the texts of the first pages, or files, as they stand and as they would. */
export async function textsBetween(view: View, files: readonly Differing[], site: Site): Promise<Change[]> {
  const few = pagesFirst(files.filter(({ to }) => to === null || to.bytes <= TEXT_BYTES_MAX)).slice(
    0,
    TEXTS_MAX,
  );
  const rows = await Promise.all(few.map(async ({ path, from, to }) => ({
    path: ownPath(path, site),
    sha: from?.sha ?? null,
    size: from?.bytes ?? null,
    next: to === null ? null : await view.bytes({ sha: to.sha, size: to.bytes }),
  })));
  return await textsOf(view, rows)();
}
