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
  const stands = { parent_id: "null", slug: '"news"', description: '""' };
  for (const more of [{ parent_id: parent.id }, { slug: "news-2" }, { description: "Other" }]) {
    const [[field, asked]] = Object.entries(more) as [[keyof typeof stands, unknown]];
    const preview = await make({ name: "News", ...more });
    assert.match(String(preview.summary), /^Make nothing/);
    assert.deepEqual(preview.warnings, [`${field}: not set, for what is there already is left as it is`]);
    const { done, proof } = parted(await make({ name: "News", ...more, confirm: true }));
    assert.deepEqual(done, { ...news, created: false });
    assert.deepEqual([proof.verified, proof.warnings], [
      false,
      [
        `${field}: the site kept ${stands[field]} instead of ${
          JSON.stringify(asked)
        }; one of that name was there ` +
        "already and was left as it is",
      ],
    ]);
  }
  assert.deepEqual(cms.writes, []);
  assert.equal(cms.state.terms.size, count);
});
