/** Markdown files of the repository that is linked to a site: found, judged, and put onto its branch. */
import { GatewayError } from "../../core/errors.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { markdownPath, underPrefix } from "../../rules/path.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { Decide, Entry, Planned, Pushed, RepoClient, View } from "../../platforms/github/client.ts";
import { recordingPages } from "../../platforms/github/managed.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import github from "../../platforms/github/connector.ts";
import type { ContextOf } from "../../registry/tool.ts";
import { textOf } from "./_block.ts";

/** What a markdown tool that writes has at hand; the grant where the branch is a deployed one. */
export type MarkdownContext = ContextOf<{ site: "required"; publishes: "sometimes" }>;

/** The path of a markdown file below the site's folder. Throws E_BAD_PATH. */
export function markdownIn({ repo_prefix }: Site, path: string): string {
  const given = markdownPath(path, "path");
  underPrefix(repo_prefix, given, "path");
  return given;
}

/** The file at a path, with its text. Throws E_NOT_FOUND, E_SHA_MISMATCH when it is not what was read, E_FILE_TOO_LARGE. */
export async function fileAt(
  view: View,
  path: string,
  sha?: string,
): Promise<{ entry: Entry; text: string }> {
  const { entry } = await view.place(path);
  if (entry === null) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `path: the repository has no file ${JSON.stringify(path)}; list_md_from_repo names those there are`,
    );
  }
  checkSha(sha, entry);
  checkFileSize(entry.size, LIMITS.STATIC_FILE_BYTES, "path");
  return { entry, text: textOf(await view.bytes(entry), "path") };
}

/** Reads only: the site's branch and its files, rights to write proven. */
export async function writable(
  ctx: MarkdownContext,
): Promise<{ client: RepoClient; branch: string; view: View }> {
  const client = await ctx.use(github);
  const branch = await client.deployedBranch();
  const view = await client.view();
  await client.requireWrite();
  return { client, branch, view };
}

/** Commits to the site's branch; with `planned` only while those files are what they were then. */
export async function commit(
  ctx: MarkdownContext,
  line: string,
  decide: Decide,
  planned?: Planned,
): Promise<Pushed> {
  const client = await ctx.use(github);
  const branch = await client.deployedBranch();
  const message = commitMessage(line, ctx.caller.token.id);
  const target = { branch, message, grant: ctx.grant, planned, made: ctx.made };
  return await client.push(target, recordingPages(ctx.managed, decide));
}
