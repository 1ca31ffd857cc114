/** A word that readers read is replaced; the same word in an address, a class, a key or a name of code stays. */
import assert from "node:assert/strict";
import { rewritten } from "../../../rules/finding/rewriting.ts";
import { textNeedle } from "../../../rules/finding/text.ts";
import type { Form } from "../../../rules/finding/unread.ts";

const WORD = { needle: textNeedle("zeppelin"), to: "Airship", isPhone: false, isWords: true };

/** Each place of "Zeppelin" changes, and none of "zeppelin". */
function holds(form: Form, texts: readonly string[]): void {
  for (const text of texts) {
    const { text: made, stays } = rewritten(text, form, WORD)!;
    assert.equal(made, text.replaceAll("Zeppelin", "Airship"), `${form}: ${text}`);
    assert.equal(stays.length > 0, text.includes("zeppelin"), text);
  }
}

Deno.test("in HTML what is read changes, and what leads or names stays", () => {
  holds("html", [
    "<p>Zeppelin, (Zeppelin) Zeppelin's Zeppelin-Tours Zeppelin/Zeppelin. Zeppelin.</p>",
    '<img src="/img/zeppelin.jpg" srcset="zeppelin-2.jpg 2x" alt="The Zeppelin" title = "Zeppelin" class="zeppelin">',
    "<a href='https://x.example/zeppelin/' aria-label='Zeppelin'>Zeppelin</a>",
    "<p id=zeppelin data-x='zeppelin'>Zeppelin</p>",
    "https://www.zeppelin.example/ and info@zeppelin.example and www.zeppelin.example and zeppelin.example Zeppelin",
    '<zeppelin-box>Zeppelin</zeppelin-box><input placeholder="Zeppelin" value="Zeppelin" name="zeppelin">',
    '<!-- wp:image {"url":"https://x.example/zeppelin.jpg","className":"zeppelin","alt":"A Zeppelin"} -->Zeppelin',
    '<script type="application/ld+json">{"@id":"zeppelin","name":"Zeppelin","logo":"\\/zeppelin.png"}</script>',
    "<script>const zeppelin = 'Zeppelin';</script><style>.zeppelin::after{content:'Zeppelin'}</style>",
    "<!-- Zeppelin -->",
  ]);
});

Deno.test("in files keys, names of code and addresses stay", () => {
  holds("json", [
    '{"zeppelin":"Zeppelin","text":"The Zeppelin","url":"/zeppelin","slug":"zeppelin","a":["Zeppelin"]}',
  ]);
  holds("markdown", [
    "---\nzeppelin: Zeppelin\ntitle: The Zeppelin\nimage: ./zeppelin.jpg\n---\n# Zeppelin: a ship",
    '[Zeppelin](/zeppelin/) ![Zeppelin](zeppelin.jpg) <img src="zeppelin.jpg" alt="Zeppelin">',
  ]);
  holds("source", ["zeppelin: Zeppelin\nlist:\n  - Zeppelin\n  - name: Zeppelin", 'zeppelin = "Zeppelin"']);
  holds("code", [
    'import zeppelin from "./zeppelin.ts";\nconst zeppelin = "The Zeppelin";\nzeppelin();',
    '---\nconst a = zeppelin;\n---\n<h1 class="zeppelin">Zeppelin</h1>\n<p title="Zeppelin">{zeppelin} it\'s Zeppelin</p>',
    "const a = { zeppelin: 'Zeppelin' };\nconst b = `The Zeppelin`;",
    ".zeppelin::before { content: \"Zeppelin\"; background: url('zeppelin.png') }",
  ]);
  holds("words", ["The Zeppelin", "https://x.example/zeppelin"]);
});

Deno.test("who looks for an address means addresses", () => {
  const wanted = { ...WORD, needle: textNeedle("/zeppelin/"), to: "/airship/", isWords: false };
  assert.equal(rewritten('<a href="/zeppelin/">', "html", wanted)?.text, '<a href="/airship/">');
});
