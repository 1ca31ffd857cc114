/** A record of one site's catalogue that is broken in the store: the others are refreshed and offered, and it is mended where it can be. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import { admin, anHourLater, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";
import { scenes } from "../scenes.ts";
import { instead } from "../instead.ts";

const KEY = ["acme", "cms", BUILDER];

type Broken = readonly [name: string, breaks: (kv: Deno.Kv, failing: Set<string>) => Promise<unknown>];

/** The parts of a site's list, as the store keeps them. */
async function partsOf(kv: Deno.Kv) {
  const { value } = await kv.get<{ content: { id: string } }>(["tool_catalogs", ...KEY]);
  return await Array.fromAsync(kv.list({ prefix: ["tool_catalog_parts", value!.content.id] }));
}

async function change(kv: Deno.Kv, prefix: string, more: object): Promise<void> {
  const { value, key } = await kv.get<object>([prefix, ...KEY]);
  await kv.set(key, { ...value, ...more });
}

const BROKEN: readonly Broken[] = [
  ["its list is damaged", async (kv) => {
    for (const { key } of await partsOf(kv)) await kv.set(key, new Uint8Array(9));
  }],
  ["its list is no bytes", async (kv) => {
    for (const { key } of await partsOf(kv)) await kv.set(key, "x");
  }],
  ["its list is gone", async (kv) => {
    for (const { key } of await partsOf(kv)) await kv.delete(key);
  }],
  ["its record cannot be read", (_, failing) => Promise.resolve(failing.add("tool_catalogs"))],
  ["its pins cannot be read", (_, failing) => Promise.resolve(failing.add("tool_pins"))],
  ["what it was first seen as is no pins", (kv) => kv.set(["tool_pins", ...KEY], "x")],
  ["its time is none", (kv) => change(kv, "tool_catalogs", { tried_at: "soon", fetched_at: "never" })],
  ["its record is a text", (kv) => kv.set(["tool_catalogs", ...KEY], "x")],
  ["its record lacks what it is made of", (kv) => kv.set(["tool_catalogs", ...KEY], {})],
  ["its content is no content", (kv) => change(kv, "tool_catalogs", { content: "x" })],
];

/** A gateway whose KV is at hand, and fails to read what is of acme and begins with one of `failing`. */
async function opened() {
  const failing = new Set<string>();
  let kv: Deno.Kv | undefined;
  const around = (real: Deno.Kv): Deno.Kv => {
    kv = real;
    const isFailing = (key: Deno.KvKey) => failing.has(String(key[0])) && key[1] === "acme";
    return instead(real, {
      get: (key) => isFailing(key) ? Promise.reject(new TypeError("disk I/O error")) : real.get(key),
    });
  };
  const at = await open({ acme: [HEADING], bolt: [HEADING] }, { storage: { around } });
  return Object.assign(at, { kv: kv!, failing });
}

const PAGES_NAME = "builder-mcp-list-pages";

/** Approves on "acme" what is held back there for that reason. */
async function approveHeld({ gw }: Awaited<ReturnType<typeof opened>>, why: RegExp): Promise<void> {
  interface Tools {
    readonly tools: readonly { readonly state: string; readonly reason: string; readonly hash: string }[];
  }
  const { tools } = (await admin<Tools>(gw, `?name=${PAGES_NAME}&site_id=acme&state=held`)).result;
  assert.match(String(tools[0]?.reason), why);
  const order = { name: PAGES_NAME, sites: ["acme"], hash: tools[0]!.hash };
  const { ok, error } = await admin(gw, "/approve", order);
  assert.ok(ok, JSON.stringify(error));
}

const test = scenes(() => opened());

for (const [name, breaks] of BROKEN) {
  for (const restarted of [false, true]) {
    test(`where ${name}, ${restarted ? "and nothing was loaded, " : ""}the other sites are listed and offered`, async (at) => {
      if (!restarted) await shown(at.gw);
      await breaks(at.kv, at.failing);
      at.fake.put("acme", BUILDER, [PAGES]);
      at.fake.put("bolt", BUILDER, [HEADING, PAGES]);
      await anHourLater(at);
      const bolt = (await at.gw.store.toolCatalogs.list("bolt")).find(({ exists }) => exists)!;
      assert.equal(bolt.listed, 2, "the other site was listed");
      const offering = async () => {
        const tool = (await shown(at.gw)).get("builder-mcp-list-pages");
        return tool?.inputSchema.properties.site_id?.enum as string[] | undefined;
      };
      assert.ok((await offering())?.includes("bolt"), "and its tools are offered");
      const { ok, error } = await admin(at.gw, "");
      assert.ok(ok, JSON.stringify(error));
      const logged = at.gw.logged.filter(({ site_id }) => site_id === "acme");
      at.failing.clear();
      await anHourLater(at);
      await anHourLater(at);
      if (name.includes("pins")) assert.ok(logged.length > 0, "the log says why");
      assert.deepEqual(await offering(), ["acme", "bolt"], `${JSON.stringify(logged)}: it is listed anew`);
    });
  }
}

