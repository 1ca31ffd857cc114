/** Held calls with more effects than are listed: all of them are compared with the preview, not the listed ones alone. */
import assert from "node:assert/strict";
import { became, heldSuite, newId, told } from "./hold_kit.ts";
import type { Json } from "./site.ts";

const onEach = heldSuite();

const LISTED = 200;
const FILES = 250;

onEach("a preview with more effects than are listed can be confirmed", async (site) => {
  await site.wp.peek({ options: { acts_many: "first" } });
  const id = newId();
  const args = { folder: "confirmed" };
  const dry = await site.leavesNothing(() => site.ask("many_files", args, `dry; id=${id}`));
  const { effects, more, labels } = told(dry) as ReturnType<typeof told> & { more: number };
  assert.deepEqual([effects.length, more, labels], [LISTED, FILES + 1 - LISTED, ["files"]]);
  const kept = await site.hold("many_files", args, "files", `; expect=${id}`);
  assert.deepEqual(became(kept), [200, null, "committed"], JSON.stringify(kept.body).slice(0, 400));
  const { files } = await site.state();
  assert.equal(Object.keys(files).filter((path) => /\/confirmed\/\d+\.txt$/.test(path)).length, FILES);
});

onEach("an effect that is not listed and differs from the preview refuses", async (site) => {
  await site.wp.peek({ options: { acts_many: "first" } });
  const id = newId();
  const args = { folder: "refused" };
  const dry = await site.ask("many_files", args, `dry; id=${id}`);
  const listed = told(dry).effects.map(({ what }) => what);
  assert.ok(listed.includes("File wp-content/uploads/refused/298.txt"));
  assert.ok(!listed.includes("File wp-content/uploads/refused/345.txt"));
  await site.wp.peek({ options: { acts_many: "second" } });
  const stale = await site.leavesNothing(() => site.hold("many_files", args, "files", `; expect=${id}`));
  assert.deepEqual(became(stale), [409, "stale", "rolled_back"]);
  assert.match(String((stale.body["data"] as Json)["differs"]), /outside the database/);
});
