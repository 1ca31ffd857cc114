/** The golden catalogue holds together. */
import assert from "node:assert/strict";
import { CODES } from "../../core/errors.ts";
import { FLAGS } from "../../core/model.ts";
import { CONNECTORS } from "../connectors.ts";
import { catalogue, rows } from "./golden.ts";

Deno.test("the catalogue has the specification's 106 tools in 13 groups, and no tool twice", async () => {
  const { specification } = await catalogue();
  assert.equal(specification.length, 106);
  assert.equal(new Set(specification.map((tool) => tool.group)).size, 13);
  const names = (await rows()).map((tool) => tool.name);
  assert.equal(new Set(names).size, names.length);
});

Deno.test("the catalogue says nothing but known tiers, platforms, flags, links and codes", async () => {
  for (const tool of await rows()) {
    assert.match(tool.tier, /^T[0-4]$/, tool.name);
    assert.ok(tool.site === "required" || tool.site === "none", tool.name);
    for (const raise of tool.raise ?? []) assert.ok(raise.tier > tool.tier, tool.name);
    const said = {
      platforms: tool.platforms === "all" ? [] : tool.platforms,
      flags: (tool.flags ?? []).map((flag) => flag.flag),
      links: tool.links ?? [],
      codes: [...tool.flags ?? [], ...tool.secrets ?? []].flatMap((entry) => entry.code ?? []),
    };
    const known = {
      platforms: CONNECTORS.kinds,
      flags: FLAGS,
      links: [...CONNECTORS.links.keys()],
      codes: Object.keys(CODES),
    };
    for (const kind of ["platforms", "flags", "links", "codes"] as const) {
      for (const word of said[kind]) {
        assert.ok(new Set<string>(known[kind]).has(word), `${tool.name}: ${kind} "${word}"`);
      }
    }
  }
});

Deno.test("a production or external write has a flag, or of T2 says why not, and a read has none", async () => {
  for (const tool of await rows()) {
    if (tool.tier === "T3") assert.ok(tool.flags, tool.name);
    if (tool.tier === "T2") assert.notEqual(tool.flags === undefined, tool.no_flag === undefined, tool.name);
    if (tool.tier === "T0") assert.equal(tool.flags, undefined, tool.name);
  }
});
