/** A stream is read whole, and no further than its cap. */
import assert from "node:assert/strict";
import { readWithin } from "../../../lib/bytes.ts";

/** A stream of those chunks, what was taken of it, and whether it was let go. */
function stream(...chunks: number[][]) {
  const seen = { taken: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[seen.taken++];
      if (chunk) controller.enqueue(new Uint8Array(chunk));
      else controller.close();
    },
    cancel: () => void (seen.cancelled = true),
  }, { highWaterMark: 0 });
  return { body, seen };
}

Deno.test("the chunks are joined in their order, up to the very cap", async () => {
  const { body, seen } = stream([1, 2], [], [3], [4, 5]);
  assert.deepEqual(await readWithin(body, 5), new Uint8Array([1, 2, 3, 4, 5]));
  assert.equal(seen.cancelled, false);
});

Deno.test("one byte over the cap is null, and the rest is not read", async () => {
  const { body, seen } = stream([1, 2], [3], [4]);
  assert.equal(await readWithin(body, 2), null);
  assert.deepEqual(seen, { taken: 2, cancelled: true });
});

Deno.test("no stream is no bytes, and one that breaks is thrown on", async () => {
  assert.deepEqual(await readWithin(null, 0), new Uint8Array());
  assert.deepEqual(await readWithin(stream().body, 0), new Uint8Array());
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("connection lost")) });
  await assert.rejects(readWithin(broken, 5), /connection lost/);
});
