/** Custom schema on a real WordPress with the companion plugin, kept by a stand-in of Schema Pro. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { between, TEXT } from "../tools/_schema.ts";
import { markup, schemaSites, stored } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

interface Entry {
  readonly post_id: number;
  readonly status: string;
  readonly value_type: string;
  readonly value: unknown;
}

const open = (site: CmsSandbox, options = {}) => Real.open(site, { sites: schemaSites(site), ...options });

async function throughDoor(door: (typeof DOORS)[number], site: CmsSandbox): Promise<void> {
  await using at = await open(site);
  const title = fresh("Organization");
  const needle = title.replaceAll(" ", "-");
  const text = await markup(at, title, `<script>\n{"@type":"Organization","name":"${needle}"}</script>`);
  const list = { site_id: "schema", needle: needle.toUpperCase() };
  const { done: found } = await reads<{ entries: Entry[]; total: number }>(at, list);
  assert.deepEqual(
    [found.total, found.entries[0]!.post_id, found.entries[0]!.status],
    [1, text, "published"],
  );

  const json = `{"@type":"B","t":"q\\" \\\\ ü \u{1f600} $& </script><!--","n":1.0,"o":{},"l":[]}`;
  const args = { site_id: "schema", id: text, value: json };
  const preview = await at.kit.preview("set_custom_schema", args);
  assert.match(
    preview.summary,
    /it is global: all pages it targets \(basic-global, not special-404\) change at/,
  );
  const { done, row } = await at.kit.write<Entry>(door, "set_custom_schema", args);
  const kept = `<script>\n${json.replaceAll("<", "\\u003C")}</script>`;
  assert.deepEqual([done.value_type, done.value, row._published], ["string", kept, true]);
  const { meta } = await stored(at, { id: text });
  assert.equal(meta["bsf-aiosrs-custom-markup"], kept);
  const { done: one } = await reads<Entry>(at, { site_id: "schema", id: String(text) });
  assert.deepEqual(one, done);

  const array = await markup(at, title, { "custom-markup": "custom-text", [TEXT]: '{"@type":"A"}' }, "draft");
  const changed = { site_id: "schema", id: array, value: { [TEXT]: '[{"@type":"B"}]' } };
  const second = await at.kit.write<Entry>(door, "set_custom_schema", changed);
  assert.deepEqual([second.done.value, second.row._published], [
    { "custom-markup": "custom-text", [TEXT]: '[{"@type":"B"}]' },
    undefined,
  ]);
  const rows = await markup(at, title, [{ "@type": "A" }]);
  const third = { site_id: "schema", id: rows, value: [{ "@type": "B", o: {}, d: 0.1 }, "é\u2028"] };
  const { done: last } = await at.kit.write<Entry>(door, "set_custom_schema", third);
  assert.deepEqual(last.value, [{ "@type": "B", o: [], d: 0.1 }, "é\u2028"]);
  for (const id of [text, array, rows]) {
    const { meta, post } = await stored(at, { id });
    assert.deepEqual(meta["bsf-aiosrs-schema-location"], { rule: ["basic-global"], specific: [] });
    assert.deepEqual(meta["bsf-aiosrs-schema-exclusion"], { rule: ["special-404"] });
    assert.equal(post["post_status"], id === array ? "draft" : "publish");
  }
}

async function reads<T>(at: Real, args: Args): Promise<{ done: T }> {
  return { done: await at.kit.both<T>("get_custom_schema", args) };
}

onWordPress({
  ...Object.fromEntries(DOORS.map((door) => [
    `schema of every type is read, previewed and changed through ${door}, and nothing beside it`,
    (site: CmsSandbox) => throughDoor(door, site),
  ])),

  async "what does not fit the entry, or the account, is refused before anything is written"(site) {
    await using at = await open(site);
    const title = fresh("Kept");
    const text = await markup(at, title, '{"@type":"A"}');
    const array = await markup(at, title, { [TEXT]: "{}" });
    const none = await markup(at, title, undefined);
    const page = await at.ask.draft("ed", {}, "pages");
    const value = '{"a":1}';
    const cases: [Args, "E_BAD_INPUT" | "E_UPSTREAM", RegExp][] = [
      [{ id: text, value: { a: 1 } }, "E_BAD_INPUT", /takes a string and not an object/],
      [{ id: array, value }, "E_BAD_INPUT", /takes an object and not a string/],
      [{ id: array, value: { [TEXT]: "{broken" } }, "E_BAD_INPUT", /is not JSON/],
      [{ id: none, value }, "E_BAD_INPUT", /value_type "none"/],
      [{ id: page, value }, "E_UPSTREAM", /^CMS 404 site_ops_schema_entry_not_found/],
      [{ id: text, value, site_id: "writer" }, "E_UPSTREAM", /^CMS 403 rest_forbidden/],
      [{ id: text, value, site_id: "locked" }, "E_UPSTREAM", /^CMS 401/],
    ];
    for (const [args, code, says] of cases) {
      const call = { site_id: "schema", ...args, confirm: true };
      await at.kit.refuses("set_custom_schema", call, code, says, "reads");
    }
    const large = { site_id: "schema", id: text, value: `{"a":"${"x".repeat(102_400)}"}`, confirm: true };
    await at.kit.refuses("set_custom_schema", large, "E_PAYLOAD_TOO_LARGE", /^value: 102408 bytes/);
    const listed = { says: /^CMS 403 rest_forbidden/, sends: "reads" } as const;
    await at.kit.refuses("get_custom_schema", { site_id: "writer" }, "E_UPSTREAM", listed);
    const rest = { says: /SEO channel is "rest"/ };
    await at.kit.refuses("get_custom_schema", { site_id: "acme" }, "E_SCHEMA_BRIDGE_REQUIRED", rest);
    assert.equal((await stored(at, { id: text })).meta["bsf-aiosrs-custom-markup"], '{"@type":"A"}');
  },

  async "an entry that somebody else changes between the plan and the write is not written over"(site) {
    let change: () => Promise<unknown> = () => Promise.resolve();
    await using at = await open(site, { fetch: between("POST", 1, "before", () => change()) });
    const id = await markup(at, fresh("Race"), '{"@type":"A"}');
    change = () => stored(at, { id, meta: { "bsf-aiosrs-custom-markup": '{"@type":"Theirs"}' } as Json });
    const args = { site_id: "schema", id, value: '{"@type":"Ours"}', confirm: true };
    const says = /^value: entry \d+ was changed .*nothing was written/;
    await at.kit.gw.fails("set_custom_schema", args, "E_STALE_PREVIEW", says);
    assert.equal((await stored(at, { id })).meta["bsf-aiosrs-custom-markup"], '{"@type":"Theirs"}');
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("schemapro-standin"), fixture("rankmath-standin")] });
