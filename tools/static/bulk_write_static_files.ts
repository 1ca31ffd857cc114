/** bulk_write_static_files: many files of a static site in one commit, the first one of an empty repository included. */
import { GatewayError } from "../../errors.ts";
import { checkFileSize } from "../../rules/file.ts";
import { LIMITS, type Site } from "../../model.ts";
import type { Edit, View } from "../../platforms/github/client.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, type Raise, tool } from "../../registry/tool.ts";
import { bytesOf, type Encoding, sourceIn } from "./_files.ts";
import { builtRaises, documentRaises, madeOn, planOf, revisionOf, type Shown } from "./_plan.ts";
import { pushTo, standing } from "./_target.ts";

interface FileArg {
  readonly path: string;
  readonly content: string;
  readonly encoding: Encoding;
}

/** What was made of a call's files, so that a hundred megabytes are not made of them at every step. */
const made = new WeakMap<readonly FileArg[], Edit[]>();

/** Every file's bytes, once all of them have been judged. */
function filesOf(files: readonly FileArg[], site: Site): Edit[] {
  const known = made.get(files) ?? judged(files, site);
  made.set(files, known);
  return known;
}

function judged(files: readonly FileArg[], site: Site): Edit[] {
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
    if (whole <= LIMITS.BULK_BYTES) return { path: paths[at]!, bytes };
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
    const before = seen.get(path.toLowerCase());
    if (before !== undefined) throw unfit(at, path, `is the path of files[${before}] already`);
    seen.set(path.toLowerCase(), at);
    return path;
  });
  for (const [at, path] of paths.entries()) {
    const parts = path.toLowerCase().split("/");
    for (let count = 1; count < parts.length; count++) {
      const above = seen.get(parts.slice(0, count).join("/"));
      if (above !== undefined) throw unfit(at, path, `is below files[${above}], which is a file`);
    }
  }
  return paths;
}

const unfit = (at: number, path: string, why: string) =>
  new GatewayError("E_BAD_INPUT", `files[${at}].path: ${JSON.stringify(path)} ${why}; change one of them`);

const SHOWN_MAX = 100;

const FIRST: Raise = {
  tier: 3,
  flags: ["allow_main_branch_push"],
  because: "the repository is empty, and its first commit goes to the deployed branch",
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export default tool("bulk_write_static_files", {
  check: ({ files }, { site }) => void filesOf(files, site),
  raises({ files }, { site }) {
    const edits = filesOf(files, site);
    return [...builtRaises(edits), ...documentRaises(edits.map(({ path }) => path))];
  },
  async plan({ files, target_branch }, ctx) {
    const edits = filesOf(files, ctx.site);
    const found = await standing(target_branch, ctx, true);
    const shown: Shown[] = [];
    for (const { path, bytes } of edits) {
      const now = await found.view.find(path); // all of them: none may stand where no file can be
      shown.push({ path, sha: now?.sha ?? null, size: now?.size ?? null, bytes: bytes!.byteLength });
    }
    const bytes = edits.reduce((sum, one) => sum + one.bytes!.byteLength, 0);
    const more = edits.length > SHOWN_MAX ? ` (${SHOWN_MAX} of them shown)` : "";
    const what = `Write ${counted(edits.length, "file")}${more}, ${
      counted(bytes, "byte")
    }, of ${ctx.site.name}`;
    const first = found.view.commit === null;
    const to = first ? "main" as const : target_branch;
    return {
      ...planOf(what, found, shown.slice(0, SHOWN_MAX)),
      shows: textsOf(found.view, shown.map((one, at) => ({ ...one, next: edits[at]!.bytes }))),
      revision: revisionOf(shown),
      raises: first ? [FIRST] : [],
      state: { to, first, bytes, planned: { commit: found.view.commit, files: revisionOf(shown) } },
    };
  },
  async run({ files, message: given }, ctx, { changes, state: { to, first, bytes, planned } }) {
    const edits = filesOf(files, ctx.site);
    const message = commitMessage(given ?? `Write ${counted(edits.length, "file")}`, ctx.caller.token.id);
    const decide = (view: View) => {
      if ((view.commit === null) === first) return Promise.resolve(edits);
      throw new GatewayError(
        "E_SHA_MISMATCH",
        "The repository was empty and has been written to meanwhile; try again",
      );
    };
    const pushed = await pushTo(to, ctx, { message, planned }, decide);
    const { commit_sha, branch, unchanged, proof } = pushed;
    ctx.note({ result_id: commit_sha, changes: madeOn(pushed, changes) });
    const done = { commit_sha, branch, files_written: edits.length, bytes, ...proof };
    return compared(unchanged ? { ...done, unchanged } : done);
  },
});
