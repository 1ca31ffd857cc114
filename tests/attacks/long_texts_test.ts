/** Readers of a caller's texts, with texts that make a careless pattern try the same part again and again. */
import assert from "node:assert/strict";
import { redactText } from "../../guard/audit/redact.ts";
import { plainPath } from "../../rules/path_names.ts";
import { payloadFault } from "../../rules/proxied/payload.ts";
import { wouldPublish } from "../../rules/publishing.ts";
import { homeOf, redirectSource } from "../../rules/redirect.ts";

/** What a careless reader takes hours for: time by the square of a text of this length. */
const CHARACTERS = 1_000_000;
const long = (piece: string) => piece.repeat(CHARACTERS / piece.length);
const BLANKS = `${long(" ")}x`;

const READERS: Readonly<Record<string, () => unknown>> = {
  "a switch of a site's own tool, blanks before a word": () => payloadFault({ publish: BLANKS }),
  "a switch of a built-in tool, blanks before a word": () => wouldPublish({ publish: BLANKS }),
  "a text that is redacted, tokens without their dot": () => redactText(long("-eyJ")),
  "a text that is redacted, longer tokens without their dot": () => redactText(long("-eyJAAAAAAAAAAAA")),
  "a path, blanks before a letter": () => plainPath(`a${BLANKS}`),
  "a path, dots before a letter": () => plainPath(`a${long(".")}x`),
  "a redirect, slashes before a letter": () =>
    redirectSource(`/a${long("/")}x`, homeOf("https://acme.example")),
  "blocks, braces without an end": () => payloadFault({ data: `<!-- wp:a ${long("{")} -->` }),
};

for (const [what, read] of Object.entries(READERS)) {
  // Minutes to hours before; the bound is far above what a busy machine takes.
  Deno.test(`a million characters are read in bounded time: ${what}`, () => {
    const began = performance.now();
    try {
      read();
    } catch (refused) {
      assert.match(String(refused), /GatewayError/);
    }
    assert.ok(performance.now() - began < 10_000);
  });
}

Deno.test("a token is redacted also behind a dash and in a row of them", () => {
  const token = `eyJ${"a".repeat(60)}.${"b".repeat(40)}.${"c".repeat(43)}`;
  for (const text of [token, `key-${token}`, `a ${token} b`, `-eyJ-eyJ-${token}`]) {
    assert.ok(!redactText(text).includes("bbbb"), text);
  }
});
