/** Search mode: a list of a dozen tools, by which all others are found, described and called as themselves. */
import assert from "node:assert/strict";
import { ChangingSource, offer } from "../changing_source.ts";
import { rpc as asked } from "./mcp_rpc.ts";
import { gateway, type Kit, site } from "../kit.ts";
import type { OfferedTool } from "../../registry/source.ts";
import { scenes } from "../scenes.ts";

const OPTIONS = {
  sites: [site("acme", "cms"), site("bolt", "cms"), site("docs", "static"), site("built", "sitebuilder")],
  tokens: {
    reader: { max_risk: 0 },
    few: { allowed_tools: ["list_sites", "create_draft"] },
    seeking: { listing: "search" },
    own: { listing: "own" },
  },
  sources: [new ChangingSource(offer("shop-find", ["acme"]), offer("shop-put", ["acme"], { writes: true }))],
} as const;
const test = scenes(() => gateway(OPTIONS));

/** A source as that of sites' own tools is: what it has is known only once it is asked. */
class LateSource extends ChangingSource {
  readonly #all: readonly OfferedTool[];

  constructor(...all: OfferedTool[]) {
    super();
    this.#all = all;
  }

  fresh(): Promise<void> {
    return Promise.resolve().then(() => this.put(...this.#all));
  }
}

const rpc = (gw: Kit, method: string, params: object = {}, address = "/mcp?mode=search", as = "all") =>
  asked(gw, method, params, { address, as });

const namesOf = async (gw: Kit, address: string, as = "all"): Promise<string[]> =>
  (await rpc(gw, "tools/list", {}, address, as)).result.tools.map((one: { name: string }) => one.name);

async function call(gw: Kit, name: string, args: object, address?: string, as?: string) {
  const { result, error } = await rpc(gw, "tools/call", { name, arguments: args }, address, as);
  if (error) return error.message as string;
  const { text } = result.content[0];
  return result.isError ? text as string : JSON.parse(text);
}

const GUIDES = ["call_read_tool", "call_write_tool", "describe_tool", "find_tools"];

test("the list of searching is short, and the plain one has neither less than before nor what only searching needs", async (gw) => {
  const short = await namesOf(gw, "/mcp?mode=search");
  assert.ok(short.length <= 14 && GUIDES.every((name) => short.includes(name)), short.join());
  const plain = await namesOf(gw, "/mcp");
  assert.deepEqual(GUIDES.filter((name) => plain.includes(name)), ["describe_tool"]);
  assert.deepEqual(await namesOf(gw, "/mcp", "seeking"), short, "a token may be set so");
  assert.deepEqual(await namesOf(gw, "/mcp?mode=plain", "seeking"), plain, "the address goes before it");
  assert.deepEqual(plain.filter((name) => !new Set([...short, ...plain]).has(name)), []);
});

test("a token that is set so lists the gateway's own tools, and sites' own where the address names them", async (gw) => {
  assert.ok(!(await namesOf(gw, "/mcp", "own")).includes("shop-find"));
  assert.ok((await namesOf(gw, "/mcp?groups=*", "own")).includes("shop-find"));
  assert.ok((await namesOf(gw, "/mcp")).includes("shop-find"));
});

test("a token with a few tools finds, describes and lists these, and no other", async (gw) => {
  const short = await namesOf(gw, "/mcp?mode=search", "few");
  assert.deepEqual(short.toSorted(), [...GUIDES, "list_sites"].toSorted());
  const { tools } = await call(
    gw,
    "find_tools",
    { query: "create a draft, publish a post" },
    undefined,
    "few",
  );
  assert.deepEqual(tools.map((one: { call: string }) => one.call.split("(")[0]), ["create_draft"]);
  assert.match(
    await call(gw, "describe_tool", { tool: "publish_post" }, undefined, "few"),
    /^E_TOOL_NOT_FOUND/,
  );
  const refused = await call(
    gw,
    "call_write_tool",
    { tool: "publish_post", arguments: { site_id: "acme", post_id: 1 } },
    undefined,
    "few",
  );
  assert.match(refused, /^E_SCOPE_DENIED: The token may not use "publish_post"/);
  assert.deepEqual(gw.requests, []);
});

test("a tool is found with its arguments, of one site only what is of use there, sites' own too", async (gw) => {
  const found = await call(gw, "find_tools", { query: "create a draft of a post" });
  const [first] = found.tools;
  assert.match(first.call, /^create_draft\(site_id, type\?, title, content_html, /);
  assert.equal(first.writes, true);
  const there = await call(gw, "find_tools", { query: "shop find", for_site: "acme" });
  assert.match(there.tools[0].call, /^shop-find\(/);
  assert.doesNotMatch(there.tools[0].for, /writes at once/);
  const put = (await call(gw, "find_tools", { query: "shop put", for_site: "acme" })).tools
    .find((one: { call: string }) => one.call.startsWith("shop-put("));
  assert.match(put.for, /\. It writes at once: send dry_run: true to see it first/);
  const elsewhere = await call(gw, "find_tools", {
    query: "create a draft of a post",
    for_site: "docs",
    limit: 20,
  });
  assert.ok(!elsewhere.tools.some((one: { call: string }) => one.call.startsWith("create_draft(")));
  assert.match(await call(gw, "find_tools", { query: "x", for_site: "none" }), /^E_NOT_FOUND: site/);
  // What a site of that kind does not take is not shown either; the site is still named.
  const page = { query: "create a page draft" };
  const callOf = ({ tools }: { tools: { call: string }[] }) =>
    tools.find(({ call }) => call.startsWith("create_page_draft("))!.call;
  const [anywhere, here] = [
    await call(gw, "find_tools", page),
    await call(gw, "find_tools", { ...page, for_site: "acme" }),
  ];
  assert.match(callOf(anywhere), /site_id.*seo\?/);
  assert.match(callOf(here), /site_id/);
  assert.doesNotMatch(callOf(here), /seo/);
});

test("a word is searched for once, however often it is said, and none that no tool can have", async (gw) => {
  const once = await call(gw, "find_tools", { query: "create a draft of a post" });
  const often = `create a draft of a post ${"create ".repeat(50)}`;
  assert.deepEqual(await call(gw, "find_tools", { query: often }), once);
  assert.deepEqual((await call(gw, "find_tools", { query: "create".repeat(60) })).tools, []);
});

test("a call through the stand-ins is that tool's own: its row, its preview, its consent, its refusals", async (gw) => {
  const sites = await call(gw, "call_read_tool", { tool: "list_sites" });
  assert.equal(sites.sites.length, 4);
  const args = { tool: "get_site", arguments: { site_id: "acme" } };
  assert.equal((await call(gw, "call_read_tool", args)).id, "acme");
  const [row] = await gw.audit();
  assert.deepEqual([row!.tool, row!.site_id, row!.arguments], ["get_site", "acme", { site_id: "acme" }]);
  const explained = await call(gw, "explain_call", {
    site_id: "acme",
    tool: "create_draft",
    arguments: { title: "A", content_html: "<p>A</p>" },
  });
  assert.equal(explained.tool, "create_draft");
});

const REFUSED: readonly (readonly [tool: string, args: object, says: RegExp])[] = [
  ["call_read_tool", {}, /^E_BAD_INPUT: tool: expected the name of the tool to call; find_tools finds it/],
  ["call_read_tool", { tool: 7 }, /^E_BAD_INPUT: tool: expected the name/],
  ["call_read_tool", { tool: "get_site", arguments: [] }, /^E_BAD_INPUT: arguments: expected an object/],
  [
    "call_read_tool",
    { tool: "create_draft", arguments: { site_id: "acme" } },
    /"create_draft" can write; call it with call_write_tool/,
  ],
  ["call_read_tool", { tool: "shop-put", arguments: { site_id: "acme" } }, /"shop-put" can write/],
  [
    "call_read_tool",
    { tool: "get_sitemap_status", arguments: { site_id: "acme" } },
    /"get_sitemap_status" can write/,
  ],
  ["call_read_tool", { tool: "call_write_tool", arguments: {} }, /"call_write_tool" stands for other tools/],
  [
    "call_write_tool",
    { tool: "create_draft", title: "A" },
    /^E_BAD_INPUT: title: unknown argument, what is for "create_draft" belongs into arguments/,
  ],
  [
    "call_write_tool",
    { tool: "create_draft", confirm: true, arguments: { confirm: false } },
    /^E_BAD_INPUT: confirm: is given twice/,
  ],
  [
    "call_write_tool",
    { tool: "no_such_tool", arguments: {} },
    /^E_TOOL_NOT_FOUND: No tool is called "no_such_tool"/,
  ],
  ["call_write_tool", { tool: "create_draft", arguments: { site_id: "acme" } }, /^E_BAD_INPUT: title/],
  ["prepare_changes", {
    title: "A",
    changes: [{ tool: "call_write_tool", arguments: { tool: "create_draft" } }],
  }, /^E_/],
];

for (const [tool, args, says] of REFUSED) {
  test(`${tool} ${JSON.stringify(args).slice(0, 80)} is refused, and nothing is sent`, async (gw) => {
    assert.match(String(await call(gw, tool, args)), says);
    assert.deepEqual(gw.requests, []);
  });
}

test("who may only read cannot write through a stand-in, and readonly leaves that one out", async (gw) => {
  const short = await namesOf(gw, "/mcp?mode=search", "reader");
  assert.ok(short.includes("call_read_tool") && !short.includes("call_write_tool"));
  assert.ok(!(await namesOf(gw, "/mcp?mode=search&readonly")).includes("call_write_tool"));
  const write = { tool: "create_draft", arguments: { site_id: "acme", title: "A", content_html: "" } };
  assert.match(await call(gw, "call_write_tool", write, undefined, "reader"), /^E_SCOPE_DENIED/);
  assert.match(await call(gw, "call_write_tool", write, "/mcp?readonly"), /^E_SCOPE_DENIED/);
  assert.deepEqual(gw.requests, []);
});

Deno.test("a site's own tool that is only known to write once it is looked for is not called through call_read_tool", async () => {
  const source = new LateSource(
    offer("shop-late", ["acme"], { writes: true, run: () => assert.fail("it ran") }),
  );
  await using gw = await gateway({ ...OPTIONS, sources: [source] });
  const late = { tool: "shop-late", arguments: { site_id: "acme", text: "a", confirm: true } };
  for (const address of ["/mcp", "/mcp?mode=search"]) {
    source.put();
    assert.match(
      String(await call(gw, "call_read_tool", late, address)),
      /^E_BAD_INPUT: tool: "shop-late" can write; call it with call_write_tool/,
    );
  }
  const [row] = await gw.audit();
  assert.deepEqual([row!.tool, row!.status], ["shop-late", "error"]);
});

test("a tool is described whole, and all tools as one text of types", async (gw) => {
  const told = await call(gw, "describe_tool", { tool: "set_seo_meta" });
  assert.deepEqual([told.name, told.group, told.tier, told.writes], ["set_seo_meta", "seo", 1, true]);
  assert.ok(
    told.description.length > 400 && told.input_schema.properties.robots.properties.noindex.description,
  );
  assert.ok(told.flags.includes("allow_seo_on_published") && told.platforms.includes("cms"));
  const { types } = await call(gw, "describe_tool", { format: "types" });
  for (const name of ["create_draft", "list_sites", "shop-find"]) {
    assert.ok(types.includes(`\n${name}(`), name);
  }
  assert.match(
    (await call(gw, "describe_tool", { format: "types", tool: "ping_site" })).types,
    /\nping_site\(a: \{site_id\}\)/,
  );
  assert.match(await call(gw, "describe_tool", {}), /^E_BAD_INPUT: tool: name the tool/);
  assert.match(await call(gw, "describe_tool", { tool: "set_seo_mta" }), /did you mean "set_seo_meta"/);
});

test("several tools are described in one call, and the tools of groups, sites' own among them, as types", async (gw) => {
  const { tools } = await call(gw, "describe_tool", { tool: ["set_seo_meta", "ping_site"] });
  assert.deepEqual(tools.map((one: { name: string }) => one.name), ["set_seo_meta", "ping_site"]);
  const both = await call(gw, "describe_tool", { tool: ["set_seo_meta", "ping_site"], format: "types" });
  assert.equal(both.types.split("\n").length, 3);
  for (const address of ["/mcp", "/mcp/acme", "/mcp/acme?mode=search"]) {
    const own = await call(gw, "describe_tool", { groups: ["proxied"] }, address);
    const [, ...lines] = own.types.split("\n");
    assert.deepEqual(lines.map((line: string) => line.split("(")[0]), ["shop-find", "shop-put"], address);
  }
  const groups = ["posts", "pages"];
  const { types, purposes } = await call(gw, "describe_tool", { groups });
  assert.equal(types, undefined, "of many tools only what each is for");
  const [head, ...all] = purposes.split("\n");
  assert.match(head, new RegExp(`^// ${all.length} tools.*tool: \\[`));
  assert.ok(all.includes("find_text: Find a text, phone number or e-mail address wherever a site has it"));
  assert.ok(all.some((line: string) => line.startsWith("create_draft W: Make a new post as a draft")));
  const whole = await call(gw, "describe_tool", { groups, format: "types" });
  assert.deepEqual(
    whole.types.split("\n").slice(1).map((line: string) => line.split("(")[0]),
    all.map((line: string) => line.split(/[: ]/)[0]),
  );
  const none = await call(gw, "describe_tool", { groups: ["proxied"] }, "/mcp/docs");
  assert.match(
    none,
    /^E_BAD_INPUT: groups: there is no "proxied" .*no site of yours has tools of its own; known/,
  );
  assert.match(await call(gw, "describe_tool", { groups: ["poste"] }), /did you mean posts/);
  assert.match(
    await call(gw, "describe_tool", { groups: ["posts"], tool: "ping_site" }),
    /give tool or groups/,
  );
  assert.match(await call(gw, "describe_tool", { groups: ["posts"], format: "json" }), /leave it out/);
  assert.match(
    await call(gw, "describe_tool", { tool: ["ping_site", "ping_sight"] }),
    /^E_TOOL_NOT_FOUND.*ping_site/,
  );
});

test("what tells of tools takes parts of its answer, and is whole without; a write is told that it takes none", async (gw) => {
  const asked = { tool: "set_seo_meta", fields: ["description", "answer"] };
  const told = await call(gw, "describe_tool", asked);
  assert.deepEqual(Object.keys(told), ["fields_not_found", "description"]);
  const found = await call(gw, "find_tools", { query: "a draft", fields: "tools[0].call" });
  assert.deepEqual(Object.keys(found.tools[0]), ["call"]);
  const write = { site_id: "acme", title: "T", content_html: "<p>a</p>", confirm: true, fields: ["id"] };
  assert.match(
    await call(gw, "create_draft", write, "/mcp"),
    /fields: unknown argument; leave it out; a tool that writes answers/,
  );
  assert.deepEqual(gw.requests, []);
});

test("at the address of a site a tool is found and described with what its kind of site takes", async (gw) => {
  const query = "a new draft of a post";
  for (const [address, has] of [["/mcp/acme", true], ["/mcp/built", false], ["/mcp", true]] as const) {
    const { tools } = await call(gw, "find_tools", { query, limit: 20 }, `${address}?mode=search`);
    const found = tools.find((one: { call: string }) => one.call.startsWith("create_draft("));
    assert.equal(found.call.includes("categories"), has, `${address}: ${found.call}`);
    const told = await call(gw, "describe_tool", { tool: "create_draft" }, `${address}?mode=search`);
    assert.equal("categories" in told.input_schema.properties, has, address);
  }
});

test("at the address of a site its id is left out, and what is found is called without it", async (gw) => {
  const { tools } = await call(
    gw,
    "find_tools",
    { query: "create a draft of a post" },
    "/mcp/acme?mode=search",
  );
  assert.match(tools[0].call, /^create_draft\(type\?, title, content_html/);
  assert.equal((await call(gw, "call_read_tool", { tool: "get_site" }, "/mcp/acme?mode=search")).id, "acme");
});
