/** edit_static_file: a text of one file of the preview branch is replaced, each place as it was shown. */
import { textIn } from "../../core/bytes.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Change, LIMITS } from "../../core/model.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { writablePath } from "../../rules/path.ts";
import { around, type Place, type Replacement, replacing } from "../../rules/replacements.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { bytesOf, inSite } from "./_files.ts";
import { fileRaises, madeOn, plannedOn, planOf } from "./_plan.ts";
import { beforeOf, restoringFiles } from "./_restore.ts";
import { pushTo, standing } from "./_target.ts";

interface Wanted extends Replacement {
  readonly path: string;
  readonly sha?: string;
}

const WORDS = { field: () => "find", shown: "as it stands in the file, as read_static_file shows it" };

/** The file as it stands and as the call would leave it. */
interface Edited {
  readonly entry: Entry;
  readonly before: string;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly places: readonly Place[];
}

/** Throws E_NOT_FOUND, E_SHA_MISMATCH, E_BAD_INPUT for another count, E_NOT_SUPPORTED for no text, E_FILE_TOO_LARGE. */
async function edited(view: View, { path: given, sha, find, replace, count }: Wanted): Promise<Edited> {
  const { path, entry } = await view.place(given);
  if (entry === null) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `path: there is no file ${
        JSON.stringify(path)
      }; list_static_files names those there are, and write_static_file ` +
        "makes one",
    );
  }
  checkSha(sha, entry);
  checkFileSize(entry.size, LIMITS.STATIC_FILE_BYTES, "path");
  const before = textIn(await view.bytes(entry));
  if (before === undefined) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `path: ${JSON.stringify(path)} is not text in UTF-8; write_static_file replaces it whole`,
    );
  }
  const { text, places } = replacing(
    before,
    [{ find, replace, ...count === undefined ? {} : { count } }],
    WORDS,
  );
  const bytes = bytesOf(text, "utf-8", "replace");
  checkFileSize(bytes.byteLength, LIMITS.STATIC_FILE_BYTES, "replace");
  return { entry, before, text, bytes, places };
}

/** The places by their lines, from 1, as they stand and as they would. */
function shownPlaces({ entry, before, text, places }: Edited, { replace }: Replacement): Change[] {
  let [line, from, moved] = [1, 0, 0];
  return places.map(({ at, end }) => {
    line += before.slice(from, at).split("\n").length - 1;
    from = at;
    const row = {
      field: `${entry.path}, line ${line}`,
      from: around(before, at, end - at),
      to: around(text, at + moved, replace.length),
    };
    moved += replace.length - (end - at);
    return row;
  });
}

const inPlaces = (count: number) => count === 1 ? "a text" : `a text in ${count} places`;

export default tool("edit_static_file", {
  check({ path, find, replace }, { site }) {
    inSite(site, writablePath(path, "path"), "path");
    bytesOf(find, "utf-8", "find");
    bytesOf(replace, "utf-8", "replace");
    if (find !== replace) return;
    throw new GatewayError("E_BAD_INPUT", "replace: is the same as find; give the new text");
  },
  async plan(args, ctx) {
    const given = writablePath(args.path, "path");
    const found = await standing("preview", ctx);
    const file = await edited(found.view, { ...args, path: given });
    const { entry: { path, sha, size }, bytes, places } = file;
    const shown = { path, sha, size, bytes: bytes.byteLength };
    const plan = planOf(
      `Replace ${inPlaces(places.length)} of the file "${path}" of ${ctx.site.name}`,
      found,
      [shown],
    );
    const texts = textsOf(found.view, [{ ...shown, next: bytes }]);
    return {
      ...plan,
      ...beforeOf({ path, target_branch: "preview" }, found, [shown]),
      raises: await fileRaises(path, bytes),
      shows: async () => [...shownPlaces(file, args), ...await texts()],
      state: { path, places: places.length, planned: plannedOn(found, plan, args) },
    };
  },
  async run({ message: given, ...args }, ctx, { changes, state: { path, places, planned }, before }) {
    const line = given ?? `Replace ${inPlaces(places)} of ${path}`;
    const message = commitMessage(line, ctx.caller.token.id);
    const pushed = await pushTo("preview", ctx, { message, planned }, async (view) => {
      const { bytes } = await edited(view, { ...args, path });
      return [{ path, bytes }];
    });
    const { commit_sha, branch, shas, proof, preview } = pushed;
    ctx.annotate({ result_id: path, changes: madeOn(pushed, changes) });
    const done = compared({
      path,
      sha: shas.get(path),
      commit_sha,
      branch,
      replaced: places,
      ...preview,
      ...proof,
    });
    return done.leaving(...leavingOf(before, pushed));
  },
  restore: restoringFiles,
});
