/** Every tool there is, every argument it has, every kind of wrong value: both doors name the field, send nothing, keep the row. */
import assert from "node:assert/strict";
import type { Schema } from "../../registry/dialect.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { seen } from "../../core/unseen.ts";
import { clipped } from "../../core/errors.ts";
import { type CallOptions, gateway, type Kit, site } from "../kit.ts";

const OPTIONS = {
  sites: [site("acme", "cms", { flags: { allow_publish: true } })],
  settings: { rateLimitToken: 0, rateLimitSite: 0 },
};

/** A call that must be refused, and the argument its message must name. */
interface Case {
  readonly args: Record<string, unknown>;
  readonly field: string;
}

const VALUES: readonly unknown[] = [null, true, 7, 1.5, "a text", [], ["a"], {}, { a: 1 }];

/** The types of JSON a value has: whole numbers have two. */
function typesOf(value: unknown): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}

const allowed = (schema: Schema): string[] => schema.anyOf?.flatMap(allowed) ?? [schema.type ?? ""];

const wrongType = (schema: Schema) =>
  VALUES.filter((value) => !typesOf(value).some((type) => allowed(schema).includes(type)));

/** Values of the right type that break what else the schema says. */
function outOfBounds(schema: Schema): unknown[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  return [
    ...schema.enum ? ["no such word"] : [],
    ...minimum === undefined ? [] : [minimum - 1, -1e21],
    ...maximum === undefined ? [] : [maximum + 1],
    ...minLength ? ["a".repeat(minLength - 1)] : [],
    ...maxLength ? ["a".repeat(maxLength + 1)] : [],
    ...minItems ? [[]] : [],
    ...maxItems ? [Array(maxItems + 1).fill(fitting(schema.items!))] : [],
    ...format ? ["no such format"] : [],
  ];
}

/** A value the schema takes. */
function fitting(schema: Schema): unknown {
  if (schema.anyOf) return fitting(schema.anyOf[0]!);
  if (schema.enum) return schema.enum[0];
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return false;
  if (schema.type === "array") {
    return Array.from({ length: schema.minItems ?? 0 }, () => fitting(schema.items!));
  }
  if (schema.type === "object") {
    const required = Object.entries(schema.properties ?? {}).filter(([name]) =>
      schema.required?.includes(name)
    );
    return Object.fromEntries(required.map(([name, part]) => [name, fitting(part)]));
  }
  if (schema.format === "date") return "2026-11-01";
  return schema.format === "uri" ? "https://example.com/a.png" : "a".repeat(schema.minLength ?? 1);
}

/** Arguments that every check up to the schema lets pass. */
function base({ manifest }: ToolEntry): Record<string, unknown> {
  const properties = manifest.input.properties ?? {};
  const args: Record<string, unknown> = manifest.site === "required" ? { site_id: "acme" } : {};
  for (const name of manifest.input.required ?? []) args[name] = fitting(properties[name]!);
  if ("scheduled_at" in args) args.scheduled_at = "2027-01-01T00:00:00Z";
  for (const rule of manifest.rules) {
    const names = "one_of" in rule ? rule.one_of : "any_of" in rule ? rule.any_of : [];
    if (names[0]) args[names[0]] = fitting(properties[names[0]]!);
    const asked = "require" in rule &&
      Object.entries(rule.when).every(([name, value]) => args[name] === value);
    for (const name of asked ? rule.require : []) args[name] = fitting(properties[name]!);
  }
  return args;
}

function casesOf(entry: ToolEntry): Case[] {
  const args = base(entry);
  const { properties = {}, required = [] } = entry.definition.input_schema;
  const cases: Case[] = required.map((field) => {
    const { [field]: _, ...rest } = args;
    return { args: rest, field };
  });
  for (const [field, schema] of Object.entries(properties)) {
    for (const value of [...wrongType(schema), ...outOfBounds(schema)]) {
      cases.push({ args: { ...args, [field]: value }, field });
    }
    if (schema.type !== "array" || !schema.items) continue;
    for (const value of [...wrongType(schema.items), ...outOfBounds(schema.items)]) {
      // Of parts of an answer, those that there are answer the call, beside one that is not there.
      const good = field === "fields" ? [] : [fitting(schema.items)];
      cases.push({ args: { ...args, [field]: [...good, value] }, field: `${field}[${good.length}]` });
    }
  }
  for (
    const field of ["no_such_argument", "__proto__", "constructor", "Site_Id", "a\u0000b", "x".repeat(1000)]
  ) {
    cases.push({ args: { [field]: 1, ...args }, field });
  }
  return cases;
}

/**
 * Asserts the first case of each field through both doors, for what a value is refused for is found behind them, and the
 * others through one door in turn; answers how many calls that were.
 */
