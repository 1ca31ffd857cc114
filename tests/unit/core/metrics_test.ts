/** Figures as text: what Prometheus reads, how many series there can be, and which class a code has. */
import assert from "node:assert/strict";
import { classOf, type Code, CODES } from "../../../core/errors.ts";
import { Counter, gaugeLines, Histogram } from "../../../core/metrics.ts";

Deno.test("a counter and a gauge are a line for each series, with labels that hold anything", () => {
  const counter = new Counter({ name: "calls_total", help: "Calls", labels: ["tool", "result"] });
  counter.add(["a", "ok"]);
  counter.add(["a", "ok"], 2);
  counter.add(['"\\\n', "ok"]);
  assert.deepEqual(counter.lines(), [
    "# HELP calls_total Calls",
    "# TYPE calls_total counter",
    'calls_total{tool="a",result="ok"} 3',
    'calls_total{tool="\\"\\\\\\n",result="ok"} 1',
  ]);
  const gauges = gaugeLines({
    spec: { name: "rows", help: "Rows", labels: [] },
    samples: [[[], 7], [[], null]],
  });
  assert.deepEqual(
    gauges,
    ["# HELP rows Rows", "# TYPE rows gauge", "rows 7"],
    "what nobody knows has no line",
  );
});

Deno.test("a histogram counts up to each bound, the bound included, and sums", () => {
  const histogram = new Histogram({ name: "took_seconds", help: "Took", labels: ["tool"] }, [0.1, 1]);
  for (const seconds of [0.1, 0.5, 60]) histogram.observe(["a"], seconds);
  assert.deepEqual(histogram.lines().slice(2), [
    'took_seconds_bucket{tool="a",le="0.1"} 1',
    'took_seconds_bucket{tool="a",le="1"} 2',
    'took_seconds_bucket{tool="a",le="+Inf"} 3',
    'took_seconds_sum{tool="a"} 60.6',
    'took_seconds_count{tool="a"} 3',
  ]);
});

Deno.test("who asked for it is told of everything that took its time, under the labels that are shown", () => {
  const spec = { name: "took_seconds", help: "Took", labels: ["tool"], most: 1 };
  const histogram = new Histogram(spec, [1]);
  const told: [string, number][] = [];
  histogram.observe(["a"], 1);
  histogram.tell(([tool], seconds) => void told.push([tool!, seconds]));
  histogram.observe(["a"], 2);
  histogram.observe(["b"], 3);
  histogram.put(histogram.series(["c"]), 4);
  assert.deepEqual(told, [["a", 2], ["other", 3], ["other", 4]]);
});

Deno.test("beyond so many series what comes from outside is one: other", () => {
  const counter = new Counter({ name: "calls_total", help: "Calls", labels: ["client", "result"], most: 3 });
  for (let nth = 0; nth < 1000; nth++) counter.add([`c${nth}`, nth % 2 === 0 ? "ok" : "caller"]);
  const all = new Map(counter.all().map(([values, count]) => [values.join(), count]));
  assert.deepEqual([...all.keys()], ["c0,ok", "c1,caller", "c2,ok", "other,caller", "other,ok"]);
  assert.equal([...all.values()].reduce((sum, count) => sum + count), 1000, "nothing is lost");
});

Deno.test("only what the gateway itself does wrong has its class, and a site's own tool has one apart", () => {
  const of = (wanted: string) => (Object.keys(CODES) as Code[]).filter((code) => classOf(code) === wanted);
  assert.deepEqual(of("gateway"), ["E_INTERNAL", "E_MISSING_SECRET", "E_HOSTING_NOT_CONFIGURED"]);
  assert.deepEqual(of("tool"), ["E_TOOL_ERROR"]);
  assert.deepEqual(of("upstream"), [
    ...["E_SOCIAL_ADS_TOKEN_EXPIRED", "E_SOCIAL_ADS_AUTH", "E_BAD_TEMPLATE_DATA", "E_UPSTREAM"],
  ]);
  for (const code of ["E_SCOPE_DENIED", "E_FORBIDDEN_OP", "E_FROZEN", "E_RATE_LIMITED", "E_BUSY"] as const) {
    assert.equal(classOf(code), "policy", code);
  }
  for (const code of ["E_BAD_INPUT", "E_AUTH", "E_NOT_FOUND", "E_STALE_PREVIEW", "E_CANCELLED"] as const) {
    assert.equal(classOf(code), "caller", code);
  }
});
