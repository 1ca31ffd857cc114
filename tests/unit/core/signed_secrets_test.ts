/** What signs a request is taken out of what comes back, however a server spells it, and nothing else is. */
import assert from "node:assert/strict";
import { hiding, secretsOf } from "../../../core/signed_secrets.ts";

const PASSWORD = "aB3d EFgh 12iJ kl5m NOpq 67rS";
const PLAIN = PASSWORD.replaceAll(" ", "");
const PAIR = `admin:${PASSWORD}`;
const BASIC = hiding(secretsOf(`Basic ${btoa(PAIR)}`));
const TOKEN = "pit-0a1b2c3d-Aaaa-4bbb-8ccc-0123456789ab";
const BEARER = hiding(secretsOf(`Bearer ${TOKEN}`));

const hex = (sign: string, digits = 2) => sign.charCodeAt(0).toString(16).padStart(digits, "0");
const each = (make: (sign: string) => string) => (text: string) => [...text].map(make).join("");
const url64 = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** The ways in which servers spell what they repeat. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "as an address": encodeURIComponent,
  "as a form": (text) => new URLSearchParams({ text }).toString(),
  "percent throughout": each((sign) => `%${hex(sign)}`),
  "percent in capitals": each((sign) => `%${hex(sign).toUpperCase()}`),
  "percent twice over": (text) => encodeURIComponent(encodeURIComponent(text)),
  "percent throughout, twice over": each((sign) => `%25${hex(sign)}`),
  "as JSON": (text) => JSON.stringify({ text }),
  "as JSON of PHP": (text) => JSON.stringify(text).replaceAll("/", "\\/"),
  "as JSON within JSON": (text) => JSON.stringify(JSON.stringify({ "/": text })),
  "as JSON, escaped throughout": each((sign) => `\\u${hex(sign, 4)}`),
  "as JSON within JSON, escaped throughout": each((sign) => `\\\\u${hex(sign, 4).toUpperCase()}`),
  "as a literal of C": each((sign) => `\\x${hex(sign)}`),
  "as entities": each((sign) => `&#${sign.charCodeAt(0)};`),
  "as entities in hex": each((sign) => `&#x${hex(sign)};`),
  "as entities, twice over": each((sign) => `&amp;#x00${hex(sign).toUpperCase()};`),
  "with blanks that do not break": (text) => text.replaceAll(" ", "&nbsp;"),
  "half as entities, half as percent": (text) =>
    [...text].map((sign, n) => n % 2 ? `&#${sign.charCodeAt(0)};` : `%${hex(sign)}`).join(""),
  "in hex": each((sign) => hex(sign)),
  "in hex, in capitals": each((sign) => hex(sign).toUpperCase()),
  "in hex, in groups": each((sign) => `${hex(sign)} `),
  "in base64": btoa,
  "in base64 behind one sign": (text) => btoa(`:${text}`),
  "in base64 behind two signs": (text) => btoa(`::${text} and more`),
  "in base64 of a whole request": (text) => btoa(JSON.stringify({ a: [1], text, b: "x".repeat(50) })),
  "in base64 for addresses": (text) => url64(`>>>${text}???`),
  "in base64, as an address": (text) => encodeURIComponent(btoa(`::${text}`)),
  "in base64, in lines": (text) => btoa(`::${text} and more`).replace(/.{12}/g, "$&\r\n"),
  "in base64, in lines, as JSON": (text) => JSON.stringify(btoa(`:${text}`).replace(/.{7}/g, "$&\n")),
};

for (const [how, spell] of Object.entries(SPELLINGS)) {
  Deno.test(`what signs a request is hidden ${how}`, () => {
    const rows: readonly (readonly [typeof BASIC, string])[] = [
      ...[PASSWORD, PLAIN, PAIR, btoa(PAIR)].map((secret) => [BASIC, secret] as const),
      [BEARER, TOKEN],
    ];
    for (const [hide, secret] of rows) {
      const shown = hide(`Before it ${spell(secret)} after it`);
      assert.match(shown, /^Before it .*\[redacted\].* after it$/s);
      const left = shown.replaceAll("[redacted]", "").replaceAll(/\s|\\[rn]/g, "");
      const spelt = spell(secret).replaceAll(/\s|\\[rn]/g, "");
      // Nothing of its middle is left.
      const middle = spelt.slice(spelt.length * 0.4, spelt.length * 0.6);
      assert.ok(!left.includes(middle), `${shown} shows ${middle}`);
      assert.equal(hide(shown), shown);
    }
  });
}

Deno.test("no more than the secret is hidden, each time that it stands there", () => {
  assert.equal(BASIC(`a ${PASSWORD}, ${PLAIN}; ${PLAIN}`), "a [redacted], [redacted]; [redacted]");
  assert.equal(BASIC(`p=${encodeURIComponent(PASSWORD)}&q=1`), "p=[redacted]&q=1");
  assert.equal(BASIC(`{"p":"${PASSWORD}","q":1}`), '{"p":"[redacted]","q":1}');
  assert.equal(BEARER(`Bearer ${TOKEN}.`), "Bearer [redacted].");
});

Deno.test("what is no secret stays as it is", () => {
  for (
    const text of [
      "",
      "Hello",
      PLAIN.slice(1),
      PLAIN.toLowerCase(),
      btoa("admin:another password"),
      `%61 &amp; \\u0041 ${"x".repeat(10_000)}`,
      "admin",
    ]
  ) assert.equal(BASIC(text), text);
  assert.equal(hiding([])("Hello"), "Hello");
  assert.equal(hiding([""])("Hello"), "Hello");
  assert.equal(hiding(["!!!!!!!!"])("a !!!!!!!! b"), "a [redacted] b");
});
