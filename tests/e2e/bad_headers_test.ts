/** Tool names no tool can have, and headers missing, doubled and malformed, written to the socket as they are. */
import assert from "node:assert/strict";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { type Answer, post, text, type Wire, wire } from "./wire.ts";

const OPTIONS = { sites: [site("acme", "cms")] };
const JSON_TYPE = "Content-Type: application/json";
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const CHALLENGE =
  /www-authenticate: Bearer resource_metadata="http:\/\/127\.0\.0\.1:8000\/\.well-known\/oauth-protected-resource(\/mcp)?"\r?\n/i;

const bearer = (gw: Kit) => `Authorization: Bearer ${gw.token()}`;

function envelope(answer: Answer | null): { ok: boolean; error?: { code: string; message: string } } {
  assert.ok(answer, "something was answered");
  return JSON.parse(answer.body);
}

/** A name in a path, and the tool the gateway is asked for by it. */
const NAMES: readonly (readonly [path: string, tool: string])[] = [
  ["no_such_tool", "no_such_tool"],
  ["%00", "\u0000"],
  ["list_sites%00", "list_sites\u0000"],
  ["..", ".."],
  ["..%2f..%2fadmin", "../../admin"],
  ["a%2fb", "a/b"],
  ["%2e%2e%2f", "../"],
  ["%", "%"],
  ["%zz", "%zz"],
  ["%e4%b8", "%e4%b8"],
  ["%ud800", "%ud800"],
  ["%F0%9F%92%A1", "💡"],
  ["LIST_SITES", "LIST_SITES"],
  ["list_sites%20", "list_sites "],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
  ["x".repeat(5000), "x".repeat(128)],
  ["gate_dev_" + "a".repeat(43), "[redacted]"],
];

const test = scenes(() => gateway(OPTIONS));

test("a tool that does not exist is told and audited by both doors, whatever its name is made of", async (gw) => {
  await using server = await wire(gw);
  for (const [path, tool] of NAMES) {
    const answer = await server.send(
      post(`/api/v1/tools/${path}`, [bearer(gw), JSON_TYPE], text("{}")),
    );
    assert.equal(answer?.status, 404, path);
    const { error } = envelope(answer);
    assert.equal(error?.code, "E_TOOL_NOT_FOUND", path);
    assert.match(error?.message ?? "", /^No tool is called ".*"; /s);
    assert.ok(answer && answer.body.length < 400, "a long name is shown in part");
    await gw.refuses(decoded(path), {}, "E_TOOL_NOT_FOUND", { door: "mcp" });
    const rows = (await gw.audit()).slice(0, 2);
    assert.deepEqual(rows.map((row) => row.tool), [tool, tool]);
    assert.deepEqual(rows.map((row) => row.door).sort(), ["mcp", "rest"]);
  }
  assert.equal((await gw.audit()).length, NAMES.length * 2);
  assert.deepEqual([gw.requests, gw.logged], [[], []]);
});

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

test("an address that names no tool is not found, and no call", async (gw) => {
  await using server = await wire(gw);
  for (const path of ["", "list_sites/more", "../tools/", "%2e%2e/%2e%2e/etc/passwd"]) {
    const answer = await server.send(post(`/api/v1/tools/${path}`, [bearer(gw), JSON_TYPE], text("{}")));
    assert.equal(answer?.status, 404, path);
    assert.equal(envelope(answer).error?.code, "E_NOT_FOUND", path);
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []]);
});

/** Sends the same headers to both doors. */
async function bothDoors(server: Wire, lines: readonly string[]): Promise<Answer[]> {
  const answers = [
    await server.send(post("/api/v1/tools/list_sites", [JSON_TYPE, ...lines], text("{}"))),
    await server.send(post("/mcp", [JSON_TYPE, ...lines], text(LIST))),
  ];
  return answers.map((answer) => answer ?? assert.fail("something was answered"));
}

