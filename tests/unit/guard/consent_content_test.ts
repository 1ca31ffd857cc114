/** What a consent holds: the same hashes for the same call, and never more than one value of the store takes. */
import assert from "node:assert/strict";
import { contentOf, differing, hashParts } from "../../../guard/consent/consent_content.ts";
import { repeatable, repeated } from "../../../guard/consent/repeated.ts";
import { LIMITS, type Site } from "../../../core/model.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const of = (args: Record<string, unknown>) =>
  contentOf({ grant: "t", tool: "x", sites: [] as Site[], args, tier: 1 }, null);

Deno.test("arguments are the same whatever the order of their names, at any depth, and others where anything differs", () => {
  const one = of({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } });
  assert.deepEqual(of({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1, left_out: undefined }), one);
  const others: readonly (readonly [Record<string, unknown>, string[]])[] = [
    [{ a: 2, b: { c: [1, { d: 2, e: 3 }], f: null } }, ["a"]],
    [{ a: "1", b: { c: [1, { d: 2, e: 3 }], f: null } }, ["a"]],
    [{ a: 1, b: { c: [{ d: 2, e: 3 }, 1], f: null } }, ["b"]],
    [{ a: 1, b: { c: [1, { d: 2, e: 3 }] } }, ["b"]],
    [{ a: 1 }, ["b"]],
    [{ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null }, g: "" }, ["g"]],
  ];
  for (const [args, names] of others) assert.deepEqual(differing(one.args, of(args).args), names);
  assert.notDeepEqual(of({ a: "caf\u00e9" }), of({ a: "cafe\u0301" }));
});

Deno.test("parts that are many, or have long names, are hashed as one, and a change is seen all the same", () => {
  const parts = (count: number, length: number, last: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${n}-${"x".repeat(length)}`, n === count - 1 ? last : "sha"]),
    );
  for (const [count, length] of [[101, 10], [100, 1000], [3, 20_000]] as const) {
    const hashed = hashParts(parts(count, length, "a"));
    assert.deepEqual(Object.keys(hashed!), ["all parts"]);
    assert.deepEqual(differing(hashed, hashParts(parts(count, length, "b"))), ["all parts"]);
    assert.deepEqual(hashParts(parts(count, length, "a")), hashed);
  }
  assert.equal(Object.keys(hashParts(parts(100, 100, "a"))!).length, 100);
  assert.ok(bytes(hashParts(parts(100, 150, "a"))) < 32 * 1024);
});

Deno.test("an answer is kept whole as long as it fits, and of a larger one its ids and as much as fits", () => {
  const whole = { id: 7, text: "x".repeat(LIMITS.REPEATED_ANSWER_BYTES - 200) };
  assert.deepEqual(repeatable({ value: whole }), { value: whole });
  const large = [
    { post_id: 7, commit_sha: "c", verified: true, value: "x".repeat(LIMITS.REPEATED_ANSWER_BYTES) },
    { post_id: 7, commit_sha: "c", verified: true, warnings: ["é".repeat(LIMITS.REPEATED_ANSWER_BYTES)] },
    { post_id: 7, commit_sha: "c", verified: true, value: "é".repeat(LIMITS.REPEATED_ANSWER_BYTES / 2) },
  ];
  for (const value of large) {
    const kept = repeatable({ value });
    assert.ok(bytes(kept) <= LIMITS.REPEATED_ANSWER_BYTES, "it fits into one value of the store");
    const again = repeated(kept, "r").value as Record<string, unknown>;
    assert.deepEqual([again["post_id"], again["commit_sha"], again["verified"], again["replayed"]], [
      7,
      "c",
      true,
      true,
    ]);
    assert.match(String(again["note"]), /^The first answer had \d+ bytes and was not kept whole/);
  }
});
