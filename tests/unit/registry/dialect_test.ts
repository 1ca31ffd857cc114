/** The dialect: every keyword both ways, everything else refused, one sentence per fault. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { checker, faults, type Schema, typeText } from "../../../registry/dialect.ts";

const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});

function refusal(schema: Schema, args: Record<string, unknown>): string {
  try {
    checker(schema)(args);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.code, "E_BAD_INPUT");
    return error.message;
  }
  return "";
}

const KEYWORDS: { schema: Schema; good: unknown[]; bad: unknown[]; says: string }[] = [
  { schema: { type: "string" }, good: ["", "a"], bad: [1, true, null, [], {}], says: "x: expected a string" },
  {
    schema: { type: "integer" },
    good: [0, -3, 5.0],
    bad: [1.5, "1", true, null],
    says: "x: expected a whole number",
  },
  { schema: { type: "number" }, good: [1.5, 0], bad: ["1", null, []], says: "x: expected a number" },
  {
    schema: { type: "boolean" },
    good: [true, false],
    bad: [0, "true", null],
    says: "x: expected true or false",
  },
  { schema: { type: "null" }, good: [null], bad: [0, "", false], says: "x: expected null" },
  {
    schema: { type: "string", enum: ["a", "b"] },
    good: ["a", "b"],
    bad: ["c", "A", 1],
    says: 'x: expected one of "a", "b"',
  },
  {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    good: [1, 100],
    bad: [0, 101, -1],
    says: "x: expected a whole number >= 1 and <= 100",
  },
  {
    schema: { type: "string", minLength: 1, maxLength: 3 },
    good: ["a", "abc"],
    bad: ["", "abcd"],
    says: "x: expected a string of at least 1 character and at most 3 characters",
  },
  {
    schema: { type: "string", pattern: "^[0-9]+$" },
    good: ["12"],
    bad: ["", "1a", "../1", "%2f", "1\u0000"],
    says: "x: expected a string matching ^[0-9]+$",
  },
  {
    schema: { type: "string", format: "date" },
    good: ["2026-11-21"],
    bad: ["21.11.2026", "2026-13-01", ""],
    says: "x: expected a date such as 2026-11-21",
  },
  {
    schema: { type: "string", format: "uri" },
    good: ["https://example.com/a"],
    bad: ["nothing", ""],
    says: "x: expected an address such as https://example.com/page",
  },
  {
    schema: { type: "string", format: "date-time" },
    good: ["2026-11-21T10:00:00Z"],
    bad: ["2026-11-21", "now"],
    says: "x: expected a date and time such as 2026-11-21T10:00:00Z",
  },
  {
    schema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    good: [["a"], ["a", "b"]],
    bad: [[], ["a", "b", "c"], "a", {}],
    says: "x: expected a list of at least 1 item and at most 2 items",
  },
  {
    schema: { anyOf: [{ type: "integer", minimum: 1 }, { type: "string", pattern: "^[a-z]+$" }] },
    good: [1, "a"],
    bad: [0, "A", null, [], true, 1.5],
    says: "x: expected a whole number >= 1 or a string matching ^[a-z]+$",
  },
  {
    schema: { type: "object", additionalProperties: { type: "string" } },
    good: [{}, { a: "b" }],
    bad: ["a", [], null],
    says: "x: expected an object",
  },
];

for (const { schema, good, bad, says } of KEYWORDS) {
  Deno.test(`the dialect reads ${JSON.stringify(schema)} both ways`, () => {
    assert.deepEqual(faults(schema), []);
    const check = checker(object({ x: schema }, ["x"]));
    for (const x of good) assert.deepEqual(check({ x }), { x });
    for (const x of bad) {
      const said = refusal(object({ x: schema }, ["x"]), { x });
      // Behind it stands what was given, and how it is written instead.
      assert.ok(
        said === says || [",", ";"].includes(said.replace(says, "")[0]!),
        `${JSON.stringify(x)}: ${said}`,
      );
    }
  });
}

Deno.test("a missing required argument is named", () => {
  assert.equal(refusal(object({ title: { type: "string" } }, ["title"]), {}), "title is required");
});

Deno.test("an unknown argument is refused with the nearest known name", () => {
  const schema = object({ title: { type: "string" }, robots: object({ noindex: { type: "boolean" } }) });
  assert.equal(refusal(schema, { titel: "a" }), "titel: unknown argument, did you mean title");
  assert.equal(
    refusal(schema, { robots: { noindx: true } }),
    "robots.noindx: unknown argument, did you mean noindex",
  );
  assert.equal(refusal(schema, { siteid: "a" }), "siteid: unknown argument, did you mean site_id");
  assert.equal(refusal(schema, { noindex: true }), "noindex: unknown argument, did you mean robots.noindex");
  assert.match(refusal(schema, { zzzzzz: 1 }), /^zzzzzz: unknown argument, known are title, robots$/);
  assert.match(refusal(schema, JSON.parse('{"__proto__": 1}')), /^__proto__: unknown argument/);
  assert.match(refusal(schema, { constructor: 1 }), /^constructor: unknown argument/);
});

Deno.test("an item of a list is named by its place", () => {
  const schema = object({ tags: { type: "array", items: { type: "string" } } });
  assert.equal(refusal(schema, { tags: ["a", 2] }), "tags[1]: expected a string, not the number 2");
});

Deno.test("defaults are filled in and no more than three faults are told at once", () => {
  assert.deepEqual(checker(object({ page: { type: "integer", default: 1 } }))({}), { page: 1 });
  const names = ["a", "b", "c", "d"];
  const schema = object(Object.fromEntries(names.map((name) => [name, { type: "string" as const }])), names);
  assert.equal(refusal(schema, {}), "a is required; b is required; c is required");
});

const OUTSIDE: [string, unknown][] = [
  ["no type", {}],
  ["a list of types", { type: ["string", "null"] }],
  ["oneOf", { oneOf: [{ type: "string" }, { type: "integer" }] }],
  ["allOf", { type: "string", allOf: [] }],
  ["not", { type: "string", not: {} }],
  ["const", { type: "string", const: "a" }],
  ["an unknown format", { type: "string", format: "hostname" }],
  ["a bound of another type", { type: "string", minimum: 1 }],
  ["a broken pattern", { type: "string", pattern: "(" }],
  ["an empty enum", { type: "string", enum: [] }],
  ["items missing", { type: "array" }],
  ["required without property", { type: "object", properties: {}, required: ["a"] }],
  ["a default that does not fit", { type: "integer", minimum: 1, default: 0 }],
  ["anyOf beside type", { type: "string", anyOf: [{ type: "string" }, { type: "integer" }] }],
  ["anyOf of one", { anyOf: [{ type: "string" }] }],
  ["an unknown $ref", { $ref: "nothing" }],
  ["patternProperties", { type: "object", patternProperties: {} }],
  ["a fault further in", { type: "array", items: { type: "object", properties: { a: { type: "text" } } } }],
];
for (const [what, schema] of OUTSIDE) {
  Deno.test(`the dialect refuses ${what}`, () => assert.notDeepEqual(faults(schema), []));
}

Deno.test("a schema prints as the type its checked value has", () => {
  assert.equal(typeText(object({})), "Record<string, never>");
  const schema = object({
    id: { anyOf: [{ type: "integer" }, { type: "string" }] },
    kind: { type: "string", enum: ["a", "b"], default: "a" },
    tags: { type: "array", items: { type: "string" } },
    more: { type: "object", additionalProperties: { type: "string" } },
  }, ["id"]);
  assert.equal(
    typeText(schema),
    '{ "id": number | string; "kind": "a" | "b"; "tags"?: (string)[]; "more"?: Record<string, string>; }',
  );
});

Deno.test("a text that does not fit its pattern is refused with what it is, for the pattern stands in no list", () => {
  const id: Schema = { type: "string", pattern: "^[0-9]+$", description: "The id; list_things shows it." };
  assert.equal(
    refusal(object({ id }), { id: "A name" }),
    'id: expected a string matching ^[0-9]+$, not "A name" (The id; list_things shows it)',
  );
  const either: Schema = { anyOf: [{ type: "integer" }, { type: "string", pattern: "^[0-9]+$" }] };
  assert.equal(
    refusal(object({ id: { ...either, description: "The post's id." } }), { id: "A name" }),
    `id: expected a whole number or a string matching ^[0-9]+$, not "A name" (The post's id)`,
  );
});

Deno.test("an object beside values of other kinds is judged as the object that it may be", () => {
  const days: Schema = { type: "string", format: "date" };
  const compare: Schema = {
    anyOf: [{ type: "string", enum: ["previous_period"] }, object({ from: days, to: days }, ["from", "to"])],
  };
  const says = (value: unknown) => refusal(object({ compare }), { compare: value });
  assert.equal(
    says("last month"),
    'compare: expected one of "previous_period" or an object {from, to}, not "last month"',
  );
  assert.equal(
    says({ start_date: "2026-10-01", to: "2026-10-02" }),
    "compare.from is required; compare.start_date: unknown argument, known are from, to",
  );
  assert.match(says({ from: "October", to: "2026-10-02" }), /^compare\.from: expected a date such as/);
  assert.equal(says({ form: "2026-10-01", to: "2026-10-02" }).includes("did you mean from"), true);
});
