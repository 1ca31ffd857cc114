/** A number that JavaScript cannot hold is refused where another one would be written or asked for in its place. */
import assert from "node:assert/strict";
import { HEADING, open, PAGES } from "../guard/proxied_kit.ts";
import type { Kit } from "../kit.ts";

const NUMBERS = ["9007199254740993", "17841400000000001", "-9007199254740993", "1e400", "-1e400", "1e30"];

/** The refusal of a call whose arguments are written as they are, over both doors. */
async function refusals(gw: Kit, tool: string, args: string): Promise<(string | undefined)[]> {
  const call =
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
  const said: (string | undefined)[] = [];
  for (const [path, body] of [[`/api/v1/tools/${tool}`, args], ["/mcp", call]] as const) {
    const headers = { "content-type": "application/json" };
    const answer = await (await gw.http(path, { method: "POST", headers, body })).json();
    said.push(
      answer.error ? `${answer.error.code}: ${answer.error.message}` : answer.result.content?.[0].text,
    );
  }
  return said;
}

const REFUSED = /^E_BAD_INPUT: (\w+): holds a number beyond 2\^53.* nothing was sent; send it as a text/;

Deno.test("a number beyond what is exact is written nowhere as another one", async () => {
  await using at = await open({ acme: [HEADING, PAGES] });
  const { gw, fake } = at;
  const listed = fake.calls.length;
  for (const number of NUMBERS) {
    const schema = `{"site_id":"acme","id":10,"value":{"@type":"A","size":[${number}]},"confirm":true}`;
    const heading = `{"site_id":"acme","post_id":3,"style":{"size":[${number}]}}`;
    const pages = `{"site_id":"acme","page":${number}}`;
    for (
      const [tool, args, field] of [
        ["set_custom_schema", schema, "value"],
        ["builder-mcp-add-heading", heading, "style"],
        ["builder-mcp-list-pages", pages, "page"],
      ] as const
    ) {
      for (const said of await refusals(gw, tool, args)) {
        assert.equal(REFUSED.exec(String(said))?.[1], field, `${tool} ${number}: ${said}`);
      }
    }
  }
  assert.deepEqual([gw.requests, fake.calls.length], [[], listed]);
});

Deno.test("what a number can be exactly goes on", async () => {
  await using at = await open({ acme: [HEADING, PAGES] });
  const before = at.fake.calls.length;
  await refusals(at.gw, "builder-mcp-list-pages", '{"site_id":"acme","page":9007199254740991,"of":0.1}');
  assert.equal(at.fake.calls.length, before + 2);
});
