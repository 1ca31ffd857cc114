/** Who sees what is in a state, that of a plugin included (docs/upstreams/wordpress.md, "States of plugins"). */
import { z } from "zod";
import { CmsError } from "../errors.ts";
import type { WordPressClient } from "./wordpress_client.ts";

const KEY = "states of plugins";
const TTL_MS = 600_000;

const STATE = z.object({ public: z.boolean(), private: z.boolean(), queryable: z.boolean().catch(false) });
const STATES = z.record(z.string(), z.unknown());

/** WordPress's own states, of which nothing is asked. */
const OWN: Readonly<Record<string, boolean>> = {
  publish: true,
  private: true,
  draft: false,
  pending: false,
  "auto-draft": false,
  future: false,
  trash: false,
};

/**
 * Whether visitors, or those who sign in, see what is in that state. One that the site does not tell of counts as seen.
 * Asks the site about states of plugins alone, once in a while. Throws what is no answer of the site.
 */
export async function isSeen(wire: WordPressClient, status: string): Promise<boolean> {
  if (Object.hasOwn(OWN, status)) return OWN[status]!;
  try {
    const seen = await wire.cache.once(KEY, TTL_MS, async () => {
      const { data } = await wire.get("wp/v2/statuses", { context: "edit" }, STATES);
      return Object.fromEntries(
        Object.entries(data).flatMap(([name, one]) => {
          const { success, data: state } = STATE.safeParse(one);
          return success ? [[name, state.public || state.private || state.queryable]] : [];
        }),
      );
    });
    return Object.hasOwn(seen, status) ? seen[status]! : true;
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    return true;
  }
}
