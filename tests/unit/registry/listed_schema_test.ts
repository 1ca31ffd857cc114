/** Schemas as lists show them: closed, and without the bounds of texts and lists, at every depth; everything else stays. */
import assert from "node:assert/strict";
import type { Schema } from "../../../registry/dialect.ts";
import { served } from "../../../registry/brief.ts";
import { SHARED } from "../../../registry/manifest.ts";

const text = { type: "string", minLength: 1, maxLength: 9, pattern: "^a", description: "A text" } as const;
const shown = { type: "string", description: "A text" };

Deno.test("bounds of texts and lists are left out at every depth, and what tells how to fill an argument stays", () => {
  const schema: Schema = {
    type: "object",
    required: ["list"],
    properties: {
      list: { type: "array", minItems: 1, maxItems: 5, items: text },
      inner: { type: "object", properties: { text, pattern: text } },
      named: { type: "object", additionalProperties: text },
      free: { type: "object", additionalProperties: true },
      count: { type: "integer", minimum: 1, maximum: 100, default: 50 },
      back: { type: "integer", minimum: 7 },
      choice: { type: "string", enum: ["a", "b"], default: "a" },
      when: { type: "string", format: "date-time" },
      either: { anyOf: [text, { type: "integer", minimum: 0 }], description: "Either" },
    },
  };
  const before = structuredClone(schema);
  assert.deepEqual(served(schema), {
    type: "object",
    required: ["list"],
    properties: {
      list: { type: "array", items: shown },
      inner: { type: "object", properties: { text: shown, pattern: shown }, additionalProperties: false },
      named: { type: "object", additionalProperties: shown },
      free: { type: "object", additionalProperties: true },
      count: { type: "integer", maximum: 100, default: 50 },
      back: { type: "integer", minimum: 7 },
      choice: { type: "string", enum: ["a", "b"], default: "a" },
      when: { type: "string", format: "date-time" },
      either: { anyOf: [shown, { type: "integer" }], description: "Either" },
    },
    additionalProperties: false,
  });
  assert.deepEqual(schema, before, "the schema that calls are checked by is another one");
});

Deno.test("an id is shown as a number or a text, and a tool without arguments as one that takes none", () => {
  assert.deepEqual(served(SHARED["id"]!), { anyOf: [{ type: "integer" }, { type: "string" }] });
  const none = { type: "object", properties: {}, additionalProperties: false } as const;
  assert.deepEqual(served(none), none);
});
