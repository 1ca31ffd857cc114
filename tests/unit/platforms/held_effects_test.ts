/** What a held call did, as a person reads it: values by their names, elements by their ids, one name for a post. */
import assert from "node:assert/strict";
import type { HeldEffect, HeldEffects } from "../../../platforms/_content/holds.ts";
import { changesOf, named } from "../../../platforms/_proxied_calls/held_effects.ts";
import { jsonChanges } from "../../../platforms/_proxied_calls/json_changes.ts";

const POST = { id: 8, type: "page", title: "Prices", status_before: null, status_after: "draft" };
const NAME = 'Page 8 "Prices" (draft)';
const effect = (more: Partial<HeldEffect>): HeldEffect => ({
  label: "draft",
  what: NAME,
  change: "made",
  table: "posts",
  key: "8",
  post: POST,
  fields: [],
  ...more,
});
const made = (values: Record<string, unknown>) =>
  Object.entries(values).map(([name, to]) => ({ name, from: null, to }));
const field = (key: string, to: string, from: string | null = null): HeldEffect =>
  effect({
    table: "postmeta",
    what: `Field ${key} of ${NAME}`,
    change: from === null ? "made" : "changed",
    fields: from === null
      ? made({ meta_id: "3", post_id: "8", meta_key: key, meta_value: to })
      : [{ name: "meta_value", from, to }],
  });
const held = (...effects: HeldEffect[]): HeldEffects => ({ digest: "", labels: ["draft"], effects, more: 0 });

Deno.test("a new page is named once, and its values by their own names, without ids and times of the write", () => {
  const row = effect({
    fields: made({ ID: "8", post_title: "Prices", post_date: "a", post_modified: "a", guid: "g" }),
  });
  const all = held(field("_edit_mode", "builder"), row);
  assert.equal(named(all), `made ${NAME}`);
  assert.deepEqual(changesOf(all), [
    { field: "page 8: _edit_mode", from: null, to: "builder" },
    { field: "page 8: post_title", from: null, to: "Prices" },
  ]);
});

Deno.test("a new field without a value, and a new term, are shown as made, by their names alone", () => {
  const blank = { ...field("_empty", ""), fields: made({ meta_id: "3", post_id: "8", meta_key: "_empty" }) };
  const ids = made({ object_id: "8", term_taxonomy_id: "5" });
  const term = effect({ table: "term_relationships", what: `Term 5 of ${NAME}`, fields: ids });
  assert.deepEqual(changesOf(held(blank, term)), [
    { field: "page 8: _empty", from: null, to: "made" },
    { field: `Term 5 of ${NAME}`, from: null, to: "made" },
  ]);
});

Deno.test("a field of a post is named with its own kind where the post has another, and nothing is called nothing", () => {
  const code = { ...field("_code", "<script>"), label: "code" };
  assert.equal(
    named(held(effect({}), code), ["draft", "code"]),
    `made ${NAME}; made Field _code of ${NAME} (code)`,
  );
  assert.equal(named(held(effect({ label: "cache" }))), "changed nothing");
  assert.equal(named(held(), ["other"]), "had effects of these kinds: other");
});

Deno.test("a time that is all that changed is shown", () => {
  const fields = [{ name: "post_modified", from: "a", to: "b" }];
  const only = effect({ change: "changed", fields });
  assert.deepEqual(changesOf(held(only)), [{ field: "page 8: post_modified", from: "a", to: "b" }]);
  const [date] = changesOf(held(effect({
    change: "changed",
    fields: [...fields, { name: "post_date", from: "a", to: "2010" }],
  })));
  assert.deepEqual(date, { field: "page 8: post_date", from: "a", to: "2010" }, "a date that somebody set");
});

Deno.test("of the elements of a page each value that differs is shown, with the id of its element", () => {
  const heading = (id: string, title: string) => ({
    id,
    elType: "widget",
    settings: { title },
    elements: [],
  });
  const page = (...elements: unknown[]) =>
    JSON.stringify([{ id: "c0", elType: "container", settings: [], elements }]);
  const [one, two, three] = [heading("a1", "One"), heading("a2", "Two"), heading("a3", "Three")];
  const shown = (from: string, to: string) => changesOf(held(field("_elementor_data", to, from)));
  const at = "page 8: _elementor_data";
  assert.deepEqual(shown(page(one, two), page(one, heading("a2", "2"))), [
    { field: `${at}, element a2: settings.title`, from: "Two", to: "2" },
  ]);
  assert.deepEqual(shown(page(one), page(one, three)), [{
    field: `${at}, element a3: new in element c0, at position 1`,
    from: null,
    to: '{"elType":"widget","elements":[],"id":"a3","settings":{"title":"Three"}}',
  }]);
  assert.deepEqual(shown(page(one, two), page(two)).map((change) => [change.field, change.to]), [
    [`${at}, element a1: removed from element c0`, null],
  ]);
  assert.deepEqual(shown(page(one, two), page(two, one)), [
    { field: `${at}, order of the elements in element c0`, from: "a1, a2", to: "a2, a1" },
  ]);
});

Deno.test("what is no JSON, or differs in too much of it, is left to a comparison of texts", () => {
  const list = (from: number) => JSON.stringify(Array.from({ length: 60 }, (_, at) => from + at));
  const deep = (text: string) => `${"[".repeat(100)}${text}${"]".repeat(100)}`;
  const rows = [["a", "b"], ["1", "2"], ["{}", "{"], [null, "{}"], [list(0), list(100)], [
    deep("1"),
    deep("2"),
  ], [
    '{"a":1}',
    '{ "a": 1 }',
  ]];
  for (const [from, to] of rows) assert.equal(jsonChanges(from, to), null, `${from} ${to}`);
  assert.deepEqual(jsonChanges('{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}'), [{
    field: "a.b[1]",
    from: 2,
    to: 3,
  }]);
});
