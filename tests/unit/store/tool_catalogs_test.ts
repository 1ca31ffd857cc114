/** Catalogues of sites' own tools: replaced whole, seen by other instances in time, kept for the right place. */
import assert from "node:assert/strict";
import type { CatalogTool, ToolCatalog, ToolDecision } from "../../../store/store.ts";
import { LIMITS } from "../../../core/model.ts";
import { folder, open } from "./kit.ts";

const head = (more: Partial<ToolCatalog> = {}): Omit<ToolCatalog, "content"> => ({
  site_id: "acme",
  source: "cms",
  server: "builder",
  bound_to: "https://acme.example",
  credentials_version: 1,
  exists: true,
  fetched_at: "2026-03-01T12:00:00.000Z",
  tried_at: "2026-03-01T12:00:00.000Z",
  failure: null,
  listed: 1,
  digest: "d",
  pins_digest: "p",
  ...more,
});

const tool = (name: string, characters = 10): CatalogTool => ({
  name,
  hash: name.padEnd(64, "0"),
  tool: {
    name,
    description: Array.from({ length: characters }, () => Math.random().toString(36).at(-1)).join(""),
    input_schema: {},
    hints: {},
  },
  fault: null,
});

const decision = (more: Partial<ToolDecision> = {}): ToolDecision => ({
  site_id: "acme",
  source: "cms",
  server: "builder",
  name: "a",
  bound_to: "https://acme.example",
  verdict: "approved",
  hash: "a".repeat(64),
  writes: false,
  effect: "read",
  page: null,
  by: "master token",
  at: "2026-03-01T12:00:00.000Z",
  ...more,
});

Deno.test("tools of any size take the place of those before, with their pins", async () => {
  await using store = await open();
  const { toolCatalogs } = store;
  const large = Array.from({ length: 12 }, (_, at) => tool(`t${at}`, 40_000));
  assert.equal(await toolCatalogs.put(null, head(), { tools: large, pins: { t0: "h" } }), true);
  const first = (await toolCatalogs.get(head()))!;
  assert.ok(first.content!.parts > 1);
  assert.deepEqual(await toolCatalogs.tools(first), large);
  assert.deepEqual(await toolCatalogs.pins(first), { t0: "h" });
  const next = { tools: [tool("b")], pins: { b: "h" } };
  assert.equal(await toolCatalogs.put(first, head({ tried_at: "2026-03-02T12:00:00.000Z" }), next), true);
  assert.equal(await toolCatalogs.tools(first), null, "whoever read the old head is told to look again");
  const second = (await toolCatalogs.get(head()))!;
  assert.deepEqual(await toolCatalogs.tools(second), next.tools);
  assert.equal(
    await toolCatalogs.put(first, head(), next),
    false,
    "what was decided on an older head is not kept",
  );
});

Deno.test("servers are listed by site, those of all sites however many, and the same tools are kept for each", async () => {
  await using store = await open();
  const { toolCatalogs } = store;
  const tools = [tool("a", 1000)];
  const ids = Array.from({ length: 120 }, (_, at) => `s${String(at).padStart(3, "0")}`);
  for (const site_id of ids) await toolCatalogs.put(null, head({ site_id }), { tools, pins: {} });
  await toolCatalogs.put(null, head({ site_id: "s007", server: "second" }), { tools: [tool("b")], pins: {} });
  assert.deepEqual([...new Set((await toolCatalogs.list()).map((one) => one.site_id))], ids);
  const own = await toolCatalogs.list("s007");
  assert.deepEqual(own.map(({ site_id, server }) => [site_id, server]), [["s007", "builder"], [
    "s007",
    "second",
  ]]);
  assert.deepEqual(await toolCatalogs.tools(own[0]!), tools);
  const [last] = await toolCatalogs.list("s119");
  assert.deepEqual(await toolCatalogs.tools(last!), tools);
  assert.deepEqual(await toolCatalogs.list("s00"), [], "a site is meant, and no beginning of one");
});

Deno.test("a try that found nothing new changes the head alone, and no version", async () => {
  await using store = await open();
  const { toolCatalogs } = store;
  await toolCatalogs.put(null, head(), { tools: [tool("a")], pins: {} });
  const before = (await toolCatalogs.get(head()))!;
  const version = await toolCatalogs.version();
  await toolCatalogs.put(
    before,
    head({ tried_at: "2026-03-02T12:00:00.000Z", failure: "The server answered 503" }),
  );
  assert.equal(await toolCatalogs.version(), version);
  const after = (await toolCatalogs.get(head()))!;
  assert.deepEqual([after.failure, after.content], ["The server answered 503", before.content]);
});

Deno.test("a change of tools and a decision are seen by another instance on the same file within the time of a look", async () => {
  await using at = await folder();
  const path = `${at.path}/kv`;
  const clock = { ms: 0 };
  await using here = await open({ path });
  await using there = await open({ path, elapsed: () => clock.ms });
  const seen = async () => await there.toolCatalogs.version();
  const first = await seen();
  await here.toolCatalogs.put(null, head(), { tools: [tool("a")], pins: {} });
  clock.ms += LIMITS.CACHE_CHECK_MS;
  const second = await seen();
  assert.notEqual(second, first);
  await here.toolCatalogs.decide([decision(), decision({ site_id: "bolt" })]);
  assert.equal(await seen(), second, "it looks at most so often");
  clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.notEqual(await seen(), second);
  assert.deepEqual((await there.toolCatalogs.decisions()).map(({ site_id }) => site_id), ["acme", "bolt"]);
  await here.toolCatalogs.keepText("a".repeat(64), tool("a").tool!);
  assert.equal((await there.toolCatalogs.text("a".repeat(64)))!.name, "a");
});
