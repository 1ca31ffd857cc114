/** What the store keeps comes back from its portable form as it was, and keys sort as Deno KV sorts them. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import { compareKeys, keyBytes } from "../../../store/key_bytes.ts";
import { fromPortable, toPortable } from "../../../store/portable.ts";
import { folder } from "./kit.ts";

const VALUES: readonly unknown[] = [
  "",
  "text with \u{1f600}, a zero \0 and half a pair \ud800",
  0,
  -0,
  1.5,
  NaN,
  -Infinity,
  true,
  null,
  undefined,
  12345678901234567890n,
  -1n,
  new Uint8Array([0, 1, 255]),
  new Uint8Array(),
  new Deno.KvU64(2n ** 64n - 1n),
  new Date(1_767_225_600_000),
  new Date(NaN),
  new Map<unknown, unknown>([["a", new Set([1, "b", undefined])], [{ key: 1 }, new Map()]]),
  [1, undefined, [null]],
  { a: undefined, b: { c: new Uint8Array([7]), d: 5n }, "": "empty name", 7: "number" },
  { $: ["bytes", "not bytes"], other: 1 },
  JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'),
  /pattern/gi,
  new Float64Array([1, NaN]),
];

Deno.test("every value is the same after it was written as JSON and read again", () => {
  for (const value of VALUES) {
    const text = toPortable(value);
    assert.deepStrictEqual(fromPortable(text), value, text);
    assert.equal(toPortable(fromPortable(text)), text);
    assert.ok(!text.includes("\n"));
  }
});

Deno.test("values that differ have texts that differ", () => {
  const texts = VALUES.map(toPortable);
  assert.equal(new Set(texts).size, texts.length);
});

Deno.test("what is no portable text is refused", () => {
  for (const text of ['{"$": 1}', '{"$": ["unheard"]}', '{"$": ["map", 1]}', '{"$": ["bytes", "!"]}', "{"]) {
    assert.throws(() => fromPortable(text), SyntaxError, text);
  }
});

Deno.test("the bytes of keys are those that Deno KV writes into its file, and sort as it sorts them", async () => {
  await using dir = await folder();
  const path = `${dir.path}/a.sqlite3`;
  const keys: Deno.KvKey[] = [
    ["a"],
    ["a", ""],
    ["a", "\0"],
    ["a", "b\0c"],
    ["a\0"],
    ["ä", "\u{1f600}"],
    [0],
    [-0.5],
    [1e300],
    [-3, "x"],
    [true],
    [false, 1],
    [0n],
    [255n],
    [256n],
    [-1n],
    [-256n],
    [2n ** 64n - 1n],
    [new Uint8Array([0, 255, 1])],
    [new Uint8Array()],
  ];
  const kv = await Deno.openKv(path);
  for (const key of keys) await kv.set(key, 1);
  const listed = (await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key);
  kv.close();
  assert.deepEqual(keys.toSorted(compareKeys), listed);
  using database = new DatabaseSync(path, { readOnly: true });
  const written = database.prepare("SELECT k FROM kv ORDER BY k").all().map(({ k }) =>
    Buffer.from(k as Uint8Array)
  );
  assert.deepEqual(listed.map((key) => Buffer.from(keyBytes(key))), written);
});
