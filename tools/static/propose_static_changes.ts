/** propose_static_changes: a pull request from the preview branch to the deployed one, for people to look at and merge. */
import { allOrThrow } from "../../core/async.ts";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { isShown, mayBeShown, runsAsServed, runsInBuild } from "../../rules/file.ts";
import { pullBody, quietText } from "../../rules/pull_text.ts";
import type { Differing, PullRequest, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import { compared, type ContextOf, type Plan, type Raise, tool } from "../../registry/tool.ts";
import { branchesOf, leftOut, ownPath, rowsOf, textsBetween } from "./_publish.ts";
import { fileRaises, named, servedRaises, unreadRaises } from "./_plan.ts";

type Context = ContextOf<{ site: "required" }>;

interface State {
  readonly head: string;
  readonly base: string;
  readonly standing: PullRequest | null;
  readonly title: string;
  readonly body: string;
  readonly files: number;
}

const CLOSED_BY_PEOPLE =
  "A pull request is closed, or worded anew, by people at the repository's host, which keeps what it said before";

/** Styles are read for rules that have the build run code, documents for script; so many of each, and no larger ones. */
const READ_MAX = 20;
const ANY_STYLE = "@plugin";

/** The bytes of files, by their paths; of those left out it is not known what is in them. */
async function bytesOf(
  viewAt: () => Promise<View>,
  files: readonly Differing[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const few = files.slice(0, READ_MAX).filter(({ to }) =>
    to !== null && to.bytes <= LIMITS.STATIC_FILE_BYTES
  );
  if (few.length === 0) return new Map();
  const view = await viewAt();
  return new Map(
    await Promise.all(
      few.map(async ({ path, to }) => [path, await view.bytes({ sha: to!.sha, size: to!.bytes })] as const),
    ),
  );
}

/** What of the files browsers run, or say what they run, once people have merged them: what a write of them was raised by. */
async function shownRaises(
  viewAt: () => Promise<View>,
  files: readonly Differing[],
  { site }: Context,
): Promise<Raise[]> {
  const own = ({ path }: Differing) => ownPath(path, site);
  const there = files.filter(({ to }) => to !== null);
  const documents = there.filter((one) => !runsAsServed(own(one)) && mayBeShown(own(one)));
  const read = await bytesOf(viewAt, documents);
  const found = await Promise.all(
    documents.map(async (one) => {
      const bytes = read.get(one.path);
      return bytes === undefined ? [] : await fileRaises(own(one), bytes);
    }),
  );
  const unread = documents.filter(({ path }) => !read.has(path)).map(own);
  return [...servedRaises(there.map(own)), ...found.flat(), ...unreadRaises(unread)];
}

/** What of the files a build runs, or decides how it runs; a page as this service wrote it holds its HTML as data. */
async function buildRaises(
  viewAt: () => Promise<View>,
  files: readonly Differing[],
  { site, managed }: Context,
): Promise<Raise[]> {
  const there = files.filter(({ to }) => to !== null);
  const runs = ({ path }: Differing, text: string) => runsInBuild(ownPath(path, site), () => text);
  const styles = await bytesOf(viewAt, there.filter((one) => runs(one, ANY_STYLE) && !runs(one, "")));
  const textOf = (path: string) => styles.has(path) ? new TextDecoder().decode(styles.get(path)) : ANY_STYLE;
  const isSource = (own: string) => own.startsWith("src/") || own.startsWith("public/") || isShown(own);
  const isBuilt = (one: Differing) => runs(one, textOf(one.path)) || !isSource(ownPath(one.path, site));
  const judged = await Promise.all(
    there.filter(isBuilt).map(async ({ path, to }) => {
      const isOurs = await managed.has({ path: ownPath(path, site), sha: to!.sha });
      return isOurs ? [] : [path];
    }),
  );
  const built = judged.flat();
  if (built.length === 0) return [];
  return [{
    tier: 2,
    because: `${named(built)} ${built.length === 1 ? "is" : "are"} run by the build, or decide how it runs`,
  }];
}

const nothingNew = (head: string, base: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `Branch "${head}" changes nothing of branch "${base}", so there is nothing to propose; write to the preview first`,
  );

async function planned(
  { title: given, body: text }: { title: string; body: string },
  ctx: Context,
): Promise<Plan<State>> {
  const { site } = ctx;
  const branches = await branchesOf(ctx);
  const { client: { release, pulls, view: viewAt }, deployed: base, live, preview: head, head: commit } =
    branches;
  await pulls.requireRight();
  const [parting, standing] = await allOrThrow(release.parting(live, commit), pulls.open(head, base));
  const files = await release.differing(parting.base, commit);
  if (files.length === 0 || parting.ahead === 0) throw nothingNew(head, base);
  const [title, body] = [quietText(given), pullBody(text)];
  const what = standing === null ? "Open a pull request" : `Give pull request ${standing.number} other texts`;
  return {
    summary: `${what} of ${site.name}: from branch "${head}" to "${base}", for people to merge`,
    changes: [
      { field: "title", from: standing?.title ?? null, to: title },
      { field: "body", from: standing?.body ?? null, to: body },
      ...rowsOf(files),
    ],
    shows: async () => await textsBetween(await viewAt(parting.base), files, site),
    revision: {
      [head]: commit,
      "pull request": standing === null ? null : [standing.number, standing.title, standing.body],
    },
    paths: files.map(({ path }) => path),
    raises: (await allOrThrow(
      buildRaises(() => viewAt(commit), files, ctx),
      shownRaises(() => viewAt(commit), files, ctx),
    )).flat(),
    warnings: leftOut(files, parting),
    final: CLOSED_BY_PEOPLE,
    state: { head, base, standing, title, body, files: files.length },
  };
}

const opened = (head: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `Somebody else opened a pull request of branch "${head}" since it was looked at, so none was opened; preview again and look ` +
      "at what is there now",
    { outcome: "none" },
  );

export default tool("propose_static_changes", {
  plan: ({ title, body = "" }, ctx) => planned({ title, body }, ctx),
  async run(_, ctx, { changes, state: { head, base, standing, title, body, files } }) {
    const { pulls } = await ctx.use(github);
    const isSame = standing?.title === title && standing.body === body;
    const found = isSame
      ? standing
      : standing === null
      ? await pulls.make({ head, base }, { title, body }, ctx.made)
      : await pulls.word(standing.number, { title, body });
    if (found === null) throw opened(head);
    const { number, url, state } = found;
    ctx.annotate({ result_id: number, changes });
    const differences = [
      ...found.title === title ? [] : ["title: the host kept another"],
      ...found.body === body ? [] : ["body: the host kept another"],
    ];
    return compared({
      ...{ number, url, state, created: standing === null, updated: standing !== null && !isSame },
      ...{ branch: head, base, files, differences },
    });
  },
});