async function refuseAll(gw: Kit, tool: string, cases: readonly Case[]): Promise<number> {
  let calls = 0;
  const shownByBoth = new Set<string>();
  for (const { args, field } of cases) {
    const options: CallOptions = shownByBoth.has(field) ? { door: calls % 2 === 0 ? "rest" : "mcp" } : {};
    shownByBoth.add(field);
    calls += options.door ? 1 : 2;
    const says = await gw.refuses(tool, args, "E_BAD_INPUT", options);
    const shown = `${tool} ${JSON.stringify(args)?.slice(0, 200)}: ${says}`;
    const named = seen(clipped(field));
    const [, told] = says.split("; ").map((one) => [one.startsWith(named), one.slice(named.length)] as const)
      .find(([names]) => names) ?? [];
    assert.ok(told !== undefined, shown);
    assert.match(told, /^( is required|: expected .{4,}|: unknown argument, .{4,})/, shown);
    assert.ok(says.length < 4000, shown.slice(0, 500));
  }
  return calls;
}

async function eachTool(cases: (entry: ToolEntry) => readonly Case[]): Promise<void> {
  await using gw = await gateway(OPTIONS);
  let calls = 0;
  for (const entry of gw.gateway.catalog.entries()) {
    if (entry.manifest.forwards !== undefined) continue; // its call is another tool's: search_mode_test.ts
    calls += await refuseAll(gw, entry.name, cases(entry));
  }
  assert.ok(calls > 100, `${calls} calls`);
  const rows = await gw.audit();
  assert.equal(rows.length, calls, "a row for every call");
  assert.equal(new Set(rows.map((row) => row.id)).size, calls);
  for (const row of rows) assert.deepEqual([row.status, row.error], ["error", "E_BAD_INPUT"]);
  assert.deepEqual([gw.requests, gw.logged], [[], []], "nothing was sent, nothing was a fault");
}

Deno.test("every argument of every tool refuses every wrong type and bound, naming itself and what is allowed", async () => {
  await eachTool(casesOf);
});

const IDS: readonly unknown[] = [
  "..",
  "../1",
  "1/..",
  "%2f",
  "1%2f2",
  "1/2",
  "1\\2",
  "1\u00002",
  " ",
  " 1",
  "1 2",
  "1\n",
  "",
  "-1",
  "1.5",
  "１",
  "1?a=b",
  "1#a",
  "a".repeat(200),
  "9".repeat(200),
  -1,
  0,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
];

/** Ids another platform could have; a cms numbers what it has. */
const NO_CMS_IDS: readonly unknown[] = [
  "abc",
  "1e3",
  "0x1f",
  "007",
  "1_000",
  "99999999999999999999",
];

const isId = (name: string, schema: Schema) =>
  name.endsWith("_id") && schema.anyOf?.some((one) => one.type === "integer") === true;

/** The arguments without those of which only one may be given beside that field. */
function withoutOthers(
  args: Record<string, unknown>,
  field: string,
  { manifest }: ToolEntry,
): Record<string, unknown> {
  const others = manifest.rules.flatMap((rule) =>
    "one_of" in rule && rule.one_of.includes(field) ? rule.one_of.filter((one) => one !== field) : []
  );
  return Object.fromEntries(Object.entries(args).filter(([name]) => !others.includes(name)));
}

Deno.test("every id refuses what would leave its place in an address, and what no cms can have", async () => {
  await eachTool((entry) => {
    const fields = Object.entries(entry.manifest.input.properties ?? {}).filter(([name, schema]) =>
      isId(name, schema)
    );
    const ids = entry.manifest.platforms.includes("cms") ? [...IDS, ...NO_CMS_IDS] : IDS;
    return fields.flatMap(([field]) =>
      ids.map((id) => ({ args: { ...withoutOthers(base(entry), field, entry), [field]: id }, field }))
    );
  });
});

Deno.test("a site_id that no site can have is out of scope, unknown or refused, never a fault", async () => {
  const tokens = { narrow: { allowed_sites: ["acme"] } };
  await using gw = await gateway({ ...OPTIONS, tokens });
  const ids = [
    "..",
    "../acme",
    "%2f",
    "a/b",
    "\u0000",
    " ",
    "",
    "-1",
    "ACME",
    "__proto__",
    "\ud800",
    "é".repeat(60),
  ];
  for (const site_id of ids) {
    assert.match(await gw.refuses("get_site", { site_id }, "E_NOT_FOUND"), /^site_id: no site /);
    assert.match(await gw.refuses("get_site", { site_id }, "E_SCOPE_DENIED", { as: "narrow" }), /^site_id: /);
  }
  for (const site_id of ["a".repeat(200), "é".repeat(5000), "a".repeat(1_000_000)]) {
    assert.match(await gw.refuses("get_site", { site_id }, "E_BAD_INPUT"), /^site_id: expected at most 128/);
    await gw.refuses("get_site", { site_id }, "E_BAD_INPUT", { as: "narrow" });
  }
  const rows = await gw.audit();
  assert.equal(rows.length, (ids.length + 3) * 4);
  for (const row of rows) assert.ok(row.site_id !== null && row.site_id.length <= 128);
  assert.deepEqual([gw.requests, gw.logged], [[], []]);
});
