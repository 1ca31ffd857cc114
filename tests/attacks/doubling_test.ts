/** What rules count while they read texts: twice the text is at most twice the steps, and too many are refused. */
import assert from "node:assert/strict";
import { Steps } from "../../core/steps.ts";
import { namedForbidden } from "../../rules/proxied/names.ts";
import { payloadFault } from "../../rules/proxied/payload.ts";
import { wouldPublish } from "../../rules/publishing.ts";

/** What a text is made of that somebody wants to be slow; the last stand at the end of it. */
const PIECES =
  ('a|A1b2 |é|e\u0301|\u202e|\ud83d\ude00| |\t|\n|\r\n|0|9|1:|-|_|.|/|../|\\|%25|%5B|[|{|(|]|}|)|[[|{{|[]|{}|[],|"|\'|`|""|\\"|,|;|:|=|' +
    "a=1&|&|&quot;|&#91;|<|>|<p>|<p |<p a=|<!--|-->|<![CDATA[|</|<script>|</script|<style>|<svg><|:is(|:not(:is(|@media x{|a{|a,|" +
    "/*|*/|//|url(|\\61 |status=\n|status: draft\n|- a\n|x,draft,y\n|| x | y |\n|<status>x</status>|--post_status=draft |status='a',|" +
    'status: x |s:1:"a";|i:0;|a:1:{|<!-- wp:x {"status":1} -->|<!-- wp:|mutation |javascript:|://|user:p@|Bearer |eyJ|E_|confirm_|' +
    "verified |delete_|aB|T00:00:00Z|W10=").split("|").filter((one) => one !== "");

const BEGINNINGS = [
  "",
  "[",
  '{"a":',
  '"',
  "status=",
  "a,status\n",
  "wp post ",
  "update x set ",
  "mutation ",
  "a:1:{",
  "<?xml ?>",
];

const textOf = (beginning: string, piece: string, length: number) =>
  beginning + piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

Deno.test("rules that read texts as what a server might count at most twice the steps for twice the text", () => {
  const taken = (judge: (steps: Steps) => unknown) => {
    const steps = new Steps(Infinity);
    try {
      judge(steps);
    } catch {
      // wider or deeper than may be
    }
    return steps.taken;
  };
  for (const piece of PIECES) {
    for (const beginning of BEGINNINGS) {
      for (const rule of [payloadFault, namedForbidden] as const) {
        const of = (length: number) => {
          const args = { settings: { x: textOf(beginning, piece, length) } };
          return taken((steps) =>
            rule === payloadFault ? payloadFault(args, false, steps) : namedForbidden(args, steps)
          );
        };
        const once = of(1500);
        assert.ok(of(3000) <= 2 * once + 200, `${rule.name}: ${JSON.stringify(beginning + piece)}`);
      }
    }
  }
});

Deno.test("a text that holds too much to be judged is refused by what it holds, before it is taken apart", () => {
  for (const text of ["status=x\n".repeat(200_000), "a=1&".repeat(400_000), `${"[".repeat(1_900_000)}`]) {
    for (const rule of [payloadFault, namedForbidden]) {
      assert.throws(() => rule({ settings: { x: text } }), { code: "E_BAD_INPUT" });
    }
  }
});

Deno.test("a text that is JSON wider or deeper than a call may be is refused before it is parsed", () => {
  for (const text of ["[".repeat(1_900_000), `[${"1,".repeat(60_000)}1]`]) {
    assert.throws(() => wouldPublish({ content_html: text }), { code: "E_BAD_INPUT" });
  }
  assert.equal(
    wouldPublish({ content_html: `[gallery ${"[,".repeat(900_000)}` }),
    null,
    "what is no JSON is a text",
  );
});
