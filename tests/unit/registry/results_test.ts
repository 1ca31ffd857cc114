/** The form in which manifests write results: what it stands for, and what of it says nothing. */
import assert from "node:assert/strict";
import { answerSchema, outputSchema, toJsonSchema } from "../../../registry/answers.ts";
import { resultFaults, resultSchema } from "../../../registry/results.ts";
import { misfits } from "../../answers.ts";

const FORMS: readonly [form: unknown, schema: unknown][] = [
  ["string", { type: "string" }],
  ["integer | null", { anyOf: [{ type: "integer" }, { type: "null" }] }],
  ["number -- share of 1", { type: "number", description: "share of 1" }],
  ["one of draft | published", { type: "string", enum: ["draft", "published"] }],
  ["one of true", { type: "boolean", enum: [true] }],
  [["string"], { type: "array", items: { type: "string" } }],
  [{ "*": "boolean" }, { type: "object", additionalProperties: { type: "boolean" } }],
  [
    { $: "A post", id: "integer", "url?": "string", "at~": "date", "note?~": "string -- what else" },
    {
      type: "object",
      description: "A post",
      properties: {
        id: { type: "integer" },
        url: { type: "string" },
        at: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
        note: { anyOf: [{ type: "string" }, { type: "null" }], description: "what else" },
      },
      required: ["id", "at"],
    },
  ],
  [
    { $with: "content", more: "string" },
    {
      type: "object",
      properties: {
        id: { anyOf: [{ type: "integer" }, { type: "string" }] },
        status: { type: "string" },
        url: { type: "string" },
        more: { type: "string" },
      },
      required: ["id", "status", "url", "more"],
    },
  ],
  [
    { page: "integer", $any: [{ text: "string" }, { rows: ["string"] }] },
    {
      anyOf: [
        {
          type: "object",
          properties: { page: { type: "integer" }, text: { type: "string" } },
          required: ["page", "text"],
        },
        {
          type: "object",
          properties: { page: { type: "integer" }, rows: { type: "array", items: { type: "string" } } },
          required: ["page", "rows"],
        },
      ],
    },
  ],
];

Deno.test("a form stands for a JSON Schema in which new keys are no break", () => {
  for (const [form, schema] of FORMS) {
    assert.deepEqual(resultFaults(form), [], JSON.stringify(form));
    assert.deepEqual(resultSchema(form), schema, JSON.stringify(form));
  }
});

Deno.test("what a form does not say is named with its place", () => {
  const faults: readonly [form: unknown, fault: string][] = [
    [{ id: "strnig" }, 'result.id: "strnig" is no word'],
    [{ rows: ["any"] }, 'result.rows[]: "any" says nothing'],
    [{ rows: "object" }, 'result.rows: "object" says nothing'],
    [{ $with: "nothing" }, 'result: there is no shape "nothing"'],
    [{ row: "$nothing" }, 'result.row: "$nothing" is no word'],
    [{ rows: ["string", "null"] }, "result.rows: a list has one form"],
    [{ id: 7 }, "result.id: expected words"],
  ];
  for (const [form, fault] of faults) {
    const found = resultFaults(form);
    assert.equal(found.length, 1, JSON.stringify(found));
    assert.ok(found[0]!.startsWith(fault), found[0]);
  }
});

Deno.test("clients read one type or null where a key may be null", () => {
  const form = { "at~": "one of draft | published", "*": "integer | null" };
  assert.deepEqual(toJsonSchema(resultSchema(form)), {
    type: "object",
    properties: { at: { type: ["string", "null"], enum: ["draft", "published", null] } },
    required: ["at"],
    additionalProperties: { type: ["integer", "null"] },
  });
});

Deno.test("a write answers a preview as well; what is no object has no output schema", () => {
  const write = { tier: 1 as const, raise: [], result: { id: "integer" } };
  const [preview, written] = answerSchema(write)!.anyOf!;
  assert.ok(preview!.required!.includes("confirm_token"));
  assert.deepEqual(written!.required, ["id", "verified", "warnings", "request_id"]);
  assert.equal(outputSchema(write)!["type"], "object");
  assert.equal(outputSchema({ tier: 0, raise: [], result: ["string"] }), null);
  assert.equal(outputSchema({ tier: 0, raise: [], result: undefined }), null);
});

Deno.test("an answer that differs from its schema is told with the place", () => {
  const schema = resultSchema({
    id: "integer",
    "at~": "date-time",
    "state?": "one of draft",
    rows: [{ $any: [{ name: "string" }, { cut: "one of true", total: "integer" }] }],
    by: { "*": "integer" },
  });
  const right = { id: 1, at: null, rows: [{ name: "a" }, { cut: true, total: 2 }], by: { a: 1 } };
  assert.deepEqual(misfits(schema, right, "t"), []);
  const others: readonly [object, string][] = [
    [{ id: "1" }, 't.id: is "1", not integer'],
    [{ id: undefined }, "t.id: is nothing, not integer"],
    [{ at: "2026-11-21" }, 't.at: is "2026-11-21", no date-time'],
    [{ state: "gone" }, 't.state: is "gone", not one of draft'],
    [{ rows: [{ name: 7 }] }, "t.rows[].name: is 7, not string"],
    [{ by: { a: 1.5 } }, "t.by.*: is 1.5, not integer"],
    [{ more: 1 }, "t.more: is not described"],
  ];
  for (const [other, told] of others) assert.deepEqual(misfits(schema, { ...right, ...other }, "t"), [told]);
  assert.deepEqual(misfits(schema, { rows: [], by: {} }, "t"), ["t.id: is missing", "t.at: is missing"]);
});
