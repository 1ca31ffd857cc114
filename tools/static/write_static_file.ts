/** write_static_file: one file beside the pages of a static site, made or overwritten. */
import { GatewayError } from "../../core/errors.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { writablePath } from "../../rules/path.ts";
import { LIMITS } from "../../core/model.ts";
import type { View } from "../../platforms/github/client.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { bytesOf, inSite } from "./_files.ts";
import { fileRaises, madeOn, plannedOn, planOf } from "./_plan.ts";
import { beforeOf, restoringFiles } from "./_restore.ts";
import { requireNoPage } from "./_routes.ts";
import { pushTo, seenLater, standing } from "./_target.ts";

interface Wanted {
  readonly path: string;
  readonly sha?: string;
  readonly allow_overwrite: boolean;
}

/**
 * Where the path leads, and what stands there. Throws E_FILE_EXISTS, E_SHA_MISMATCH, E_BAD_PATH for what would hide a
 * page or is there under a name that is like it.
 */
async function judge(view: View, { path: given, sha, allow_overwrite }: Wanted) {
  const { path, entry: standing } = await view.place(given);
  if (standing === null && sha !== undefined) {
    throw new GatewayError(
      "E_SHA_MISMATCH",
      `sha: there is no file ${JSON.stringify(path)} any more; leave sha out`,
    );
  }
  if (standing === null) {
    await requireNoPage(view, path);
    return { path, standing };
  }
  if (!allow_overwrite) {
    throw new GatewayError(
      "E_FILE_EXISTS",
      `path: ${
        JSON.stringify(path)
      } is there (sha ${standing.sha}); set allow_overwrite to true to overwrite it`,
    );
  }
  checkSha(sha, standing);
  return { path, standing };
}

export default tool("write_static_file", {
  check({ path, content, encoding }, { site }) {
    inSite(site, writablePath(path, "path"), "path");
    checkFileSize(bytesOf(content, encoding, "content").byteLength, LIMITS.STATIC_FILE_BYTES, "content");
  },
  async raises({ content, encoding, ...args }) {
    const bytes = bytesOf(content, encoding, "content");
    return await fileRaises(writablePath(args.path, "path"), bytes, "content");
  },
  async plan({ content, encoding, target_branch, ...args }, ctx) {
    const given = writablePath(args.path, "path");
    const found = await standing(target_branch, ctx);
    const { path, standing: now } = await judge(found.view, { ...args, path: given });
    const bytes = bytesOf(content, encoding, "content");
    const what = `${now ? "Overwrite" : "Make"} the file "${path}" of ${ctx.site.name}`;
    const shown = { path, sha: now?.sha ?? null, size: now?.size ?? null, bytes: bytes.byteLength };
    const plan = planOf(what, found, [shown]);
    const shows = textsOf(found.view, [{ ...shown, next: bytes }]);
    const state = { path, created: now === null, planned: plannedOn(found, plan, args) };
    return { ...plan, ...beforeOf({ path, target_branch }, found, [shown]), shows, state };
  },
  async run({ content, encoding, target_branch, message: given, ...args }, ctx, { changes, state, before }) {
    const bytes = bytesOf(content, encoding, "content");
    const { path, created, planned } = state;
    const message = commitMessage(given ?? `${created ? "Add" : "Overwrite"} ${path}`, ctx.caller.token.id);
    const pushed = await pushTo(target_branch, ctx, { message, planned }, async (view) => {
      await judge(view, { ...args, path });
      return [{ path, bytes }];
    });
    const { commit_sha, branch, shas, unchanged, proof, preview } = pushed;
    ctx.annotate({ result_id: path, changes: madeOn(pushed, changes) });
    const done = {
      path,
      sha: shas.get(path),
      commit_sha,
      branch,
      target_branch,
      created,
      ...preview,
      ...proof,
    };
    const written = compared(unchanged ? { ...done, unchanged } : done).leaving(...leavingOf(before, pushed));
    return await seenLater(written, pushed, ctx);
  },
  restore: restoringFiles,
});
