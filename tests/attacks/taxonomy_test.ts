/** create_taxonomy does what its preview said: where a term of that name stands, no second one is made. */
import assert from "node:assert/strict";
import { parted } from "../proof.ts";
import { world } from "../tools/_stand_in.ts";

Deno.test("a category whose preview says it is there is not made under another parent or slug", async () => {
  await using at = await world();
  const { kit: { gw }, cms } = at;
  const make = (args: Record<string, unknown>) =>
    gw.call<Record<string, unknown>>("create_taxonomy", { site_id: "open", taxonomy: "category", ...args });
  const news = parted<object>(await make({ name: "News", confirm: true })).done;
  const parent = await make({ name: "Parent", confirm: true });
  const count = cms.state.terms.size;
  cms.clear();
  for (const more of [{ parent_id: parent.id }, { slug: "news-2" }, { description: "Other" }]) {
    const preview = await make({ name: "News", ...more });
    assert.match(String(preview.summary), /^Make nothing/);
    const { done, proof } = parted(await make({ name: "News", ...more, confirm: true }));
    assert.deepEqual(done, { ...news, created: false });
    assert.deepEqual([proof.verified, proof.warnings], [
      true,
      [`${Object.keys(more)[0]}: the one of that name that was there already was left as it is`],
    ]);
  }
  assert.deepEqual(cms.writes, []);
  assert.equal(cms.state.terms.size, count);
});
