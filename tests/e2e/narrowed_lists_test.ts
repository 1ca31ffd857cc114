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

test("a list of one site has what is of use there: its platform's tools, those of no site, its own where they are asked for", async (gw) => {
  const all = await namesOf(gw, "");
  const [acme, bolt, docs, sales] = await Promise.all(
    ["acme", "bolt", "docs", "sales"].map((id) => namesOf(gw, `?site=${id}&groups=*`)),
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
  const without = await namesOf(gw, "?site=acme");
  assert.deepEqual([...acme!].filter((name) => !without.has(name)), ["shop-find"]);
  for (const { inputSchema, description } of await listed(gw, "?site=acme&tools=shop-find,publish_post")) {
    assert.equal(inputSchema!.properties.site_id, undefined, "the address has it");
    assert.ok(!description.includes("Sites that offer it"));
  }
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

/** What a call at that address came to: its answer, or the text of its refusal. */
async function called(
  gw: Kit,
  address: string,
  name: string,
  args: object,
  headers: Record<string, string> = {},
) {
  const answer = await gw.http(address, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result, error } = await answer.json();
  return error?.message as string ?? result.content[0].text as string;
}

test("a call at the address of a site is made on that site, and on no other", async (gw) => {
  for (const address of ["/mcp?site=acme", "/mcp/acme"]) {
    for (const args of [{ text: "x" }, { site_id: "acme", text: "x" }]) {
      assert.equal(JSON.parse(await called(gw, address, "shop-find", args)).site, "acme", address);
    }
    const refused = await called(gw, address, "shop-find", { site_id: "bolt", text: "x" });
    assert.match(
      refused,
      /^E_BAD_INPUT: site_id: the address of this request is that of the site "acme", and the call names "bolt"/,
    );
  }
  assert.equal(
    JSON.parse(await called(gw, "/mcp", "shop-find", { site_id: "bolt", text: "x" })).site,
    "bolt",
  );
  assert.match(await called(gw, "/mcp/bolt", "get_site", {}), /"id":"bolt"/);
});

test("groups, tools and readonly leave tools out, by the address or the headers of other servers", async (gw) => {
  const [whole, reads] = [await namesOf(gw, ""), await namesOf(gw, "?readonly")];
  const lasting = await namesOf(gw, "", "reader");
  assert.deepEqual(
    [...lasting].filter((name) => !reads.has(name)),
    ["cancel_change_set", "get_sitemap_status"],
    "one ends a set, the other can write by one argument",
  );
  assert.ok(whole.size > reads.size);
  const posts = await namesOf(gw, "?groups=posts");
  assert.ok(posts.has("create_draft") && !posts.has("create_page_draft") && !posts.has("shop-find"));
  assert.deepEqual([...await namesOf(gw, "?groups=posts&readonly")].filter((name) => !reads.has(name)), []);
  assert.deepEqual([...await namesOf(gw, "?groups=proxied")], ["shop-find", "shop-bolt"]);
  assert.deepEqual([...await namesOf(gw, "?tools=get_site,shop-find")].sort(), ["get_site", "shop-find"]);
  assert.deepEqual([...await namesOf(gw, "?tools=publish_post", "reader")], [], "an address adds nothing");
  const asked = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answer = await gw.http("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    return new Set(((await answer.json()).result.tools as Listed[]).map(({ name }) => name));
  };
  assert.deepEqual(await asked({ "x-mcp-toolsets": "posts" }), posts);
  assert.deepEqual(await asked({ "x-mcp-readonly": "true" }), reads);
  assert.deepEqual(
    await asked({ "x-mcp-tools": "get_site, list_sites" }),
    new Set(["get_site", "list_sites"]),
  );
});

test("what an address or a header leaves out is not called there either, and sends nothing", async (gw) => {
  const draft = { site_id: "acme", title: "A", confirm: true };
  const cases = [
    ["/mcp?readonly", {}],
    ["/mcp?groups=seo", {}],
    ["/mcp?tools=list_sites,get_site", {}],
    ["/mcp", { "x-mcp-readonly": "1" }],
    ["/mcp", { "x-mcp-toolsets": "seo" }],
  ] as const;
  for (const [address, headers] of cases) {
    const said = await called(gw, address, "create_draft", draft, headers);
    assert.match(said, /^E_SCOPE_DENIED: "create_draft" is left out by the address or the headers/, address);
  }
  assert.deepEqual(gw.requests, []);
});

test("a name that nothing has, and a value that says nothing, are refused with those there are", async (gw) => {
  const cases = [
    ["?groups=post", /^E_BAD_INPUT: groups: no group is called "post"; there are .*posts/],
    ["?tools=create_drft", /^E_BAD_INPUT: tools: no tool is called "create_drft"/],
    ["?mode=find", /^E_BAD_INPUT: mode: "find" says nothing here; give search or plain/],
    ["?readonly=perhaps", /^E_BAD_INPUT: readonly: "perhaps" says nothing here; give 1 or true/],
    ["?schemas=all", /^E_BAD_INPUT: schemas: "all" says nothing here; give full or brief/],
  ] as const;
  for (const [query, message] of cases) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const answer = await gw.http(`/mcp${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    assert.match((await answer.json()).error.message, message, query);
    const rest = await gw.http(`/api/v1/tools${query}`);
    const { error } = await rest.json();
    assert.deepEqual([rest.status, message.test(`${error.code}: ${error.message}`)], [400, true], query);
  }
});
