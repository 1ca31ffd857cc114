/** How files of a static site are set back: a new commit puts the blobs that stood there onto the branch that was written to. */
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { isShown, runsAsServed, runsInBuild } from "../../rules/file.ts";
import { LIMITS } from "../../core/model.ts";
import { partsOfSource } from "../../platforms/astro/page.ts";
import type { Planned, View } from "../../platforms/github/client.ts";
import {
  branchWritten,
  commitFormer,
  commitFormerLine,
  type Former,
  formerBytes,
  formerOf,
  keptFiles,
} from "../../platforms/github/former.ts";
import { commitMessage } from "../../platforms/github/names.ts";
import { textsOf } from "../../platforms/github/texts.ts";
import github from "../../platforms/github/connector.ts";
import { type Before, compared, type Plan, type Raise } from "../../registry/tool.ts";
import { contentOf, sourceIn } from "./_files.ts";
import { fileRaises, madeOn, named, planOf, type Shown, SHOWN_ON_BRANCH } from "./_plan.ts";
import { type Branch, seenLater, type StaticContext } from "./_target.ts";

/** Why a write that only made files cannot be taken back. */
export const ONLY_MADE =
  "It makes new files, which are never deleted: delete_static_route takes out a page that is live, " +
  "reset_static_preview_branch leaves a preview branch behind";

/** What names a write of files: its arguments, and with them the flags that it needs. */
type Of = { readonly path?: string; readonly route?: string; readonly target_branch: Branch };

/** What is kept of the files that a write replaces on a branch; its name is told later where the write makes it. */
export function beforeOf(
  of: Of,
  { branch }: { readonly branch: string | null },
  files: readonly Shown[],
): Pick<Plan, "before" | "final"> {
  const values = keptFiles(files);
  return values === null ? { final: ONLY_MADE } : { before: { of: { ...of, branch }, values } };
}

interface Restored {
  readonly to: Branch;
  readonly branch: string;
  readonly files: readonly Former[];
  /** Paths that are taken out. */
  readonly out: readonly string[];
  readonly planned: Planned;
}

type Ready = Plan<Restored> & { state: Restored };

async function planned(
  takesOut: boolean,
  { of, values }: Before,
  ctx: StaticContext,
): Promise<Plan<Restored>> {
  const to = of["target_branch"] === "main" ? "main" : "preview";
  const branch = String(of["branch"]);
  const view = await branchWritten(await ctx.use(github), branch, to === "main");
  const { files, made } = formerOf(values);
  const shown = await Promise.all(files.map(async ({ path, bytes }): Promise<Shown> => {
    const now = await view.find(sourceIn(ctx.site, path, "path"));
    return { path, sha: now?.sha ?? null, size: now?.size ?? null, bytes };
  }));
  const texts = await read(view, files);
  const paths = named([...files.map(({ path }) => path), ...takesOut ? made : []]);
  const out = takesOut ? await standingAt(view, made) : [];
  const all = [...shown, ...out];
  const plan = planOf(`Set back ${paths} of ${ctx.site.name}`, { branch }, all);
  const next = shown.flatMap((one) => {
    const bytes = texts.get(one.path);
    return bytes === undefined ? [] : [{ ...one, next: bytes }];
  });
  return {
    ...plan,
    changes: rowsOf(plan, files),
    shows: textsOf(view, next),
    ...takesOut
      ? { before: { of: { ...of, branch }, values: keptFor(all) } }
      : beforeOf(of as Of, { branch }, all),
    raises: await raisesOf(files, texts),
    warnings: warningsOf(takesOut ? [] : made, all),
    state: {
      ...{ to, branch, files, out: out.map(({ path }) => path) },
      planned: { commit: view.commit, files: plan.revision },
    },
  };
}

/** The rows of a preview, of each file what comes back. */
function rowsOf({ changes }: Pick<Plan, "changes">, files: readonly Former[]): Plan["changes"] {
  const [first, ...rows] = changes;
  return [
    first!,
    ...rows.slice(0, SHOWN_MAX).map((one, at) => {
      const file = files[at];
      return file === undefined ? one : { ...one, to: { sha: file.sha, bytes: file.bytes } };
    }),
  ];
}

