/** What an agent reads of an answer over MCP: the same facts, none twice, and nothing that says nothing. */
import assert from "node:assert/strict";
import { lean } from "../../../guard/lean/lean.ts";
import type { Manifest } from "../../../registry/manifest.ts";

type Fields = Record<string, unknown>;
const of = (result: unknown, more: Partial<Manifest> = {}) =>
  ({ tier: 0, raise: [], sparse: true, input: {}, result, ...more }) as unknown as Manifest;

Deno.test("what is described and says nothing is left out; what nobody knows, and what is not ours, stays", () => {
  const manifest = of({
    rows: [{
      "title~": "string",
      "views~": "integer",
      "open~": "boolean",
      tags: ["string"],
      by: { "x?": "string" },
    }],
    "stopped~": "date-time",
    notes: ["string"],
    "base_url~": "string",
    frontmatter: "object -- the file's own",
    raw: "any -- the site's own",
  });
  const data = { tags: [], draft: null };
  const answer = {
    rows: [{ title: null, views: null, open: null, tags: [], by: {} }],
    stopped: null,
    notes: [],
    base_url: null,
    frontmatter: data,
    raw: null,
    unknown: null,
  };
  assert.deepEqual(lean(answer, manifest, {}), {
    rows: [{ views: null, open: null }],
    base_url: null,
    frontmatter: data,
    raw: null,
    unknown: null,
  });
});

Deno.test("a tool that is not sparse answers all its keys", () => {
  const answer = { total: 0.123456, items: [], next: null };
  const manifest = of({ total: "number", items: ["string"], "next~": "string" }, { sparse: false });
  assert.deepEqual(lean(answer, manifest, {}), answer);
});

Deno.test("the list that was asked for stays where it is empty", () => {
  const manifest = of({ total: "integer", items: ["string"], left_out: ["string"] });
  assert.deepEqual(lean({ total: 0, items: [], left_out: [] }, manifest, {}), { total: 0, items: [] });
});

Deno.test("fractions have four digits that count, whole numbers and data of others all of theirs", () => {
  const manifest = of({
    share: "number",
    small: "number",
    sum: "number",
    count: "integer",
    raw: "any -- a vendor's",
  });
  const answer = {
    share: 0.115164100943524,
    small: -0.0000123456,
    sum: 23350.123456,
    count: 23350123456,
    raw: 0.123456,
  };
  const told = { share: 0.1152, small: -0.00001235, sum: 23350.1235, count: 23350123456, raw: 0.123456 };
  assert.deepEqual(lean(answer, manifest, {}), told);
});

Deno.test("parts that few need are named, and there where a call asks for parts itself", () => {
  const manifest = of(
    { total: "integer", rows: [{ id: "id", title: "string", sha: "string" }], at: "date-time" },
    { aside: ["at", "rows.id", "rows.sha", "rows.nothing"] },
  );
  const answer = { total: 1, rows: [{ id: 1, title: "A", sha: "f00" }], at: "2026-01-01T00:00:00Z" };
  assert.deepEqual(lean(answer, manifest, {}), {
    total: 1,
    rows: [{ title: "A" }],
    with_fields: "at, rows.{id,sha}",
  });
  for (const asked of [{ fields: "rows.id" }, { summary: false }]) {
    assert.equal(lean(answer, manifest, asked), answer);
  }
  assert.deepEqual(lean({ total: 0, rows: [] }, manifest, {}), { total: 0, rows: [] });
  const own = {
    ...manifest,
    input: { type: "object", properties: { summary: { type: "boolean" } } },
  } as const;
  const lessens = lean(answer, own as unknown as Manifest, { summary: false }) as Fields;
  assert.equal(lessens["with_fields"], "at, rows.{id,sha}", "a tool's own summary is no part of its answer");
});

Deno.test("parts that few need are left out from an item of a list on", () => {
  const manifest = of({ pages: [{ url: "string", text: "string" }], at: "string" }, {
    aside: ["pages[1..].text", "at"],
  });
  const page = (url: string) => ({ url, text: `text of ${url}` });
  const [one, two, three] = [page("1"), page("2"), page("3")];
  const told = lean({ pages: [one, two, three], at: "now" }, manifest, {});
  assert.deepEqual(told, {
    pages: [one, { url: "2" }, { url: "3" }],
    with_fields: "pages[1..].text, at",
  });
  assert.deepEqual(lean({ pages: [one] }, manifest, {}), { pages: [one] });
});

