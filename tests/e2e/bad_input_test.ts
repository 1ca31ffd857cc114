/** Bodies that are not what a door takes, over a real socket, with and without a length: code, message, row. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { type Answer, type Framing, post, text, type Wire, wire } from "./wire.ts";

const TOYS = new URL("../fixtures/toys/", import.meta.url);
const SITES = [site("acme", "cms")];
/** `plain` may send 2 MiB, `all` as much as an image takes. */
const OPTIONS = { roots: [TOYS], sites: SITES, tokens: { plain: { allowed_tools: ["toy_read"] } } };
const LEVELS = 100_000;

const frame = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toy_read","arguments":${args}}}`;

/** What a door answers: for REST a code; for MCP a JSON-RPC code, or a tool's code as text. */
interface Row {
  readonly name: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly rest: readonly [status: number, code: string];
  readonly mcp: readonly [status: number, code: string | number];
  readonly says: RegExp;
  /** The body MCP is sent where it is not the same one. */
  readonly mcpBody?: Uint8Array<ArrayBuffer>;
}

const invalid = [400, -32600] as const;
const parseError = [400, -32700] as const;
const badJson = [400, "E_BAD_JSON"] as const;
const NOT_OBJECT = /not an object|JSON object|batches/;
const deepObject = '{"a":'.repeat(LEVELS) + "1" + "}".repeat(LEVELS);
const wideObject = JSON.stringify(
  Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n.toString(36), 1])),
);
const big = JSON.stringify({ site_id: "acme", page: "x".repeat(3 * 1024 * 1024) });

const ROWS: readonly Row[] = [
  { name: "empty", body: text(""), rest: badJson, mcp: parseError, says: /body is not JSON/ },
  {
    name: "not UTF-8",
    body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d),
    rest: badJson,
    mcp: parseError,
    says: /body is not UTF-8/,
  },
  { name: "not JSON", body: text("{site_id: 1}"), rest: badJson, mcp: parseError, says: /body is not JSON/ },
  { name: "half a JSON", body: text('{"site_id": "ac'), rest: badJson, mcp: parseError, says: /is not JSON/ },
  { name: "a list", body: text("[1]"), rest: badJson, mcp: invalid, says: NOT_OBJECT },
  { name: "null", body: text("null"), rest: badJson, mcp: invalid, says: NOT_OBJECT },
  { name: "a number", body: text("17"), rest: badJson, mcp: invalid, says: NOT_OBJECT },
  { name: "a string", body: text('"{}"'), rest: badJson, mcp: invalid, says: NOT_OBJECT },
  {
    name: "lists in each other",
    body: text("[".repeat(LEVELS) + "]".repeat(LEVELS)),
    rest: badJson,
    mcp: parseError,
    says: /nested deeper than 64 levels/,
  },
  {
    name: "objects in each other",
    body: text(deepObject),
    mcpBody: text(frame(deepObject)),
    rest: badJson,
    mcp: [200, "E_BAD_JSON"],
    says: /^(The body|arguments) holds lists and objects nested deeper than 64 levels/,
  },
  {
    name: "100,000 values",
    body: text(wideObject),
    mcpBody: text(frame(wideObject)),
    rest: badJson,
    mcp: [200, "E_BAD_JSON"],
    says: /^(The body|arguments) holds more than 50000 values/,
  },
  {
    name: "a message of 100,000 values",
    body: text(wideObject),
    rest: badJson,
    mcp: parseError,
    says: /holds more than 50000 values/,
  },
  {
    name: "3 MiB",
    body: text(big),
    mcpBody: text(frame(big)),
    rest: [413, "E_PAYLOAD_TOO_LARGE"],
    mcp: [200, "E_PAYLOAD_TOO_LARGE"],
    says: /over 2048 KiB, the most that/,
  },
];

const headers = (gw: Kit, as = "all") => [
  `Authorization: Bearer ${gw.token(as)}`,
  "Content-Type: application/json",
];

