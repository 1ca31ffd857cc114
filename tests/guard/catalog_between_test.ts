/** Lists that are read at the same time, and what is remembered of lists: nobody's answer is taken for another's. */
import assert from "node:assert/strict";
import type { ToolServerReport } from "../../registry/proxied_reports.ts";
import { LIMITS } from "../../core/model.ts";
import { admin, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";

/** The first are asked at once, the last ones later in a run. */
const SITES = ["a", "b", "c", "d", "moved", "shut"];

Deno.test("what an operator has listed again is kept, though a list that was asked for before it comes in first", async () => {
  await using at = await open({ acme: [HEADING] });
  const { gw, fake } = at;
  const asked: { answer(): void }[] = [];
  let both = Promise.withResolvers<void>();
  fake.hold = (server) => {
    if (server !== `acme ${BUILDER}`) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    asked.push({ answer: resolve });
    both.resolve();
    return promise;
  };
  gw.clock.now += 3_600_000;
  const run = gw.gateway.toolCatalogs.run();
  await both.promise;
  both = Promise.withResolvers();
  gw.clock.now += 1000;
  fake.put("acme", BUILDER, [PAGES]);
  const refresh = admin<{ servers: ToolServerReport[] }>(gw, "/refresh", { site_id: "acme" });
  await both.promise;
  asked[0]!.answer();
  await run;
  assert.deepEqual([...(await shown(gw)).keys()], ["builder-mcp-add-heading"]);
  asked[1]!.answer();
  assert.equal((await refresh).ok, true);
  assert.deepEqual([...(await shown(gw)).keys()], ["builder-mcp-list-pages"]);
});

Deno.test("a site that moves or is shut off while a run is under way is asked where it stands then, or not at all", async () => {
  await using at = await open(Object.fromEntries(SITES.map((id) => [id, [HEADING]])));
  const { gw, fake } = at;
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let held = 0;
  fake.hold = () => {
    if (++held === LIMITS.TOOL_CATALOGS_AT_ONCE) asked.resolve();
    return release.promise;
  };
  gw.clock.now += 3_600_000;
  fake.lists.length = 0;
  const run = gw.gateway.toolCatalogs.run();
  await asked.promise;
  const credentials = { cms: { username: "admin", application_password: "bbbb" } };
  await gw.store.sites.update("moved", { base_url: "https://elsewhere.example", credentials });
  await gw.store.sites.update("shut", { credentials: { cms: null } });
  release.resolve();
  await run;
  const places = (await gw.store.toolCatalogs.list("moved")).map(({ bound_to }) => bound_to);
  assert.deepEqual(places, Array(3).fill("https://elsewhere.example"));
  assert.ok(!fake.lists.some((one) => one.startsWith("shut ")));
});
