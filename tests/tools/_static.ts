/** A kit whose sites stand at a repository host over real git, every exchange with it held to GitHub's description. */
import assert from "node:assert/strict";
import type { Flag } from "../../model.ts";
import { type RepoHost, type RepoOptions, startRepoHost } from "../../sandbox/repo.ts";
import { readSettings, type Settings } from "../../settings.ts";
import type { NewSite } from "../../store/store.ts";
import { gateway, type Kit, type KitOptions, MASTER, site } from "../kit.ts";
import { assertDescribed } from "../sandbox/repo_openapi.ts";

/** The repository of every site of a world but "empty" and "elsewhere". */
export const REPO = "acme/site";

/** Settings that lead to the host; `more` may set or, with null, leave out others. */
export function settingsAt(
  host: Pick<RepoHost, "base_url" | "app">,
  more: Readonly<Record<string, string | null>> = {},
): Pick<Settings, "upstream" | "secrets"> {
  const env: Record<string, string | null> = {
    MASTER_TOKEN: MASTER,
    ENCRYPTION_KEYS: new Uint8Array(32).fill(7).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    REPO_API_BASE: host.base_url,
    REPO_APP_ID: String(host.app.id),
    REPO_APP_PRIVATE_KEY: host.app.private_key,
    ...more,
  };
  const { upstream, secrets } = readSettings((name) => env[name] ?? undefined, "start");
  return { upstream, secrets };
}

/** Files a static site begins with: a page this service made, one it did not, and what may not be read. */
export const FILES: NonNullable<RepoOptions["files"]> = {
  "README.md": "# Site\n",
  "package.json": '{"type":"module"}\n',
  "src/layouts/Base.astro": "<slot />\n",
  "src/pages/index.astro": '---\n// site-ops-gateway:generated v1\nconst html = "<p>Home</p>";\n---\n',
  "src/pages/hand.astro": "<p>By hand</p>\n",
  "src/pages/notes.md": "# Notes\n",
  "src/styles/site.css": "p { color: red }\n",
  "src/content/first.md": "---\ntitle: First\nslug: first\nstatus: draft\n---\nText\n",
  "public/logo.bin": new Uint8Array([0, 255, 1]),
  ".env": "SECRET=1\n",
  ".github/workflows/build.yml": "on: push\n",
};

/** The sites of a world: "closed" has no flag, "open" all that static sites have, "empty" a repository without a commit. */
function sitesAt(): NewSite[] {
  const flags: Partial<Record<Flag, boolean>> = { allow_main_branch_push: true, allow_full_repo_write: true };
  const linked = { repo: REPO, repo_branch: "main" };
  return [
    site("closed", "static", linked),
    site("open", "static", { ...linked, flags }),
    site("bulk", "static", { ...linked, flags: { allow_full_repo_write: true } }),
    site("default", "static", { repo: REPO, flags }),
    site("empty", "static", { repo: "acme/empty", repo_branch: "main", flags }),
    site("locked", "static", {
      repo: "acme/empty",
      repo_branch: "main",
      flags: { allow_full_repo_write: true },
    }),
    site("unlinked", "static", { flags }),
    site("elsewhere", "static", { repo: "nobody/there", flags }),
    site("journal", "cms", linked),
  ];
}

/** A kit and its host. */
export class StaticWorld implements AsyncDisposable {
  constructor(readonly gw: Kit, readonly host: RepoHost) {}

  /** Opens one; dispose of it with `await using`. */
  static async open(options: KitOptions & { files?: RepoOptions["files"] } = {}): Promise<StaticWorld> {
    const host = await startRepoHost();
    await host.make(REPO, { files: options.files ?? FILES });
    await host.make("acme/empty", { empty: true });
    const gw = await gateway({
      fetch: globalThis.fetch,
      allowPrivate: ["127.0.0.1"],
      realClock: true,
      ...options,
      sites: [...sitesAt(), ...options.sites ?? []],
      settings: { ...settingsAt(host), ...options.settings },
      http: { sleep: () => Promise.resolve(), ...options.http },
    });
    return new StaticWorld(gw, host);
  }

  /** The branch's commits, newest first, as their first lines. */
  async log(branch: string, repo = REPO): Promise<string[]> {
    const text = await this.host.git(repo, "log", "--format=%s", branch);
    return text.trim().split("\n").filter((line) => line !== "");
  }

  /** The branches there are. */
  async branches(repo = REPO): Promise<string[]> {
    const text = await this.host.git(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads");
    return text.trim().split("\n").filter((line) => line !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    try {
      if (this.host.exchanges.length > 0) assertDescribed(this.host.exchanges);
      for (const repo of [REPO, "acme/empty"]) {
        const { stderr } = { stderr: await this.host.git(repo, "fsck", "--strict", "--no-dangling") };
        assert.doesNotMatch(stderr, /error|missing|broken/, repo);
      }
    } finally {
      await this.host.stop();
    }
  }
}
