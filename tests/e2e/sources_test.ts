/** A source that changes under load: every answer is that of one version, and none older than the change last seen. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, type Kit, site } from "../kit.ts";

const VERSIONS = 60;
const OPTIONS = {
  sites: [site("acme", "cms"), site("bolt", "cms")],
  tokens: { acme: { allowed_sites: ["acme"] }, bolt: { allowed_sites: ["bolt"] } },
  settings: { rateLimitToken: 0, rateLimitSite: 0 },
};

/** What the source offers as of a version: one tool that changes always, and one that every other version lacks. */
const toolsOf = (version: number) => [
  offer("shop-find", ["acme", "bolt"], {
    description: `Version ${version}.`,
    run: async () => {
      await Promise.resolve();
      return { version };
    },
  }),
  ...(version % 2 === 0 ? [offer("shop-extra", ["acme"], { run: () => ({ version }) })] : []),
];

/** Asks, and asserts that the answer is that of a version between the one now and the one when it has come. */
async function within(current: { version: number }, ask: () => Promise<Seen>): Promise<void> {
  const from = current.version;
  const seen = await ask();
  const to = current.version;
  const between = (version: number) => version >= from && version <= to;
  if ("version" in seen) {
    assert.ok(between(seen.version), `${JSON.stringify(seen)} between ${from} and ${to}`);
  } else assert.ok(to > from || from % 2 === 1, `the tool was there in version ${from}`);
}

/** The version that was seen, or that the tool which every other version lacks was not there. */
type Seen = { version: number } | { missing: true };

async function listing(gw: Kit, door: "rest" | "mcp", as: string): Promise<Seen> {
  const rpc = { method: "POST", headers: { "content-type": "application/json" } };
  const response = door === "rest"
    ? await gw.http("/api/v1/tools", { as })
    : await gw.http("/mcp", { ...rpc, as, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  const { tools } = (await response.json()).result as { tools: { name: string; description: string }[] };
  const found = tools.find((one) => one.name === "shop-find")?.description ?? "";
  const version = Number(/^Version (\d+)\./.exec(found)?.[1]);
  const expected = version % 2 === 0 && as !== "bolt";
  assert.equal(
    tools.some((one) => one.name === "shop-extra"),
    expected,
    `whole version ${version} for ${as}`,
  );
  assert.match(found, as === "all" ? /: acme, bolt$/ : new RegExp(`: ${as}$`));
  return { version };
}

async function call(gw: Kit, door: "rest" | "mcp", tool: string): Promise<Seen> {
  const ending = await gw.end(tool, { site_id: "acme" }, { door });
  if (!("code" in ending)) return ending.value as { version: number };
  assert.deepEqual([tool, ending.code], ["shop-extra", "E_TOOL_NOT_FOUND"]);
  return { missing: true };
}

Deno.test("calls and listings through both doors while tools come, change and go are each of one version", async () => {
  const current = { version: 0 };
  const source = new ChangingSource(...toolsOf(0));
  await using gw = await gateway({ ...OPTIONS, sources: [source] });
  const asked: Promise<void>[] = [];
  for (let version = 1; version <= VERSIONS; version++) {
    for (const door of ["rest", "mcp"] as const) {
      for (const as of ["all", "acme", "bolt"]) {
        asked.push(within(current, () => listing(gw, door, as)));
      }
      for (let n = 0; n < 4; n++) {
        asked.push(within(current, () => call(gw, door, "shop-find")));
        asked.push(within(current, () => call(gw, door, "shop-extra")));
      }
    }
    // Some of the answers are there and some are not when the tools change.
    await asked[asked.length - 1 - version % 20];
    current.version = version;
    source.put(...toolsOf(version));
    assert.ok(gw.gateway.catalog.listingBytes <= LIMITS.LISTINGS_BYTES);
  }
  await Promise.all(asked);
  assert.deepEqual(await listing(gw, "mcp", "all"), { version: VERSIONS });
  const rows = await gw.audit();
  assert.equal(rows.length, VERSIONS * 16, "one row a call");
  const statuses = new Set(rows.map((row) => `${row.tool} ${row.status} ${row.error}`));
  assert.deepEqual(
    [...statuses].sort(),
    ["shop-extra error E_TOOL_NOT_FOUND", "shop-extra ok null", "shop-find ok null"],
  );
  assert.deepEqual(gw.logged, []);
});

Deno.test("a call in flight while its tool is removed ends in order, and the next one finds no such tool", async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = offer("shop-put", ["acme"], {
    writes: true,
    run: async () => {
      begun.resolve();
      await release.promise;
      return { done: true };
    },
  });
  const source = new ChangingSource(slow);
  await using gw = await gateway({ ...OPTIONS, sources: [source] });
  const inFlight = gw.proven("shop-put", { site_id: "acme" });
  await begun.promise;
  source.put();
  await gw.refuses("shop-put", { site_id: "acme" }, "E_TOOL_NOT_FOUND");
  assert.ok(!(await (await gw.http("/api/v1/tools")).text()).includes("shop-put"));
  release.resolve();
  assert.deepEqual((await inFlight).done, { done: true });
  const rows = await gw.audit();
  assert.deepEqual(rows.map((row) => row.status).sort(), ["error", "error", "ok"]);
});
