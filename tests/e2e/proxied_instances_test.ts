/** Sites' own tools at several instances on one store: known after a restart without asking anybody, changed for all. */
import assert from "node:assert/strict";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { admin, BUILDER, HEADING, shown } from "../guard/proxied_kit.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { folder } from "../folder.ts";

const MEDIA = listed("emcp-tools-list-media", { hints: { read_only: true } });
const NAME = "builder-mcp-list-media";

/** A gateway on that store; the first registers the site. */
async function instance(kvPath: string, fake: FakeToolServers, isFirst = false): Promise<Kit> {
  return await gateway({
    sites: isFirst ? [site("acme", "cms")] : [],
    toolServers: fake.connector(),
    settings: { kvPath, rateLimitToken: 0 },
  });
}

/** Asks until it is so; the store is looked at each half second, and nothing else makes it so. */
async function until(gw: Kit, isSo: (names: ReadonlySet<string>) => boolean): Promise<void> {
  while (!isSo(new Set((await shown(gw)).keys())));
}

Deno.test("what one instance lists and an operator decides there holds at the others, and after a restart", async () => {
  await using place = await folder();
  const path = `${place.path}/kv.sqlite`;
  const fake = new FakeToolServers();
  fake.put("acme", BUILDER, [HEADING, MEDIA]);
  const here = await instance(path, fake, true);
  const there = await instance(path, fake);
  assert.equal((await shown(there)).size, 0);
  await here.gateway.toolCatalogs.run();
  const lists = fake.lists.length;
  await until(there, (names) => names.has("builder-mcp-add-heading"));
  const { result } = await admin<{ tools: ToolReport[] }>(here, `?name=${NAME}`);
  const { hash } = result.tools[0]!;
  assert.ok((await admin(here, "/approve", { name: NAME, sites: ["acme"], hash, class: "read" })).ok);
  assert.ok((await shown(here)).has(NAME), "at once where it was decided");
  await until(there, (names) => names.has(NAME));
  assert.ok((await admin(there, "/withdraw", { name: NAME, sites: ["acme"] })).ok);
  await until(here, (names) => !names.has(NAME));
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
  const again = await instance(path, fake);
  assert.deepEqual([...(await shown(again)).keys()], ["builder-mcp-add-heading"]);
  await again[Symbol.asyncDispose]();
  assert.equal(fake.lists.length, lists, "no listing of ours asks a site");
});
