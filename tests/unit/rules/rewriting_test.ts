/** A found text is replaced so that readers read exactly the new one, whatever HTML, JSON or an address writes for its signs. */
import assert from "node:assert/strict";
import { emailNeedle } from "../../../rules/finding/email.ts";
import { markupOf } from "../../../rules/finding/markup.ts";
import { phoneNeedle } from "../../../rules/finding/phone.ts";
import { exactly, type Rewriting, rewritten } from "../../../rules/finding/rewriting.ts";
import { textNeedle } from "../../../rules/finding/text.ts";
import type { Form } from "../../../rules/finding/unread.ts";
import { replacing } from "../../../rules/replacements.ts";

const words = (find: string, to: string): Rewriting => ({
  needle: textNeedle(find),
  to,
  isPhone: false,
  isWords: false,
});
const phone = (find: string, to: string): Rewriting => ({
  needle: phoneNeedle(find),
  to,
  isPhone: true,
  isWords: false,
});
const email = (find: string, to: string): Rewriting => ({
  needle: emailNeedle(find),
  to,
  isPhone: false,
  isWords: false,
});

type Row = readonly [form: Form, text: string, made: string];

function holds(wanted: Rewriting, rows: readonly Row[]): void {
  for (const [form, text, made] of rows) {
    const done = rewritten(text, form, wanted);
    assert.ok(done, text);
    assert.deepEqual([done.text, done.stays], [made, []], `${form}: ${text}`);
    const found = exactly(text, done);
    assert.equal(found === null ? null : replacing(text, found).text, made, text);
  }
}

Deno.test("a new text is written as its place writes signs", () => {
  holds(words("Tom & Jerry", 'Tom & "Co" <new>'), [
    ["words", "Tom & Jerry", 'Tom & "Co" <new>'],
    [
      "html",
      "<p>tom &amp; JERRY, Tom &#38; Jerry</p>",
      '<p>Tom &amp; "Co" &lt;new&gt;, Tom &amp; "Co" &lt;new&gt;</p>',
    ],
    ["html", '<a title="Tom &amp; Jerry">', '<a title="Tom &amp; &quot;Co&quot; &lt;new&gt;">'],
    ["html", "<img alt='Tom & Jerry'>", `<img alt='Tom &amp; "Co" &lt;new&gt;'>`],
    [
      "html",
      '[box title="Tom & Jerry"] "Tom & Jerry"',
      '[box title="Tom &amp; &quot;Co&quot; &lt;new&gt;"] "Tom &amp; "Co" &lt;new&gt;"',
    ],
    ["html", "<!-- Tom & Jerry -->", '<!-- Tom &amp; "Co" &lt;new&gt; -->'],
    [
      "html",
      String.raw`<!-- wp:button {"text":"Tom \u0026 Jerry"} -->`,
      String.raw`<!-- wp:button {"text":"Tom \u0026 \u0022Co\u0022 \u003cnew\u003e"} -->`,
    ],
    [
      "html",
      '<script type="application/ld+json">{"a b":"Tom & Jerry"}</script>',
      String.raw`<script type="application/ld+json">{"a b":"Tom & \"Co\" \u003cnew>"}</script>`,
    ],
    ["json", '{"name":"Tom & Jerry"}', String.raw`{"name":"Tom & \"Co\" \u003cnew>"}`],
  ]);
});

Deno.test("what HTML writes for a sign may stand in the new text, and in the text found", () => {
  holds(words("Tom &amp; Jerry", "Tom &amp; Sons"), [
    ["words", "Tom & Jerry", "Tom & Sons"],
    ["html", "Tom & Jerry", "Tom &amp; Sons"],
  ]);
  holds(words("<b>Zeppelin</b>", "<strong>Airship &amp; Co</strong>"), [
    ["html", "<p><b>Zeppelin</b></p>", "<p><strong>Airship &amp; Co</strong></p>"],
    ["html", "<p>&lt;b&gt;Zeppelin&lt;/b&gt;</p>", "<p>&lt;strong&gt;Airship &amp; Co&lt;/strong&gt;</p>"],
  ]);
});

