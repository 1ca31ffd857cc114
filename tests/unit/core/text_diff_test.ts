/** What differs between two texts: every sign of both is there again, words are marked, and long texts take a bounded time. */
import assert from "node:assert/strict";
import { type Stretch, textDiff } from "../../../core/text_diff.ts";
import { StepsTaken } from "../../steps_taken.ts";

const MS = 1000;
const short = (all: readonly Stretch[]) =>
  all.map(({ kind, text }) => kind === "same" ? text : kind === "gone" ? `[-${text}]` : `[+${text}]`).join(
    "",
  );
const both = (all: readonly Stretch[]) => ({
  from: all.filter(({ kind }) => kind !== "new").map(({ text }) => text).join(""),
  to: all.filter(({ kind }) => kind !== "gone").map(({ text }) => text).join(""),
});

const ROWS: readonly [from: string, to: string, shown: string][] = [
  ["same", "same", "same"],
  ["", "", ""],
  ["", "new", "[+new]"],
  ["gone", "", "[-gone]"],
  ["open from nine to five", "open from ten to five", "open from [-nine][+ten] to five"],
  ["one two three", "one 2 3", "one [-two three][+2 3]"],
  ["<p>A b.</p><p>C d.</p>", "<p>A b.</p><p>C e.</p>", "<p>A b.</p><p>C [-d][+e].</p>"],
  ["Привет мир", "Привет дом", "Привет [-мир][+дом]"],
  ["مرحبا بالعالم", "مرحبا بالبيت", "مرحبا [-بالعالم][+بالبيت]"],
  ["東京の天気", "京都の天気", "[-東]京[+都]の天気"],
  ["a 👨‍👩‍👧 b", "a 👍🏽 b", "a [-👨‍👩‍👧][+👍🏽] b"],
  ["all of this is gone", "nothing here is alike now", "[-all of this is gone][+nothing here is alike now]"],
  ["line\nline two\n", "line\nother\nline two\n", "line\n[+other\n]line two\n"],
];

for (const [from, to, shown] of ROWS) {
  Deno.test(`${JSON.stringify(from)} and ${JSON.stringify(to)}`, () => {
    assert.equal(short(textDiff(from, to, MS)), shown);
  });
}

Deno.test("both texts come out of it whole, whatever they are and however little time there is", () => {
  let seed = 7;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  const text = () => Array.from({ length: next(60) }, () => PARTS[next(PARTS.length)]).join("");
  for (let times = 0; times < 300; times++) {
    const [from, to] = [text(), text()];
    for (const ms of [0, MS]) assert.deepEqual(both(textDiff(from, to, ms)), { from, to });
  }
});
const PARTS = ["a", "b ", " ", "\n", "<p>", "</p>", ". ", "ü", "👍", "字", "\u202e", "long-word"];

Deno.test("of a long text in which every sentence differs a little, the words are marked", () => {
  const from = Array.from({ length: 3000 }, (_, at) => `Sentence ${at} is about bicycles of every kind. `)
    .join("");
  const to = from.replaceAll("bicycles", "boats");
  const all = textDiff(from, to, 60_000);
  assert.deepEqual(both(all), { from, to });
  assert.equal(all.filter(({ kind, text }) => kind === "gone" && text === "bicycles").length, 3000);
});

Deno.test("200 KiB that differ everywhere are compared within their time, and by what they begin and end with beyond it", () => {
  const from = Array.from({ length: 20_000 }, (_, at) => `word${at} `).join("");
  const to = from.replaceAll("1", "one");
  const all = textDiff(from, to, 0);
  assert.deepEqual(both(all), { from, to });
  assert.ok(all.length < 10, "it is not compared by words any more");
});

Deno.test("what takes too many edits is known before it is tried: it takes not many more steps than a few", async () => {
  const lines = (word: string, from = 0) =>
    Array.from({ length: 3000 }, (_, at) => `Line ${at} is ${at < from ? "about" : word} it.\n`).join("");
  const [from, few, all] = [lines("of"), lines("of", 20), lines("on")];
  using steps = await StepsTaken.started();
  const taken = (to: string) => steps.of([() => textDiff(from, to, 0)]);
  await taken(few); // what is made once is made
  const ratio = await taken(all) / await taken(few);
  assert.ok(ratio < 5, `${ratio} times the steps of a few`);
});