Deno.test("what is no object of ours is the very value", () => {
  const manifest = of("string");
  for (const answer of ["a text", 7, null, [null], new Date(0)]) {
    assert.equal(lean(answer, manifest, {}), answer);
  }
  const answer = { a: null };
  assert.equal(lean(answer, of(undefined), {}), answer);
});

const preview = (more: Fields): Fields => ({
  needs_confirmation: true,
  tool: "write",
  site_id: null,
  tier: 1,
  summary: "Write",
  changes: [],
  revision: null,
  confirm_token: "cft_x",
  undoable: true,
  warnings: [],
  ...more,
});
const shown = (more: Fields, args: Fields = {}) =>
  lean(preview(more), of({ id: "id" }, { tier: 1 }), args) as Fields;

Deno.test("a preview keeps every change: what is new, what goes, and what stands where it was", () => {
  const changes = [
    { field: "title", from: null, to: "A" },
    { field: "image", from: 7, to: null },
    { field: "note", from: "", to: "", origin: "the theme" },
  ];
  const { changes: told, ...rest } = shown({ changes, summary: "Write A", warnings: ["It is live"] });
  assert.deepEqual(told, {
    title: "A",
    image: { from: 7, to: null },
    note: { from: "", to: "", origin: "the theme" },
  });
  assert.deepEqual(rest, {
    needs_confirmation: true,
    tool: "write",
    site_id: null,
    tier: 1,
    summary: "Write A",
    confirm_token: "cft_x",
    undoable: true,
    warnings: ["It is live"],
  });
});

type Texts = Record<string, string>;

Deno.test("of a text what differs is shown in whole words and numbers, and what is around it once", () => {
  const around = "Ask us day and night, on every day of the whole year, and for any reason at all:";
  const told = (from: string, to: string) => {
    const { text } = shown({ changes: [{ field: "text", from, to }] })["changes"] as Record<string, Texts>;
    const { from: was, to: next, context } = text!;
    if (context !== undefined) {
      assert.deepEqual([was, next].map((part) => context.replace("[here]", () => part!)), [from, to]);
    }
    return [was, next];
  };
  assert.deepEqual(told(`${around} 01 555 70 44 is it`, `${around} 01 555 90 10 is it`), [
    "01 555 70 44",
    "01 555 90 10",
  ]);
  assert.deepEqual(told(`${around} 90 euros`, `${around} 900 euros`), ["90", "900"]);
  assert.deepEqual(told(`${around} end`, `${around} the end`), ["end", "the end"]);
  assert.deepEqual(told("😀 a", "😁 a"), ["😀 a", "😁 a"]);
  assert.deepEqual(told(`${around} 😀`, `${around} 😁`), ["😀", "😁"]);
  assert.deepEqual(told(around, around), [around, around]);
});

Deno.test("a long text that is sent as it will stand is shown by its beginning and end, what is set around it whole", () => {
  const content = `Begin ${"word ".repeat(100)}end`;
  const to = `<!-- made -->\n${content}\n<!-- end -->`;
  const change = { field: "content", from: null, to };
  const told = shown({ changes: [change] }, { changes: [{ arguments: { content } }] })["changes"] as Texts;
  assert.match(
    told["content"]!,
    /^<!-- made -->\nBegin word.* … \(509 characters, exactly as sent\) … .*word end\n<!-- end -->$/s,
  );
  assert.ok(told["content"]!.length < 300);
  const other = [{ ...change, to: to.replace("Begin", "BEGIN") }];
  assert.deepEqual(shown({ changes: other }, { content })["changes"], { content: other[0]!.to });
  const over = [{ ...change, from: "Old" }];
  assert.deepEqual(shown({ changes: over }, { content })["changes"], { content: { from: "Old", to } });
});

Deno.test("beside the text of a file its size is not shown; of another field, whatever a site calls it, it is", () => {
  const size = { sha: "f00", bytes: 3 };
  const file = { field: "a.md", from: size, to: { bytes: 4 } };
  const text = { field: "a.md (text)", from: "a", to: "b" };
  const names = (...changes: Fields[]) => Object.keys(shown({ changes })["changes"] as Fields);
  assert.deepEqual(names(file, { ...text, text_of: "a.md" }, { ...file, field: "b" }), ["a.md (text)", "b"]);
  assert.deepEqual(names(file, text), ["a.md", "a.md (text)"]);
});

