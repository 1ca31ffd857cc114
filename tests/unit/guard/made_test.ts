/** What a call had made before it failed, as its message says it. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { fitForRow, namingMade, withPartialResult } from "../../../guard/pipeline/made.ts";

const TAG = { what: "tag", id: 7, name: "Sea" };
const POST = { what: "post", id: 12 };

Deno.test("a message ends with what was made, and with what may have been", () => {
  const rows: [string, Parameters<typeof namingMade>[1], string][] = [
    ["It failed", [], "It failed"],
    ["It failed", [TAG], 'It failed; by then it had made tag 7 ("Sea")'],
    ["It failed", [TAG, POST], 'It failed; by then it had made tag 7 ("Sea"), post 12'],
    [
      "It failed",
      [TAG, { what: "tag", id: null, name: "Salt", unsure: true }],
      'It failed; by then it had made tag 7 ("Sea"); it may have made tag "Salt"',
    ],
    ["It failed", [{ what: "commit", id: "ab12", unsure: true }], "It failed; it may have made commit ab12"],
    ["It failed", [{ what: "page", id: null }], "It failed; by then it had made page without a known id"],
  ];
  for (const [message, made, says] of rows) assert.equal(namingMade(message, made), says);
});

Deno.test("what a message names already is not named again; another id that begins alike is", () => {
  const named = "Post 12 was created and stands as published";
  assert.equal(namingMade(named, [POST]), named);
  assert.equal(
    namingMade('It was stored as "s-1", but', [{ what: "entry", id: "s-1" }]).endsWith("but"),
    true,
  );
  assert.match(namingMade("Post 123 is in the way", [POST]), /; by then it had made post 12$/);
  assert.match(namingMade("The limit is 12", [POST]), /; by then it had made post 12$/);
  assert.match(namingMade('title: "12" is too short', [POST]), /; by then it had made post 12$/);
});

Deno.test("a name is shown without credentials and not without end", () => {
  const secret = `Bearer ${"a".repeat(20)}`;
  assert.deepEqual(fitForRow({ ...TAG, name: `x ${secret}` }), { ...TAG, name: "x [redacted]" });
  assert.equal(fitForRow({ ...TAG, name: "y".repeat(5000) }).name?.length, 200);
  assert.doesNotMatch(namingMade("It failed", [{ ...TAG, name: secret }]), /aaaa/);
});

Deno.test("a failure told in other words keeps all else that is known of it", () => {
  class Special extends GatewayError {
    readonly reason = "busy";
  }
  const cause = new Error("beneath");
  const failure = new Special("E_UPSTREAM", "It failed", { upstream: 503, retryAfter: 3, cause });
  assert.equal(withPartialResult(failure, []), failure);
  const told = withPartialResult(failure, [TAG]);
  assert.deepEqual([told.code, told.upstream, told.retryAfter, told.cause], ["E_UPSTREAM", 503, 3, cause]);
  assert.equal((told as Special).reason, "busy");
  assert.equal(told.message, 'It failed; by then it had made tag 7 ("Sea")');
  assert.equal(failure.message, "It failed");
});
