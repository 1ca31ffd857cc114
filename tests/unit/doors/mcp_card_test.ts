/** The card for hosts of MCP Apps: who is offered it, and what is in it. */
import assert from "node:assert/strict";
import { approvalCard, CARD_EXTENSION, CARD_TYPE } from "../../../doors/mcp_card.ts";
import { mcpDoor } from "../../../doors/mcp.ts";
import { CARD_URI } from "../../../registry/listing.ts";
import { gateway, site } from "../../kit.ts";
import { fakePorts } from "./fake_ports.ts";
import { CAPABILITIES_KEY, legacy, modern, type RequestHeaders } from "./mcp_requests.ts";

const CARDS = { extensions: { [CARD_EXTENSION]: { mimeTypes: [CARD_TYPE] } } };
const OTHERS = [
  {},
  { extensions: {} },
  { extensions: { [CARD_EXTENSION]: {} } },
  { extensions: { [CARD_EXTENSION]: { mimeTypes: ["text/html"] } } },
  { extensions: { [CARD_EXTENSION]: { mimeTypes: CARD_TYPE } } },
  { extensions: [CARD_EXTENSION] },
];

const PLAIN = { tools: {}, resources: {}, prompts: {}, completions: {} };

// deno-lint-ignore no-explicit-any
type Json = any;

function doors() {
  const door = mcpDoor(fakePorts().ports);
  const read = async (response: Response): Promise<Json> => ({
    ...await response.json(),
    status: response.status,
  });
  return {
    modern: async (method: string, params: Record<string, unknown>, can: unknown): Promise<Json> => {
      const headers: RequestHeaders = typeof params.uri === "string" ? { "mcp-name": params.uri } : {};
      return await read(await door(modern(method, params, { meta: { [CAPABILITIES_KEY]: can }, headers })));
    },
    async begin(capabilities: unknown): Promise<{ session: string | null; capabilities: unknown }> {
      const response = await door(legacy("initialize", { protocolVersion: "2025-11-25", capabilities }));
      const { result } = await response.json();
      return { session: response.headers.get("mcp-session-id"), capabilities: result.capabilities };
    },
    legacy: async (method: string, params: Record<string, unknown>, session: string | null): Promise<Json> =>
      await read(await door(legacy(method, params, session === null ? {} : { "mcp-session-id": session }))),
  };
}

Deno.test("a host that takes the card is told of it and given it, on both lines; to every other there is no such resource", async () => {
  const at = doors();
  const { session, capabilities } = await at.begin(CARDS);
  assert.match(session!, /\.ui$/);
  const told = { ...PLAIN, extensions: { [CARD_EXTENSION]: {} } };
  assert.deepEqual(capabilities, told);
  const { result: found } = await at.modern("server/discover", {}, CARDS);
  assert.deepEqual(found.capabilities, { ...told, tools: { listChanged: true } });
  const calls: [string, Record<string, unknown>][] = [
    ["resources/list", {}],
    ["resources/templates/list", {}],
    ["resources/read", { uri: CARD_URI }],
  ];
  for (const [method, params] of calls) {
    const old = (await at.legacy(method, params, session)).result;
    const { resultType, ttlMs, cacheScope, _meta, ...now } = (await at.modern(method, params, CARDS)).result;
    assert.deepEqual(now, old, method);
    assert.deepEqual([resultType, cacheScope, ttlMs > 0], ["complete", "private", true]);
    for (const can of OTHERS) {
      const begun = await at.begin(can);
      assert.deepEqual(begun, { session: null, capabilities: PLAIN });
      const answers = [await at.legacy(method, params, null), await at.modern(method, params, can)];
      for (const answer of answers) {
        assert.ok(!JSON.stringify(answer.result ?? {}).includes(CARD_URI), method);
        if (method === "resources/read") assert.ok(answer.error.code < -32000, method);
      }
    }
  }
  const [{ text, ...content }] =
    (await at.legacy("resources/read", { uri: CARD_URI }, session)).result.contents;
  const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
  assert.deepEqual(content, {
    uri: CARD_URI,
    mimeType: CARD_TYPE,
    _meta: { ui: { csp, prefersBorder: true } },
  });
  assert.equal(text, await approvalCard("https://gate.test"));
  for (const uri of ["ui://site-operations/other", "file:///etc/passwd", "", 7, undefined]) {
    const code = typeof uri === "string" ? -32002 : -32602;
    assert.equal((await at.legacy("resources/read", { uri }, session)).error.code, code, String(uri));
    assert.equal((await at.modern("resources/read", { uri }, CARDS)).error.code, -32602, String(uri));
  }
});

