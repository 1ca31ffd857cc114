/** get_content_history: who changed a post, page or file, and when, and what differs between two versions of it. */
import { GatewayError } from "../../core/errors.ts";
import {
  history,
  type HistoryClient,
  type HistoryOf,
  type Version,
  type VersionTexts,
} from "../../platforms/_content/history.ts";
import { readAt } from "../../rules/branch.ts";
import { sourcePath } from "../../rules/path.ts";
import { tool } from "../../registry/tool.ts";
import { partsApart } from "../../rules/apart.ts";

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
    if (from === undefined) {
      const list = await client.list(of, page);
      if (list.items.length === 0) return list;
      const isOldest = list.next === null && of.path === undefined; // a repository keeps all that ever was
      return { ...list, texts: isOldest ? `${TEXTS}; ${BEFORE}` : TEXTS };
    }
    const known = from === PREVIOUS ? await newestTwo(client, of) : null;
    const [older, newer] = await client.pair(of, known?.before.id ?? from, to);
    const apart = { from: headOf(older), to: headOf(newer), ...partsApart(older.texts, newer.texts, page) };
    return known === null ? apart : { newest: known.newest, ...apart };
  },
});

/** What to do to see more than the names of what changed. */
const TEXTS =
  "from: an id of these answers what was there and what is there now, with to in a newer version; from: previous what the newest change did";

/** What of a text is nowhere on the site. */
const BEFORE =
  "before the oldest the site keeps nothing: list_changes with texts has what the gateway replaced";

/** In place of an id: the version before the newest. */
const PREVIOUS = "previous";

/** It, and the newest. Throws E_NOT_FOUND where no second one is kept. */
async function newestTwo(
  client: HistoryClient,
  of: HistoryOf,
): Promise<{ readonly newest: Version; readonly before: Version }> {
  const saved = (await client.list(of, 1)).items.filter(({ kind }) => kind !== "autosave");
  const [newest, before] = saved;
  if (newest !== undefined && before !== undefined) return { newest, before };
  throw new GatewayError(
    "E_NOT_FOUND",
    `from: ${
      saved.length === 0 ? "no version is kept" : "one version alone is kept"
    }, so there is none before it to compare with; list_changes with texts has what the gateway replaced`,
  );
}

const headOf = ({ id, at, by }: VersionTexts) => ({
  id: id ?? "now",
  ...at === null ? {} : { at },
  ...by === null ? {} : { by },
});
