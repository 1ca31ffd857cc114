/** A kit whose sites stand at a repository host over real git, every exchange with it held to GitHub's description. */
import assert from "node:assert/strict";
import { isGenerated } from "../../platforms/astro/page.ts";
import { blobName } from "../../platforms/github/names.ts";
import { type GitHubStandIn, type RepoOptions, startGitHub } from "../../sandbox/github/start.ts";
import { type Args, Calls } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { assertDescribed } from "../sandbox/github_openapi.ts";
import { Clone, heldBranch } from "./_clone.ts";
import { EMPTY, FILES, JOURNAL, REPO, settingsAt, sitesAt } from "./_static_sites.ts";

export { EMPTY, FILES, JOURNAL, OPEN_FLAGS, REPO, settingsAt } from "./_static_sites.ts";

/** What a write must have left: one commit of exactly those files. */
export interface Written {
  /** The site's repository. Default REPO. */
  readonly repo?: string;
  readonly branch: string;
  /** The commit it must stand on; null for the first one. */
  readonly parent: string | null;
  /** The message's first line. */
  readonly line: string;
  /** Bytes or text by path; null for what was taken out. */
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  /** Whether a clone is the witness; as the world says where left out. */
  readonly git?: boolean;
}

/** How a world is opened: at a host there is already, with files for REPO, and `env` as in settingsAt. */
export interface WorldOptions extends KitOptions {
  readonly host?: GitHubStandIn;
  readonly files?: RepoOptions["files"];
  readonly env?: Readonly<Record<string, string | null>>;
  /** Whether git itself is asked what a write left, by a clone; where a test tries many worlds, one of them asks it. */
  readonly git?: boolean;
}

/** Has the gateway know the pages that carry its mark as its own, which the repositories begin with. */
export async function remember(
  { store }: Pick<Kit, "store">,
  repos: readonly string[],
  files: NonNullable<RepoOptions["files"]>,
): Promise<void> {
  const made: { path: string; blob: string }[] = [];
  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== "string" || !isGenerated(content)) continue;
    made.push({ path, blob: await blobName(new TextEncoder().encode(content)) });
  }
  for (const repo of repos) await store.managedFiles.add(repo, made);
}

/** What anybody may ask of a host without changing anything. */
const isRead = ({ method, path }: { method: string; path: string }) =>
  method === "GET" || method === "HEAD" || path.startsWith("/app/installations/");

/** A kit and its host. */
export class StaticWorld extends Calls {
  protected readonly secrets = /ghs_|Bearer |PRIVATE KEY/;

  constructor(gw: Kit, readonly host: GitHubStandIn, readonly asksGit = true) {
    super(gw);
  }

  /** Opens one; dispose of it with `await using`. */
  static async open(options: WorldOptions = {}): Promise<StaticWorld> {
    const host = options.host ?? await startGitHub();
    const { files = FILES } = options;
    await Promise.all([
      host.make(REPO, { files }),
      host.make(JOURNAL, { files }),
      host.make(EMPTY, { empty: true }),
    ]);
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      realClock: true,
      ...options,
      sites: [...sitesAt(), ...options.sites ?? []],
      settings: { ...settingsAt(host, options.env), ...options.settings },
      http: { sleep: () => Promise.resolve(), ...options.http },
    });
    await remember(gw, [REPO, JOURNAL], files);
    return new StaticWorld(gw, host, options.git);
  }

  /** The branch's commits, newest first, as their first lines. */
  async log(branch: string, repo = REPO): Promise<string[]> {
    const text = await this.host.git(repo, "log", "--format=%s", branch);
    return text.trim().split("\n").filter((line) => line !== "");
  }

  /** The branches there are. */
  async branches(repo = REPO): Promise<string[]> {
    const refs = Object.keys(await this.host.refs(repo));
    return refs.flatMap((ref) => ref.startsWith("refs/heads/") ? [ref.slice("refs/heads/".length)] : []);
  }

  /** The head of a branch; fails where there is none. */
  async head(branch: string, repo = REPO): Promise<string> {
    const head = (await this.host.refs(repo))[`refs/heads/${branch}`];
    assert.ok(head, `there is no branch ${branch}`);
    return head;
  }

  async clone(branch?: string, repo = REPO): Promise<Clone> {
    return await Clone.of(await this.host.path(repo), branch);
  }

  /** The heads of every repository, and what could have moved them. */
  protected override async written(): Promise<unknown> {
    const sent = this.host.requests.filter((one) => !isRead(one));
    const heads = await Promise.all([REPO, JOURNAL, EMPTY].map((repo) => this.host.refs(repo)));
    return [sent.map(({ method, path }) => `${method} ${path}`), heads];
  }

  /** Refusals are of confirmed calls unless a test says otherwise. */
  override async refuses(...[tool, args, ...expected]: Parameters<Calls["refuses"]>): Promise<string> {
    return await super.refuses(tool, { confirm: true, ...args }, ...expected);
  }

  /** Fails where the branch's newest commit is not that one alone; a clone is the witness. Answers its name. */
  async wrote(
    { repo = REPO, branch, parent, line, files, git = this.asksGit }: Written,
    as?: string,
  ): Promise<string> {
    await using found = git ? await this.clone(branch, repo) : await heldBranch(this.host, repo, branch);
    const { sha, parents, message, changes } = await found.commit();
    assert.deepEqual(parents, parent === null ? [] : [parent], "one commit on what stood there");
    const token = (await this.gw.store.tokens.list()).find(({ name }) => name === (as ?? "all"));
    assert.equal(message, `${line}\n\nX-Gateway-Token: ${token?.id}\n`);
    assert.deepEqual(changes.map((change) => change.slice(2)).toSorted(), Object.keys(files).toSorted());
    for (const [path, wanted] of Object.entries(files)) {
      const bytes = typeof wanted === "string" ? new TextEncoder().encode(wanted) : wanted;
      assert.deepEqual(await found.bytes(path), bytes, path);
    }
    return sha;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    try {
      if (this.host.requests.length > 0) assertDescribed(this.host.requests);
      const written = [REPO, JOURNAL, EMPTY].filter((repo) =>
        this.asksGit && this.host.writes.some(({ path }) => path.startsWith(`/repos/${repo}/`))
      );
      for (const repo of written) {
        const said = await this.host.git(repo, "fsck", "--strict", "--no-dangling");
        assert.doesNotMatch(said, /error|missing|broken/, repo);
      }
    } finally {
      await this.host.stop();
    }
  }
}

/** Where people see what a preview branch of REPO changes of what is deployed. */
export const compareUrl = (branch: string): string => `https://github.com/${REPO}/compare/main...${branch}`;

/** What a write to a preview branch of REPO says of it where the site has no hosting project. */
export const previewOf = (branch: string, site_id: string): Args => ({
  compare_url: compareUrl(branch),
  preview_url: null,
  note:
    `Its address is not known here: Site "${site_id}" has no hosting project; its operator can set it with deno task ` +
    `admin site update ${site_id} --hosting-project ….`,
});

/** A test in such a world of its own. */
export const test = scenes(() => StaticWorld.open());