test("an Authorization that is missing, doubled or malformed is refused by both doors with the way in", async (gw) => {
  await using server = await wire(gw);
  const token = gw.token();
  const variants: Record<string, readonly string[]> = {
    missing: [],
    empty: ["Authorization:"],
    "the scheme alone": ["Authorization: Bearer"],
    "without a space": [`Authorization: Bearer${token}`],
    "without a scheme": [`Authorization: ${token}`],
    "another scheme": [`Authorization: Basic ${btoa(`a:${token}`)}`],
    "two tokens": [`Authorization: Bearer ${token} ${token}`],
    "two tokens with a comma": [`Authorization: Bearer ${token},${token}`],
    doubled: [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
    "a tab for the space": [`Authorization: Bearer\t${token}`],
    "quotes around it": [`Authorization: Bearer "${token}"`],
    "a byte over it": [`Authorization: Bearer ${token}\u00ff`],
    "an unknown token": [`Authorization: Bearer ${token.slice(0, -1)}`],
    "the token in capitals": [`Authorization: Bearer ${token.toUpperCase()}`],
    "10 KB": [`Authorization: Bearer ${"a".repeat(10_240)}`],
    "the master token": [`Authorization: Bearer ${MASTER}`],
    "a cookie": [`Cookie: gateway_session=${token}`],
  };
  for (const [name, lines] of Object.entries(variants)) {
    for (const answer of await bothDoors(server, lines)) {
      assert.equal(answer.status, 401, name);
      assert.match(`${answer.head}\r\n`, CHALLENGE, name);
      const { ok, error } = envelope(answer);
      assert.deepEqual([ok, error?.code], [false, "E_AUTH"], name);
      assert.match(error?.message ?? "", /^The .*(token|Authorization header)/, name);
      assert.ok(!answer.body.includes(token), "the token is not shown");
    }
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []], "who is not let in leaves no row");
});

const LARGE = "a".repeat(60_000);
/** What the gateway reads of a request, and the statuses with which 60 KB of it are answered over REST and MCP. */
const LARGE_HEADERS: readonly (readonly [line: string, rest: number, mcp: number])[] = [
  [`X-Anything: ${LARGE}`, 200, 200],
  [`Cookie: gateway_session=${LARGE}`, 200, 200],
  [`Accept: ${LARGE}`, 200, 200],
  [`Origin: ${LARGE}`, 200, 200],
  [`Idempotency-Key: ${LARGE}`, 200, 200], // a call that only reads has no use for it
  [`X-Forwarded-For: ${LARGE}`, 200, 200],
  [`X-Forwarded-For: ${"203.0.113.7, ".repeat(4600)}203.0.113.8`, 200, 200],
  [`X-Forwarded-Proto: ${LARGE}`, 200, 200],
  [`Mcp-Session-Id: ${LARGE}`, 200, 200],
  [`MCP-Protocol-Version: ${LARGE}`, 200, 400],
  [`Mcp-Method: ${LARGE}`, 200, 200],
];

test("60 KB in any header are answered, and leave no long line and no long row", async (gw) => {
  await using server = await wire(gw);
  for (const [line, rest, mcp] of LARGE_HEADERS) {
    const answers = await bothDoors(server, [bearer(gw), line]);
    assert.deepEqual(answers.map(({ status }) => status), [rest, mcp], line.slice(0, 40));
    for (const { body } of answers) assert.ok(!body.includes("a".repeat(1000)), "it is not sent back");
  }
  for (const answer of await bothDoors(server, [`Authorization: Bearer ${LARGE}`])) {
    assert.deepEqual([answer.status, envelope(answer).error?.code], [401, "E_AUTH"]);
    assert.ok(answer.body.length < 1000);
  }
  const whole = JSON.stringify({ site_id: "acme", title: "t", content_html: "<p>x</p>", confirm: true });
  const keyed = [bearer(gw), JSON_TYPE, `Idempotency-Key: ${LARGE}`];
  const draft = post("/api/v1/tools/create_draft", keyed, text(whole));
  const refused = await server.send(draft);
  assert.deepEqual([refused?.status, envelope(refused).error?.code], [422, "E_IDEMPOTENCY_KEY"]);
  assert.match(refused!.body, /Idempotency-Key/i);
  assert.ok(refused!.body.length < 1000);
  assert.ok(JSON.stringify(await gw.audit()).length < 60_000);
  assert.ok(JSON.stringify(gw.logged).length < 2000, JSON.stringify(gw.logged).slice(0, 500));
  assert.deepEqual(gw.requests, []);
});

