/** A text, a phone number and an address are found in every spelling of theirs, and nothing else is taken for them. */
import assert from "node:assert/strict";
import { emailNeedle } from "../../../rules/finding/email.ts";
import { phoneNeedle } from "../../../rules/finding/phone.ts";
import type { Needle } from "../../../rules/finding/signs.ts";
import { textNeedle } from "../../../rules/finding/text.ts";

const found = (needle: Needle, text: string) =>
  needle.spots(text).map(({ from, to }) => text.slice(from, to));

/** A text, and what of it is the number; null for nothing. */
type Row = readonly [text: string, is: string | null];

const BERLIN: readonly Row[] = [
  ["+49 30 1234567", "+49 30 1234567"],
  ["030/123 45 67", "030/123 45 67"],
  ["030 1234567", "030 1234567"],
  ["(030) 12 34 567", "(030) 12 34 567"],
  ["030.123.45.67", "030.123.45.67"],
  ["030-123-45-67", "030-123-45-67"],
  ["030–123 45 67.", "030–123 45 67"],
  ["+49 (0)30 1234567", "+49 (0)30 1234567"],
  ["+49 (0) 30 / 123 45 67", "+49 (0) 30 / 123 45 67"],
  ["0049 30 1234567", "0049 30 1234567"],
  ["0049 (0)30 1234567", "0049 (0)30 1234567"],
  ['<a href="tel:+49301234567">', "+49301234567"],
  ["tel:+49%2030%201234567", "+49%2030%201234567"],
  ["030&nbsp;1234567", "030&nbsp;1234567"],
  ["030\u00a0123\u202f45\u202f67", "030\u00a0123\u202f45\u202f67"],
  ["030&#47;1234567", "030&#47;1234567"],
  [String.raw`"030\/1234567"`, String.raw`030\/1234567`],
  [String.raw`"+49\u00a030\u00a01234567"`, String.raw`+49\u00a030\u00a01234567`],
  ["Tel 030 1234567 10-18 Uhr", "030 1234567"],
  ["030 1234567, 030 7654321", "030 1234567"],
  ["030 1234567/68", "030 1234567"],
  ["Room 12 030 1234567", "030 1234567"],
  ["Room 030, invoice 1234567", null],
  ["Room 030: 1234567", null],
  ["1234567", null],
  ["invoice 301234567", null],
  ["030 12345678", null],
  ["030 123456", null],
  ["10301234567", null],
  ["+44 30 1234567", null],
  ["978-030-1234567", null],
  ["+49 30 1234567-22", null],
  ["id030 1234567x", null],
  ["030 123\n4567", null],
  ["0049 30 7654321\n0049 30 1234567", "0049 30 1234567"],
  ["", null],
];

const NEW_YORK: readonly Row[] = [
  ["(212) 555-0123", "(212) 555-0123"],
  ["212.555.0123", "212.555.0123"],
  ["+1 212 555 0123", "+1 212 555 0123"],
  ["1-212-555-0123", "1-212-555-0123"],
  ["12125550123", "12125550123"],
  ["+44 212 555 0123", null],
  ["x2125550123", null],
  ["2125550123abc", null],
  ["212 555 01234", null],
];

const ROME: readonly Row[] = [
  ["+39 06 1234567", "+39 06 1234567"],
  ["06 1234567", "06 1234567"],
  ["0039 061234567", "0039 061234567"],
  ["6 1234567", null],
];

const MOSCOW: readonly Row[] = [
  ["8 (495) 123-45-67", "8 (495) 123-45-67"],
  ["+7 495 123 45 67", "+7 495 123 45 67"],
  ["+7 8 495 1234567", null],
];

const NUMBERS: readonly (readonly [asked: readonly string[], rows: readonly Row[]])[] = [
  [["+49 30 1234567", "0049301234567", "+49 (0)30/1234567"], BERLIN],
  [["+1 212 555 0123", "1 212 555 0123"], NEW_YORK],
  [["+39 06 1234567"], ROME],
  [["+7 495 1234567", "8 (495) 123-45-67"], MOSCOW],
];

for (const [asked, rows] of NUMBERS) {
  for (const number of asked) {
    Deno.test(`the number ${number} is found in each of its spellings, and no other number is it`, () => {
      for (const [text, is] of rows) {
        assert.deepEqual(found(phoneNeedle(number), text), is === null ? [] : [is], text);
      }
    });
  }
}

Deno.test("a number that stands behind itself is found each time", () => {
  const needle = phoneNeedle("+49 30 1234567");
  const twice: readonly (readonly [text: string, ...spots: string[]])[] = [
    ["+49 30 1234567 030 1234567", "+49 30 1234567", "030 1234567"],
    ["+49 30 1234567 / 030 1234567", "+49 30 1234567", "030 1234567"],
    ["030 1234567/030 1234567", "030 1234567", "030 1234567"],
    ["0049 30 1234567 0049 30 1234567", "0049 30 1234567", "0049 30 1234567"],
    ["(tel:+49301234567) 030 1234567 030 12345678", "+49301234567", "030 1234567"],
    ["030 1234567 40 1234567", "030 1234567"],
  ];
  for (const [text, ...spots] of twice) assert.deepEqual(found(needle, text), spots, text);
});

