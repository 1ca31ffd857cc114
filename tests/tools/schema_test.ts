/** Custom schema is read, previewed and changed through both doors, as a text, an array, a list or page by page. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS, type Refused, refusedCalls } from "../cms_kit.ts";
import { BY_PAGE, GLOBAL, type SchemaWorld, schemaWorld, test, TEXT } from "./_schema.ts";

interface Entry {
  readonly post_id: number;
  readonly type: string;
  readonly status: string;
  readonly title: string;
  readonly value_type: string;
  readonly value: unknown;
}

const NEXT = '{"@type":"Organization","name":"q\\" \\\\ \u{1f600} $& </script><!--","n":1,"o":{},"l":[]}';

/** What the tools say of a stored entry. */
function shown(id: number): Entry {
  const { type, status, title, value } = [...GLOBAL, ...BY_PAGE].find((one) => one.id === id)!;
  const value_type = value === undefined ? "none" : typeof value === "string" ? "string" : "array";
  const word = status === "publish" ? "published" : status;
  return { post_id: id, type, status: word, title, value_type, value: value ?? null };
}

test("get_custom_schema lists, searches, pages and reads one by id, the same through both doors", async (at) => {
  const list = (args: Args) => at.kit.both<Args>("get_custom_schema", { site_id: "schema", ...args });
  const page = { page: 1, per_page: 20, total_pages: 1 };
  const all = [10, 11, 12, 13, 14].map(shown);
  assert.deepEqual(await list({}), { ...page, entries: all, total: 5 });
  assert.deepEqual(await list({ needle: "äcme" }), { ...page, entries: [shown(10)], total: 1 });
  assert.deepEqual(await list({ needle: '"@type":"Event"' }), { ...page, entries: [shown(12)], total: 1 });
  assert.deepEqual(await list({ needle: "%" }), { ...page, entries: [], total: 0, total_pages: 0 });
  const second = { page: 2, per_page: 2 };
  assert.deepEqual(await list(second), { ...second, entries: all.slice(2, 4), total: 5, total_pages: 3 });
  assert.deepEqual(await list({ page: 9 }), { ...page, page: 9, entries: [], total: 5 });
  for (const { post_id } of all) assert.deepEqual(await list({ id: String(post_id) }), shown(post_id));
  const { query } = at.cms.requests.findLast(({ path }) => path.endsWith("/entries"))!;
  assert.deepEqual(query, { page: "9", per_page: "20" });
});

for (const door of DOORS) {
  test(`set_custom_schema through ${door} changes a text, in the form it has`, async (at) => {
    const args = { site_id: "schema", id: 10, value: NEXT };
    const { done, row } = await at.kit.write<Entry>(door, "set_custom_schema", args);
    const value = NEXT.replaceAll("<", "\\u003C");
    assert.deepEqual(done, { ...shown(10), value });
    assert.deepEqual([at.entry(10).value, at.entry(10).targets], [value, GLOBAL[0]!.targets]);
    assert.deepEqual(at.cms.writes.map(({ path, body }) => [path, body]), [
      ["/site-ops/v1/schema/entries/10", { value: NEXT, expect_value_type: "string" }],
    ]);
    assert.deepEqual([row.tier, row.result_id, row._published], [3, 10, true]);
    const fields = row.changes?.map(({ field }) => field);
    assert.deepEqual(fields, ["value.name", "value.o", "value.l"]);
    const framed = '<script type="application/ld+json">{"@type":"Person","name":"Ann"}</script>';
    const next = await at.kit.write<Entry>(door, "set_custom_schema", {
      site_id: "schema",
      id: "11",
      value: framed,
    });
    assert.equal(
      next.done.value,
      '<script type="application/ld+json">\n{"@type":"Person","name":"Ann"}\n</script>',
    );
    assert.deepEqual([next.row.result_id, next.row._published], ["11", undefined]);
  });

  test(`set_custom_schema through ${door} changes of an array what is named, and all of a list`, async (at) => {
    const text = '{"@type":"Event","name":"New"}';
    const array = { site_id: "schema", id: 12, value: { [TEXT]: text } };
    const { done, row } = await at.kit.write<Entry>(door, "set_custom_schema", array);
    assert.deepEqual(done.value, { "custom-markup": "custom-text", [TEXT]: text });
    assert.deepEqual(row.changes, [{ field: `value.${TEXT}.name`, from: "Old", to: "New" }]);
    const list = { site_id: "schema", id: 13, value: [{ "@type": "B", o: {} }, "x", 1.5, true] };
    const second = await at.kit.write<Entry>(door, "set_custom_schema", list);
    assert.deepEqual([second.done.value_type, second.done.value], [
      "array",
      [{ "@type": "B", o: [] }, "x", 1.5, true],
    ]);
    assert.deepEqual(at.cms.writes.at(-1)!.body, { value: list.value, expect_value_type: "array" });
    const kept = [10, 11, 14].map((id) => at.entry(id));
    assert.deepEqual(kept, [10, 11, 14].map((id) => GLOBAL.find((one) => one.id === id)));
  });

  Deno.test(`set_custom_schema through ${door} needs the site's leave for the schema of a published page`, async () => {
    await using at = await schemaWorld({ provider: "rankmath" });
    const value = { FAQPage: { "@type": "FAQPage", name: "New", metadata: { title: "no" } } };
    const sent = { FAQPage: { "@type": "FAQPage", name: "New" } };
    const draft = await at.kit.write<Entry>(door, "set_custom_schema", { site_id: "schema", id: 20, value });
    assert.deepEqual(draft.done.value, { ...sent, Kept: { "@type": "Kept" } });
    assert.deepEqual(draft.row.changes, [{ field: "value.FAQPage.name", from: "Old", to: "New" }]);
    assert.deepEqual([draft.row._published, at.cms.writes.at(-1)!.body], [undefined, {
      value: sent,
      expect_value_type: "array",
    }]);
    for (const id of [21, 22]) {
      const args = { site_id: "schema", id, value };
      const says =
        /^Entry \d+ belongs to a (published|private) page, .* needs allow_seo_on_published on site "schema"/;
      const refusal = { says, sends: "reads" } as const;
      await at.kit.refuses("set_custom_schema", args, "E_FORBIDDEN_OP", refusal);
      await at.kit.refuses("set_custom_schema", { ...args, confirm: true }, "E_FORBIDDEN_OP", refusal);
      assert.deepEqual(at.entry(id), BY_PAGE.find((one) => one.id === id));
      const leave = { ...args, site_id: "leave" };
      const { done, row } = await at.kit.write<Entry>(door, "set_custom_schema", leave);
      assert.deepEqual([done.value, row._published], [{ ...sent, Kept: { "@type": "Kept" } }, true]);
      const body = { value: sent, expect_value_type: "array", allow_published: true };
      assert.deepEqual(at.cms.writes.at(-1)!.body, body);
    }
  });
}

