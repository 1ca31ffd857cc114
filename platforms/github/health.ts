/** What a diagnosis asks of a repository: whether the app is there and may write, and the newest commit of the branch. */
import type { FactCache, SiteContext } from "../_connector/connector.ts";
import { type Probe, probe } from "../_connector/checks.ts";
import { defaultBranch, headOf } from "./git.ts";
import type { RepoSettings } from "./settings.ts";
import { RepoWire } from "./wire.ts";

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

/** Asks afresh, with nothing of what was found before; never throws. */
export async function health(ctx: SiteContext<RepoSettings>): Promise<RepoHealth> {
  const found = new Map<string, unknown>();
  const cache: FactCache = {
    get: <T>(key: string) => found.get(key) as T | undefined,
    set: (key, value) => void found.set(key, value),
    drop: (key) => void found.delete(key),
    once: (_key, _ttl_ms, find) => find(),
  };
  const wire = new RepoWire({ ...ctx, cache }, ctx.site.repo ?? "");
  const app = await probe(async () => ({ may_write: await wire.mayWrite(), renamed: wire.moved }));
  if (app.error) return { app, branch: { error: app.error } };
  const branch = await probe(async () => {
    const name = ctx.site.repo_branch ?? await defaultBranch(wire);
    return { name, head: await headOf(wire, name) };
  });
  return { app, branch };
}
