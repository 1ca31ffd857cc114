/** Arguments of hosted tools: what is served without prefix comes back as its server wants it, for every tool there is. */
import assert from "node:assert/strict";
import { namesAnotherLocation, putBack } from "../../../platforms/tool_servers/arguments.ts";
import { servedArguments } from "../../../rules/proxied/arguments.ts";
import { CRM_TOOLS } from "../../../sandbox/tool_servers/crm_schema.ts";
import tools from "../../../sandbox/tool_servers/crm_tools.gen.json" with { type: "json" };

type Schema = { properties?: Record<string, unknown> };
const NAMES = {
  prefixes: ["path_", "query_", "body_"],
  filled: ["locationId", "location_id", "altId", "altType"],
};
const all = tools as unknown as readonly { name: string; inputSchema: Schema }[];

Deno.test("of every tool, each argument that is served comes back under its server's name, and the location with it", () => {
  assert.equal(all.length, CRM_TOOLS.length);
  let filled = 0;
  for (const { name, inputSchema } of all) {
    const upstream = Object.keys(inputSchema.properties ?? {});
    const served = Object.keys((servedArguments(inputSchema, NAMES) as Schema).properties ?? {});
    const given = Object.fromEntries(served.map((one) => [one, `value of ${one}`]));
    const sent = putBack({ input_schema: inputSchema }, given, "loc1");
    assert.deepEqual(Object.keys(sent).sort(), upstream.sort(), name);
    for (const [key, value] of Object.entries(sent)) {
      if (/(locationId|location_id|altId)$/.test(key)) filled += Number(value === "loc1");
      else if (/altType$/.test(key)) assert.equal(value, "location");
      else assert.ok(`value of ${key}`.endsWith(String(value).slice("value of ".length)), `${name}: ${key}`);
    }
    const prefixed = Object.fromEntries(
      Object.entries(sent).filter(([key]) => !/(locationId|location_id|altId|altType)$/.test(key)),
    );
    assert.deepEqual(putBack({ input_schema: inputSchema }, prefixed, "loc1"), sent, name);
  }
  assert.ok(filled > 10);
});

Deno.test("what the server does not know goes on as it came, and no argument reaches what objects have anyway", () => {
  const input_schema = { type: "object", properties: { body_tags: {} } };
  const given = JSON.parse('{"tags":[1],"extra":2,"__proto__":{"x":1},"constructor":3}');
  const sent = putBack({ input_schema }, given, "loc1");
  assert.deepEqual(Object.entries(sent), [["body_tags", [1]], ["extra", 2], ["__proto__", { x: 1 }], [
    "constructor",
    3,
  ]]);
  assert.deepEqual(putBack({ input_schema: {} }, { a: 1 }, "loc1"), { a: 1 });
});

Deno.test("an answer of another location is known by any name of it, but for what visitors wrote", () => {
  const mine = { contacts: [{ locationId: "loc1", others: { locationId: "typed" } }], altId: "loc1" };
  assert.equal(namesAnotherLocation(mine, "loc1"), false);
  for (const other of [{ locationId: "x" }, [{ a: { location_id: "x" } }], { altId: "x" }]) {
    assert.equal(namesAnotherLocation(other, "loc1"), true);
  }
});
