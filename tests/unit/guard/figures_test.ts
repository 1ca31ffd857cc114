/** However many sites, tools and clients call, and whatever strangers send: the figures stay few, and no call is lost in them. */
import assert from "node:assert/strict";
import { type Code, CODES, GatewayError } from "../../../core/errors.ts";
import { type CallEnd, Figures } from "../../../guard/figures.ts";

const MANY = 10_000;
const DOORS = ["rest", "mcp", "admin"];
const FAILURES = [null, ...(Object.keys(CODES) as Code[]).map((code) => new GatewayError(code, "no"))];
/** Of all figures together: Prometheus reads that many of a target without complaint. */
const SERIES_MAX = 30_000;
const BYTES_MAX = 4 * 1024 * 1024;

const end = (nth: number, more: Partial<CallEnd> = {}): CallEnd => ({
  requestId: `r${nth}`,
  at: 0,
  door: DOORS[nth % DOORS.length]!,
  tool: `tool-${nth}`,
  site: `site-${nth}`,
  token: { id: `token-${nth}`, name: "t" },
  result: "ok",
  failure: FAILURES[nth % FAILURES.length]!,
  seconds: 0.01,
  ...more,
});

/** All values of one figure. */
function sumOf(lines: readonly string[], name: string): number {
  const own = lines.filter((line) => line.startsWith(`${name}{`));
  return own.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

Deno.test("ten thousand sites, tools and clients with every code are a bounded number of series, and each call is in one", () => {
  const figures = new Figures();
  for (let nth = 0; nth < MANY; nth++) figures.call(end(nth));
  const lines = figures.lines();
  const series = lines.filter((line) => !line.startsWith("#"));
  assert.ok(series.length < SERIES_MAX, `${series.length} series`);
  assert.ok(lines.join("\n").length < BYTES_MAX, `${lines.join("\n").length} bytes`);
  for (const name of ["gateway_calls_total", "gateway_site_calls_total", "gateway_client_calls_total"]) {
    assert.equal(sumOf(lines, name), MANY, name);
    assert.ok(series.some((line) => line.startsWith(`${name}{`) && line.includes('="other"')), name);
  }
  const before = series.length;
  for (let nth = MANY; nth < 3 * MANY; nth++) figures.call(end(nth));
  assert.equal(figures.lines().filter((line) => !line.startsWith("#")).length, before, "it has an end");
});

Deno.test("what strangers send makes no series: names that no tool has, sites that are not there, tokens of trials", () => {
  const figures = new Figures();
  const failure = new GatewayError("E_TOOL_NOT_FOUND", "no");
  const session = { client_id: "c", session: {} } as unknown as CallEnd["token"];
  const count = () => figures.lines().filter((line) => !line.startsWith("#")).length;
  const call = (nth: number) => {
    figures.call(
      end(nth, { door: "rest", tool: null, site: null, failure, token: { ...session, id: `t${nth}` } }),
    );
    figures.request("mcp", new GatewayError("E_AUTH", `token-${nth}`));
  };
  call(0);
  const once = count();
  for (let nth = 1; nth < MANY; nth++) call(nth);
  assert.equal(count(), once);
  const text = figures.lines().join("\n");
  assert.match(text, /gateway_client_calls_total\{client="trial",result="caller"\} 10000/);
  assert.match(text, /gateway_calls_total\{tool="unknown",door="rest",result="caller"\} 10000/);
});
