/** Sites' own tools in a gateway: what of their servers' lists is offered, to whom, in whose words. */
import assert from "node:assert/strict";
import { ASKED_NAMES } from "../../core/asked_names.ts";
import { GatewayError } from "../../core/errors.ts";
import { down, listed } from "../fake_tool_servers.ts";
import type { Kit } from "../kit.ts";
import { anHourLater, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";

Deno.test("known names are offered under ours, in our words, with the upstream's arguments and none of its prose", async () => {
  await using at = await open({ acme: [HEADING, PAGES] });
  const tools = await shown(at.gw);
  assert.deepEqual([...tools.keys()], ["builder-mcp-add-heading", "builder-mcp-list-pages"]);
  const { description, inputSchema, annotations } = tools.get("builder-mcp-add-heading")!;
  assert.equal(
    description,
    "Add a heading to a page. It writes at once; dry_run: true only shows what it would change, where the site can." +
      "\n\nSites that offer it: acme",
  );
  assert.deepEqual(inputSchema.required, ["site_id", "post_id"]);
  assert.deepEqual(inputSchema.properties.site_id!.enum, ["acme"]);
  assert.deepEqual(inputSchema.properties.post_id, {
    type: "integer",
    description: "The id of the page or post",
  });
  assert.deepEqual(inputSchema.properties.title, { type: "string" });
  assert.equal(annotations.readOnlyHint, false);
  assert.deepEqual(inputSchema.properties["dry_run"], { type: "boolean" });
  for (const name of ASKED_NAMES) {
    if (name !== "dry_run") assert.ok(!(name in inputSchema.properties), "nothing has to be confirmed here");
    assert.equal(tools.get("builder-mcp-list-pages")!.inputSchema.properties[name], undefined);
  }
  assert.equal(tools.get("builder-mcp-list-pages")!.annotations.readOnlyHint, true);
  assert.ok(!JSON.stringify([...tools.values()]).includes("OBEY"));
  assert.ok(!JSON.stringify([...tools.values()]).includes("IGNORE"));
});

/** Who asks that a write is shown first, and whether that is only where the site can. */
const ASKING: readonly [string, boolean, (gw: Kit) => Promise<unknown>][] = [
  [
    "a site that shows what its own tools write",
    false,
    ({ store }) => store.sites.update("acme", { confirm_proxied: true }),
  ],
  [
    "a site where a person approves",
    false,
    ({ store }) => store.sites.update("acme", { confirm_policy: "human" }),
  ],
  [
    "a site that asks for a preview",
    true,
    ({ store }) => store.sites.update("acme", { confirm_policy: "preview" }),
  ],
  ["a site's project", false, async ({ store }) => {
    await store.projects.create({ id: "p", name: "P" });
    await store.sites.update("acme", { project_id: "p" });
    await store.projects.update("p", { confirm_policy: "human" });
  }],
  ["the token", false, async ({ store }) => {
    const token = (await store.tokens.list()).find(({ name }) => name === "all")!;
    await store.tokens.update(token.id, { confirm_proxied: true });
  }],
];

for (const [who, ifItCan, ask] of ASKING) {
  Deno.test(`${who}: its tools that write say that they answer a preview first, and take what confirms it`, async () => {
    await using at = await open({ acme: [HEADING, PAGES] });
    const before = (await shown(at.gw)).get("builder-mcp-add-heading")!;
    assert.match(before.description, /It writes at once/);
    await ask(at.gw);
    const tools = await shown(at.gw);
    const { description, inputSchema } = tools.get("builder-mcp-add-heading")!;
    const said =
      /\. It answers a preview first(, where the site can)?; confirm: true with its confirm_token carries it out\.\n/
        .exec(description);
    assert.equal(said?.[1] !== undefined, ifItCan, description);
    for (const name of ASKED_NAMES) assert.ok(name in inputSchema.properties, name);
    assert.ok(!("confirm" in tools.get("builder-mcp-list-pages")!.inputSchema.properties));
    const { types } = await at.gw.call<{ types: string }>("describe_tool", {
      tool: ["builder-mcp-add-heading"],
      format: "types",
    });
    assert.match(types, / \/\/ W Add/);
  });
}

Deno.test("a tool that counts as a write by its name alone does not say that it writes", async () => {
  const read_only = { read_only: true };
  const names = ["emcp-tools-export-page", "emcp-tools-resolve-template"];
  await using at = await open({
    acme: [...names.map((name) => listed(name, { hints: read_only })), HEADING],
  });
  const tools = await shown(at.gw);
  for (const name of names) {
    const { description, annotations } = tools.get(name.replace("emcp-tools", "builder-mcp"))!;
    assert.match(
      description,
      /^(Read|Tell) .*\. It counts as a write, though it is not known to change anything\.\n/,
    );
    assert.doesNotMatch(description, /writes at once/);
    assert.equal(annotations.readOnlyHint, false);
  }
  assert.equal(tools.size, 3);
});

Deno.test("a page's structure is described by our words, and no status that is refused is shown", async () => {
  const input_schema = {
    type: "object",
    properties: {
      title: { type: "string" },
      dry_run: { type: "boolean" },
      status: { type: "string", enum: ["draft", "publish"], default: "draft" },
      structure: { type: "array", items: { type: "object", properties: { settings: { type: "object" } } } },
    },
  };
  const filter = { ...input_schema, properties: { status: input_schema.properties.status } };
  await using at = await open({
    acme: [
      listed("emcp-tools-build-page", { input_schema }),
      listed("emcp-tools-list-pages", { input_schema: filter, hints: { read_only: true } }),
    ],
  });
  const tools = await shown(at.gw);
  const { description, inputSchema } = tools.get("builder-mcp-build-page")!;
  assert.match(description, /It writes at once; confirm: false only shows what/, "its dry_run is its own");
  const { status, structure } = inputSchema.properties;
  assert.deepEqual(status, { type: "string", enum: ["draft"], default: "draft" });
  assert.match(String(structure!.description), /\{type: container, settings, children\}/);
  assert.deepEqual(structure!.items, { type: "object", properties: { settings: { type: "object" } } });
  const read = tools.get("builder-mcp-list-pages")!.inputSchema.properties.status!;
  assert.deepEqual(read.enum, ["draft", "publish"], "a read may ask for what is published");
});

Deno.test("a call goes to the site's own name for the tool, through both doors", async () => {
  const image = listed("emcp-tools-sideload-image", {
    input_schema: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
  });
  await using at = await open({ acme: [image, PAGES] });
  const args = { site_id: "acme", url: "https://img.example/a.png" };
  for (const door of ["rest", "mcp"] as const) await at.gw.call("builder-mcp-sideload-image", args, { door });
  await at.gw.call("builder-mcp-list-pages", {});
  assert.deepEqual(at.fake.calls.map(({ name, args, writes }) => [name, args, writes]), [
    ["emcp-tools-sideload-image", { url: args.url }, true],
    ["emcp-tools-sideload-image", { url: args.url }, true],
    ["emcp-tools-list-pages", {}, false],
  ]);
});

Deno.test("a tool that changed since it was first seen is held back and nothing of it is sent; others stay", async () => {
  await using at = await open({ acme: [HEADING, PAGES] });
  at.fake.put("acme", BUILDER, [{ ...HEADING, description: "Now it does more" }, PAGES]);
  await anHourLater(at);
  assert.deepEqual([...(await shown(at.gw)).keys()], ["builder-mcp-list-pages"]);
  await at.gw.refuses("builder-mcp-add-heading", { site_id: "acme", post_id: 7 }, "E_TOOL_NOT_FOUND");
  at.fake.put("acme", BUILDER, [HEADING, PAGES]);
  await anHourLater(at);
  assert.equal((await shown(at.gw)).size, 2);
  assert.deepEqual(at.fake.calls, []);
});

Deno.test("unknown names are held back, destructive and publishing ones are refused through both doors, nothing is sent", async () => {
  await using at = await open({
    acme: [
      HEADING,
      listed("emcp-tools-write-file"),
      listed("emcp-tools-menu-read"),
      listed("emcp-tools-delete-page-content"),
    ],
  });
  assert.deepEqual([...(await shown(at.gw)).keys()], ["builder-mcp-add-heading"]);
  await at.gw.refuses("builder-mcp-menu-read", { site_id: "acme" }, "E_TOOL_NOT_FOUND");
  await at.gw.refuses("builder-mcp-write-file", { site_id: "acme" }, "E_FORBIDDEN_OP");
  const said = await at.gw.refuses("builder-mcp-delete-page-content", { site_id: "acme" }, "E_FORBIDDEN_OP");
  assert.match(said, /"delete"/);
  assert.deepEqual(at.fake.calls, []);
});

Deno.test("a list is made of the sites in a token's scope: names, schemas and texts of no other site are in it", async () => {
  const wide = listed("emcp-tools-add-heading", {
    input_schema: {
      type: "object",
      properties: { post_id: { type: "integer" }, secret_arg: { enum: ["bolt-only"] } },
    },
  });
  await using at = await open({ acme: [HEADING], bolt: [wide, PAGES] }, {
    tokens: { acme: { allowed_sites: ["acme"] }, bolt: { allowed_sites: ["bolt"] } },
  });
  const own = await shown(at.gw, "acme");
  assert.deepEqual([...own.keys()], ["builder-mcp-add-heading"]);
  assert.ok(!JSON.stringify([...own.values()]).includes("bolt"));
  const { inputSchema } = own.get("builder-mcp-add-heading")!;
  assert.deepEqual(Object.keys(inputSchema.properties), ["site_id", "post_id", "title", "dry_run"]);
  const both = (await shown(at.gw)).get("builder-mcp-add-heading")!;
  assert.match(
    both.description,
    /arguments differ between these sites\.\n\nSites that offer it: acme, bolt$/,
  );
  assert.deepEqual(both.inputSchema.required, ["site_id"]);
  await at.gw.refuses("builder-mcp-add-heading", { post_id: 7 }, "E_AMBIGUOUS_SITE");
  await at.gw.refuses("builder-mcp-list-pages", { site_id: "acme" }, "E_BAD_INPUT");
  assert.deepEqual(at.fake.calls, []);
});

Deno.test("a server that is down keeps its last list, and is asked again sooner than one that answers", async () => {
  await using at = await open({ acme: [HEADING] });
  at.fake.put("acme", BUILDER, down());
  await anHourLater(at);
  assert.equal((await shown(at.gw)).size, 1);
  const [kept] = (await at.gw.store.toolCatalogs.list()).filter(({ server }) => server === BUILDER);
  assert.equal(kept!.failure, "The tool server answered 503");
  assert.equal(kept!.fetched_at, "2026-11-21T12:00:00.000Z");
  at.fake.lists.length = 0;
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual(at.fake.lists, []);
  at.gw.clock.now += 300_000;
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual(at.fake.lists, [`acme ${BUILDER}`]);
});

Deno.test("a site that moves offers nothing of its old address, in whatever moment it moves", async () => {
  await using at = await open({ acme: [HEADING] });
  assert.equal((await shown(at.gw)).size, 1);
  const credentials = { cms: { username: "admin", application_password: "bbbb" } };
  await at.gw.store.sites.update("acme", { base_url: "https://elsewhere.example", credentials });
  assert.equal((await shown(at.gw)).size, 0);
  await at.gw.refuses("builder-mcp-add-heading", { site_id: "acme", post_id: 7 }, "E_TOOL_NOT_FOUND");
  at.fake.put("acme", BUILDER, [listed("emcp-tools-add-heading", { description: "another" })]);
  await at.gw.gateway.toolCatalogs.run();
  assert.equal((await shown(at.gw)).size, 1, "seen there for the first time");
  assert.deepEqual(at.fake.calls, []);
});

Deno.test("a site that gets other credentials is listed again at once, and keeps what it offers meanwhile", async () => {
  await using at = await open({ acme: [HEADING], bolt: [HEADING] });
  at.fake.lists.length = 0;
  await at.gw.gateway.toolCatalogs.run();
  assert.equal(at.fake.lists.length, 0);
  const credentials = { cms: { username: "other", application_password: "cccc" } };
  await at.gw.store.sites.update("acme", { credentials });
  assert.equal((await shown(at.gw)).size, 1);
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual([...new Set(at.fake.lists)].filter((one) => one.endsWith(BUILDER)), [`acme ${BUILDER}`]);
  await at.gw.store.sites.update("acme", { credentials: { cms: null } });
  assert.match((await shown(at.gw)).get("builder-mcp-add-heading")!.description, /: bolt$/);
});

Deno.test("a server that says a tool is none of its own is listed again, at most once a minute", async () => {
  await using at = await open({ acme: [PAGES] });
  const gone = Object.assign(new GatewayError("E_UPSTREAM", "No such tool", { upstream: 404 }), {
    isGone: true,
  });
  at.fake.answer = () => {
    throw gone;
  };
  at.fake.lists.length = 0;
  const asked = at.fake.nextList();
  for (let call = 0; call < 3; call++) await at.gw.refuses("builder-mcp-list-pages", {}, "E_UPSTREAM");
  assert.equal(await asked, "acme elementor-mcp-server");
  await at.gw.gateway.close();
  assert.equal(at.fake.lists.filter((one) => one === "acme elementor-mcp-server").length, 1);
});

Deno.test("of two instances that are to list at the same time one does", async () => {
  await using at = await open({ acme: [HEADING] });
  at.fake.lists.length = 0;
  at.gw.clock.now += 3_600_000;
  const ran = await Promise.all([at.gw.gateway.toolCatalogs.run(), at.gw.gateway.toolCatalogs.run()]);
  assert.deepEqual(ran.toSorted(), [false, true]);
  assert.equal(at.fake.lists.length, 3);
});