Deno.test("the card is small, loads nothing, and puts no text in as markup", async () => {
  const card = await approvalCard('https://gate.test/"><script>alert(1)</script>');
  assert.ok(card.length < 30_000, `${card.length}`);
  assert.match(
    card,
    /data-origin="https:\/\/gate\.test\/&quot;><script>/,
    "the address cannot leave its attribute",
  );
  const text = await approvalCard("https://gate.test");
  assert.match(
    text,
    /content="default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; base-uri/,
  );
  assert.deepEqual(text.match(/https?:\/\/[^"'` ]+/g), ["https://gate.test"], "no other address");
  for (
    const never of [
      "innerHTML",
      "outerHTML",
      "insertAdjacent",
      "document.write",
      "eval(",
      "fetch(",
      "tools/call",
    ]
  ) {
    assert.ok(!text.includes(never), never);
  }
  const unseen = await Deno.readTextFile(new URL("../../../core/unseen.ts", import.meta.url));
  const [, pattern] = /const UNSEEN =\s+(\/.+\/gu);/.exec(unseen)!;
  assert.ok(text.includes(pattern!), "it knows the same signs as the gateway's own pages");
});

/** The list of a token, byte for byte, for what its client can do. */
async function listed(policies: Record<string, Record<string, unknown>>, can: unknown): Promise<string> {
  await using gw = await gateway({
    sites: [site("acme", "cms", policies.site ?? {})],
    tokens: { all: { max_risk: 3, ...policies.token } },
  });
  const init = modern("tools/list", {}, { meta: { [CAPABILITIES_KEY]: can } });
  const headers = Object.fromEntries(init.headers);
  delete headers["authorization"];
  const response = await gw.http("/mcp", { method: "POST", headers, body: await init.text() });
  return await response.text();
}

Deno.test("the list names the card where a write may wait for a person, and is to the byte what it was for everybody else", async () => {
  const plain = await listed({ token: { confirm_policy: "human" } }, {});
  for (const can of OTHERS) assert.equal(await listed({ token: { confirm_policy: "human" } }, can), plain);
  assert.equal(await listed({}, CARDS), plain, "nobody is asked");
  const cards = await listed({ token: { confirm_policy: "human" } }, CARDS);
  assert.equal(
    await listed({ site: { confirm_policy: "human" } }, CARDS),
    cards,
    "a site's policy counts as well",
  );
  type Tool = { name: string; annotations: { readOnlyHint: boolean }; _meta?: unknown };
  const tools: Tool[] = JSON.parse(cards).result.tools;
  const meta = { ui: { resourceUri: CARD_URI, visibility: ["model"] } };
  for (const { name, annotations, _meta } of tools) {
    assert.deepEqual(_meta, annotations.readOnlyHint && name !== "get_approval" ? undefined : meta, name);
  }
  const named = tools.filter(({ _meta }) => _meta !== undefined).map(({ name }) => name);
  for (const name of ["prepare_changes", "get_approval", "publish_post"]) {
    assert.ok(named.includes(name), name);
  }
  const without = tools.map(({ _meta: _, ...tool }) => tool);
  assert.deepEqual(without, JSON.parse(plain).result.tools);
});
