/** Custom schema that belongs to one page each, on a real WordPress with a stand-in of Rank Math. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { between } from "../tools/_schema.ts";
import { schemaSites, stored } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const open = (site: CmsSandbox, options = {}) => Real.open(site, { sites: schemaSites(site), ...options });
const NOTES = { title: "Mine", displayConditions: ["x"] };

/** A draft with two schemas, of which one has notes of the plugin. */
async function faq(at: Real): Promise<number> {
  const id = await at.ask.draft("ed", { title: fresh("Faq") }, "posts");
  const meta: Json = {
    rank_math_schema_FAQPage: { "@type": "FAQPage", name: "Old", metadata: NOTES },
    rank_math_schema_Kept: { "@type": "Kept" },
  };
  await stored(at, { id, meta });
  return id;
}

const publish = (at: Real, id: number) => at.ask.rest("ed", "POST", `/posts/${id}`, { status: "publish" });
const value = { FAQPage: { "@type": "FAQPage", name: 'n"\\ \u{1f600}', metadata: { title: "no" } } };
const NEXT = { FAQPage: { "@type": "FAQPage", name: 'n"\\ \u{1f600}' }, Kept: { "@type": "Kept" } };

onWordPress({
  ...Object.fromEntries(DOORS.map((door) => [
    `through ${door} the schema of a draft is changed, that of a published page only with the site's leave`,
    async (site: CmsSandbox) => {
      await using at = await open(site);
      const id = await faq(at);
      const args = { site_id: "schema", id, value };
      const draft = await at.kit.write<Json>(door, "set_custom_schema", args);
      assert.deepEqual([draft.done["value"], draft.row._published], [NEXT, undefined]);
      const { meta } = await stored(at, { id });
      assert.deepEqual(meta["rank_math_schema_FAQPage"], { ...NEXT.FAQPage, metadata: NOTES });
      assert.deepEqual(await at.kit.both("get_custom_schema", { site_id: "schema", id }), draft.done);

      await publish(at, id);
      const again = { ...args, value: { Kept: { "@type": "Kept", n: 1 } } };
      const refusal = { says: /needs allow_seo_on_published on site "schema"/, sends: "reads" } as const;
      await at.kit.refuses("set_custom_schema", { ...again, confirm: true }, "E_FORBIDDEN_OP", refusal);
      assert.deepEqual((await stored(at, { id })).meta["rank_math_schema_Kept"], { "@type": "Kept" });
      const leave = { ...again, site_id: "leave" };
      const { done, row } = await at.kit.write<Json>(door, "set_custom_schema", leave);
      assert.deepEqual([done["status"], row._published], ["published", true]);
      assert.deepEqual((await stored(at, { id })).meta["rank_math_schema_Kept"], { "@type": "Kept", n: 1 });
      const other = { ...args, value: { Other: { a: 1 } }, confirm: true };
      const says = /^value\.Other: .*which are FAQPage, Kept$/;
      await at.kit.refuses("set_custom_schema", { ...other, site_id: "leave" }, "E_BAD_INPUT", says, "reads");
    },
  ])),

  async "a page published by somebody else after the last look is guarded by the plugin itself"(site) {
    let act: () => Promise<unknown> = () => Promise.resolve();
    await using at = await open(site, { fetch: between("POST", 1, "before", () => act()) });
    const id = await faq(at);
    act = () => publish(at, id);
    const args = { site_id: "schema", id, value, confirm: true };
    const says = /^status: entry \d+ was changed by .*nothing was written/;
    await at.kit.gw.fails("set_custom_schema", args, "E_STALE_PREVIEW", says);
    const { meta } = await stored(at, { id });
    assert.equal((meta["rank_math_schema_FAQPage"] as Json)["name"], "Old");
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("rankmath-standin")] });
