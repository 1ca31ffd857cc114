/** bulk_write_static_files: many files of a static site in one commit, the first one of an empty repository included. */
import { counted } from "../../core/one_line.ts";
import { release } from "../../core/bytes.ts";
import { GatewayError } from "../../core/errors.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { blobName, commitMessage, folded } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, type Raise, tool } from "../../registry/tool.ts";
import { bytesOf, type Encoding, sourceIn } from "./_files.ts";
import {
  builtRaises,
  documentRaises,
  madeOn,
  named,
  planOf,
  revisionOf,
  servedRaises,
  type Shown,
} from "./_plan.ts";
import { beforeOf, restoringFiles } from "./_restore.ts";
import { pushTo, seenLater, standing } from "./_target.ts";

interface FileArg {
  readonly path: string;
  readonly content: string;
  readonly encoding: Encoding;
  readonly allow_overwrite: boolean;
  readonly sha?: string;
}

/** A file that is to be written. */
interface Wanted extends Pick<FileArg, "path" | "allow_overwrite" | "sha"> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What was made of a call's files, so that a hundred megabytes are not made of them at every step. */
const made = new WeakMap<readonly FileArg[], Wanted[]>();

/** Every file's bytes, once all of them have been judged. */
function filesOf(files: readonly FileArg[], site: Site): Wanted[] {
  const known = made.get(files) ?? judged(files, site);
  made.set(files, known);
  return known;
}

/** Gives back what was made of a call's files, which is made again where it is asked for once more. */
function giveBack(files: readonly FileArg[]): void {
  for (const { bytes } of made.get(files) ?? []) release(bytes);
  made.delete(files);
}

function judged(files: readonly FileArg[], site: Site): Wanted[] {
  if (files.length > LIMITS.BULK_FILES_MAX) {
    throw new GatewayError(
      "E_BULK_TOO_MANY_FILES",
      `files: ${files.length} are more than the ${LIMITS.BULK_FILES_MAX} of one call; send them in several`,
    );
  }
  const paths = pathsOf(files, site);
  let whole = 0;
  return files.map((file, at) => {
    const bytes = bytesOf(file.content, file.encoding, `files[${at}].content`);
    checkFileSize(bytes.byteLength, LIMITS.BULK_FILE_BYTES, `files[${at}].content`);
    whole += bytes.byteLength;
    const { allow_overwrite, sha } = file;
    if (whole <= LIMITS.BULK_BYTES) return { path: paths[at]!, bytes, allow_overwrite, sha };
    throw new GatewayError(
      "E_BULK_TOO_LARGE",
      `files: they have over ${LIMITS.BULK_BYTES} bytes together; send them in several calls`,
    );
  });
}

/** The files' paths, each once and none below another. Throws E_BAD_PATH, E_BAD_INPUT. */
function pathsOf(files: readonly FileArg[], site: Site): string[] {
  const seen = new Map<string, number>();
  const paths = files.map((file, at) => {
    const path = sourceIn(site, file.path, `files[${at}].path`);
    const before = seen.get(folded(path));
    if (before !== undefined) throw unfit(at, path, `is the path of files[${before}] already`);
    seen.set(folded(path), at);
    return path;
  });
  for (const [at, path] of paths.entries()) {
    const parts = folded(path).split("/");
    for (let count = 1; count < parts.length; count++) {
      const above = seen.get(parts.slice(0, count).join("/"));
      if (above !== undefined) throw unfit(at, path, `is below files[${above}], which is a file`);
    }
  }
  return paths;
}

const unfit = (at: number, path: string, why: string) =>
  new GatewayError("E_BAD_INPUT", `files[${at}].path: ${JSON.stringify(path)} ${why}; change one of them`);

/** A file and what it would replace. */
interface Placed {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly standing: Entry | null;
}

/**
 * What stands where the files are to be written. Throws E_SHA_MISMATCH, E_BAD_PATH, and E_FILE_EXISTS for files that would
 * be replaced by a call that nobody was shown, unless each of them says that it may be.
 */
async function placed(view: View, files: readonly Wanted[], unseen: boolean): Promise<Placed[]> {
  const found: Placed[] = [];
  const taken: string[] = [];
  for (const [at, { path: given, bytes, sha, allow_overwrite }] of files.entries()) {
    const { path, entry: standing } = await view.place(given, `files[${at}].path`); // none may stand where no file can be
    found.push({ path, bytes, standing });
    if (sha !== undefined && standing === null) throw gone(at, path);
    if (standing === null) continue;
    checkSha(sha, standing, `files[${at}].sha`);
    const open = !unseen || allow_overwrite || sha !== undefined || await isSame(standing, bytes);
    if (!open) taken.push(`files[${at}].path: ${JSON.stringify(path)} is there (sha ${standing.sha})`);
  }
  if (taken.length === 0) return found;
  const more = taken.length > NAMED_MAX ? `; and ${taken.length - NAMED_MAX} more` : "";
  throw new GatewayError(
    "E_FILE_EXISTS",
    `${
      taken.slice(0, NAMED_MAX).join("; ")
    }${more}: nothing was written; preview the call and confirm it with its ` +
      "confirm_token, or set allow_overwrite to true, or the sha as you read it, on each file that may be replaced",
  );
}