test("a preview says who would see the change, and shows each part as it is on the site now", async (at) => {
  const preview = (args: Args) => at.kit.preview("set_custom_schema", { site_id: "schema", ...args });
  at.entry(10).value = '{"@type":"Organization","name":"Changed in the CMS","url":"/x"}';
  const text = await preview({ id: 10, value: '{"@type":"Organization","name":"New","logo":{"@id":"l"}}' });
  assert.equal(
    text.summary,
    'Change the custom schema "Organization" on schema; it is global: all pages it targets (basic-global, specifics, ' +
      "post-7, not special-404) change at once",
  );
  assert.deepEqual(text.changes, [
    { field: "value.name", from: "Changed in the CMS", to: "New" },
    { field: "value.url", from: "/x", to: null },
    { field: "value.logo.@id", from: null, to: "l" },
  ]);
  const draft = await preview({ id: 11, value: '{ "@type": "Person" }' });
  assert.match(draft.summary, /change once it is published, it is "draft"; it holds that already$/);
  assert.deepEqual(draft.changes, []);
  const list = await preview({ id: 13, value: [{ "@type": "B" }] });
  assert.match(list.summary, /"List" on schema; it is global: all pages it targets change at once$/);
  assert.deepEqual(list.changes, [{ field: "value", from: [{ "@type": "A" }], to: [{ "@type": "B" }] }]);
  const names = Array.from({ length: 30 }, (_, at) => [`p${at}`, at]);
  const many = await preview({ id: 10, value: JSON.stringify(Object.fromEntries(names)) });
  assert.deepEqual(many.changes.map(({ field }) => field), ["value"]);
  at.entry(10).targets = { shown_on: Array.from({ length: 8 }, (_, at) => `t${at}`), hidden_on: "" };
  const wide = await preview({ id: 10, value: '{"a":1}' });
  assert.match(wide.summary, /\(t0, t1, t2, t3, t4 and 3 more\)/);
  await using pages = await schemaWorld({ provider: "rankmath" });
  const value = { Kept: { "@type": "Kept", name: "x" } };
  const page = await pages.kit.preview("set_custom_schema", { site_id: "leave", id: 21, value });
  assert.equal(
    page.summary,
    'Change the custom schema (FAQPage, Kept) of the published "Live" on leave; it is published, visitors get the ' +
      "change at once",
  );
  assert.deepEqual(page.changes, [{ field: "value.Kept.name", from: null, to: "x" }]);
});