Deno.test("a link that dials from abroad goes on to do so, where the new number is given as at home", () => {
  const rows: readonly (readonly [to: string, from: string, before: string, after: string])[] = [
    ["01 555 90 10", "01 555 70 44", "+4315557044", "+4315559010"],
    ["040/765 43 21", "030 1234567", "+49301234567", "+49407654321"],
    ["0049 40 7654321", "030 1234567", "+49301234567", "+49407654321"],
    ["040 7654321", "030 1234567", "%2B49301234567", "%2B49407654321"],
    ["06 7654321", "06 1234567", "+39061234567", "+39067654321"], // Italy keeps the 0
    ["33 44 55 66", "11 22 33 44", "+4511223344", "+4533445566"], // Denmark has none
    ["(212) 555-0199", "(212) 555-0100", "+12125550100", "+12125550199"],
    ["040 7654321", "030 1234567", "0301234567", "0407654321"], // was dialled as at home
  ];
  for (const [to, from, before, after] of rows) {
    holds(phone(from, to), [["html", `<a href="tel:${before}">x</a>`, `<a href="tel:${after}">x</a>`]]);
  }
});

Deno.test("a phone number changes in every spelling, and links that dial get its figures", () => {
  holds(phone("+49 30 1234567", "+49 (0)40 765-4321"), [
    [
      "html",
      '<a href="tel:+49301234567">Call 030/123 45 67</a> Tel:030 1234567',
      '<a href="tel:+49407654321">Call +49 (0)40 765-4321</a> Tel:+49 (0)40 765-4321',
    ],
    ["html", "<a href='TEL:030-1234567'>", "<a href='TEL:+49407654321'>"],
    ["html", '<a href="tel:%2B49301234567">', '<a href="tel:%2B49407654321">'],
    ["html", '<a href="https://wa.me/+49301234567">', '<a href="https://wa.me/+49407654321">'],
    ["html", "0049&nbsp;30&nbsp;1234567", "+49 (0)40 765-4321"],
    [
      "html",
      String.raw`<!-- wp:x {"a":"\u003ca href=\u0022tel:+49301234567\u0022\u003e"} -->`,
      String.raw`<!-- wp:x {"a":"\u003ca href=\u0022tel:+49407654321\u0022\u003e"} -->`,
    ],
    ["markdown", "[030 1234567](tel:+49301234567)", "[+49 (0)40 765-4321](tel:+49407654321)"],
    [
      "markdown",
      "---\nphone: 030 1234567\n---\nTel:030 1234567",
      "---\nphone: +49 (0)40 765-4321\n---\nTel:+49 (0)40 765-4321",
    ],
    ["source", 'const a = "tel:+49301234567";', 'const a = "tel:+49407654321";'],
    [
      "json",
      '{"a":"tel:+49301234567","b":"030\\/1234567"}',
      '{"a":"tel:+49407654321","b":"+49 (0)40 765-4321"}',
    ],
    ["words", "Call 030 1234567 now", "Call +49 (0)40 765-4321 now"],
    ["words", "tel:+49301234567", "tel:+49407654321"],
  ]);
});

Deno.test("an address changes in every spelling", () => {
  holds(email("info@example.com", "hello@example.org"), [
    [
      "html",
      '<a href="mailto:INFO@example.com?subject=a">info [at] example (dot) com</a> info&#64;example.com',
      '<a href="mailto:hello@example.org?subject=a">hello@example.org</a> hello@example.org',
    ],
    ["markdown", "<info@example.com>", "<hello@example.org>"],
  ]);
});

Deno.test("where the new text would be read as more than itself, the place stays, with the reason", () => {
  const quoted = words("Zeppelin", 'Tom\'s "Bar"');
  const rows: readonly (readonly [Form, string, string, number])[] = [
    [
      "html",
      "<p>Zeppelin</p><script>a('Zeppelin')</script>",
      "<p>Tom's \"Bar\"</p><script>a('Zeppelin')</script>",
      1,
    ],
    ["html", "<p title=Zeppelin>Zeppelin</p>", '<p title=Zeppelin>Tom\'s "Bar"</p>', 1],
    ["html", "<style>a::after{content:'Zeppelin'}</style>", "<style>a::after{content:'Zeppelin'}</style>", 1],
    ["markdown", "---\ntitle: 'Zeppelin'\n---\nZeppelin", "---\ntitle: 'Zeppelin'\n---\nTom's \"Bar\"", 1],
    ["source", "const a = 'Zeppelin';", "const a = 'Zeppelin';", 1],
    ["markdown", '<a title="Zeppelin">Zeppelin</a>', '<a title="Zeppelin">Tom\'s "Bar"</a>', 1],
  ];
  for (const [form, text, made, stays] of rows) {
    const done = rewritten(text, form, quoted)!;
    assert.deepEqual([done.text, done.stays.length], [made, stays], text);
    assert.match(done.stays[0]!, /holds a sign/);
  }
  const bare = rewritten('{"tel":301234567,"a":"301234567"}', "json", words("301234567", "+49 40"))!;
  assert.equal(bare.text, '{"tel":301234567,"a":"+49 40"}');
  assert.match(bare.stays[0]!, /without quotes/);
  // A sign that stands there and is read as it stands may stand there again.
  assert.equal(rewritten("title: Tom's", "source", words("Tom's", "Ann's"))?.text, "title: Ann's");
  assert.equal(rewritten("a = 'Tom\\'s'", "source", words("Tom's", "Ann's"))?.edits.length, 0);
});