const NAMED_MAX = 5;

const gone = (at: number, path: string) =>
  new GatewayError(
    "E_SHA_MISMATCH",
    `files[${at}].sha: there is no file ${JSON.stringify(path)} any more; leave sha out`,
  );

/** Whether those bytes stand there already. */
const isSame = async ({ sha, size }: Entry, bytes: Uint8Array) =>
  size === bytes.byteLength && sha === await blobName(bytes);

/** Which files are replaced although nothing in the call says so, for whoever approves the preview. */
function overwriteWarnings(files: readonly Wanted[], shown: readonly Shown[]): string[] {
  const silent = shown.filter(({ sha }, at) => {
    return sha !== null && !files[at]!.allow_overwrite && files[at]!.sha === undefined;
  });
  return silent.length === 0 ? [] : [
    `${named(silent.map(({ path }) => path))} ${
      silent.length === 1 ? "is" : "are"
    } there already and would be ` +
    "replaced; without this preview's confirm_token the call would be refused",
  ];
}

const SHOWN_MAX = 100;

const FIRST: Raise = {
  tier: 3,
  flags: ["allow_main_branch_push"],
  because: "the repository is empty, and its first commit goes to the deployed branch",
};

export default tool("bulk_write_static_files", {
  check: ({ files }, { site }) => void filesOf(files, site),
  raises({ files }, { site }) {
    const edits = filesOf(files, site);
    const paths = edits.map(({ path }) => path);
    return [...builtRaises(edits), ...servedRaises(paths), ...documentRaises(paths)];
  },
  async plan({ files, target_branch }, ctx) {
    const edits = filesOf(files, ctx.site);
    const found = await standing(target_branch, ctx, true);
    const shown: Shown[] = (await placed(found.view, edits, ctx.unseen)).map(({ path, bytes, standing }) => {
      return { path, sha: standing?.sha ?? null, size: standing?.size ?? null, bytes: bytes.byteLength };
    });
    const bytes = edits.reduce((sum, one) => sum + one.bytes.byteLength, 0);
    const more = edits.length > SHOWN_MAX ? ` (${SHOWN_MAX} of them shown)` : "";
    const what = `Write ${counted(edits.length, "file")}${more}, ${
      counted(bytes, "byte")
    }, of ${ctx.site.name}`;
    const first = found.view.commit === null;
    const to = first ? "main" as const : target_branch;
    return {
      ...planOf(what, found, shown.slice(0, SHOWN_MAX)),
      shows: async () => {
        const next = filesOf(files, ctx.site);
        const texts = await textsOf(
          found.view,
          shown.map((one, at) => ({ ...one, next: next[at]!.bytes })),
        )();
        giveBack(files); // nothing else of a preview needs them
        return texts;
      },
      ...beforeOf({ target_branch: to }, found, shown),
      revision: revisionOf(shown),
      paths: shown.map(({ path }) => path),
      warnings: overwriteWarnings(edits, shown),
      raises: first ? [FIRST] : [],
      state: {
        to,
        first,
        bytes,
        // A caller who names the sha of a file is told by that.
        planned: { commit: found.view.commit, files: revisionOf(shown.filter((_, at) => !edits[at]!.sha)) },
      },
    };
  },
  async run({ files, message: given }, ctx, { changes, before, state: { to, first, bytes, planned } }) {
    const edits = filesOf(files, ctx.site);
    const message = commitMessage(given ?? `Write ${counted(edits.length, "file")}`, ctx.caller.token.id);
    const decide = async (view: View) => {
      if ((view.commit === null) === first) return await placed(view, edits, ctx.unseen);
      throw new GatewayError(
        "E_SHA_MISMATCH",
        "The repository was empty and has been written to meanwhile; try again",
      );
    };
    const pushed = await pushTo(to, ctx, { message, planned }, decide);
    const { commit_sha, branch, unchanged, proof, preview } = pushed;
    giveBack(files);
    ctx.annotate({ result_id: commit_sha, changes: madeOn(pushed, changes) });
    const done = { commit_sha, branch, files_written: edits.length, bytes, ...preview, ...proof };
    const written = compared(unchanged ? { ...done, unchanged } : done).leaving(...leavingOf(before, pushed));
    return await seenLater(written, pushed, ctx);
  },
  restore: restoringFiles,
});
