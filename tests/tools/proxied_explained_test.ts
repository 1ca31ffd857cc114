/** Sites' own tools, explained: as their calls would end up to the plan, and no server and no site is asked. */
import assert from "node:assert/strict";
import type { Explanation } from "../../registry/tool.ts";
import { world } from "./_proxied.ts";

const ABOUT = [
  {},
  { post_id: 1, element_id: "a", settings: { a: 1 }, title: "x", tags: ["a"] },
  { post_id: 1, status: "publish" },
  { contactId: "c", locationId: "other" },
  { post_id: "../1" },
];

Deno.test("a site's own tool is explained with the refusal of its call, and neither its server nor the site is asked", async () => {
  await using at = await world({ settings: { rateLimitToken: 0, rateLimitSite: 0 } });
  const { gw, cms, servers } = at;
  const asked = () => [cms.requests.length, servers.reached.length, gw.requests.length];
  const before = asked();
  let passed = 0;
  const refused: string[] = [];
  for (const { name: tool, offer } of gw.gateway.catalog.entries()) {
    for (const site_id of offer?.sites ?? []) {
      for (const args of ABOUT) {
        const call = { site_id, tool, arguments: args };
        const { steps } = await gw.call<Explanation>("explain_call", call);
        const end = steps.find(({ verdict }) => verdict === "refused");
        assert.deepEqual(asked(), before, `${tool} on ${site_id}`);
        if (end === undefined) {
          passed++;
          continue;
        }
        const ending = await gw.end(tool, { site_id, ...args });
        assert.ok("code" in ending, `${tool} on ${site_id}: ${end.message}`);
        assert.deepEqual([end.code, end.message], [ending.code, ending.message]);
        assert.deepEqual(asked(), before, `${tool} on ${site_id}`);
        refused.push(end.code!);
      }
    }
  }
  assert.ok(
    passed > 40 && new Set(refused).size > 2,
    `${passed} passed; ${refused.length}: ${[...new Set(refused)]}`,
  );
});
