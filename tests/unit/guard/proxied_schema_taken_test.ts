/** Schemas of sites' own tools as model providers take them: one that they do not take ends every request of an agent. */
import assert from "node:assert/strict";
import { shownSchema } from "../../../guard/proxied/shown_schema.ts";
import { Ajv2020 } from "../../packages/ajv.ts";

const HOW = { read: true, words: {} };
const ajv = new Ajv2020({ strict: false });
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

/** Asserts what providers ask of the schema of a tool. */
function assertTaken(schema: Record<string, unknown>, of: unknown): void {
  const said = () => `${JSON.stringify(of)} is shown as ${JSON.stringify(schema)}`;
  assert.ok(ajv.validateSchema(schema), `${said()}: ${ajv.errorsText()}`);
  assert.equal(schema.type, "object", said());
  const others = Object.keys(schema).filter((key) =>
    !["type", "title", "description", "properties", "required", "additionalProperties"].includes(key)
  );
  assert.deepEqual(others, [], said());
  for (const name of Object.keys(schema.properties ?? {})) {
    assert.match(name, /^[a-zA-Z0-9_.-]{1,64}$/, said());
  }
  assert.doesNotMatch(JSON.stringify(schema), /"(\$ref|\$defs|definitions|oneOf)":/, said());
  ajv.compile(schema);
}

Deno.test("what says that one of several holds asks for nothing that nobody can send", () => {
  const either = object({
    a: {},
    b: { oneOf: [{ type: "string", not: {} }, { type: "string", format: "odd" }] },
  }, {
    oneOf: [{ required: ["a"] }, { required: ["b"] }],
  });
  const shown = shownSchema(either, HOW);
  assertTaken(shown, either);
  assert.ok(ajv.validate(shown, { a: 1, b: "text" }) && ajv.validate(shown, { b: "text" }));
  const folded = shownSchema({
    oneOf: [
      object({ a: { type: "string" } }, { required: ["a"] }),
      object({ constructor: { type: "null" } }),
    ],
    allOf: [{ required: ["c", "d"] }, object({ c: {} }, { required: ["c"] })],
    properties: { d: {} },
  }, HOW);
  assert.deepEqual(folded, {
    type: "object",
    properties: { d: {}, c: {}, a: { type: "string" }, constructor: { type: "null" } },
    required: ["d", "c"],
  });
});

Deno.test("what says the same several times is shown once", () => {
  const item = (text: string) =>
    object({ id: { type: "string" }, value: { type: "string", not: { const: text } } });
  const given = object({
    list: { type: "array", items: { anyOf: [item("a"), item("b"), { type: "null" }, item("c")] } },
  });
  assert.deepEqual((shownSchema(given, HOW).properties as Record<string, unknown>).list, {
    type: "array",
    items: { anyOf: [object({ id: { type: "string" }, value: { type: "string" } }), { type: "null" }] },
  });
  const alike = shownSchema(object({ a: { oneOf: [item("a"), item("b")], title: "A" } }), HOW);
  assert.deepEqual((alike.properties as Record<string, unknown>).a, {
    ...object({ id: { type: "string" }, value: { type: "string" } }),
    title: "A",
  });
});

Deno.test("what refers to a definition is shown as that, in itself as open, and never very often", () => {
  const page = object({
    id: { $ref: "#/definitions/id", description: "Ours" },
    under: { $ref: "#/$defs/page" },
  });
  const given = object({ page: { $ref: "#/$defs/page" }, all: { $ref: "#" }, none: { $ref: "#/$defs/no" } }, {
    $defs: { page, loop: { $ref: "#/$defs/loop" } },
    definitions: { id: { type: "integer", description: "Theirs" } },
  });
  const shown = shownSchema(given, HOW);
  assertTaken(shown, given);
  assert.deepEqual(shown.properties, {
    page: object({ id: { type: "integer", description: "Ours" }, under: {} }),
    all: {},
    none: {},
  });
  const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, object(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, next])))];
  }));
  const long = { enum: Array.from({ length: 200 }, (_, at) => `${"v".repeat(40)}${at}`) };
  const values = object(
    Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`p${n}`, { $ref: "#/$defs/a" }])),
  );
  const named = shownSchema({ ...values, $defs: { a: long } }, HOW);
  assert.ok(JSON.stringify(named).length < 40_000, String(JSON.stringify(named).length));
  const many = shownSchema(object({ a: { $ref: "#/$defs/d0" } }, { $defs }), HOW);
  assertTaken(many, "definitions of definitions");
  assert.ok(JSON.stringify(many).length < 20_000, String(JSON.stringify(many).length));
});

Deno.test("whatever was listed, what is shown is a schema that providers take", () => {
  let state = 17;
  const below = (most: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * most);
  };
  const one = <T>(all: readonly T[]): T => all[below(all.length)]!;
  const odd = () =>
    one<unknown>([
      -1,
      0,
      0.5,
      1e400,
      "1",
      null,
      true,
      [],
      {},
      "string",
      ["string", "string"],
      "(",
      [1, 1],
      "a",
    ]);
  const name = () =>
    one(["a", "b", "a[b]", "$c", "x y", "", "__proto__", "constructor", "n".repeat(65), "site_id"]);
  const KEYS = [
    ...["type", "enum", "const", "default", "minLength", "maxLength", "multipleOf", "minimum", "uniqueItems"],
    ...[
      "exclusiveMinimum",
      "minItems",
      "maxProperties",
      "pattern",
      "format",
      "required",
      "title",
      "description",
    ],
  ];
  const schema = (levels: number): unknown => {
    if (levels === 0 || below(8) === 0) return odd();
    const all: Record<string, unknown> = {};
    for (let count = below(4); count >= 0; count--) all[one(KEYS)] = odd();
    const parts = () => Array.from({ length: below(4) }, () => schema(levels - 1));
    const named = () =>
      Object.fromEntries(Array.from({ length: below(4) }, () => [name(), schema(levels - 1)]));
    for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) if (below(5) === 0) all[key] = parts();
    for (const key of ["properties", "$defs", "definitions"]) if (below(3) === 0) all[key] = named();
    for (const key of ["items", "additionalProperties", "not"]) {
      if (below(4) === 0) all[key] = schema(levels - 1);
    }
    if (below(4) === 0) all.$ref = one(["#", "#/$defs/a", "#/definitions/b", "https://a.example/", 5]);
    return all;
  };
  for (let round = 0; round < 300; round++) {
    const given = { ...schema(4) as object };
    for (const read of [true, false]) assertTaken(shownSchema(given, { read, words: { a: "Ours" } }), given);
  }
});