Deno.test("what Rank Math prints of a page's schema is looked for there, and what it prints otherwise is a warning", async () => {
  await using at = await schemaWorld({ provider: "rankmath" });
  const posted = addPost(at.cms.state, {
    type: "post",
    author: 2,
    title: "Live",
    content: "x",
    slug: "live",
  });
  posted.status = "publish";
  at.plugin.entries.set(posted.id, { ...structuredClone(BY_PAGE[1]!), id: posted.id });
  const value = { Kept: { "@type": "Kept", name: "Salt & pepper" } };
  const call = { site_id: "leave", id: posted.id, value };
  const { warnings } = await at.kit.preview("set_custom_schema", call);
  assert.match(warnings.join(), /value\.Kept: Rank Math prints "&" as "&amp;" .* \(name\)/);
  const shows = (name: string) => {
    const graph = { "@graph": [{ "@type": "Kept", name }, { "@type": "FAQPage", mainEntity: [] }] };
    const tags = [`<script type="application/ld+json">${JSON.stringify(graph)}</script>`];
    at.cms.state.heads.splice(0, 9, () => ({ tags }));
  };
  shows("Salt &amp; pepper");
  const { live } = (await at.kit.write("rest", "set_custom_schema", call)).proof;
  assert.deepEqual([live!.as_expected, live!["differs"]], [false, [
    { field: "structured_data.Kept.name", expected: "Salt & pepper", seen: "Salt &amp; pepper" },
  ]]);
  shows("Salt");
  const plain = { ...call, value: { Kept: { "@type": "Kept", name: "Salt" } } };
  assert.equal((await at.kit.write("mcp", "set_custom_schema", plain)).proof.live!.as_expected, true);
});

