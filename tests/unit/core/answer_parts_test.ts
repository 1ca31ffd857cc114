/** Parts of an answer: paths, summaries and answers that are too long. */
import assert from "node:assert/strict";
import {
  CUT_MARK,
  isLonger,
  offsets,
  pathOf,
  picked,
  summaryOf,
  within,
} from "../../../core/answer_parts.ts";

const paths = (...texts: string[]) => texts.map((text) => pathOf(text)!);

Deno.test("a path names fields, goes through lists, and begins a list or text where it says", () => {
  const answer = {
    total: 3,
    items: [{ id: 1, title: "One", seo: { title: "S" } }, { id: 2, title: "Two" }, { id: 3, title: "Three" }],
    "sum.of": { all: 7 },
    text: "0123456789",
    none: null,
    empty: [],
  };
  const rows: [string[], unknown][] = [
    [["total"], { total: 3 }],
    [["items.title"], { items: [{ title: "One" }, { title: "Two" }, { title: "Three" }] }],
    [["items.id", "total"], { total: 3, items: [{ id: 1 }, { id: 2 }, { id: 3 }] }],
    [["items.seo.title"], { items: [{ seo: { title: "S" } }] }],
    [["items[1..].id"], { items: [{ id: 2 }, { id: 3 }] }],
    [["items[1].id"], { items: [{ id: 2 }] }],
    [["items[0..1].title"], { items: [{ title: "One" }, { title: "Two" }] }],
    [["text[4..]"], { text: "456789" }],
    [["text[4..5]"], { text: "45" }],
    [["sum.of.all"], { "sum.of": { all: 7 } }],
    [["none.what", "empty.what"], { none: null, empty: [] }],
  ];
  for (const [texts, wanted] of rows) {
    assert.deepEqual(picked(answer, paths(...texts)), { value: wanted, missing: [] }, texts.join());
  }
  assert.deepEqual(picked([1, 2, 3], paths("[1..]")), { value: [2, 3], missing: [] });
  assert.deepEqual(picked([{ a: 1, b: 2 }], paths("a")), { value: [{ a: 1 }], missing: [] });
  assert.deepEqual(picked(answer, paths("titel", "items.titel", "total")), {
    value: { total: 3 }, // a list of which nothing is left would look like an empty one
    missing: ["titel", "items.titel"],
  });
});

Deno.test("what is no path is none", () => {
  for (
    const text of ["", " ", ".", "a.", "a..b", "a[", "a[]", "a[x]", "a[3..2]", "a[1..2..3]", "a]", "a[-1]"]
  ) {
    assert.equal(text === "a]" ? null : pathOf(text), null, text);
  }
});

Deno.test("a summary has the first items of each list, the beginning of each text, and says of how many", () => {
  const text = "x".repeat(1000);
  const { value, left } = summaryOf({
    items: [1, 2, 3, 4, 5].map((id) => ({ id, tags: [1, 2, 3, 4] })),
    text,
    id: 7,
  });
  const { items, text: cut, id } = value as { items: { tags: number[] }[]; text: string; id: number };
  assert.deepEqual([items.length, items[0]!.tags, id], [3, [1, 2, 3], 7]);
  assert.ok(cut.startsWith("xxx") && cut.includes(CUT_MARK) && cut.length < 400);
  assert.deepEqual(left, [
    { at: "items", shown: 3, of: 5 },
    { at: "items.tags", shown: 3, of: 4 },
    { at: "text", shown: 300, of: 1000 },
  ]);
});

Deno.test("what is too long keeps what is small, loses the ends of what is long, and is read to its end part by part", () => {
  const long = {
    note: "small",
    items: Array.from({ length: 900 }, (_, id) => ({ id, what: `number ${id}` })),
  };
  assert.ok(isLonger(long, 20_000));
  assert.equal(isLonger({ a: "b" }, 20_000), false);
  assert.ok(isLonger('"'.repeat(12_000), 20_000), "as JSON it is twice as long");
  const seen: unknown[] = [];
  let from = 0;
  for (let rounds = 0; rounds < 9; rounds++) {
    const asked = from === 0 ? [] : paths(`items[${from}..]`);
    const { value } = asked.length === 0 ? { value: long } : picked(long, asked);
    const part = within(value, 5000, offsets(asked));
    assert.ok(JSON.stringify(part.value).length <= 5000);
    seen.push(...(part.value as { items: unknown[] }).items);
    if (part.left.length === 0) break;
    assert.deepEqual(part.left, [{ at: "items", shown: seen.length, of: 900 }]);
    from = part.left[0]!.shown;
  }
  assert.deepEqual(seen, long.items);
});

Deno.test("a long text is read on where it was cut, also within a list's first item", () => {
  const text = "abcdefghij".repeat(3000);
  const first = within({ id: 1, text }, 20_000);
  const [{ at, shown, of } = { at: "", shown: 0, of: 0 }] = first.left;
  assert.deepEqual([at, of], ["text", 30_000]);
  const cut = (first.value as { text: string }).text;
  assert.ok(cut.endsWith(`read on with fields "text[${shown}..]"]`), cut.slice(-90));
  const rest = within(
    picked({ text }, paths(`text[${shown}..]`)).value,
    20_000,
    offsets(paths(`text[${shown}..]`)),
  );
  assert.equal(cut.split(CUT_MARK)[0]! + (rest.value as { text: string }).text, text);
  const inList = within({ items: [{ text }, { text: "short" }] }, 5000);
  assert.deepEqual(inList.left.map((one) => one.at), ["items[0].text", "items"]);
  const names = within(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`name ${at}`, at])), 5000);
  assert.ok(JSON.stringify(names.value).length <= 5000 && names.left[0]!.of === 3000);
});

Deno.test("a name that holds dots is found by its own, and a path that goes deeper than any name is passed over", () => {
  const value = { "a.b": { c: 1 }, "a.b.c": 2, a: { b: { c: 3 } } };
  assert.deepEqual(picked(value, paths("a.b.c")).value, value);
  assert.deepEqual(picked({ ab: 1 }, paths("a.b")).missing, ["a.b"]);
  assert.equal(pathOf(Array.from({ length: 33 }, () => "a").join(".")), null);
  assert.equal(pathOf("a".repeat(501)), null);
});

Deno.test("several paths into one list each have their own range", () => {
  const items = [{ id: 0, title: "a" }, { id: 1, title: "b" }, { id: 2, title: "c" }];
  assert.deepEqual(picked({ items }, paths("items[0].id", "items[2].title")), {
    value: { items: [{ id: 0 }, { title: "c" }] },
    missing: [],
  });
  assert.deepEqual(picked({ items }, paths("items.id", "items[1..]")).value, {
    items: [{ id: 0 }, items[1], items[2]],
  });
  const texts = picked({ text: "abcdef" }, paths("text[0..1]", "text[4..]"));
  assert.deepEqual(texts, { value: { text: "ab" }, missing: ["text[4..]"] });
});
