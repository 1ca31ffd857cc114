/** The sites of a static world, their repositories and files, and the settings that lead to them. */
import type { Flag } from "../../core/model.ts";
import type { GitHubStandIn, RepoOptions } from "../../sandbox/github/start.ts";
import { CONNECTORS } from "../connectors.ts";
import { readSettings, type Settings } from "../../core/settings.ts";
import type { NewSite } from "../../store/store.ts";
import { MASTER, site } from "../kit.ts";

/** The repository of every static site of a world but "empty", "locked" and "elsewhere". */
export const REPO = "acme/site";
/** The repository of "journal", from which nothing is deployed. */
export const JOURNAL = "acme/journal";
/** The repository of "empty" and "locked", without a commit. */
export const EMPTY = "acme/empty";

/** All flags a static site has: what "open" may. */
export const OPEN_FLAGS: Partial<Record<Flag, boolean>> = {
  allow_main_branch_push: true,
  allow_full_repo_write: true,
};

/** Settings that lead to the host; `more` may set or, with null, leave out others. */
export function settingsAt(
  host: Pick<GitHubStandIn, "base_url" | "app">,
  more: Readonly<Record<string, string | null>> = {},
): Pick<Settings, "upstream"> {
  const env: Record<string, string | null> = {
    MASTER_TOKEN: MASTER,
    ENCRYPTION_KEYS: new Uint8Array(32).fill(7).toBase64(),
    ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    REPO_API_BASE: host.base_url,
    REPO_APP_ID: String(host.app.id),
    REPO_APP_PRIVATE_KEY: host.app.private_key,
    ...more,
  };
  const { upstream } = readSettings((name) => env[name] ?? undefined, "start", CONNECTORS.settings);
  return { upstream };
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
export function sitesAt(): NewSite[] {
  const flags = OPEN_FLAGS;
  const linked = { repo: REPO, repo_branch: "main" };
  return [
    site("closed", "static", linked),
    site("open", "static", { ...linked, flags }),
    site("bulk", "static", { ...linked, flags: { allow_full_repo_write: true } }),
    site("default", "static", { repo: REPO, flags }),
    site("empty", "static", { repo: EMPTY, repo_branch: "main", flags }),
    site("locked", "static", { repo: EMPTY, repo_branch: "main", flags: { allow_full_repo_write: true } }),
    site("unlinked", "static", { flags }),
    site("elsewhere", "static", { repo: "nobody/there", flags }),
    site("journal", "cms", { repo: JOURNAL, repo_branch: "main" }),
  ];
}
