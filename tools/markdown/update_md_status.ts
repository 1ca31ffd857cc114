/** update_md_status: one word in the frontmatter of one file, every other byte kept. */
import { GatewayError } from "../../core/errors.ts";
import type { View } from "../../platforms/github/client.ts";
import { branchWords } from "../../platforms/github/target.ts";
import { compared, tool } from "../../registry/tool.ts";
import { commit, fileAt, markdownIn, runRaises, seenLater, writable } from "./_repository.ts";
import { beforeOf, leftBy, restoringMarkdown } from "./_restore.ts";

/** The file with its new status. Throws E_NOT_FOUND, E_SHA_MISMATCH, E_MISSING_FRONTMATTER. */
async function decide(view: View, path: string, status: string, sha: string | undefined) {
  const { entry, text } = await fileAt(view, path, sha);
  const { readDocument, withKey } = await import("./_frontmatter.ts"); // its package is large, and not needed to start
  const before = readDocument(text, "path").frontmatter["status"];
  const changed = before === status ? text : withKey(text, "status", status, "path");
  return { entry, previous: before ?? null, bytes: new TextEncoder().encode(changed) };
}

export default tool("update_md_status", {
  check({ path, status }, { site }) {
    markdownIn(site, path);
    if (status.trim() === status && !/\p{Cc}/u.test(status)) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      "status: expected a word without blanks around it or line breaks in it",
    );
  },
  raises: ({ path, status, target_branch }) => runRaises(target_branch, path, { status }),
  async plan({ status, sha, target_branch, ...args }, ctx) {
    const path = markdownIn(ctx.site, args.path);
    const to = await writable(ctx, target_branch);
    const { branch, view } = to;
    const { entry, previous } = await decide(view, path, status, sha);
    return {
      summary: `Set the status of "${path}" to "${status}" on ${branchWords(to)} of ${ctx.site.repo}`,
      changes: [{ field: "status", from: previous, to: status }],
      revision: { [path]: entry.sha },
      paths: [path],
      ...beforeOf({ path, branch, target_branch }, entry),
      state: {
        previous,
        planned: sha === undefined ? { commit: view.commit, files: { [path]: entry.sha } } : undefined,
      },
    };
  },
  async run(
    { status, message, sha, target_branch, ...args },
    ctx,
    { changes, before, state: { previous, planned } },
  ) {
    const path = markdownIn(ctx.site, args.path);
    const line = message ?? `Set the status of ${path} to ${status}`;
    const pushed = await commit(ctx, target_branch, line, async (view) => {
      const { bytes } = await decide(view, path, status, sha);
      return [{ path, bytes }];
    }, planned);
    ctx.annotate({ result_id: path, changes });
    const { branch, commit_sha, unchanged, proof, preview } = pushed;
    const done = {
      path,
      sha: pushed.shas.get(path),
      status,
      previous_status: previous,
      commit_sha,
      branch,
      ...preview,
      ...proof,
    };
    const written = leftBy(compared(unchanged ? { ...done, unchanged } : done), pushed, { before });
    return seenLater(written, ctx);
  },
  restore: restoringMarkdown,
});
