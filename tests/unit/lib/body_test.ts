/** The body of a request: read within a number of bytes and of pieces, and never cancelled. */
import assert from "node:assert/strict";
import { bodyError, PIECES, readText } from "../../../lib/body.ts";

/** A request with so many pieces of so many bytes, how many of them were taken, and whether it was cancelled. */
function request(count: number, bytes: number) {
  const seen = { taken: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.taken === count) return controller.close();
      controller.enqueue(new Uint8Array(bytes).fill(32));
      seen.taken++;
    },
    cancel: () => void (seen.cancelled = true),
  }, { highWaterMark: 0 });
  return { request: new Request("https://gateway.example/", { method: "POST", body }), seen };
}

const CAP = 100 * 1024 * 1024;

Deno.test("a body in crumbs is given up soon, and one in pieces as they are sent is read", async () => {
  for (const bytes of [0, 1, 100]) {
    const { request: crumbs, seen } = request(1_000_000, bytes);
    const read = await readText(crumbs, CAP);
    assert.deepEqual(read, { fault: "in too many pieces" });
    assert.ok(seen.taken <= 2 * PIECES.MAX, `${seen.taken} were read`);
    assert.equal(seen.cancelled, false, "the runtime would read the rest of it, and answer nobody meanwhile");
    const { code, message } = bodyError({ fault: "in too many pieces" }, CAP);
    assert.deepEqual([code, /too many small pieces/.test(message)], ["E_PAYLOAD_TOO_LARGE", true]);
  }
  for (const [count, bytes] of [[PIECES.MAX, 1], [3, 0], [5000, PIECES.BYTES], [100, 65_536]] as const) {
    const read = await readText(request(count, bytes).request, CAP);
    assert.equal("bytes" in read && read.bytes, count * bytes);
  }
});

Deno.test("a body over the cap is read on for who sends all of it first, so far and no further", async () => {
  const { request: large, seen } = request(1000, 1000);
  assert.deepEqual(await readText(large, 10_000), { fault: "too large" });
  assert.deepEqual(seen, { taken: 1000, cancelled: false });
  const { request: endless, seen: read } = request(1_000_000, 65_536);
  assert.deepEqual(await readText(endless, 10_000), { fault: "too large" });
  assert.deepEqual(read, { taken: 65, cancelled: false });
});
