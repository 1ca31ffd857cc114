/** What a client reads, taken from its schema, and answers held against it. */
import assert from "node:assert/strict";
import { z } from "zod";
import { checkAnswer, differs } from "../../../core/answer_check.ts";
import { readsTypes, shapeOf } from "../../../core/answer_shape.ts";

const lenient = readsTypes(z.unknown().optional().transform(String), "string", "null");
const ROW = z.object({
  id: z.string().min(1),
  total: z.union([z.number(), z.string().transform(Number)]),
  note: z.string().nullish(),
  kind: z.enum(["a", "b"]).catch("a"),
  flag: z.literal(true).optional(),
  word: lenient,
  any: z.unknown(),
  size: z.int().default(0),
}).transform((row) => row);
const ANSWER = z.object({ rows: z.array(ROW), by_name: z.record(z.string(), z.object({ n: z.number() })) });

const checked = (answer: unknown, schema: z.ZodType = ANSWER) => checkAnswer(answer, shapeOf(schema));
const row = { id: "1", total: 7, note: null, kind: "b", flag: true, word: "w", any: { x: 1 }, size: 2 };

Deno.test("an answer that is read agrees, and its types are told by place", () => {
  const check = checked({ rows: [row, { ...row, total: "8" }], by_name: { "ann@x.example": { n: 1 } } });
  assert.equal(differs(check), false);
  assert.deepEqual([check.missing, check.other_types, check.not_seen, check.empty, check.new_names], [
    [],
    [],
    [],
    [],
    [],
  ]);
  assert.deepEqual(check.types, {
    "by_name": ["object"],
    "by_name.*": ["object"],
    "by_name.*.n": ["number"],
    "rows": ["list"],
    "rows[]": ["object"],
    "rows[].any": ["object"],
    "rows[].flag": ["boolean"],
    "rows[].id": ["string"],
    "rows[].kind": ["string"],
    "rows[].note": ["null"],
    "rows[].size": ["number"],
    "rows[].total": ["number", "string"],
    "rows[].word": ["string"],
    "the answer": ["object"],
  });
});

Deno.test("a name that a client needs is missing where one row lacks it, another one is only not seen", () => {
  const { id: _, note: __, word: ___, kind: ____, any: _____, ...rest } = row;
  const check = checked({ rows: [row, rest], by_name: {} });
  assert.deepEqual([check.missing, check.not_seen], [["rows[].id"], []]);
  const all = checked({ rows: [rest], by_name: {} });
  assert.deepEqual(all.missing, ["rows[].id"]);
  assert.deepEqual(all.not_seen, ["rows[].any", "rows[].kind", "rows[].note", "rows[].word"]);
});

Deno.test("another type is told with what is read, also under a schema that takes anything", () => {
  const check = checked({ rows: [{ ...row, id: 1, word: 2, note: [] }], by_name: { x: { n: "1" } } });
  assert.deepEqual(check.other_types, [
    { at: "by_name.*.n", read: ["number"], came: ["string"] },
    { at: "rows[].id", read: ["string"], came: ["number"] },
    { at: "rows[].note", read: ["string", "null"], came: ["list"] },
    { at: "rows[].word", read: ["string", "null"], came: ["number"] },
  ]);
  assert.deepEqual(checked([]).other_types, [{ at: "the answer", read: ["object"], came: ["list"] }]);
});

Deno.test("a list without an entry is told: nothing in it was compared", () => {
  assert.deepEqual(checked({ rows: [], by_name: {} }).empty, ["rows"]);
});

Deno.test("names that are data never stand in a place: those of maps are *, new ones are apart", () => {
  const check = checked({
    rows: [{ ...row, "Insurance no.": "x" }],
    by_name: { "+43 1": { n: 1, de: 2 } },
    de: 1,
  });
  assert.deepEqual(check.new_names, [
    { at: "the answer", name: "de", types: ["number"] },
    { at: "by_name.*", name: "de", types: ["number"] },
    { at: "rows[]", name: "Insurance no.", types: ["string"] },
  ]);
  const { new_names: _, ...rest } = check;
  assert.doesNotMatch(JSON.stringify(rest), /Insurance|43|\bde\b/);
});

Deno.test("of several forms the one that fits best is compared", () => {
  const either = z.union([z.array(z.object({ id: z.string() })), z.object({ results: z.array(z.string()) })]);
  assert.deepEqual(checked([{}], either).missing, ["[].id"]);
  assert.deepEqual(checked({ results: ["x"] }, either).types["results[]"], ["string"]);
  const item = z.object({ id: z.string(), name: z.string() });
  const cut = z.object({ omitted: z.number(), more: z.boolean(), at: z.string() });
  assert.deepEqual(checked({ id: "1" }, z.union([cut, item])).missing, ["name"]);
  const both = z.intersection(item.transform(({ id }) => id), z.object({ account_id: z.string() }));
  assert.deepEqual(checked({ id: "1", name: "n" }, both).missing, ["account_id"]);
});
