/** How a page shows what would change: fields, texts and the items of a set, and what it has no room for. */
import assert from "node:assert/strict";
import type { ApprovalPreview } from "../../../../admin/ports.ts";
import { argumentsOf, changesOf } from "../../../../console/admin/approval_changes.tsx";
import { drawing } from "../../../../console/admin/approval_text.tsx";

const preview = (more: Partial<ApprovalPreview>): ApprovalPreview => ({
  ...{
    shown: "rev.1",
    tier: 1,
    summary: "Change",
    changes: [],
    revision: "rev",
    undoable: true,
    warnings: [],
  },
  ...more,
});
const html = (more: Partial<ApprovalPreview>, on = drawing("inline", false)) =>
  String(changesOf(preview(more), on));

Deno.test("each kind of value has words; what has none is nothing", () => {
  const rows: readonly [value: unknown, shown: string][] = [
    [null, '<span class="nothing">nothing</span>'],
    ["", '<span class="nothing">nothing</span>'],
    [[], '<span class="nothing">nothing</span>'],
    [true, "yes"],
    [false, "no"],
    [12, "12"],
    [["a", "b"], "a, b"],
    [{ bytes: 3 }, "&quot;bytes&quot;: 3"],
    ["<b>", "&lt;b&gt;"],
  ];
  for (const [value, shown] of rows) {
    const page = html({ changes: [{ field: "some_field", from: value, to: "other", origin: "the <type>" }] });
    assert.ok(page.includes(shown), `${shown} in ${page}`);
    assert.match(page, /Some field[^]*\(from the &lt;type&gt;\)/);
  }
});

Deno.test("of a set each item stands by itself, with its site and its warnings", () => {
  const items = [
    {
      item: 1,
      site_id: "acme",
      summary: "First <b>",
      warnings: [],
    },
    {
      item: 2,
      site_id: "bolt",
      summary: "Second",
      warnings: ["look at <this>"],
      left_out: "3 more",
    },
  ];
  // As a set's plan has them: in one list, each named by its item.
  const changes = [
    { field: "item 1: title", from: "a", to: "b" },
    { field: "item 2: widget 5: text", from: null, to: "c" },
  ];
  const page = html({ items, changes });
  assert.match(
    page,
    /1 on acme: First &lt;b&gt;[^]*<del>a<\/del>[^]*<ins>b<\/ins>[^]*2 on bolt: Second[^]*widget 5: text/,
  );
  assert.doesNotMatch(page, /item [12]:/);
  assert.match(page, /look at &lt;this&gt;[^]*Too large to be shown here: 3 more/);
});

Deno.test("what has no room is counted, fields as well as texts, and stands on the page that shows all", () => {
  const changes = Array.from(
    { length: 1000 },
    (_, n) => ({ field: `field_${n}`, from: null, to: `value ${n}` }),
  );
  const on = drawing("inline", false);
  const page = html({ changes }, on);
  assert.ok(page.length < 80_000, String(page.length));
  assert.ok(on.cut > 1000);
  const whole = drawing("inline", true);
  assert.match(html({ changes }, whole), /value 999/);
  assert.equal(whole.cut, 0);
});

Deno.test("of what was sent a part is read on a page that does not show all: no credential stands in it, and the rest is counted", () => {
  const token = `gate_prod_${"a1B2".repeat(12)}`;
  const before = "words ".repeat(1360);
  const text = `${before}${token} ${"more ".repeat(40_000)}`;
  const read = (whole: boolean) => {
    const on = drawing("inline", whole);
    return String(argumentsOf({ tool: "update_draft", editors: [] }, { content_html: text }, on));
  };
  for (const whole of [false, true]) assert.doesNotMatch(read(whole), /_prod_|a1B2/, String(whole));
  const [, more] = /([\d,]+) more characters stand where all of it is shown/.exec(read(false)) ?? [];
  const shown = text.length - Number(more!.replaceAll(",", ""));
  assert.ok(shown > 8000 && shown < 8400, String(shown));
});
