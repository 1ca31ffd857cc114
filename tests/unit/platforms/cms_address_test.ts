/** The address a post will have, made of what the site tells and of the moment it goes live. */
import assert from "node:assert/strict";
import { addressToBe } from "../../../platforms/wordpress/rest/writer.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DAY = 86_400_000;
const OLD = { local: "2026-10-03T01:00:00", utc: "2026-10-02T23:00:00Z" };

Deno.test("the slug takes its place, in a post's template and in a page's", () => {
  const at = { at: NOON, zone: "UTC" };
  const post = { template: "https://a.test/blog/%postname%/", slug: "news", dated: OLD };
  assert.deepEqual(addressToBe(post, at), {
    url: "https://a.test/blog/news/",
    timeless: "https://a.test/blog/news/",
    day: null,
  });
  const page = { template: "https://a.test/up/%pagename%/", slug: "%d0%b0$&", dated: OLD };
  assert.equal(addressToBe(page, at).url, "https://a.test/up/\u0430$&/");
  const plain = { template: "https://a.test/?p=7", slug: "news", dated: OLD };
  assert.equal(addressToBe(plain, at).url, "https://a.test/?p=7");
});

Deno.test("a date in the address becomes that of the day it goes live, as deep as the site has it", () => {
  const rows: [template: string, url: string][] = [
    ["https://a.test/2026/10/03/%postname%/", "https://a.test/2026/11/21/news/"],
    ["https://a.test/2026/10/%postname%/", "https://a.test/2026/11/news/"],
    ["https://a.test/blog/2026/%postname%.html", "https://a.test/blog/2026/news.html"],
    ["https://a.test/2025/%postname%/", "https://a.test/2025/news/"],
  ];
  for (const [template, url] of rows) {
    const rule = { template, slug: "news", dated: OLD };
    const found = addressToBe(rule, { at: NOON, zone: "Europe/Berlin" });
    assert.equal(found.url, url);
    assert.equal(found.day, template.includes("2025") ? null : "2026-11-21");
    assert.equal(
      found.timeless,
      addressToBe(rule, { at: NOON + 3 * DAY, zone: "UTC" }).timeless,
      "no clock in it",
    );
    assert.notEqual(found.timeless, addressToBe({ ...rule, slug: "other" }, { at: NOON }).timeless);
  }
});

Deno.test("the day is that of the site's zone, by the draft's own offset where no zone is known", () => {
  const rule = { template: "https://a.test/2026/10/03/%postname%/", slug: "n", dated: OLD };
  const late = Date.parse("2026-11-21T22:30:00Z");
  assert.equal(addressToBe(rule, { at: late, zone: "America/New_York" }).day, "2026-11-21");
  assert.equal(addressToBe(rule, { at: late, zone: "Mars/Olympus" }).day, "2026-11-22");
  assert.equal(addressToBe(rule, { at: late }).day, "2026-11-22", "two hours east of UTC");
});

Deno.test("a post that keeps its date keeps it in the address", () => {
  const rule = { template: "https://a.test/2026/10/03/%postname%/", slug: "n", dated: OLD };
  const found = addressToBe(rule, { at: null });
  assert.deepEqual([found.url, found.day], ["https://a.test/2026/10/03/n/", null]);
});
