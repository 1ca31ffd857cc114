/** What a diagnosis asks of a repository (whether the app is there and may write, the newest commit), and what a probe does. */
import type { FactCache, SiteContext } from "../_connector/connector.ts";
import { type Probe, probe } from "../_connector/checks.ts";
import type { See } from "../_connector/operator.ts";
import { INSTALLATION } from "./access.ts";
import { COMMIT, defaultBranch, headOf, REF, REPOSITORY, TREE } from "./git.ts";
import { COMMITS } from "./last_change.ts";
import { LISTED } from "./read.ts";
import type { RepoSettings } from "./settings.ts";
import { encoded, RepoWire } from "./wire.ts";

/** What was asked of a repository; each part found or failed on its own. */
export interface RepoHealth {
  /** Of the app's installation for the repository or its owner. */
  readonly app: Probe<{
    readonly may_write: boolean;
    /** Whether the repository has another name by now. */
    readonly renamed: boolean;
  }>;
  /** Of the deployed branch. */
  readonly branch: Probe<{
    readonly name: string;
    /** Its newest commit; null where there is no such branch, "empty" where there is no commit at all. */
    readonly head: string | null | "empty";
  }>;
}

/** A memory of its own, so that nothing of what was found before is taken for an answer. */
function ownCache(): FactCache {
  const found = new Map<string, unknown>();
  return {
    get: <T>(key: string) => found.get(key) as T | undefined,
    set: (key, value) => void found.set(key, value),
    drop: (key) => void found.delete(key),
    once: (_key, _ttl_ms, find) => find(),
  };
}

/** Asks afresh; never throws. */
export async function health(ctx: SiteContext<RepoSettings>): Promise<RepoHealth> {
  const wire = new RepoWire({ ...ctx, cache: ownCache() }, ctx.site.repo ?? "");
  const app = await probe(async () => ({ may_write: await wire.mayWrite(), renamed: wire.moved }));
  if (app.error) return { app, branch: { error: app.error } };
  const branch = await probe(async () => {
    const name = ctx.site.repo_branch ?? await defaultBranch(wire);
    return { name, head: await headOf(wire, name) };
  });
  return { app, branch };
}

/**
 * The app's installation, the repository, and the newest commit of the deployed branch with its files, held
 * against what is read of them (docs/upstreams/github.md).
 */
export async function repositoryProbe(ctx: SiteContext<RepoSettings>, see: See): Promise<void> {
  const wire = new RepoWire({ ...ctx, cache: ownCache() }, ctx.site.repo ?? "");
  const method = "GET";
  await see("the app's installation", INSTALLATION, () => wire.appSlug());
  const found = await see("the repository", REPOSITORY, (schema) => wire.ask({ method, path: "", schema }));
  if (found === null) return;
  const branch = ctx.site.repo_branch ?? found.default_branch;
  const path = `/git/ref/heads/${encoded(branch)}`;
  const ref = await see("a branch", REF, (schema) => wire.ask({ method, path, schema }));
  const sha = ref?.object.sha;
  if (sha === undefined) return;
  await see("a commit", COMMIT, (schema) => wire.ask({ method, path: `/git/commits/${sha}`, schema }));
  await see("a tree", TREE, (schema) => wire.ask({ method, path: `/git/trees/${sha}`, schema }));
  await see(
    "a folder",
    LISTED,
    (schema) => wire.ask({ method, path: "/contents", query: { ref: sha }, schema }),
  );
  const query = { sha, per_page: 1 };
  await see("the newest commits", COMMITS, (schema) => wire.ask({ method, path: "/commits", query, schema }));
}