Deno.test("a new value that is an object stands as to, and of two changes of one field neither is lost", () => {
  const of = (...changes: Fields[]) => shown({ changes })["changes"];
  const [made, again] = [{ field: "map", from: null, to: { to: 1 } }, { field: "map", from: 1, to: 2 }];
  assert.deepEqual(of(made), { map: { to: { to: 1 } } });
  assert.deepEqual(of(made, again), [{ field: "map", to: { to: 1 } }, again]);
});

const item = (n: number, more: Fields) => ({
  item: n,
  tool: "write",
  site_id: "a",
  tier: 1,
  revision: "rev",
  undoable: false,
  ...more,
});
const told = (n: number, more: Fields) => ({ item: n, tool: "write", ...more });

Deno.test("items of a set say once what is so of several, and each what is its own", () => {
  const { site_id, items, items_alike } = shown({
    undoable: false,
    items: [
      item(1, { undoable_reason: "It is new", warnings: ["Heavy", "Own"] }),
      item(2, { undoable: true, warnings: ["Heavy"], tier: 2 }),
      item(3, { undoable_reason: "It is new" }),
      item(4, { undoable_reason: "Another" }),
    ],
  });
  assert.equal(site_id, "a");
  assert.deepEqual(items, [
    told(1, { warnings: ["Own"] }),
    told(2, { tier: 2, undoable: true }),
    told(3, {}),
    told(4, { undoable_reason: "Another" }),
  ]);
  assert.deepEqual(items_alike, [
    { items: [1, 3], undoable_reason: "It is new" },
    { items: [1, 2], warnings: ["Heavy"] },
  ]);
});

Deno.test("warnings that differ in the item's own name are said once; a name that is another's stays", () => {
  const live = (name: string) => `the page "${name}" is live`;
  const named = (n: number, name: string, ...warnings: string[]) =>
    item(n, { summary: `Change the page "${name}" by "B"`, warnings });
  const { items, items_alike } = shown({
    undoable: false,
    items: [
      named(1, "A", live("A"), live("B")),
      named(2, "C", live("C"), live("D")),
      named(3, "E", live("F"), 'no "name'),
    ],
  }) as { items: Fields[]; items_alike: Fields[] };
  assert.deepEqual(items_alike, [{ items: [1, 2], warnings: [live("…")] }]);
  assert.deepEqual(items.map(({ warnings }) => warnings), [[live("B")], [live("D")], [
    live("F"),
    'no "name',
  ]]);
});

Deno.test("an item of a set has its own changes, and those that are alike are said once", () => {
  const change = (n: number, field: string, to: string) => ({ field: `item ${n}: ${field}`, from: "x", to });
  const status = { status: { from: "x", to: "review" } };
  const { items, items_alike, changes } = shown({
    undoable: false,
    items: [item(1, {}), item(2, {}), item(10, {})],
    changes: [
      change(1, "status", "review"),
      change(2, "status", "review"),
      change(10, "status", "draft"),
      { field: "item 10: title", from: null, to: "T" },
      { field: "of none", from: null, to: 7 },
    ],
  });
  assert.deepEqual(items, [
    told(1, {}),
    told(2, {}),
    told(10, { changes: { status: { from: "x", to: "draft" }, title: "T" } }),
  ]);
  assert.deepEqual(items_alike, [{ items: [1, 2], changes: status }]);
  assert.deepEqual(changes, { "of none": 7 });
});

