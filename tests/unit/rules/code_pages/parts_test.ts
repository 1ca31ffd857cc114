/** Sizes in bytes of UTF-8, the class of a site and slug, slugs of titles, scripts kept in their element. */
import assert from "node:assert/strict";
import {
  checkCodeParts,
  type CodeParts,
  enclosedJs,
  scopeClass,
  slugOf,
} from "../../../../rules/code_pages/parts.ts";
import { storedParts } from "../../../../rules/code_pages/content.ts";

const KIB = 1024;
const LIMITS = { html: 200 * KIB, css: 100 * KIB, js: 100 * KIB } as const;

for (const [part, limit] of Object.entries(LIMITS)) {
  const filler = { ascii: "x", "two bytes": "é", "four bytes": "\u{1f600}" };
  for (const [kind, character] of Object.entries(filler)) {
    const bytes = new TextEncoder().encode(character).length;
    const just = character.repeat(limit / bytes);

    Deno.test(`${part} of ${limit} bytes in characters of ${kind} is taken, one byte more is not`, () => {
      checkCodeParts({ [part]: just });
      assert.throws(() => checkCodeParts({ [part]: `${just}x` }), {
        code: "E_PAYLOAD_TOO_LARGE",
        message: `${part}: ${limit + 1} bytes of UTF-8, at most ${limit} are allowed; shorten it`,
      });
    });
  }
}

Deno.test("text that no site can store is refused by its name", () => {
  const bad: CodeParts[] = [{ html: "a\ud800" }, { css: "\udc00" }, { js: "a\0b" }, { html: "\0" }];
  for (const parts of bad) {
    const [name] = Object.keys(parts);
    assert.throws(() => checkCodeParts(parts), {
      code: "E_BAD_INPUT",
      message: new RegExp(`^${name}: holds `),
    });
  }
  checkCodeParts({ html: "", css: "", js: "\u{1f600}" });
  checkCodeParts({});
});

Deno.test("HTML whose styles outgrow the limit once scoped is refused before the site would", () => {
  const html = `<style>${"a{}".repeat(20_000)}</style>`;
  assert.throws(() => storedParts({ html }, "so-0123456789"), {
    code: "E_PAYLOAD_TOO_LARGE",
    message: /^html: \d+ bytes .*\(its styles are longer once scoped\)$/,
  });
  const css = "a{}".repeat(30_000);
  assert.ok(storedParts({ css }, "so-0123456789").css!.length > LIMITS.css, "scoped CSS may be longer");
});

Deno.test("the class is of site and slug alone", () => {
  assert.equal(scopeClass("acme", "home"), "so-42f48e24d5");
  assert.equal(scopeClass("acme", "home"), scopeClass("acme", "home"));
  const all = [["acme", "home"], ["acme", "home2"], ["acm", "e/home"], ["acme2", "home"]];
  assert.equal(new Set(all.map(([site, slug]) => scopeClass(site!, slug!))).size, 4);
});

Deno.test("a title has a slug", () => {
  const slugs: Record<string, string> = {
    "Hello, World!": "hello-world",
    "  Größe & Ænd  ": "grosse-aend",
    "Køb smørrebrød i Łódź": "kob-smorrebrod-i-lodz",
    "Þór, Đorđe og hors d’œuvre": "thor-dorde-og-hors-d-oeuvre",
    "Crème brûlée": "creme-brulee",
    "2024": "2024",
    "a/b\\c": "a-b-c",
  };
  for (const [title, slug] of Object.entries(slugs)) assert.equal(slugOf(title), slug, title);
  assert.match(slugOf("привет"), /^page-[0-9a-f]{8}$/);
  assert.equal(slugOf("привет"), slugOf("привет"));
  assert.notEqual(slugOf("привет"), slugOf("мир"));
  assert.equal(slugOf("x".repeat(500)).length, 100);
});

Deno.test("a script cannot leave its element", () => {
  const js = "a('</script><p>');b(`</ScRiPt`);c(/<\\/script/);d('<!--<script>');e('</b>')";
  assert.equal(
    enclosedJs(js),
    "a('<\\/script><p>');b(`<\\/ScRiPt`);c(/<\\/script/);d('<\\!--<script>');e('</b>')",
  );
  assert.equal(enclosedJs(enclosedJs(js)), enclosedJs(js));
  for (const text of ["</script>", "x = \"</script x\"; y = '<!--'", "/* </SCRIPT\n> */"]) {
    assert.doesNotMatch(enclosedJs(text), /<\/script|<!--/i);
  }
  const value = new Function(`return ${enclosedJs("'</script><!-- $&'")}`)();
  assert.equal(value, "</script><!-- $&");
});
