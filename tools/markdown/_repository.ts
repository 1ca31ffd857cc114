/** Markdown files of the repository that is linked to a site: found, judged, and put onto its branch. */
import { GatewayError } from "../../core/errors.ts";
import { builtRaises, servedRaises, SHOWN_ON_BRANCH } from "../../rules/branch_files.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { checkFileSize, checkSha } from "../../rules/file.ts";
import { markdownPath, underPrefix } from "../../rules/path.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import cloudflarePages from "../../platforms/cloudflare_pages/connector.ts";
import type { Decide, Entry, Planned, Pushed, View } from "../../platforms/github/client.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import github from "../../platforms/github/connector.ts";
import { type PreviewAnswer, previewAnswer } from "../../platforms/github/preview_answer.ts";
import { type Branch, pushTo, type Standing, standing } from "../../platforms/github/target.ts";
import { DEPLOYED, notLive } from "../../platforms/visitor/live.ts";
import type { ContextOf, Raise, WriteResult } from "../../registry/tool.ts";
import { textOf } from "../../platforms/astro/block.ts";

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

/** Reads only: the branch that a write goes to and its files, rights to write proven; null for a new preview branch. */
export async function writable(
  ctx: MarkdownContext,
  to: Branch,
): Promise<Pick<Standing, "client" | "branch" | "merged" | "view">> {
  const client = await ctx.use(github);
  if (to === "preview") return await standing(client, to, ctx);
  const branch = await client.deployedBranch();
  const view = await client.view();
  await client.requireWrite();
  return { client, branch, view };
}

/** A commit, and what the answer says of it where it went to a preview branch. */
export interface Committed extends Pushed {
  readonly preview: PreviewAnswer;
}

/** Commits to that branch; with `planned` only while those files are what they were then. */
export async function commit(
  ctx: MarkdownContext,
  to: Branch,
  line: string,
  decide: Decide,
  planned?: Planned,
): Promise<Committed> {
  const client = await ctx.use(github);
  const message = commitMessage(line, ctx.caller.token.id);
  const pushed = await pushTo(client, to, ctx, { message, planned }, decide);
  const deployed = await client.deployedBranch();
  const preview = await previewAnswer(pushed, { client, deployed, hosting: () => ctx.use(cloudflarePages) });
  return { ...pushed, preview };
}

/** What texts that are written into a file make of the call, by where they run once the branch is built. */
export async function runRaises(to: Branch, path: string, texts: object): Promise<readonly Raise[]> {
  if (to === "main") return []; // where that is deployed, the call is one of tier 3 in any case
  const byPath = [...builtRaises([{ path, bytes: null }]), ...servedRaises([path])];
  return [...byPath, ...await scriptRaises(texts, SHOWN_ON_BRANCH)];
}

/** The result of a write; of one that reached a deployed branch with how to see what visitors get of it. */
export const seenLater = (written: WriteResult, { grant }: Pick<MarkdownContext, "grant">): WriteResult =>
  grant === undefined ? written : written.seen(notLive(DEPLOYED));
