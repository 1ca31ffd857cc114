/** prepare_changes: many writes under one preview and one consent. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { namesSite, onEachSite } from "./_for_each.ts";

const NOT_FILLED = "{{site.name}} and its like stay as they are here: they are filled in with for_each";

export default tool("prepare_changes", {
  check({ changes, for_each }) {
    const count = changes.length * (for_each?.sites.length ?? 1);
    if (count <= LIMITS.SET_ITEMS_MAX) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `for_each: ${changes.length} changes on ${for_each!.sites.length} sites are ${count}, more than the ` +
        `${LIMITS.SET_ITEMS_MAX} that one set may have; make several sets`,
    );
  },
  plan: ({ title, changes, for_each, on_failure, first }, ctx) =>
    ctx.sets.plan(async () => ({
      title,
      changes: for_each === undefined ? changes : await onEachSite(changes, for_each.sites, ctx.sites),
      on_failure,
      first,
      warnings: for_each === undefined && namesSite(changes) ? [NOT_FILLED] : [],
    })),
  run: ({ wait_seconds }, { sets }, { set }) => sets.run(set!, wait_seconds),
});