/** The code and message of an answer, whichever door gave it. Asserts that it is that door's form, and no trace. */
function refusal(answer: Answer | null, status: number): [code: unknown, message: string] {
  assert.ok(answer, "something was answered");
  assert.equal(answer.status, status, answer.body);
  assert.match(answer.head, /content-type: application\/json/i);
  assert.ok(!/\bat .*\.ts:\d|ext:|node_modules/.test(answer.body), `no stack trace: ${answer.body}`);
  const { ok, error, result } = JSON.parse(answer.body);
  if (ok === false) return [error.code, error.message];
  if (error) return [error.code, error.message];
  assert.equal(result.isError, true);
  const [, code, message = ""] = /^(E_[A-Z_]+): (.*)$/s.exec(result.content[0].text) ?? [];
  return [code, message];
}

for (const framing of ["length", "chunked"] as const) {
  for (const row of ROWS) {
    Deno.test(`a body that is ${row.name} (${framing}) is refused by both doors and leaves its row`, async () => {
      await using gw = await gateway(OPTIONS);
      await using server = await wire(gw);
      const rest = await server.send(post("/api/v1/tools/toy_read", headers(gw), row.body, framing));
      const [restCode, restSays] = refusal(rest, row.rest[0]);
      assert.equal(restCode, row.rest[1]);
      assert.match(restSays, row.says);
      const mcp = await server.send(post("/mcp", headers(gw), row.mcpBody ?? row.body, framing));
      const [mcpCode, mcpSays] = refusal(mcp, row.mcp[0]);
      assert.equal(mcpCode, row.mcp[1]);
      assert.match(mcpSays, row.says);
      const called = typeof row.mcp[1] === "string" ? ["mcp", "rest"] : ["rest"];
      const rows = await gw.audit();
      assert.deepEqual(
        rows.map((one) => [one.door, one.tool, one.error]),
        called.map((door) => [door, "toy_read", row.rest[1]]),
      );
      assert.deepEqual([gw.requests, gw.logged], [[], []], "nothing was sent, nothing was a fault");
    });
  }

  Deno.test(`a body over what the token may send (${framing}) is refused unread by both doors`, async () => {
    await using gw = await gateway(OPTIONS);
    await using server = await wire(gw);
    for (const [path, body] of [["/api/v1/tools/toy_read", big], ["/mcp", frame(big)]] as const) {
      const answer = await server.send(post(path, headers(gw, "plain"), text(body), framing));
      const [code, message] = refusal(answer, 413);
      assert.match(
        `${code} ${message}`,
        /E_PAYLOAD_TOO_LARGE.*over 2048 KiB, the most that is taken here/,
      );
    }
    assert.deepEqual((await gw.audit()).map((one) => [one.door, one.error]), [[
      "rest",
      "E_PAYLOAD_TOO_LARGE",
    ]]);
  });
}

/** Rows, once there is one; the connection that caused it is gone. */
async function firstRows(gw: Kit): Promise<AuditRow[]> {
  const until = Date.now() + 5000;
  for (;;) {
    const rows = await gw.audit();
    if (rows.length || Date.now() > until) return rows;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function cutShort(gw: Kit, server: Wire, path: string, framing: Framing): Promise<Answer | null> {
  const whole = post(path, headers(gw), text(JSON.stringify({ site_id: "acme", page: 1 })), framing);
  return await server.send(whole.subarray(0, whole.length - 12), { cutShort: true });
}

for (const framing of ["length", "chunked"] as const) {
  Deno.test(`a body cut short (${framing}) is no call through MCP, and through REST leaves its row`, async () => {
    await using gw = await gateway(OPTIONS);
    await using server = await wire(gw);
    const mcp = await cutShort(gw, server, "/mcp", framing);
    if (mcp) assert.equal(refusal(mcp, 400)[0], -32700);
    const rest = await cutShort(gw, server, "/api/v1/tools/toy_read", framing);
    if (rest) assert.equal(refusal(rest, 400)[0], "E_BAD_JSON");
    const rows = await firstRows(gw);
    assert.deepEqual(rows.map((one) => [one.door, one.status, one.error]), [["rest", "error", "E_BAD_JSON"]]);
    assert.deepEqual([gw.requests, gw.logged], [[], []]);
  });
}
