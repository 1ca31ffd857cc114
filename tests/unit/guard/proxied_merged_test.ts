/** One schema for sites whose tools of one name differ: what a model reads of it serves each of them. */
import assert from "node:assert/strict";
import { mergedSchema } from "../../../guard/proxied/merged_schema.ts";
import { Ajv2020 } from "../../packages/ajv.ts";

type Schema = Record<string, unknown>;
const object = (properties: Schema, required: string[] = []): Schema => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required } : {}),
});
/** Merged for sites acme, bolt and so on. */
const SITES = ["acme", "bolt", "cork", "dune", "elm", "fern"];
const merged = (...schemas: Schema[]) =>
  mergedSchema(schemas.map((schema, at) => ({ schema, sites: [SITES[at]!] })));
const argument = (...parts: Schema[]) =>
  (merged(...parts.map((a) => object({ a }))).schema.properties as Record<string, Schema>).a;

Deno.test("what sites say alike is as they say it", () => {
  const schema = object({ a: { type: "string", description: "Ours" } }, ["a"]);
  assert.deepEqual(merged(schema, structuredClone(schema)), { schema, differ: false });
  assert.deepEqual(mergedSchema([]), { schema: { type: "object" }, differ: false });
});

Deno.test("an argument names the sites that lack it and those that require it, and no others", () => {
  const page = { type: "integer", description: "The page" };
  const { schema, differ } = merged(
    object({ page, old: { type: "string" }, text: {} }, ["page", "old", "text"]),
    object({ page, renamed: {}, text: {} }, ["page", "renamed"]),
    object({ page, renamed: {}, text: {} }, ["page"]),
  );
  assert.equal(differ, true);
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      page,
      old: { type: "string", description: "Only on acme; required there." },
      text: { description: "Required on acme." },
      renamed: { description: "Not on acme. Required on bolt." },
    },
    required: ["page"],
  });
});

Deno.test("types and values are those of any site, and the values of few are said", () => {
  assert.deepEqual(argument({ type: "integer" }, { type: ["string", "integer"] }), {
    type: ["integer", "string"],
  });
  assert.deepEqual(argument({ type: "string", enum: ["h1"] }, { type: "string", enum: ["h1", "h2"] }), {
    type: "string",
    enum: ["h1", "h2"],
    description: 'Only "h2" on bolt.',
  });
  assert.deepEqual(argument({ type: "string", enum: ["h1"] }, { type: "string" }), { type: "string" });
  const many = (from: number) => Array.from({ length: 150 }, (_, at) => `v${from + at}`);
  assert.deepEqual(argument({ enum: many(0), minimum: 1 }, { enum: many(150), minimum: 2 }), {
    type: "string",
  });
});

Deno.test("a site that says nothing of an argument takes nothing of what others say of it away", () => {
  const page = { type: "integer", description: "The page" };
  assert.deepEqual(argument(page, {}, { description: "The page" }), page);
  assert.deepEqual(merged(object({ page }, ["page"]), { type: "object" }).schema, {
    type: "object",
    properties: { page: { type: "integer", description: "The page. Only on acme; required there." } },
  });
});

Deno.test("a site that says little of an argument opens only what it says", () => {
  assert.deepEqual(argument({ type: "integer", minimum: 1 }, { const: "x" }), {
    type: ["integer", "string"],
  });
  const within = object({ title: { type: "string" } }, ["title"]);
  assert.deepEqual(argument(within, { maxProperties: 0 }), object({ title: { type: "string" } }));
  assert.deepEqual(argument(within, { type: "object", additionalProperties: true }), {
    type: "object",
    properties: { title: { type: "string" } },
  });
  assert.deepEqual(argument({ type: "string", enum: ["a"] }, { enum: ["b", null] }), {
    type: ["string", "null"],
    enum: ["a", "b", null],
    description: 'Only "a" on acme, "b" on bolt, null on bolt.',
  });
});

Deno.test("words that differ stand beside their sites, and of very many sites the first are named", () => {
  const saying = (description: string) => ({ type: "string", description });
  assert.equal(
    argument(saying("One"), saying("Two."), saying("One"))?.description,
    "On acme, cork: One. On bolt: Two.",
  );
  const six = SITES.map((name) => saying(name));
  const { description } = argument(...six)!;
  assert.equal(
    description,
    "On acme: acme. On bolt: bolt. On cork: cork. On dune: dune. Other sites describe it otherwise.",
  );
  const few = Array.from({ length: 30 }, (_, at) => `site-${at}`);
  const ways = [{ schema: object({}), sites: few.slice(0, 14) }, {
    schema: object({ a: {} }),
    sites: few.slice(14),
  }];
  assert.deepEqual(mergedSchema(ways).schema.properties, {
    a: { description: "Not on some sites." },
  });
});

Deno.test("what one site takes passes the schema of all, unless it alone leaves open what others do not", () => {
  const ajv = new Ajv2020({ strict: false });
  const parts: Schema[] = [
    ...[{ type: "integer" }, { type: "string" }, { type: ["string", "null"] }, {
      type: "integer",
      minimum: 5,
    }],
    ...[{ type: "string", enum: ["a", "b"] }, { type: "string", enum: ["b", "c"] }, { enum: [1, "a"] }],
    ...[{ type: "array", items: { type: "integer" } }, {
      type: "array",
      items: { type: "string" },
      minItems: 1,
    }],
    object({ x: { type: "integer" } }, ["x"]),
    object({ x: { type: "string" }, constructor: {} }, ["constructor"]),
    { anyOf: [{ type: "integer" }, { type: "boolean" }] },
  ];
  const values: unknown[] = [1, 7, "a", "b", "c", "z", null, true, [], [1], ["a"], {}, { x: 1 }, {
    x: "a",
    constructor: 1,
  }];
  for (const one of parts) {
    for (const other of parts) {
      for (const third of [one, { type: "boolean" }]) {
        const whole = argument(one, other, third)!;
        for (const value of values) {
          if (!ajv.validate(one, value) && !ajv.validate(other, value)) continue;
          assert.ok(ajv.validate(whole, value), JSON.stringify({ one, other, third, whole, value }));
        }
      }
    }
  }
});