Deno.test("the site's name stands once, and a hit that is replaced at its item, which no warning's words can say", () => {
  const warnings = ["Item 2 is of the shop of today", "Stays: page:7"];
  const summary = "Replace: 2 changes on A, website";
  const at = (n: number, text: string, site_id = "a") => item(n, { summary: text, site_id });
  const set = shown({
    summary,
    warnings,
    undoable: false,
    items: [
      { ...at(1, "Change a post on A, website"), hits: [{ hit: "post:15:title" }] },
      at(2, "Change a post, live, on A, website, last"),
    ],
  });
  assert.deepEqual(set["items"], [
    told(1, { summary: "Change a post", hits: [{ hit: "post:15:title" }] }),
    told(2, { summary: "Change a post, live, last" }),
  ]);
  assert.deepEqual([set["summary"], set["warnings"]], [summary, warnings]);
  const onMain = shown({
    summary: "Two changes on Mondays: 1 change on Pizza on Main",
    undoable: false,
    items: [at(1, "Change it on Pizza on Main")],
  });
  assert.deepEqual(onMain["items"], [told(1, { summary: "Change it" })]);
  const two = shown({ summary, undoable: false, items: [at(1, "Change on A, website"), at(2, "B", "b")] });
  assert.deepEqual(two["items"], [
    told(1, { summary: "Change on A, website", site_id: "a" }),
    told(2, { summary: "B", site_id: "b" }),
  ]);
});

const SET = {
  set_id: "string",
  counts: { "*": "integer" },
  items: [{ item: "integer", "*": "any -- of its tool" }],
};
const ended = (items: readonly Fields[], counts: Fields, more: Fields = {}) => ({
  set_id: "s",
  counts,
  items,
  verified: true,
  ...more,
});
const done = { tool: "write", site_id: "a", request_id: "r", state: "done", verified: true };

Deno.test("of a set that is done each item says what it made; get_change_set names its call as well", () => {
  const live = { checked_at: "now", address: "/", as_expected: true, differs: [] };
  const answer = ended([
    { item: 1, ...done, id: 5, url: "/a" },
    { item: 2, ...done, id: 5, post_id: 5, url: "/a", live },
  ], { done: 2 });
  const told = (tier: 0 | 1) => lean(answer, of(SET, { tier }), {}) as { items: Fields[]; site_id: string };
  assert.equal(told(1).site_id, "a");
  assert.deepEqual(told(1).items, [{ item: 1, id: 5, url: "/a" }, {
    item: 2,
    id: 5,
    live: { as_expected: true },
  }]);
  assert.deepEqual(told(0).items[0], { item: 1, tool: "write", request_id: "r", id: 5, url: "/a" });
});

Deno.test("a set's commits on one branch, and why nobody looked, are said once", () => {
  const reason = "the branch is built first";
  const at = (n: number, more: Fields = {}) => ({
    item: n,
    ...done,
    id: `a${n}.md`,
    path: `a${n}.md`,
    branch: "main",
    commit_sha: `c${n}`,
    live_reason: reason,
    ...more,
  });
  const own = (...items: Fields[]) =>
    lean(ended(items, { done: items.length }, { title: "T" }), of(SET, { tier: 1 }), {}) as Fields;
  const { title, branch, live_reason, items } = own(at(1), at(2));
  assert.deepEqual([title, branch, live_reason], [undefined, "main", reason]);
  assert.deepEqual(items, [{ item: 1, id: "a1.md" }, { item: 2, id: "a2.md", commit_sha: "c2" }]);
  const apart = own(at(1), at(2, { branch: "b", path: "c.md", live_reason: "another" }));
  assert.deepEqual(apart["items"], [
    { item: 1, id: "a1.md", branch: "main", commit_sha: "c1", live_reason: reason },
    { item: 2, path: "c.md", id: "a2.md", branch: "b", commit_sha: "c2", live_reason: "another" },
  ]);
  const read = lean(ended([at(1)], { done: 1 }, { title: "T" }), of(SET), {}) as Fields;
  assert.equal(read["title"], "T");
});

Deno.test("of a set that is not done, or not proven, each item says all of it", () => {
  const lost = {
    item: 2,
    ...done,
    site_id: "b",
    state: "failed",
    verified: undefined,
    error: { code: "E_UPSTREAM", message: "No" },
  };
  const live = { as_expected: false, differs: [{ field: "title" }] };
  const answer = ended([{ item: 1, ...done, verified: false, live }, lost], { done: 1, failed: 1 }, {
    verified: false,
  });
  const { items } = lean(answer, of(SET, { tier: 1 }), {}) as { items: Fields[] };
  assert.deepEqual(items, [
    { item: 1, site_id: "a", state: "done", verified: false, live },
    { item: 2, site_id: "b", tool: "write", request_id: "r", state: "failed", error: lost.error },
  ]);
});
