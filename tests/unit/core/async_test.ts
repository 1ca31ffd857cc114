/** What is made on demand is made once, and anew where that failed. */
import assert from "node:assert/strict";
import { onDemand } from "../../../core/async.ts";

Deno.test("what is made on demand is made once for all who want it, and anew after a failure", async () => {
  let made = 0;
  const wanted = onDemand(() => ++made === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve(made));
  assert.equal(made, 0);
  await Promise.all([1, 2].map(() => assert.rejects(wanted(), /not yet/)));
  assert.deepEqual(await Promise.all([wanted(), wanted()]), [2, 2]);
  assert.equal(await wanted(), 2);
  assert.equal(made, 2);
});
