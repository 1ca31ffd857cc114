/** Sites without a schema bridge, entries that change under a call, and sites that do not do what they say. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { StoredEntry } from "../../sandbox/wordpress_standin/companion_schema.ts";
import type { Args } from "../cms_kit.ts";
import { between, type SchemaOptions, type SchemaWorld, schemaWorld, test } from "./_schema.ts";

const TOOLS: readonly (readonly [tool: string, args: Args])[] = [
  ["get_custom_schema", {}],
  ["get_custom_schema", { id: 10 }],
  ["set_custom_schema", { id: 10, value: '{"a":1}' }],
  ["set_custom_schema", { id: 10, value: '{"a":1}', confirm: true }],
];

Deno.test("without the bridge both tools say what is missing, whatever is missing", async () => {
  const cases: [SchemaOptions, string, RegExp, "nothing" | "reads"][] = [
    [{}, "acme", /SEO channel is "rest"; .*admin site update acme --seo channel=plugin$/, "nothing"],
    [
      { plugin: false },
      "schema",
      /^The site has no companion plugin; version 1\.0\.0 or newer .*task companion/,
      "reads",
    ],
    [{ version: "0.9.9" }, "schema", /is version "0\.9\.9"; 1\.0\.0 or newer is needed/, "reads"],
    [
      { provider: null },
      "schema",
      /^The site has the companion plugin, but no active plugin that keeps custom schema/,
      "reads",
    ],
  ];
  for (const [options, site_id, says, sends] of cases) {
    await using at = await schemaWorld(options);
    for (const [tool, args] of TOOLS) {
      await at.kit.refuses(tool, { site_id, ...args }, "E_SCHEMA_BRIDGE_REQUIRED", says, sends);
    }
    assert.deepEqual(at.cms.writes, []);
  }
  await using newer = await schemaWorld({ version: "1.10.0-beta" });
  await newer.kit.both("get_custom_schema", { site_id: "schema" });
});

test("other platforms, sites without credentials and accounts without rights are refused by code", async (at) => {
  for (const [tool, args] of TOOLS) {
    for (const site_id of ["builder", "files", "client"]) {
      const says = new RegExp(`"${tool}" works on cms sites`);
      await at.kit.refuses(tool, { site_id, ...args }, "E_NOT_SUPPORTED", says);
    }
    const unset = { site_id: "unset", ...args };
    await at.kit.refuses(tool, unset, "E_MISSING_SECRET", /has no cms credentials/);
    for (const [site_id, says] of [["reader", /^CMS 403/], ["locked", /^CMS 401/]] as const) {
      await at.kit.refuses(tool, { site_id, ...args }, "E_UPSTREAM", says, "reads");
    }
  }
  const list = { site_id: "writer" };
  await at.kit.refuses("get_custom_schema", list, "E_UPSTREAM", /^CMS 403/, "reads");
  assert.deepEqual(at.cms.writes, []);
});

/** A confirmed call through REST on a site where something happens in the midst of it. */
async function amid(
  when: readonly ["GET" | "POST", number, "before" | "after"],
  act: (at: SchemaWorld) => void,
  args: Args,
  options: SchemaOptions = {},
): Promise<{ at: SchemaWorld; code: Code; message: string }> {
  const at: SchemaWorld = await schemaWorld({ ...options, fetch: between(...when, () => act(at)) });
  const ending = await at.kit.gw.end("set_custom_schema", { site_id: "leave", confirm: true, ...args });
  assert.ok("code" in ending, JSON.stringify(ending));
  const [row] = await at.kit.rows(1);
  assert.deepEqual([row?.status, row?.error, row?.result_id], ["error", ending.code, args["id"]]);
  return { at, ...ending };
}

const TEXT = { id: 10, value: '{"a":1}' };
const PAGE = { id: 20, value: { Kept: { "@type": "Kept", a: 1 } } };

Deno.test("an entry that changes between the plan and the write is not written over", async () => {
  const cases: [Args, Partial<StoredEntry>, Code, RegExp, SchemaOptions?][] = [
    [TEXT, { value: '{"b":2}' }, "E_STALE_PREVIEW", /^value: entry 10 was changed, .*nothing was written/],
    [TEXT, { targets: { shown_on: [] } }, "E_STALE_PREVIEW", /^targets: entry 10 was changed/],
    [TEXT, { status: "draft", title: "x" }, "E_STALE_PREVIEW", /^status: entry 10 was changed/],
    [TEXT, { value: { a: 1 } }, "E_STALE_PREVIEW", /^value_type, value: entry 10 was changed/],
    [TEXT, { value: undefined }, "E_STALE_PREVIEW", /^value_type, value: entry 10 was changed/],
    [PAGE, { status: "publish" }, "E_FORBIDDEN_OP", /^Entry 20 was published .*nothing was written/, {
      provider: "rankmath",
    }],
  ];
  for (const [args, change, code, says, options] of cases) {
    const { at, ...ended } = await amid(
      ["GET", 1, "after"],
      (world) => {
        Object.assign(world.entry(args["id"] as number), change);
      },
      args,
      options,
    );
    await using _at = at;
    assert.equal(ended.code, code, ended.message);
    assert.match(ended.message, says);
    assert.deepEqual(at.cms.writes, []);
  }
});

