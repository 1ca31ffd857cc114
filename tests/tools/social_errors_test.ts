/** What the tools of social ads make of the errors that Meta lists for reports. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { MetaFault } from "../../sandbox/meta_ads/start.ts";
import { type Args, graph, test } from "./_meta.ts";

const REPORT = "get_social_ads_insights";
test("a report that takes Meta too long is asked for with half the rows, once, and then for less", async (at) => {
  for (const [code, subcode] of [[100, 1504018], [2, 1504038]] as const) {
    at.meta.clear();
    const message =
      "Your request timed out. Please try a smaller date range, fetch less data or use async jobs";
    at.meta.inject(graph(code, { subcode, message, transient: true }));
    await at.ask(REPORT, { limit: 50 });
    assert.deepEqual(at.meta.requests.map(({ query }) => query["limit"]), ["50", "25"]);
    at.meta.inject(graph(code, { subcode, message }), { times: 4 });
    await at.refuses(REPORT, {}, "E_UPSTREAM", /; ask for a shorter time, fewer fields/, "reads");
    assert.equal(at.meta.requests.length, 6);
  }
  assert.deepEqual(at.waits, []);
  at.meta.clear();
  at.meta.inject(graph(100, { subcode: 1487534 }), { times: 2 });
  await at.refuses(REPORT, { limit: 1 }, "E_UPSTREAM", /; ask for a shorter time/, "reads");
  assert.equal(at.meta.requests.length, 2, "half of one row is no other question");
});

test("what Meta's list of report errors calls wrong is not asked again, and names the argument", async (at) => {
  const nothing =
    "No data is available for the requested metrics and breakdowns. Try different metrics or breakdowns";
  const cases: [MetaFault, Args, Code, RegExp][] = [
    [
      graph(2, { subcode: 1504041, message: nothing }),
      { breakdowns: ["dma"] },
      "E_BAD_INPUT",
      /^breakdowns: Meta/,
    ],
    [graph(2, { subcode: 1504041, message: nothing }), { fields: ["reach"] }, "E_BAD_INPUT", /^fields: Meta/],
    [
      graph(2, { subcode: 1504042, message: "You are querying invalid custom metrics" }),
      { fields: ["conversions"] },
      "E_BAD_INPUT",
      /^fields: Meta refused it/,
    ],
    [
      graph(2642, { message: "Invalid cursors values" }),
      { after: "MTA=" },
      "E_BAD_INPUT",
      /^after: Meta refused it/,
    ],
    [
      graph(100, { subcode: 3191001, message: "Insights API permission denied" }),
      {},
      "E_SOCIAL_ADS_AUTH",
      /give its/,
    ],
    [
      graph(5, { message: "Unauthorized source IP address" }),
      {},
      "E_UPSTREAM",
      /refused again, so the gateway's op/,
    ],
    [
      graph(12, { message: "is deprecated for versions v26.0 and higher" }),
      {},
      "E_UPSTREAM",
      /error 12: .*operator/,
    ],
  ];
  for (const [fault, args, code, says] of cases) {
    at.meta.clear();
    at.meta.inject(fault, { times: 2 });
    await at.refuses(REPORT, args, code, says, "reads");
    assert.equal(at.meta.requests.length, 2, `${JSON.stringify(fault)}: one for each door`);
  }
});
