/** What a write to a preview branch answers of it: where a person sees it, and what of the deployed branch it lacks. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Pushed, RepoClient } from "./client.ts";

/** The deployment of a commit as its hosting knows it. */
export interface CommitDeployment {
  /** Its own address, which goes on showing that commit; null where the hosting says none. */
  readonly address: string | null;
  readonly status: string;
  /** How long builds took lately; null where that is not known. */
  readonly took_seconds: number | null;
}

/** The hosting as far as it is asked: one request, over within that many milliseconds. */
export interface CommitDeployments {
  pushed(commit_sha: string, limitMs: number): Promise<CommitDeployment | null>;
}

/** Keys of an answer; none for a write to the deployed branch. */
export interface PreviewAnswer {
  /** Left out where no commit was made. */
  readonly compare_url?: string;
  /** The commit's own deployment; null where none is known yet, which `note` says. */
  readonly preview_url?: string | null;
  /** How many commits of the deployed branch the preview lacks; left out for none, and where that is not known. */
  readonly behind?: number;
  readonly note?: string;
}

/** The write is made: its answer waits no longer for what is said beside it. */
const LOOKING_MS = 3000;

/**
 * What is said of a commit on a branch that is not the deployed one. Nothing of it fails the write. It costs one request of
 * the hosting, and one of the repository's host where the deployed branch has moved since that was last compared.
 */
export async function previewAnswer(
  pushed: Pushed & { readonly merged?: string },
  { client, deployed, hosting }: {
    readonly client: RepoClient;
    readonly deployed: string;
    readonly hosting: () => Promise<CommitDeployments>;
  },
): Promise<PreviewAnswer> {
  const { branch, commit_sha } = pushed;
  if (branch === deployed) return {};
  const [at, behind] = await Promise.all([
    deployment(hosting, commit_sha),
    client.behind(branch, deployed, pushed.begun === true),
  ]);
  const note = [
    begun(pushed, deployed),
    besides(pushed),
    at.note,
    behind ? lacks(behind, branch, deployed) : null,
  ].filter((one) => one !== null);
  return {
    ...comparedAt(pushed, deployed),
    preview_url: at.address,
    ...behind ? { behind } : {},
    ...note.length === 0 ? {} : { note: note.join(" ") },
  };
}

const begun = ({ merged }: { readonly merged?: string }, deployed: string) =>
  merged === undefined
    ? null
    : `The preview branch "${merged}" has been merged, so this began a new one from "${deployed}".`;

const besides = ({ beside }: Pushed) =>
  beside === undefined
    ? null
    : `The commit also holds ${
      beside === 1 ? "another write" : `${beside} other writes`
    } that waited for the branch.`;

/** The host's page of what a branch changes (docs/upstreams/github.md, "Contents, git objects, branches"). */
function comparedAt({ web, branch }: Pushed, from: string): PreviewAnswer {
  const part = (name: string) => name.split("/").map(encodeURIComponent).join("/");
  return web === null || web === undefined
    ? {}
    : { compare_url: `${web}/compare/${part(from)}...${part(branch)}` };
}

const UNKNOWN =
  "No deployment of this commit is known yet, so preview_url is null: check_static_deploy with this commit_sha tells its " +
  "address once there is one.";

/** What a build takes where the hosting tells of none. */
const USUAL_SECONDS = 45;

async function deployment(
  hosting: () => Promise<CommitDeployments>,
  commit_sha: string,
): Promise<{ readonly address: string | null; readonly note: string | null }> {
  try {
    const found = await (await hosting()).pushed(commit_sha, LOOKING_MS);
    if (found === null || found.address === null) return { address: null, note: UNKNOWN };
    const { address, status, took_seconds } = found;
    const note = status === "success"
      ? null
      : `Its deployment is not ready (${status}); a build takes about ${
        took_seconds ?? USUAL_SECONDS
      } s: check_static_deploy with this commit_sha says what becomes of it.`;
    return { address, note };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const isNotSetUp = thrown.code.startsWith("E_HOSTING_");
    return {
      address: null,
      note: isNotSetUp ? `Its address is not known here: ${thrown.message}.` : UNKNOWN,
    };
  }
}

function lacks(behind: number, branch: string, deployed: string): string {
  const commits = counted(behind, "commit");
  return `Branch "${branch}" lacks ${commits} of "${deployed}", so the preview does not show what was changed there since.`;
}
