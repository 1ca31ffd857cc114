/** What stays of SEO texts with tags, and when a preview says so. */
import assert from "node:assert/strict";
import { tagWarnings, withoutTags } from "../../../platforms/wordpress/seo/tags.ts";

/** Texts, and what WordPress's wp_strip_all_tags and wp_pre_kses_less_than leave of them (6.5 and 7.1). */
const TAGGED: readonly (readonly [text: string, stays: string])[] = [
  ["With <b>tags</b> inside", "With tags inside"],
  ["<p>First</p><p>Second</p>", "FirstSecond"],
  ["One<br/>two", "Onetwo"],
  ["x<script>alert(1)</script>y", "xy"],
  ["x<STYLE a=b>p{}</STYLE>y", "xy"],
  ["a <!-- comment --> b", "a b"],
  ["<b></b>", ""],
  ["a < b and c > d", "a < b and c > d"],
  ["Roofs & more, 5 > 4", "Roofs & more, 5 > 4"],
  ["", ""],
];

Deno.test("tags are taken out of a text as WordPress takes them out, and other signs stay", () => {
  for (const [text, stays] of TAGGED) assert.equal(withoutTags(text), stays, text);
});

Deno.test("a preview names the fields whose tags do not stay, and what does", () => {
  const change = {
    title: "Plain & so",
    description: "With <b>tags</b>",
    og_title: "<i></i>",
    robots: { noindex: true },
  };
  assert.deepEqual(tagWarnings(change, true), [
    'description: HTML tags are taken out as it is stored; what stays is "With tags"',
    "og_title: HTML tags are taken out as it is stored; nothing stays",
  ]);
  assert.match(tagWarnings(change, false).join(), /^description: HTML tags may be taken out/);
  assert.deepEqual(tagWarnings({ title: "  Two\n lines  a < b" }, true), [], "blanks are not tags");
});