const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{"b":1}${"}".repeat(levels - 1)}`;
const BAD: Refused = {
  get_custom_schema: [
    [{ id: "a1" }, /^id: expected a whole number/],
    [{ id: 10, needle: "x" }, /^needle: .*leave one out$/],
    [{ needle: "" }, /^needle: /],
    [{ needle: "x".repeat(501) }, /^needle: .*at most 500/],
    [{ per_page: 101 }, /^per_page: /],
    [{ page: 0 }, /^page: /],
    [{ post_id: 10 }, /^post_id: unknown argument/],
  ],
  set_custom_schema: [
    [{ value: "{}" }, /^id is required/],
    [{ id: 10 }, /^value is required/],
    [{ id: "x", value: '{"a":1}' }, /^id: expected a whole number/],
    [{ id: 10, value: 7 }, /^value: expected a string .* or an object, not the number 7 /],
    [{ id: 10, value: null }, /^value: /],
    [{ id: 10, value: "{broken" }, /^value: is not JSON/],
    [{ id: 10, value: '{"a":1,}' }, /^value: is not JSON \(at line 1 /],
    [{ id: 10, value: '{"a":1}<script>' }, /^value: is not JSON/],
    [{ id: 10, value: '<script src="//x">{"a":1}</script>' }, /^value: is not JSON/],
    [{ id: 10, value: "17" }, /^value: is JSON, but neither/],
    [{ id: 10, value: "null" }, /^value: is JSON, but neither/],
    [{ id: 10, value: "{}" }, /^value: holds nothing/],
    [{ id: 12, value: {} }, /^value: holds nothing/],
    [{ id: 13, value: [] }, /^value: holds nothing/],
    [{ id: 10, value: deep(33) }, /^value: nested deeper than 32/],
    [{ id: 12, value: JSON.parse(deep(33)) }, /^value: nested deeper/],
    [{ id: 10, value: '{"a":"\\ud800"}' }, /^value: holds an unpaired surrogate/],
    [{ id: 12, value: { a: ["\0"] } }, /^value: holds a NUL/],
    [{ id: 12, value: { "\0*\0a": 1 } }, /^value: holds a NUL/],
    [
      { id: 10, value: `{"a":"${"é".repeat(51_197)}"}` },
      /^value: 102402 bytes of UTF-8, at most 102400/,
      "E_PAYLOAD_TOO_LARGE",
    ],
    [{ id: 12, value: { a: "x".repeat(102_393) } }, /^value: 102401 bytes/, "E_PAYLOAD_TOO_LARGE"],
    [{ id: 10, value: '{"a":1}', status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
    [{ id: 10, value: '{"a":1}', targets: {} }, /^targets: unknown argument/],
  ],
};

test("arguments that are wrong in themselves are refused, nothing being sent", async (at) => {
  for (const [tool, args, says, code] of refusedCalls(BAD)) {
    await at.kit.refuses(tool, { site_id: "schema", confirm: true, ...args }, code, says);
  }
});

test("values just at their limits are stored", async (at) => {
  const large = `{"a":"${"é".repeat(51_196)}"}`;
  for (const value of [large, deep(32)]) {
    await at.kit.write("rest", "set_custom_schema", { site_id: "schema", id: 10, value });
    assert.ok(at.entry(10).value === value);
  }
});

/** Values that do not fit the entry as it is on the site. */
async function refusesAll(at: SchemaWorld, cases: readonly (readonly [Args, Code, RegExp])[]): Promise<void> {
  for (const [args, code, says] of cases) {
    const call = { site_id: "leave", ...args };
    await at.kit.refuses("set_custom_schema", call, code, says, "reads");
    await at.kit.refuses("set_custom_schema", { ...call, confirm: true }, code, says, "reads");
  }
  assert.deepEqual(at.cms.writes, []);
}

test("what stands around a text's one script element stays; of several none is changed", async (at) => {
  const around = (json: string) =>
    `<!-- Sitewide -->\n<script async data-x="1">${json}</script>\n<!-- end -->`;
  at.entry(10).value = around('{"@type":"A"}');
  const args = { site_id: "schema", id: 10, value: '{"@type":"B"}' };
  const { done, row } = await at.kit.write<Entry>("mcp", "set_custom_schema", args);
  assert.equal(done.value, around('{"@type":"B"}'));
  assert.deepEqual(row.changes, [{ field: "value.@type", from: "A", to: "B" }]);
  at.entry(10).value = around('{"@type":"A"}').repeat(2);
  const says = /^value: entry 10 holds more than one script element/;
  await at.kit.refuses("set_custom_schema", args, "E_BAD_INPUT", says, "reads");
});

test("a value of another type than the entry has now is refused before anything is written", async (at) => {
  const text = '{"a":1}';
  await refusesAll(at, [
    [
      { id: 10, value: { a: 1 } },
      "E_BAD_INPUT",
      /^value: entry 10 has the value_type "string".*not an object/,
    ],
    [{ id: 10, value: [1] }, "E_BAD_INPUT", /takes a string and not a list/],
    [{ id: 12, value: text }, "E_BAD_INPUT", /value_type "array" and holds an object, .*not a string/],
    [{ id: 12, value: [1] }, "E_BAD_INPUT", /takes an object and not a list/],
    [{ id: 13, value: { a: 1 } }, "E_BAD_INPUT", /takes a list and not an object/],
    [{ id: 13, value: text }, "E_BAD_INPUT", /takes a list and not a string/],
    [{ id: 14, value: text }, "E_BAD_INPUT", /^value: entry 14 has the value_type "none"/],
    [{ id: 14, value: { a: 1 } }, "E_BAD_INPUT", /value_type "none"/],
    [
      { id: 12, value: { [TEXT]: { a: 1 } } },
      "E_BAD_INPUT",
      /^value\.custom-markup-custom-text: expected JSON/,
    ],
    [
      { id: 12, value: { [TEXT]: "{broken" } },
      "E_BAD_INPUT",
      /^value\.custom-markup-custom-text: is not JSON/,
    ],
    [{ id: 12, value: { [TEXT]: "[]" } }, "E_BAD_INPUT", /^value\.custom-markup-custom-text: holds nothing/],
    [{ id: 99, value: text }, "E_UPSTREAM", /^CMS 404 site_ops_schema_entry_not_found: .*check the id$/],
    [{ id: 10, value: text, site_id: "writer" }, "E_UPSTREAM", /^CMS 403 rest_forbidden/],
    [{ id: 10, value: text, site_id: "reader" }, "E_UPSTREAM", /^CMS 403 rest_forbidden/],
    [{ id: 10, value: text, site_id: "locked" }, "E_UPSTREAM", /^CMS 401/],
  ]);
  await using pages = await schemaWorld({ provider: "rankmath" });
  await refusesAll(pages, [
    [{ id: 20, value: { Other: { a: 1 } } }, "E_BAD_INPUT", /^value\.Other: .*which are FAQPage, Kept$/],
    [{ id: 20, value: { FAQPage: {} } }, "E_BAD_INPUT", /^value\.FAQPage: .*not empty/],
    [{ id: 20, value: { FAQPage: "x" } }, "E_BAD_INPUT", /^value\.FAQPage: /],
    [{ id: 20, value: { FAQPage: { name: "x" } } }, "E_BAD_INPUT", /^value\.FAQPage: needs its "@type"/],
    [{ id: 20, value: { FAQPage: { "@type": [] } } }, "E_BAD_INPUT", /^value\.FAQPage: needs its "@type"/],
    [{ id: 20, value: { FAQPage: { metadata: { a: 1 } } } }, "E_BAD_INPUT", /^value\.FAQPage: /],
    [
      { id: 20, value: { Kept: { "@type": "Kept", a: "<!-- x" } } },
      "E_BAD_INPUT",
      /^value: .*beginning of a comment, .*leave it out/,
    ],
    [{ id: 20, value: [{ "@type": "FAQPage" }] }, "E_BAD_INPUT", /takes an object and not a list/],
  ]);
});
