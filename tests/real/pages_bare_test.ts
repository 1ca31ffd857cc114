/** A real WordPress without the companion plugin: pages of blocks work, all else says what is missing. */
import assert from "node:assert/strict";
import { schemaSites } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "without the companion plugin the tools that need it say so, and where to get it"(site) {
    await using at = await Real.open(site, { sites: schemaSites(site) });
    const says = /no companion plugin; version 1\.0\.0 or newer is needed: .*deno task companion/;
    const refusal = { says, sends: "reads" } as const;
    const create = { site_id: "open", title: "x", html: "<p>x</p>", confirm: true };
    await at.kit.refuses("create_page_from_code", create, "E_COMPANION_REQUIRED", refusal);
    const update = { site_id: "open", page_id: 3, css: "a{}", confirm: true };
    await at.kit.refuses("update_page_from_code", update, "E_COMPANION_REQUIRED", refusal);
    const schema = { site_id: "schema", id: 3 };
    await at.kit.refuses("get_custom_schema", schema, "E_SCHEMA_BRIDGE_REQUIRED", refusal);
    const value = { ...schema, value: '{"a":1}', confirm: true };
    await at.kit.refuses("set_custom_schema", value, "E_SCHEMA_BRIDGE_REQUIRED", refusal);
    const made = await at.kit.write("mcp", "create_page_draft", { site_id: "open", title: fresh("Plain") });
    assert.equal(made.done.status, "draft");
  },
});
