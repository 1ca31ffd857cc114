/** save_md_to_repo: one markdown file, made or replaced, in one commit. */
import { GatewayError } from "../../core/errors.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { bytesOf, checkText } from "../../rules/text.ts";
import { LIMITS } from "../../core/model.ts";
import type { RepoClient, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { branchWords } from "../../platforms/github/target.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import { compared, tool } from "../../registry/tool.ts";
import { commit, markdownIn, runRaises, seenLater, writable } from "./_repository.ts";
import { beforeOf, restoringMarkdown } from "./_restore.ts";

/** Where the path leads, and what stands there. Throws E_SHA_MISMATCH where that is not what the caller knows, E_BAD_PATH. */
async function judge(view: View, given: string, sha: string | undefined) {
  const { path, entry: standing } = await view.place(given);
  if (standing === null && sha !== undefined) {
    throw new GatewayError(
      "E_SHA_MISMATCH",
      `sha: there is no file ${JSON.stringify(path)}; leave sha out to make it`,
    );
  }
  if (standing !== null && sha === undefined) {
    throw new GatewayError(
      "E_SHA_MISMATCH",
      `sha: ${
        JSON.stringify(path)
      } is there already, with the sha ${standing.sha}; read it, and pass that sha to replace it`,
    );
  }
  if (standing !== null) checkSha(sha, standing);
  return { path, standing };
}

/** Where a person can look at the file; null where the host does not say just now, for the commit stands all the same. */
async function addressOf(client: RepoClient, path: string, commit: string): Promise<string | null> {
  try {
    return (await client.read(path, LIMITS.STATIC_FILE_BYTES, commit)).html_url;
  } catch {
    return null;
  }
}

export default tool("save_md_to_repo", {
  async check({ path, content }, { site }) {
    markdownIn(site, path);
    checkText(content, "content");
    checkFileSize(bytesOf(content), LIMITS.STATIC_FILE_BYTES, "content");
    const { readDocument, required, typeOf } = await import("./_frontmatter.ts"); // its package is large, and not needed to start
    const { frontmatter } = readDocument(content, "content");
    for (const key of ["title", "slug"]) required(frontmatter, key, "content");
    typeOf(frontmatter, "content");
  },
  raises: ({ path, content, target_branch }) => runRaises(target_branch, path, { content }),
  async plan({ content, sha, target_branch, ...args }, ctx) {
    const to = await writable(ctx, target_branch);
    const { client, branch, view } = to;
    if (view.commit === null && branch !== null) await client.requireFirst(branch);
    const { path, standing } = await judge(view, markdownIn(ctx.site, args.path), sha);
    const revision = { [path]: standing?.sha ?? null };
    const from = standing && { sha: standing.sha, bytes: standing.size };
    return {
      summary: `${standing ? "Replace" : "Make"} "${path}" on ${branchWords(to)} of ${ctx.site.repo}`,
      changes: [{ field: path, from, to: { bytes: bytesOf(content) } }],
      shows: textsOf(view, [{
        path,
        sha: standing?.sha ?? null,
        size: standing?.size ?? null,
        next: new TextEncoder().encode(content),
      }]),
      revision,
      paths: [path],
      ...beforeOf({ path, branch, target_branch }, standing),
      // A caller who names the sha is told by that.
      state: { path, planned: sha === undefined ? { commit: view.commit, files: revision } : undefined },
    };
  },
  async run({ content, sha, message, target_branch }, ctx, { changes, before, state: { path, planned } }) {
    const line = message ?? `${sha === undefined ? "Add" : "Update"} ${path}`;
    const pushed = await commit(ctx, target_branch, line, async (view) => {
      await judge(view, path, sha);
      return [{ path, bytes: new TextEncoder().encode(content) }];
    }, planned);
    ctx.annotate({ result_id: path, changes });
    const { branch, commit_sha, unchanged, proof, preview } = pushed;
    const client = await ctx.use(github);
    const html_url = await addressOf(client, path, commit_sha);
    const done = {
      path,
      sha: pushed.shas.get(path),
      commit_sha,
      created: sha === undefined,
      branch,
      html_url,
      ...preview,
      ...proof,
    };
    const written = compared(unchanged ? { ...done, unchanged } : done).leaving(...leavingOf(before, pushed));
    return seenLater(written, ctx);
  },
  restore: restoringMarkdown,
});
