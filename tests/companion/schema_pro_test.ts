/** Custom schema in the store of Schema Pro, by a stand-in of it. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, rows, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => (wp = await Companion.start("schemapro", "rankmath")));

const LOCATION = { rule: ["basic-global"], specific: [] };
const TARGETS = { shown_on: LOCATION, hidden_on: null };
const TEXT = "custom-markup-custom-text";

async function entry(title: string, markup: unknown, post_status = "publish"): Promise<number> {
  const meta: Json = { "bsf-aiosrs-schema-type": "custom-markup", "bsf-aiosrs-schema-location": LOCATION };
  if (markup !== undefined) meta["bsf-aiosrs-custom-markup"] = markup;
  return (await wp.peek({ post: { post_type: "aiosrs-schema", post_title: title, post_status }, meta })).id;
}

const write = (id: number, body: Json) => wp.call("ed", "POST", `/schema/entries/${id}`, body);

test("entries are listed, searched in their markup, and read one by one", async () => {
  const text = await entry("Text", '{"@type":"Organization","name":"Äcme"}');
  const array = await entry("Array", {
    "custom-markup": "custom-text",
    [TEXT]: '<script>{"@type":"Person"}</script>',
  }, "draft");
  const none = await entry("Made by settings", undefined);
  const list = await wp.call("ed", "GET", "/schema/entries");
  assert.deepEqual([list.body["provider"], list.body["total"]], ["schemapro", 3]);
  assert.deepEqual(list.body["entries"], [
    {
      post_id: text,
      type: "custom-markup",
      status: "publish",
      title: "Text",
      value_type: "string",
      value: '{"@type":"Organization","name":"Äcme"}',
      targets: TARGETS,
    },
    {
      post_id: array,
      type: "custom-markup",
      status: "draft",
      title: "Array",
      value_type: "array",
      value: { "custom-markup": "custom-text", [TEXT]: '<script>{"@type":"Person"}</script>' },
      targets: TARGETS,
    },
    {
      post_id: none,
      type: "custom-markup",
      status: "publish",
      title: "Made by settings",
      value_type: "none",
      value: null,
      targets: TARGETS,
    },
  ]);
  for (
    const [needle, ids] of [["organization", [text]], ['"@type":"Person"', [array]], ["%22", []]] as const
  ) {
    const found = await wp.call("ed", "GET", `/schema/entries?needle=${encodeURIComponent(needle)}`);
    assert.deepEqual(rows(found, "entries").map((one) => one["post_id"]), ids, needle);
  }
  const page = await wp.call("ed", "GET", "/schema/entries?per_page=2&page=2");
  assert.deepEqual([rows(page, "entries")[0]!["post_id"], page.body["total"]], [none, 3]);
  assert.deepEqual(cut(await wp.call("ed", "GET", `/schema/entries/${array}`), "title"), [200, "Array"]);
  assert.deepEqual(cut(await wp.call("ed", "GET", "/schema/entries?per_page=101")), [
    400,
    "rest_invalid_param",
  ]);
});

test("a text stays a text in the form it had, and only the markup changes", async () => {
  const post = await wp.draft("ed");
  await wp.peek({ id: post, meta: { wp_schema_pro_optimized_structured_data: "stale" } });
  const bare = await entry("Bare", '{"@type":"A"}');
  const json = `{"@type":"B","n":1.0,"o":{},"l":[],"t":"q\\" \\\\ ü 😀 $&"}`;
  assert.deepEqual(
    cut(await write(bare, { value: json, expect_value_type: "string" }), "value_type", "value"),
    [200, "string", json],
  );
  const { meta } = await wp.peek({ id: bare });
  assert.equal(meta["bsf-aiosrs-custom-markup"], json);
  assert.deepEqual(meta["bsf-aiosrs-schema-location"], LOCATION);
  assert.equal((await wp.peek({ id: post })).meta["wp_schema_pro_optimized_structured_data"], undefined);
  const framed = await entry("Framed", '<script type="application/ld+json">\n{"@type":"A"}\n</script>\n');
  const answer = await write(framed, { value: `{"@type":"</script><!--<script>"}` });
  const value = answer.body["value"] as string;
  assert.equal(
    value,
    `<script type="application/ld+json">\n{"@type":"\\u003C/script>\\u003C!--\\u003Cscript>"}\n</script>\n`,
  );
  const markup = await write(bare, { value: '{"@type":"<img src=x onerror=alert(1)>"}' });
  assert.equal(markup.body["value"], '{"@type":"\\u003Cimg src=x onerror=alert(1)>"}');
  const again = await write(framed, { value: '<script type="application/ld+json">{"@type":"C"}</script>' });
  assert.equal(again.body["value"], `<script type="application/ld+json">\n{"@type":"C"}\n</script>\n`);
});

test("what stands around the one script element stays; of several none is picked", async () => {
  const around = (json: string) =>
    `<!-- Sitewide -->\n<script async type='application/ld+json' data-x="1">${json}</script>\n<!-- end -->`;
  const id = await entry("Around", around('{"@type":"A"}'));
  assert.equal((await write(id, { value: '{"@type":"B"}' })).body["value"], around('{"@type":"B"}'));
  const within = await entry("Within", { "custom-markup": "custom-text", [TEXT]: around("{broken") });
  const { value } = (await write(within, { value: { [TEXT]: '{"@type":"C"}' } })).body;
  assert.equal((value as Json)[TEXT], around('{"@type":"C"}'));
  const two = await entry("Two", around('{"@type":"A"}') + around('{"@type":"D"}'));
  const answer = await write(two, { value: '{"@type":"B"}' });
  assert.deepEqual(cut(answer), [422, "site_ops_value_type"]);
});

test("an array stays an array; what is not sent stays, and its text is checked as JSON", async () => {
  const id = await entry("Array", { "custom-markup": "custom-text", [TEXT]: '{"@type":"A"}' });
  const answer = await write(id, { value: { [TEXT]: '{"@type":"B"}' }, expect_value_type: "array" });
  assert.deepEqual(cut(answer, "value"), [200, { "custom-markup": "custom-text", [TEXT]: '{"@type":"B"}' }]);
  assert.deepEqual(cut(await write(id, { value: { [TEXT]: "{broken" } })), [422, "site_ops_invalid_json"]);
  assert.deepEqual((await wp.peek({ id })).meta["bsf-aiosrs-custom-markup"], answer.body["value"]);
});

test("another type, no JSON, and an entry made from settings are refused", async () => {
  const text = await entry("Text", '{"@type":"A"}');
  const array = await entry("Array", { "custom-markup": "custom-text", [TEXT]: "{}" });
  const none = await entry("None", undefined);
  const list = await entry("List", [{ "@type": "A" }]);
  const bad: [number, Json, number, string][] = [
    [text, { value: { a: 1 } }, 422, "site_ops_value_type"],
    [text, { value: ["a"] }, 422, "site_ops_value_type"],
    [text, { value: "{}", expect_value_type: "array" }, 422, "site_ops_value_type"],
    [array, { value: "{}" }, 422, "site_ops_value_type"],
    [array, { value: ["{}"] }, 422, "site_ops_value_type"],
    [array, { value: { [TEXT]: { "@type": "A" } } }, 422, "site_ops_value_type"],
    [array, { value: { [TEXT]: null } }, 422, "site_ops_value_type"],
    [array, { value: { other: "x".repeat(102_400) } }, 413, "site_ops_too_large"],
    [list, { value: [] }, 422, "site_ops_value_type"],
    [list, { value: {} }, 422, "site_ops_value_type"],
    [list, { value: ["x".repeat(102_400)] }, 413, "site_ops_too_large"],
    [none, { value: "{}" }, 422, "site_ops_value_type"],
    [text, { value: "{broken" }, 422, "site_ops_invalid_json"],
    [text, { value: "7" }, 422, "site_ops_invalid_json"],
    [text, { value: '{"a":1}</script><script>alert(1)' }, 422, "site_ops_invalid_json"],
    [text, { value: `{"a":"${"x".repeat(102_400)}"}` }, 413, "site_ops_too_large"],
    [text, {}, 400, "rest_missing_callback_param"],
    [text, { value: "{}", expect_value_type: "text" }, 400, "rest_invalid_param"],
    [99999, { value: "{}" }, 404, "site_ops_schema_entry_not_found"],
  ];
  for (const [id, body, status, code] of bad) {
    assert.deepEqual(cut(await write(id, body)), [status, code], JSON.stringify(body).slice(0, 60));
  }
  const replaced = await write(list, { value: [{ "@type": "A" }] });
  assert.deepEqual(cut(replaced, "value", "targets"), [200, [{ "@type": "A" }], TARGETS]);
  assert.equal((await wp.peek({ id: text })).meta["bsf-aiosrs-custom-markup"], '{"@type":"A"}');
  assert.deepEqual((await wp.peek({ id: list })).meta["bsf-aiosrs-custom-markup"], [{ "@type": "A" }]);
  const page = await wp.draft("ed");
  assert.deepEqual(cut(await wp.call("ed", "GET", `/schema/entries/${page}`)), [
    404,
    "site_ops_schema_entry_not_found",
  ]);
});