test("where what tools were first seen as is damaged, and they have changed since, they are held back until approved", async (at) => {
  at.fake.put("acme", BUILDER, [HEADING, { ...PAGES, description: "Another" }]);
  await anHourLater(at);
  at.fake.put("acme", BUILDER, [{ ...HEADING, description: "Changed" }, PAGES]);
  await anHourLater(at);
  await at.kv.set(["tool_pins", ...KEY], "x");
  at.fake.put("acme", BUILDER, [HEADING, PAGES]);
  await anHourLater(at);
  const line = at.gw.logged.findLast(({ event }) => event === "tool_pins_damaged");
  assert.match(
    String(line?.cause),
    /pinned .*"acme" is damaged .*tool-server refresh acme .*tool-server list --state held/,
  );
  assert.ok(!(await shown(at.gw)).has(PAGES_NAME));
  await approveHeld(at, /first seen is damaged .*cannot be read any more/);
  assert.ok((await shown(at.gw)).has(PAGES_NAME));
});

test("where what tools were first seen as is damaged, and they are as they were, they stay offered and it is mended", async (at) => {
  at.fake.put("acme", BUILDER, [HEADING, PAGES]);
  at.fake.put("bolt", BUILDER, null);
  await anHourLater(at);
  const { value } = await at.kv.get(["tool_pins", ...KEY]);
  await at.kv.set(["tool_pins", ...KEY], "x");
  await anHourLater(at);
  assert.match(String(at.gw.logged.at(-1)?.cause), /"acme" is damaged in the store, and was made again$/);
  assert.ok((await shown(at.gw)).has(PAGES_NAME));
  assert.deepEqual((await at.kv.get(["tool_pins", ...KEY])).value, value);
});

for (const damaged of ["x", {}, { verdict: "approved" }]) {
  test(`a decision of which is left ${JSON.stringify(damaged)} holds its tool back until it is decided again`, async (at) => {
    at.fake.put("acme", BUILDER, [PAGES]);
    await anHourLater(at);
    assert.ok((await shown(at.gw)).has(PAGES_NAME));
    const { ok } = await admin(at.gw, "/withdraw", { name: PAGES_NAME, sites: ["acme"] });
    assert.ok(ok && !(await shown(at.gw)).has(PAGES_NAME));
    await at.kv.set(["tool_decisions", ...KEY, PAGES.name], damaged);
    at.fake.put("acme", BUILDER, [PAGES, HEADING]);
    await anHourLater(at);
    const names = await shown(at.gw);
    assert.ok(
      names.has("builder-mcp-add-heading") && !names.has(PAGES_NAME),
      "it does not come back by itself",
    );
    await approveHeld(at, /decided of it .*cannot be read/);
    assert.ok((await shown(at.gw)).has(PAGES_NAME));
  });
}

for (const damaged of ["x", {}, 7, { name: PAGES.name, input_schema: null }, ["y"]]) {
  test(`where ${JSON.stringify(damaged)} is left of what a tool was, its operator reads what it is now, and can approve it`, async (at) => {
    at.fake.put("acme", BUILDER, [PAGES]);
    await anHourLater(at);
    at.fake.put("acme", BUILDER, [{ ...PAGES, description: "Another" }]);
    await anHourLater(at);
    const shows = async () =>
      (await admin<{ tools: { changes: unknown }[] }>(at.gw, `/${PAGES_NAME}`)).result.tools[0];
    assert.ok((await shows())?.changes, "what changed is shown");
    for await (const { key } of at.kv.list({ prefix: ["tool_texts"] })) await at.kv.set(key, damaged);
    assert.equal((await shows())?.changes, null);
    await approveHeld(at, /^changed: /);
    assert.ok((await shown(at.gw)).has(PAGES_NAME));
  });
}

Deno.test("a site whose list cannot be stored keeps none of the others from being listed, and its operator reads why", async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `s${at}`);
  const store = (real: Store): Store => ({
    ...real,
    toolCatalogs: instead(real.toolCatalogs, {
      put: (...given) =>
        Number(given[1].site_id.slice(1)) < 6 && given[2]?.tools.length
          ? Promise.reject(new GatewayError("E_BAD_INPUT", "tools: too large"))
          : real.toolCatalogs.put(...given),
    }),
  });
  await using at = await open(Object.fromEntries(ids.map((id) => [id, [PAGES]])), { store });
  const catalogs = (await at.gw.store.toolCatalogs.list()).filter(({ server }) => server === BUILDER);
  const listed = catalogs.filter(({ exists }) => exists).map(({ site_id }) => site_id);
  assert.deepEqual(listed.sort(), ids.slice(6).sort());
  const { result } = await admin<{ servers: { site_id: string; failure: string | null }[] }>(
    at.gw,
    "?site_id=s0",
  );
  assert.match(
    String(result.servers[0]?.failure),
    /could not be compared .* or not be stored; the log says why/,
  );
});