test("500 KB of headers, or two hundred of them, end the connection with 400 before they are a call", async (gw) => {
  await using server = await wire(gw);
  const many = Array.from({ length: 200 }, (_, nth) => `X-${nth}: 1`);
  for (const lines of [[`X-Anything: ${"a".repeat(500_000)}`], many]) {
    for (const path of ["/api/v1/tools/list_sites", "/mcp"]) {
      const answer = await server.send(post(path, [bearer(gw), JSON_TYPE, ...lines], text("{}")));
      assert.equal(answer?.status, 400);
      assert.match(answer!.head, /connection: close/i);
    }
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []]);
});

test("control characters in a header end the request before it is a call", async (gw) => {
  await using server = await wire(gw);
  for (const control of ["\u0000", "\u0007", "\u007f", "\r"]) {
    for (const answer of await bothDoors(server, [`Authorization: Bearer ${gw.token()}${control}a`])) {
      assert.ok(answer.status === 400 || answer.status === 401, `${answer.status}`);
    }
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []]);
});

test("the scheme in any case, and blanks around a token, are let in", async (gw) => {
  await using server = await wire(gw);
  for (const scheme of ["bearer ", "BEARER ", "Bearer   ", " Bearer "]) {
    const [rest, mcp] = await bothDoors(server, [`Authorization:${scheme}${gw.token()}  `]);
    assert.deepEqual([rest?.status, mcp?.status], [200, 200], scheme);
  }
});

test("MCP takes application/json with or without parameters and nothing else; REST reads JSON whatever it is called", async (gw) => {
  await using server = await wire(gw);
  const types: readonly (readonly [lines: readonly string[], mcp: number])[] = [
    [["Content-Type: application/json; charset=utf-8"], 200],
    [["Content-Type: Application/JSON"], 200],
    [["Content-Type: application/json;"], 200],
    [[], 415],
    [["Content-Type:"], 415],
    [["Content-Type: text/plain"], 415],
    [["Content-Type: application/jsonp"], 415],
    [["Content-Type: application/x-www-form-urlencoded"], 415],
    [["Content-Type: application/json, text/plain"], 415],
    [["Content-Type: text/plain", "Content-Type: application/json"], 415],
    [["Content-Type: multipart/form-data; boundary=a"], 415],
  ];
  for (const [lines, status] of types) {
    const rest = await server.send(post("/api/v1/tools/list_sites", [bearer(gw), ...lines], text("{}")));
    assert.equal(rest?.status, 200, lines.join());
    const mcp = await server.send(post("/mcp", [bearer(gw), ...lines], text(LIST)));
    assert.equal(mcp?.status, status, lines.join());
    if (status === 415) assert.match(mcp?.body ?? "", /Content-Type must be application\/json/);
  }
  assert.equal((await gw.audit()).length, types.length);
});

test("lengths that contradict each other or are no numbers never become a call", async (gw) => {
  await using server = await wire(gw);
  for (
    const lines of [["Content-Length: 2", "Content-Length: 3"], ["Content-Length: -1"], [
      "Content-Length: 0x2",
    ]]
  ) {
    for (const path of ["/api/v1/tools/list_sites", "/mcp"]) {
      const head = [
        `POST ${path} HTTP/1.1`,
        "Host: 127.0.0.1:8000",
        "Connection: close",
        bearer(gw),
        JSON_TYPE,
      ];
      const answer = await server.send(`${[...head, ...lines].join("\r\n")}\r\n\r\n{}`);
      assert.ok(answer === null || answer.status === 400, `${lines}: ${answer?.status}`);
    }
  }
  assert.deepEqual([await gw.audit(), gw.logged], [[], []]);
});