function warningsOf(staying: readonly string[], all: readonly Shown[]): string[] {
  const were = staying.length === 1 ? "was" : "were";
  return [
    ...staying.length === 0
      ? []
      : [`${named(staying)} ${were} made by that change and will stay: no file is deleted`],
    ...all.length <= SHOWN_MAX ? [] : [`${all.length - SHOWN_MAX} of ${all.length} files are not listed`],
  ];
}

async function restored(ctx: StaticContext, { changes, state: { to, branch, files, out, planned } }: Ready) {
  const paths = [...files.map(({ path }) => path), ...out];
  const message = commitMessage(commitFormerLine(paths), ctx.caller.token.id);
  const grant = to === "main" ? ctx.grant : undefined;
  const target = { branch, message, planned, grant, made: ctx.made };
  const pushed = await commitFormer(await ctx.use(github), target, files, out);
  const { commit_sha, unchanged, proof, shas } = pushed;
  ctx.annotate({
    result_id: paths.length === 1 ? paths[0]! : commit_sha,
    changes: madeOn(pushed, changes),
  });
  const done = { branch, commit_sha, files: paths.length, ...unchanged ? { unchanged } : {}, ...proof };
  const left = Object.fromEntries(paths.map((path) => [path, shas.get(path) ?? null]));
  return await seenLater(compared(done).leaving(left), pushed, ctx);
}

/** What a restored write is planned and carried out by; `takesOut` where what the write made goes as well. */
const restoring = (takesOut: boolean) => ({
  plan: (kept: Before, ctx: StaticContext) => planned(takesOut, kept, ctx),
  run: (_: Before, ctx: StaticContext, plan: Ready) => restored(ctx, plan),
});

/** The way back of every tool that writes files of a static site; what a write made stays. */
export const restoringFiles = restoring(false);

/** The way back of a publication: what it brought to the branch goes as well; the history keeps it. */
export const revertingFiles = restoring(true);

/** Files that a publication made, as they stand. */
const standingAt = async (view: View, paths: readonly string[]): Promise<Shown[]> =>
  await Promise.all(paths.map(async (path) => {
    const now = await view.find(path);
    return { path, sha: now?.sha ?? null, size: now?.size ?? null, bytes: null };
  }));

/** What is kept of files of which those that are not there are kept as well. */
export const keptFor = (files: readonly Pick<Shown, "path" | "sha" | "size">[]): Before["values"] =>
  keptFiles(files, true) ?? {};

/** Rows of a preview. */
const SHOWN_MAX = 100;
/** Files of a change that are read before they are set back, for their texts and for script in them. */
const READ_MAX = 5;

async function read(view: View, files: readonly Former[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const few = files.slice(0, READ_MAX).filter(({ bytes }) => bytes <= LIMITS.STATIC_FILE_BYTES);
  const texts = await Promise.all(few.map(async (one) => [one.path, await formerBytes(view, one)] as const));
  return new Map(texts);
}

/** What script in the files makes of the call. A page exactly as this service makes one has only the script of its parts. */
async function raisesOf(
  files: readonly Former[],
  texts: ReadonlyMap<string, Uint8Array>,
): Promise<Raise[]> {
  const raises = await Promise.all(files.map(async ({ path }): Promise<Raise[]> => {
    const bytes = texts.get(path);
    if (bytes === undefined) return unread(path);
    const { content, encoding } = contentOf(bytes);
    const parts = encoding === "utf-8" ? partsOfSource(path, content) : null;
    if (parts !== null) return await scriptRaises(parts, SHOWN_ON_BRANCH);
    return await fileRaises(path, bytes);
  }));
  return raises.flat();
}

/** The rules of a style that has the build run code. */
const ANY_STYLE = "@plugin";

const unread = (path: string): Raise[] =>
  isShown(path) || runsAsServed(path) || runsInBuild(path, () => ANY_STYLE)
    ? [{
      tier: 2,
      because: `${JSON.stringify(path)} is put back unread, and may hold script that runs ${SHOWN_ON_BRANCH}`,
    }]
    : [];
