/** How many commits of the deployed branch a branch lacks. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { encoded, type RepoWire } from "./wire.ts";

/** Without the commits and files between them (docs/upstreams/github.md, "Contents, git objects, branches"). */
const COUNTS_ONLY = { per_page: 1, page: 2 };
const COMPARED = z.object({
  base_commit: z.object({ sha: z.string() }),
  behind_by: z.number().int().nonnegative(),
});
const HOUR_MS = 3_600_000;

/** What the branches of a repository are known to hold. */
export class Behind {
  readonly #wire: RepoWire;
  /** The newest commit of the deployed branch, where this call has read it. */
  #deployed: string | null = null;
  /** What of the deployed branch the call's preview branch is known to hold. */
  #held: string | null = null;

  constructor(wire: RepoWire) {
    this.#wire = wire;
  }

  /** Told of what the deployed branch ends at. */
  sees(commit: string | null): void {
    this.#deployed = commit;
  }

  /** Told of a commit of the deployed branch that the preview branch is on top of. */
  holds(commit: string): void {
    this.#held = commit;
  }

  /**
   * Counts; null where the host does not say. A branch that was begun just now lacks nothing. One that is known to hold what
   * this call saw of the deployed branch is not asked about.
   */
  async count(branch: string, deployed: string, begun: boolean): Promise<number | null> {
    const { cache } = this.#wire.ctx;
    const key = `holds ${branch}`;
    const now = this.#deployed;
    if (begun) {
      if (now !== null) cache.set(key, now, HOUR_MS);
      return 0;
    }
    if (now !== null && (this.#held === now || cache.get<string>(key) === now)) return 0;
    try {
      const path = `/compare/${encoded(deployed)}...${encoded(branch)}`;
      const { base_commit, behind_by } = await this.#wire.ask({
        method: "GET",
        path,
        query: COUNTS_ONLY,
        schema: COMPARED,
      });
      if (behind_by === 0) cache.set(key, base_commit.sha, HOUR_MS);
      return behind_by;
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return null;
      throw thrown;
    }
  }
}
