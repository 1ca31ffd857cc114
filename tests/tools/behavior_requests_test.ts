/** How few requests each tool of behavior analytics takes; tests/golden/requests.yaml says. */
import assert from "node:assert/strict";
import { holds, Meter } from "../requests_kit.ts";
import { BehaviorWorld, CALLS } from "./_behavior.ts";

Deno.test("of behavior analytics every tool asks as little as the table says", async () => {
  const meter = new Meter();
  await using at = await BehaviorWorld.open({ fetch: meter.fetch });
  const calls = Object.entries(CALLS).map(([tool, args]) => [tool, () => ({ site_id: "client", ...args })]);
  await holds("behavior", Object.fromEntries(calls), at.gw, meter);
  assert.equal(at.clarity.requests.length, 4, "the first time one each, and nothing of stored days");
});
