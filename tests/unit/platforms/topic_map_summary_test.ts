/** Summaries of lists: what is kept and marked at every depth, of any JSON, without reading what is left out. */
import assert from "node:assert/strict";
import { lengthOf, Summarizer, whole } from "../../../platforms/topic_map/summary.ts";

const MAX = 1024 * 1024;
const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
/** Reads it in pieces of so many bytes. */
function summarized(bytes: Uint8Array, max: number, size = bytes.length || 1) {
  const summarizer = new Summarizer(max);
  for (let at = 0; at < bytes.length; at += size) summarizer.add(bytes.subarray(at, at + size));
  return summarizer.result();
}
const summary = (value: unknown, max = MAX) => {
  const read = summarized(bytes(value), max);
  assert.ok("value" in read, JSON.stringify(read));
  return read.value;
};
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const cut = (total: number) => ({ _truncated: true, total, omitted: total - 20 });

/** The same by the plain way: children first, twenty kept. */
function plainly(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.slice(0, 20).map(plainly);
    return value.length > 20 ? [...kept, cut(value.length)] : kept;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainly(one)]));
}

Deno.test("lists of up to twenty stay, longer ones end in what was left out", () => {
  for (const count of [0, 1, 19, 20]) assert.deepEqual(summary(numbers(count)), numbers(count));
  assert.deepEqual(summary(numbers(21)), [...numbers(20), cut(21)]);
  assert.deepEqual(summary({ a: numbers(1000), b: 1 }), { a: [...numbers(20), cut(1000)], b: 1 });
});

Deno.test("it is what cutting the values would give, at every depth", () => {
  const tricky = ['"', "\\", '\\"', "[", "]", "{,}", "ü€😀", "\u2028", ""];
  const leaf = (at: number): unknown =>
    [at, null, true, -1.5e3, tricky[at % tricky.length], {}, [], { [tricky[at % 9]!]: [at] }][at % 8];
  let state = 7;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  const grown = (depth: number): unknown => {
    if (depth === 0) return leaf(random(100));
    const count = random(45);
    const inner = Array.from({ length: count }, () => (random(3) > 0 ? leaf(random(100)) : grown(depth - 1)));
    return random(3) === 0 ? { list: inner, [tricky[random(9)]!]: grown(depth - 1) } : inner;
  };
  for (let round = 0; round < 200; round++) {
    const value = grown(3);
    assert.deepEqual(summary(value, 64 * MAX), plainly(value));
    const pieces = summarized(bytes(value), 64 * MAX, 1 + random(7));
    assert.deepEqual(pieces, { value: plainly(value) }, "in pieces of any size");
    assert.deepEqual(summary(JSON.stringify(value, null, 2), 64 * MAX), plainly(value));
  }
});

Deno.test("what is no JSON is unreadable, what is kept may only be so large", () => {
  const faulty = [
    "",
    "{",
    "[1,2",
    '{"a":"',
    "[}",
    "]",
    "[1,]",
    "nothing",
    '"\\"',
    "[".repeat(65) + "]".repeat(65),
  ];
  for (const text of faulty) {
    assert.deepEqual(summarized(bytes(text), MAX), { fault: "unreadable" }, text.slice(0, 20));
  }
  const wide = numbers(20).map(() => "x".repeat(100));
  assert.deepEqual(summarized(bytes(wide), 1000), { fault: "too large" });
  assert.deepEqual(summary([...wide, "y".repeat(MAX)], 4000), [...wide, cut(21)]);
  assert.deepEqual(whole(bytes(wide), 1000), { fault: "too large" });
  assert.deepEqual(whole(bytes(wide), 10_000), { value: wide });
});

Deno.test("nothing of what is left out is held, nor a piece that is used again", () => {
  const summarizer = new Summarizer(MAX);
  const piece = new Uint8Array(64 * 1024);
  const rest = bytes(`[${numbers(20).join()}${',"left out"'.repeat(100_000)}]`);
  for (let at = 0; at < rest.length; at += piece.length) {
    const next = rest.subarray(at, at + piece.length);
    piece.set(next);
    summarizer.add(piece.subarray(0, next.length));
  }
  piece.fill(0);
  assert.ok(summarizer.kept().length < 200);
  assert.deepEqual(summarizer.result(), { value: [...numbers(20), cut(100_020)] });
});

Deno.test("the length of a list counts what was left out of it", () => {
  assert.equal(lengthOf([]), 0);
  assert.equal(lengthOf([{ id: 1 }, null]), 2);
  assert.equal(lengthOf(summary(numbers(1234)) as unknown[]), 1234);
});
