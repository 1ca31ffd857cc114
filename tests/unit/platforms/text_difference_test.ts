/** What a site made of a text is blamed on what can have done it: a plugin, or the rights of the account. */
import assert from "node:assert/strict";
import { textDifference } from "../../../platforms/wordpress/rest/warnings.ts";

const SENT = "<p>Hi &amp; bye</p><script>alert(1)</script>";
const KSES = "<p>Hi &amp; bye</p>alert(1)";

const cases: readonly (readonly [stored: string, mayStoreAny: boolean | undefined, says: RegExp])[] = [
  [KSES, false, /\(without <script>\); the account lacks the right unfiltered_html, so WordPress took out/],
  [KSES, undefined, /a plugin or a filter of the site changed it, as WordPress does where the account lacks/],
  [KSES, true, /a plugin .* see which; the account's role has the right unfiltered_html, which on a network/],
  [
    `${SENT}<p>Read more</p>`,
    false,
    /a plugin .* see which; missing rights of the account only take HTML away/,
  ],
  [`${SENT}<p>Read more</p>`, true, /a plugin .* see which; .*, so its rights are not the cause/],
  [`${SENT}<p>Read more</p>`, undefined, /a plugin .* see which; missing rights/],
  ["<p>Hi &amp; bye</p><em>alert(1)</em>", false, /a plugin .* see which; missing rights/],
  ["<p>bye Hi</p>", undefined, /a plugin .* see which; missing rights/],
];

Deno.test("a text that a plugin changed is not blamed on the account's rights", () => {
  for (const [stored, mayStoreAny, says] of cases) {
    const [said] = textDifference("content_html", SENT, stored, mayStoreAny);
    assert.match(said!, says, stored);
    assert.match(said!, /: read the post$/);
  }
  assert.deepEqual(textDifference("content_html", SENT, `${SENT}\n`, false), []);
});
