/** How much a JSON text holds is counted as a parser would find it, and soon, however the text is made. */
import assert from "node:assert/strict";
import { jsonExtent } from "../../../core/json_extent.ts";
import { StepsTaken } from "../../steps_taken.ts";
import { words } from "../../words.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const BUDGET = { nodes: 6, depth: 3 };
const excess = async (text: string) => (await jsonExtent(bytesOf(text), BUDGET)).excess;

/** Values of all levels, as a parsed text has them. */
function nodes(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + nodes(one), 1);
}

Deno.test("values are counted at every level, and what stands in strings is none", async () => {
  for (
    const [text, expected] of [
      ["{}", null],
      ["[1,2,3,4,5]", null],
      ["[1,2,3,4,5,6]", "nodes"],
      ['{"a":{"b":[1,2]},"c":{}}', null],
      ['{"a":{"b":[1,2]},"c":{},"d":0}', "nodes"],
      [' { "a" : [ ] , "b" : { } , "c" : "," } ', null],
      ['{"a":"[[[[,,,,,,{{{"}', null],
      ['{"a":"\\"[[[[,,,,,,,\\\\"}', null],
      ['{"a":"\\\\","b":[[0]]}', null],
      ['{"a":"\\\\","b":[[[0]]]}', "depth"],
      ["[[[]]]", null],
      ["[[[[]]]]", "depth"],
      ["[[[[a", "depth"],
      ["[x[[[[[[[[", null],
      ["", null],
      ['"', null],
      ['{"a":"\\', null],
      ["]]]]", null],
    ] as const
  ) {
    assert.equal(await excess(text), expected, text);
  }
});

Deno.test("the count is that of the parsed value", async () => {
  const texts = words(
    `
    [[],{},[[]],0] {"a":[{"b":null},{"c":[]}],"d":"x,y"} 0 [{"a":1},[2,3,[4]],"5"]
  `,
    "[ ]",
  );
  for (const text of texts) {
    const count = nodes(JSON.parse(text));
    const within = async (most: number) =>
      (await jsonExtent(bytesOf(text), { nodes: most, depth: 9 })).excess;
    assert.deepEqual([await within(count), await within(count - 1)], [null, "nodes"], text);
  }
});

Deno.test("an object at a path is counted by itself, and named by where it stands", async () => {
  const inner = async (text: string) => {
    const found = await jsonExtent(bytesOf(text), BUDGET, ["params", "arguments"]);
    return [found.excess, found.inner && [text.slice(found.inner.from, found.inner.to), found.inner.excess]];
  };
  const wide = "{" + Array.from({ length: 9 }, (_, n) => `"k${n}":1`).join() + "}";
  for (
    const [text, expected] of [
      ['{"params":{"arguments":{"a":1}}}', [null, ['{"a":1}', null]]],
      [`{"id":1,"params":{"name":"x","arguments": ${wide} ,"_":0}}`, [null, [wide, "nodes"]]],
      ['{"params":{"arguments":{"a":[[[]]]}}}', [null, ['{"a":[[[]]]}', "depth"]]],
      ['{"params":{"arguments":{"params":{"arguments":{}}}}}', [null, ['{"params":{"arguments":{}}}', null]]],
      ['{"other":{"arguments":{}},"params":{}}', [null, null]],
      ['{"params":[],"x":{"arguments":{}}}', [null, null]],
      ['{"params":{"arguments":"{"}}', [null, null]],
      ['{"arguments":{},"params":"arguments"}', [null, null]],
      [`{"params":{"arguments":${wide},"arguments":{}}}`, ["nodes", null]],
      [`{"params":{"arguments":{}},"more":${wide}}`, ["nodes", ["{}", null]]],
      ['{"params":{"\\u0061rguments":[[[]]]}}', ["depth", null]],
    ] as const
  ) {
    assert.deepEqual(await inner(text), expected, text);
  }
});

Deno.test("no text is looked at more than once, however its quotes and brackets stand", async () => {
  const most = { nodes: Infinity, depth: Infinity };
  using steps = await StepsTaken.started();
  for (const piece of ['\\"', '"', "\\", '"a",', "[", "{", ",", " ", '"\\\\"', "é"]) {
    for (const before of ["", '{"params":{"arguments":{"a":"', '{"params":{"arguments":{"a":']) {
      const bytes = bytesOf(before + piece.repeat(5000));
      const taken = await steps.of([() => jsonExtent(bytes, most, ["params", "arguments"])]);
      assert.ok(taken < 12 * bytes.length, `${before}${piece}: ${taken} steps for ${bytes.length} bytes`);
    }
  }
});