Deno.test("a number as it is dialled at home is that of any country", () => {
  const needle = phoneNeedle("030/123 45 67");
  for (const text of ["+49 30 1234567", "+41 30 1234567", "030 1234567", "0049301234567"]) {
    assert.deepEqual(found(needle, text), [text]);
  }
  assert.deepEqual(found(needle, "+4 30 1234567 and 1234567"), []);
  assert.deepEqual(found(phoneNeedle("(212) 555-0123"), "+1 212 5550123"), ["+1 212 5550123"]);
});

Deno.test("what is no number, or too short or long for one, is refused", () => {
  for (
    const text of [
      "1234",
      "Call 030 1234567",
      "030 1234567 Berlin",
      "++49 30 1234567",
      "1".repeat(30),
      "- -",
      "+49",
    ]
  ) {
    assert.throws(
      () => phoneNeedle(text),
      /^GatewayError: text: with kind phone give one phone number/,
      text,
    );
  }
});

const ADDRESS: readonly Row[] = [
  ["info@example.com", "info@example.com"],
  ["INFO@Example.COM.", "INFO@Example.COM"],
  ["mailto:info@example.com?subject=x", "info@example.com"],
  ["mailto:info%40example.com", "info%40example.com"],
  ["info&#64;example&#46;com", "info&#64;example&#46;com"],
  ["&#105;nfo&commat;example.com", "&#105;nfo&commat;example.com"],
  ["info [at] example (dot) com", "info [at] example (dot) com"],
  ["info(at)example.com", "info(at)example.com"],
  ["info at example dot com", "info at example dot com"],
  ["info@example (punkt) com", "info@example (punkt) com"],
  ["<info@example.com>", "info@example.com"],
  ["my-info@example.com", null],
  ["myinfo@example.com", null],
  ["info@example.com.au", null],
  ["info@example.company", null],
  ["info@sub.example.com", null],
  ["information at example.com", null],
  ["infoatexample.com", null],
];

Deno.test("an address is found in its spellings, and no longer address is it", () => {
  for (const [text, is] of ADDRESS) {
    assert.deepEqual(found(emailNeedle("Info@example.com"), text), is === null ? [] : [is], text);
  }
});

Deno.test("what is no whole address is refused", () => {
  for (
    const text of [
      "info",
      "info@",
      "@example.com",
      "info@example",
      "a b@example.com",
      "a@b@c.de",
      "a@b..de",
      "a@b.1",
    ]
  ) {
    assert.throws(
      () => emailNeedle(text),
      /^GatewayError: text: with kind email give one whole address/,
      text,
    );
  }
});

const TEXTS: readonly (readonly [asked: string, ...Row])[] = [
  ["Müller & Söhne", "MÜLLER &amp; S\\u00f6hne", "MÜLLER &amp; S\\u00f6hne"],
  ["Müller & Söhne", "Müller &#038;  Söhne", "Müller &#038;  Söhne"],
  ["don't stop", "Don’t&nbsp;stop", "Don’t&nbsp;stop"],
  ['"so"', "&#8220;So&#8221;", "&#8220;So&#8221;"],
  ["9-17 Uhr", "9–17 Uhr", "9–17 Uhr"],
  ["Straße", "stra&shy;ße", "stra&shy;ße"],
  ["a\tb", "a \n b", "a \n b"],
  ["https://a.example/x", String.raw`https:\/\/a.example\/x`, String.raw`https:\/\/a.example\/x`],
  ["[a-z]+", "x [A-Z]+ y", "[A-Z]+"],
  ["x.*y", "xaay", null],
  ["a.c", "abc", null],
  ["50%", "50 %", null],
  ["50%20", "x 50%20 y", "50%20"],
  ["日本", "<p>日本語</p>", "日本"],
  ["Hallo Welt", "Hallo<b> Welt</b>", null],
];

Deno.test("a text is found as it is read, and nothing in it is a pattern", () => {
  for (const [asked, text, is] of TEXTS) {
    const needle = textNeedle(asked);
    assert.deepEqual(found(needle, text), is === null ? [] : [is], `${asked} in ${text}`);
    for (const part of needle.parts) assert.ok(asked.includes(part), part);
  }
  assert.deepEqual(found(textNeedle("aa"), "aaaaa"), ["aa", "aa"]);
});

Deno.test("a text of less than two letters or figures is refused", () => {
  for (const text of ["a ", " a", "..", "&&", "a!", "-1", "  "]) {
    assert.throws(() => textNeedle(text), /^GatewayError: text: give two letters or figures at least/, text);
  }
});

Deno.test("what a site can search by stands in every spelling", () => {
  assert.deepEqual(textNeedle("Müller & Söhne").parts, ["Müller", "Söhne"]);
  assert.deepEqual(textNeedle("Dachrinne").plain, true);
  assert.deepEqual(textNeedle("zwei Worte").plain, false);
  assert.deepEqual(phoneNeedle("+49 30 12345").parts, [..."3012345"]);
  assert.deepEqual(emailNeedle("info@example.co.uk").parts, ["info", "example", "co", "uk"]);
});
