/** Lists that are read at the same time, and what is remembered of lists: nobody's answer is taken for another's. */
import assert from "node:assert/strict";
import type { ToolServerReport } from "../../registry/proxied_reports.ts";
import { admin, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";

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