Deno.test("what happens in the very moment of the write is judged by the plugin, and told in our codes", async () => {
  const cases: [Args, (at: SchemaWorld) => void, Code, RegExp, SchemaOptions?][] = [
    [TEXT, (at) => at.entry(10).value = { a: 1 }, "E_BAD_INPUT", /^CMS 422 site_ops_value_type: /],
    [
      TEXT,
      (at) => at.plugin.provider = null,
      "E_SCHEMA_BRIDGE_REQUIRED",
      /^CMS 409 site_ops_schema_provider/,
    ],
    [
      TEXT,
      (at) => at.plugin.entries.delete(10),
      "E_STALE_PREVIEW",
      /^The structured data was .*nothing was written/,
    ],
    [PAGE, (at) => at.entry(20).status = "publish", "E_FORBIDDEN_OP", /^CMS 409 site_ops_published: /, {
      provider: "rankmath",
    }],
  ];
  for (const [args, act, code, says, options] of cases) {
    const { at, ...ended } = await amid(["POST", 1, "before"], act, args, options);
    await using _at = at;
    assert.equal(ended.code, code, ended.message);
    assert.match(ended.message, says);
    assert.equal(at.cms.writes.length, 1);
  }
});

Deno.test("a write is read back: another value, moved targets or no answer are no success", async () => {
  const cases: [(at: SchemaWorld) => void, RegExp][] = [
    [(at) => at.entry(10).value = '{"a":2}', /^Entry 10 was written, but the site shows another value/],
    [(at) => at.entry(10).value = { a: 1 }, /^Entry 10 was written, but the site shows another value/],
    [(at) => at.entry(10).targets = { shown_on: [] }, /^Entry 10 was written, and where it shows changed/],
    [(at) => at.plugin.entries.delete(10), /^Entry 10 was written, but could not be read back/],
  ];
  for (const [act, says] of cases) {
    const { at, ...ended } = await amid(["POST", 1, "after"], act, TEXT);
    await using _at = at;
    assert.deepEqual([ended.code, at.cms.writes.length], ["E_UPSTREAM", 1]);
    assert.match(ended.message, says);
  }
});

Deno.test("a site that answers nonsense is reported as such, nothing being written", async () => {
  const deep = JSON.parse(`${"[".repeat(99)}1${"]".repeat(99)}`);
  const good = { post_id: 10, type: "t", status: "draft", title: "x", value_type: "string", value: "{}" };
  const cases: [unknown, RegExp][] = [
    [{ ...good, post_id: 11 }, /asked for the schema entry 10 and answered 11/],
    [{ ...good, value_type: "array" }, /lacks what was relied on \(value\)/],
    [{ ...good, value: ["x"] }, /lacks what was relied on \(value\)/],
    [{ ...good, value_type: "object" }, /lacks what was relied on \(value_type\)/],
    [{ ...good, value_type: "array", value: deep }, /lacks what was relied on \(value\)/],
    [{ ...good, targets: deep }, /lacks what was relied on \(targets\)/],
    [[], /lacks what was relied on/],
    [null, /lacks what was relied on/],
  ];
  for (const [answer, says] of cases) {
    await using at = await schemaWorld({
      fetch: async (input, init) => {
        if (!/entries\/10$/.test(String(input))) return await fetch(input, init);
        return Object.defineProperty(Response.json(answer), "url", { value: String(input) });
      },
    });
    for (const [tool, args] of TOOLS.filter(([, { id }]) => id !== undefined)) {
      const call = { site_id: "schema", ...args };
      await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    }
    assert.deepEqual(at.cms.writes, []);
  }
});

test("a write whose answer is lost says that its outcome is unknown", async (at) => {
  at.cms.inject({ kind: "reset", applied: true }, { method: "POST" });
  const ending = await at.kit.gw.end("set_custom_schema", { site_id: "schema", ...TEXT, confirm: true });
  assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
  assert.match(ending.message, /outcome is unknown: look at the site/);
  assert.equal(at.entry(10).value, TEXT.value);
});
