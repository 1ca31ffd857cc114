/** get_content_history: who changed a post, page or file, and when, and what differs between two versions of it. */
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import {
  history,
  type HistoryClient,
  type HistoryOf,
  type VersionTexts,
} from "../../platforms/_content/history.ts";
import { readAt } from "../../rules/branch.ts";
import { sourcePath } from "../../rules/path.ts";
import { tool } from "../../registry/tool.ts";
import { partsApart } from "./_apart.ts";

export default tool("get_content_history", {
  check({ post_id, page_id, path, from, to }, { checkId }) {
    checkId(post_id, "post_id");
    checkId(page_id, "page_id");
    if (from !== PREVIOUS) checkId(from, "from");
    checkId(to, "to");
    if (from === PREVIOUS && to !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "to: goes with the id of a version as from; previous compares with what stands there now",
      );
    }
    if (path !== undefined) sourcePath(path, "path");
    if (to === undefined || from !== undefined) return;
    throw new GatewayError("E_BAD_INPUT", "to: goes with from; give both, or from alone");
  },
  async run({ from, to, page, ref, ...what }, ctx) {
    const of = { ...what, ref: await readAt(ref, ctx.previews) };
    const client = await ctx.use(history);
    if (from === undefined) return await client.list(of, page);
    const first = from === PREVIOUS ? await beforeNow(client, of) : from;
    const [older, newer] = await client.pair(of, first, to);
    return { from: headOf(older), to: headOf(newer), ...partsApart(older.texts, newer.texts, page) };
  },
});

/** In place of an id: the version before the newest. */
const PREVIOUS = "previous";

/** Its id. Throws E_NOT_FOUND where no second one is kept. */
async function beforeNow(client: HistoryClient, of: HistoryOf): Promise<Id> {
  const saved = (await client.list(of, 1)).items.filter(({ kind }) => kind !== "autosave");
  const [, before] = saved;
  if (before !== undefined) return before.id;
  throw new GatewayError(
    "E_NOT_FOUND",
    `from: ${
      saved.length === 0 ? "no version is kept" : "one version alone is kept"
    }, so there is none before it to compare with`,
  );
}

const headOf = ({ id, at, by }: VersionTexts) => ({
  id: id ?? "now",
  ...at === null ? {} : { at },
  ...by === null ? {} : { by },
});
