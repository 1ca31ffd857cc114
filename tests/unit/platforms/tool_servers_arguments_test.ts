/** Arguments of hosted tools: what is served without prefix comes back as its server wants it, for every tool there is. */
import assert from "node:assert/strict";
import { toUpstreamArguments } from "../../../platforms/tool_servers/arguments.ts";
import { servedArguments } from "../../../rules/proxied/arguments.ts";
import { CRM_TOOLS } from "../../../sandbox/tool_servers/crm_schema.ts";
import tools from "../../../sandbox/tool_servers/crm_tools.gen.json" with { type: "json" };

type Schema = { properties?: Record<string, unknown> };
const NAMES = {
  prefixes: ["path_", "query_", "body_"],
  filled: ["locationId", "location_id", "altType", "query_altId", "path_altId"],
  filled_beside: { altId: "altType" },
};
const all = tools as unknown as readonly { name: string; inputSchema: Schema }[];

Deno.test("of every tool, each argument that is served comes back under its server's name, and the location with it", () => {
  assert.equal(all.length, CRM_TOOLS.length);
  let filled = 0;
  for (const { name, inputSchema } of all) {
    const upstream = Object.keys(inputSchema.properties ?? {});
    const served = Object.keys((servedArguments(inputSchema, NAMES) as Schema).properties ?? {});
    const given = Object.fromEntries(served.map((one) => [one, `value of ${one}`]));
    const sent = toUpstreamArguments({ input_schema: inputSchema }, given, "loc1");
    assert.deepEqual(Object.keys(sent).sort(), upstream.sort(), name);
    for (const [key, value] of Object.entries(sent)) {
      if (/(locationId|location_id|altId)$/.test(key)) filled += Number(value === "loc1");
      else if (/altType$/.test(key)) assert.equal(value, "location");
      else assert.ok(`value of ${key}`.endsWith(String(value).slice("value of ".length)), `${name}: ${key}`);
    }
    const prefixed = Object.fromEntries(
      Object.entries(sent).filter(([key]) => !/(locationId|location_id|altId|altType)$/.test(key)),
    );
    assert.deepEqual(toUpstreamArguments({ input_schema: inputSchema }, prefixed, "loc1"), sent, name);
  }
  assert.ok(filled > 10);
});

Deno.test("what the server does not know goes on as it came, and no argument reaches what objects have anyway", () => {
  const input_schema = { type: "object", properties: { body_tags: {} } };
  const given = JSON.parse('{"tags":[1],"extra":2,"__proto__":{"x":1},"constructor":3}');
  const sent = toUpstreamArguments({ input_schema }, given, "loc1");
  assert.deepEqual(Object.entries(sent), [["body_tags", [1]], ["extra", 2], ["__proto__", { x: 1 }], [
    "constructor",
    3,
  ]]);
  assert.deepEqual(toUpstreamArguments({ input_schema: {} }, { a: 1 }, "loc1"), { a: 1 });
});

const SCHEMAS = {
  order: { query_altId: {}, path_orderId: {} },
  paid: { query_altId: {}, query_altType: {} },
  body: { body_altId: {}, body_altType: {} },
  message: { body_altId: {}, body_message: {} },
  bare: { altId: {}, message: {} },
};
const own = "loc1";
/** What is given to a tool, and what is sent; null where it is refused as another location. */
const GIVEN: readonly (readonly [schema: keyof typeof SCHEMAS, given: object, sent: object | null])[] = [
  ["order", { orderId: "o" }, { path_orderId: "o", query_altId: own }],
  ["order", { orderId: "o", altId: own }, { path_orderId: "o", query_altId: own }],
  ["order", { orderId: "o", altId: "loc2" }, null],
  ["order", { orderId: "o", query_altId: "loc2" }, null],
  ["paid", { altId: "loc2" }, null],
  ["paid", { altType: "company" }, null],
  ["paid", { altId: null }, { query_altId: own, query_altType: "location" }],
  ["body", {}, { body_altId: own, body_altType: "location" }],
  ["body", { altId: "SM57d2" }, null],
  // In a message it is the carrier's id (the vendor's issue #38 of 2025-06-24).
  ["message", { altId: "SM57d2" }, { body_altId: "SM57d2" }],
  ["message", { body_altId: "wamid.HBgL" }, { body_altId: "wamid.HBgL" }],
  ["message", { altId: "loc2", altType: "location" }, null],
  ["bare", { altId: "SM57d2", message: "x" }, { altId: "SM57d2", message: "x" }],
  ["message", { message: { meta: { altId: "SM1" } } }, { body_message: { meta: { altId: "SM1" } } }],
  ["message", { message: { meta: { altId: "loc2", altType: "location" } } }, null],
  ["message", { message: [{ locationId: "loc2" }] }, null],
];
for (const [schema, given, sent] of GIVEN) {
  Deno.test(`of ${JSON.stringify(given)} to a tool for "${schema}" ${JSON.stringify(sent)} is sent`, () => {
    const input_schema = { type: "object", properties: SCHEMAS[schema] };
    const put = () => toUpstreamArguments({ input_schema }, given as Record<string, unknown>, own);
    if (sent === null) assert.throws(put, /another location than the site's/);
    else assert.deepEqual(put(), sent);
  });
}

Deno.test("an altId that means something else than a location is served as an argument", () => {
  const served = (schema: keyof typeof SCHEMAS) =>
    Object.keys((servedArguments({ properties: SCHEMAS[schema] }, NAMES) as Schema).properties!);
  assert.deepEqual(served("message"), ["altId", "message"]);
  assert.deepEqual([served("order"), served("paid"), served("body")], [["orderId"], [], []]);
});
