/** Every write as the item of a set: shown as it is alone, and carried out. */
import type { Change } from "../../core/model.ts";
import assert from "node:assert/strict";
import type { Preview } from "../cms_kit.ts";
import { ground } from "./_ground.ts";
import { nameOf, WRITES } from "./_writes.ts";

interface Shown extends Preview {
  readonly undoable: boolean;
}

interface Done {
  readonly items: readonly { readonly state: string; readonly error?: unknown }[];
}

for (const repositories of [false, true]) {
  const where = repositories ? "to a repository" : "to a CMS";
  Deno.test(`every write ${where} is shown alike alone and in a set, and is done`, async () => {
    await using at = await ground({ repositories });
    for (const [n, write] of WRITES.entries()) {
      if ((write.site !== undefined || write.tool.split("_").includes("md")) !== repositories) continue;
      const args = { site_id: write.site ?? "cms", ...write.args(at, n % 16) };
      const alone = await at.gw.call<Shown>(write.tool, args);
      const order = { title: "One", changes: [{ tool: write.tool, arguments: args }] };
      const { confirm_token, ...shown } = await at.gw.call<Shown>("prepare_changes", order);
      const named = alone.changes.map((change: Change) => ({
        ...change,
        field: `item 1: ${change.field}`,
        ...change.text_of === undefined ? {} : { text_of: `item 1: ${change.text_of}` },
      }));
      assert.deepEqual(shown.changes, named, nameOf(write));
      assert.deepEqual([shown.tier, shown.undoable], [alone.tier, alone.undoable], nameOf(write));
      const done = await at.gw.call<Done>("prepare_changes", { ...order, confirm: true, confirm_token });
      assert.deepEqual(done.items.map(({ state, error }) => error ?? state), ["done"], nameOf(write));
    }
  });
}
