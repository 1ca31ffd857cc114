/** The tools of one site: what both doors list where the address names it, and when that list is another. */
import assert from "node:assert/strict";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

const SHOP = offer("shop-find", ["acme", "bolt"]);
const OPTIONS = {
  sites: [site("acme", "cms"), site("bolt", "cms"), site("docs", "static"), site("sales", "crm")],
  tokens: {
    acme: { allowed_sites: ["acme"] },
    reader: { max_risk: 0 },
    one: { allowed_tools: ["list_sites", "publish_post", "crm_list_invoices"] },
  },
  sources: [new ChangingSource(SHOP, offer("shop-bolt", ["bolt"]))],
} as const;
const CRM = { crm_location_id: "loc1", credentials: { crm: { integration_token: "pit-0123456789abcdef" } } };

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: { readonly properties: { readonly site_id?: { readonly enum?: string[] } } };
}

/** The list of MCP, once the list of REST was found to have the same names. */
async function listed(gw: Kit, query: string, as = "all"): Promise<readonly Listed[]> {
  const asked = { method: "POST", headers: { "content-type": "application/json" }, as };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const mcp = await (await gw.http(`/mcp${query}`, { ...asked, body })).json();
  const rest = await (await gw.http(`/api/v1/tools${query}`, { as })).json();
  const names = (tools: readonly Listed[]) => tools.map(({ name }) => name);
  assert.deepEqual(names(rest.result.tools), names(mcp.result.tools));
  return mcp.result.tools;
}

const namesOf = async (...asked: Parameters<typeof listed>) =>
  new Set((await listed(...asked)).map(({ name }) => name));

const test = scenes(() => gateway(OPTIONS));

test("a list of one site has what is of use there: its platform's tools, those of no site, its own", async (gw) => {
  const all = await namesOf(gw, "");
  const [acme, bolt, docs, sales] = await Promise.all(
    ["acme", "bolt", "docs", "sales"].map((id) => namesOf(gw, `?site=${id}`)),
  );
  for (const list of [acme!, bolt!, docs!, sales!]) {
    assert.ok(list.has("list_sites"));
    assert.deepEqual([...list].filter((name) => !all.has(name)), []);
    assert.ok(!list.has("crm_list_invoices"), "nothing links a CRM");
  }
  assert.ok(acme!.has("publish_post") && bolt!.has("publish_post"));
  assert.ok(!docs!.has("publish_post") && !sales!.has("publish_post"));
  assert.deepEqual([acme!, bolt!, docs!].map((list) => [list.has("shop-find"), list.has("shop-bolt")]), [
    [true, false],
    [true, true],
    [false, false],
  ]);
  const [own] = (await listed(gw, "?site=acme")).filter(({ name }) => name === "shop-find");
  assert.deepEqual(own!.inputSchema!.properties.site_id!.enum, ["acme"]);
  assert.match(own!.description, /Sites that offer it: acme$/);
  assert.deepEqual(await namesOf(gw, ""), all, "the whole list is as it was");
  assert.deepEqual(gw.requests, []);
});

test("it is the caller's own list still: under its ceiling, of its tools, of its sites", async (gw) => {
  const whole = await namesOf(gw, "", "reader");
  assert.ok([...await namesOf(gw, "?site=acme", "reader")].every((name) => whole.has(name)));
  assert.deepEqual([...await namesOf(gw, "?site=acme", "one")], ["list_sites", "publish_post"]);
  assert.deepEqual([...await namesOf(gw, "?site=docs", "one")], ["list_sites"]);
});

test("a site is listed with what was linked to it since, and a list is not another site's", async (gw) => {
  assert.ok(!(await namesOf(gw, "?site=acme")).has("crm_list_invoices"));
  gw.clock.now += 1000;
  await gw.store.sites.update("acme", CRM);
  assert.ok((await namesOf(gw, "?site=acme")).has("crm_list_invoices"));
  assert.ok(!(await namesOf(gw, "?site=bolt")).has("crm_list_invoices"));
});

test("a site out of reach, or that is none, is refused in a sentence through both doors", async (gw) => {
  const cases = [
    ["?site=bolt", "acme", 403, /^E_SCOPE_DENIED: site: the site "bolt" is outside what the token may use/],
    ["?site=nowhere", "acme", 403, /^E_SCOPE_DENIED: site: the site "nowhere" is outside/],
    ["?site=nowhere", "all", 404, /^E_NOT_FOUND: site: no site "nowhere" is registered; list_sites names/],
    ["?site=acme&site=bolt", "acme", 400, /^E_BAD_INPUT: site: the address names several; name one/],
    ["?site=acme&site=acme", "acme", 400, /^E_BAD_INPUT: site: the address names several; name one/],
    ["?site=", "all", 404, /^E_NOT_FOUND: site: no site "" is registered/],
  ] as const;
  for (const [query, as, status, message] of cases) {
    const rest = await gw.http(`/api/v1/tools${query}`, { as });
    const { error } = await rest.json();
    assert.deepEqual([rest.status, message.test(`${error.code}: ${error.message}`)], [status, true], query);
    for (const method of ["tools/list", "subscriptions/listen"]) {
      const modern: Record<string, string> = method === "tools/list" ? {} : {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        accept: "application/json, text/event-stream",
      };
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const params = method === "tools/list" ? {} : { _meta, notifications: { toolsListChanged: true } };
      const answer = await gw.http(`/mcp${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...modern },
        as,
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const said = await answer.json();
      assert.match(said.error?.message ?? JSON.stringify(said), message, method);
      assert.equal(said.error.code, -32602);
    }
  }
  assert.deepEqual(gw.logged, []);
});

test("the address narrows what is listed, not what may be called", async (gw) => {
  const params = { name: "shop-find", arguments: { site_id: "bolt", text: "x" } };
  const answer = await gw.http("/mcp?site=acme", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const { result } = await answer.json();
  assert.equal(JSON.parse(result.content[0].text).site, "bolt");
});
