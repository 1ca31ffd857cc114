/** What rules count while they read texts: twice the text is at most twice the steps, and too many are refused. */
import assert from "node:assert/strict";
import { scriptsIn } from "../../rules/code_pages/script.ts";
import { Steps } from "../../core/steps.ts";
import { namedForbidden } from "../../rules/proxied/named.ts";
import { payloadFault } from "../../rules/proxied/payload.ts";
import { wouldPublish } from "../../rules/publishing.ts";
import { BEGINNINGS, PIECES, textOf, VALUES } from "../hostile_texts.ts";

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

Deno.test("names and values that stand for the product of both are refused before that is made", () => {
  const args = { settings: VALUES["names and values"]!(8000, "k") };
  for (const rule of [payloadFault, namedForbidden]) assert.throws(() => rule(args), { code: "E_BAD_INPUT" });
});

Deno.test("blocks that begin in each other without end count as script, and are not looked into one by one", () => {
  assert.deepEqual(scriptsIn("<!-- wp:".repeat(100_000)), ["more elements than can be looked through"]);
  assert.deepEqual(scriptsIn(`<!-- wp:a <!-- wp:b {"c":"<p>"} -->`), []);
});
