/** Custom schema on a real WordPress with the companion plugin, where nothing keeps any. */
import { PLUGIN } from "../companion/site.ts";
import { schemaSites } from "./_schema.ts";
import { onWordPress, Real } from "./_wordpress.ts";

onWordPress({
  async "where no plugin keeps custom schema both tools say so"(site) {
    await using at = await Real.open(site, { sites: schemaSites(site) });
    const refusal = { says: /no active plugin that keeps custom schema/, sends: "reads" } as const;
    await at.kit.refuses("get_custom_schema", { site_id: "schema" }, "E_SCHEMA_BRIDGE_REQUIRED", refusal);
    const args = { site_id: "schema", id: 3, value: '{"a":1}' };
    await at.kit.refuses("set_custom_schema", args, "E_SCHEMA_BRIDGE_REQUIRED", refusal);
    const confirmed = { ...args, confirm: true };
    await at.kit.refuses("set_custom_schema", confirmed, "E_SCHEMA_BRIDGE_REQUIRED", refusal);
  },
}, { plugins: [PLUGIN] });