Deno.test("a text that holds what it replaces is put there once, however often it is asked for", () => {
  const longer = words("Zeppelin", "The Zeppelin GmbH");
  const text = "<p>Zeppelin, the zeppelin, The Zeppelin GmbH</p>";
  const done = rewritten(text, "html", longer)!;
  assert.equal(done.text, "<p>The Zeppelin GmbH, the The Zeppelin GmbH, The Zeppelin GmbH</p>");
  assert.deepEqual([done.edits.length, done.already], [2, 1]);
  const again = rewritten(done.text, "html", longer)!;
  assert.deepEqual([again.edits.length, again.already], [0, 3]);
  assert.equal(rewritten("zeppelin Zeppelin", "words", words("zeppelin", "Zeppelin"))?.edits.length, 1);
  assert.equal(rewritten("nothing", "words", longer), null);
  assert.equal(rewritten("a zeppelin b", "words", words("zeppelin", ""))?.text, "a  b");
});

Deno.test("replacements are exact: each as often as it says, with more of the text around where that is needed", () => {
  const of = (text: string, wanted: Rewriting) => {
    const done = rewritten(text, "html", wanted)!;
    const found = exactly(text, done)!;
    assert.equal(replacing(text, found).text, done.text);
    return found;
  };
  assert.deepEqual(of("Zeppelin zeppelin Zeppelin", words("zeppelin", "Airship")), [
    { find: "Zeppelin", replace: "Airship", count: 2 },
    { find: "zeppelin", replace: "Airship", count: 1 },
  ]);
  // One spelling is part of another, of another number, or of what has the new text already.
  const number = "+49 30 1234567, 030 1234567, 030 12345678, 0049 30 1234567";
  for (const { find, count } of of(number, phone("030 1234567", "040 1"))) {
    assert.ok(count >= 1 && number.includes(find));
  }
  of("Zeppelin. The Zeppelin GmbH. Zeppelin.", words("Zeppelin", "The Zeppelin GmbH"));
  of("😀Zeppelin😀Zeppelin GmbH😀", words("Zeppelin", "Zeppelin GmbH"));
  of("Zeppelin ".repeat(500), words("Zeppelin", "Airship"));
  const often = rewritten("Zeppelin ".repeat(5001), "html", words("Zeppelin", "Airship"))!;
  assert.deepEqual([often.edits, often.stays.length], [[], 1]);
  // Sixty places that nothing tells from what stays but what stands far away.
  const alike = Array.from({ length: 60 }, (_, n) => `${n} 030 1234567 x 030 12345678 `).join("");
  of(alike, phone("030 1234567", "040 1"));
  const many = Array.from({ length: 60 }, (_, n) => `${"x 030 12345678 y ".repeat(80)}${n}: 030 1234567. `)
    .join("");
  assert.equal(exactly(many, rewritten(many, "html", phone("030 1234567", "040 1"))!), null);
});

Deno.test("HTML is read by its tags, comments, scripts and styles", () => {
  const of = (html: string) => markupOf(html).map(({ from, to, within }) => [within, html.slice(from, to)]);
  assert.deepEqual(of("a < b <p class = \"x>y\" id='z'>c</p>"), [
    ["tag", '<p class = "'],
    ["double", "x>y"],
    ["tag", "\" id='"],
    ["single", "z"],
    ["tag", "'>"],
    ["tag", "</p>"],
  ]);
  assert.deepEqual(of("<!-- a > b --><!-- wp:p --><!--c"), [
    ["comment", "<!-- a > b -->"],
    ["block", "<!-- wp:p -->"],
    ["comment", "<!--c"],
  ]);
  assert.deepEqual(of("<SCRIPT>a<b</p></Script><style>a{}</style>"), [
    ["tag", "<SCRIPT>"],
    ["script", "a<b</p>"],
    ["tag", "</Script>"],
    ["tag", "<style>"],
    ["style", "a{}"],
    ["tag", "</style>"],
  ]);
  assert.deepEqual(of('<script type="application/ld+json">{}').at(-1), ["json", "{}"]);
  assert.deepEqual(of("<styled>a</styled>"), [["tag", "<styled>"], ["tag", "</styled>"]]);
  assert.deepEqual(of("<it's>x"), [["tag", "<it's>"]]);
});
