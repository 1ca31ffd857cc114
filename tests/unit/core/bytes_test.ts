/** A stream is read whole, and no further than its cap. */
import assert from "node:assert/strict";
import { CHUNKS_MAX, eachChunkWithin, readFleeting, readWithin, release } from "../../../core/bytes.ts";

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

Deno.test("others have their turn where the work on the chunks takes long", async () => {
  const { body } = stream([1], [2], [3], [4]);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const seen: number[] = [];
  await eachChunkWithin(body, 4, () => {
    seen.push(turns);
    const until = performance.now() + 6;
    while (performance.now() < until);
  });
  clearInterval(timer);
  assert.deepEqual(seen.map((turn, at) => at === 0 || turn > seen[at - 1]!), [true, true, true, true]);
});

/** A stream of so many chunks of one byte, each a part of a large buffer as those of a connection are. */
function crumbs(count: number): ReadableStream<Uint8Array> {
  let [made, received] = [0, new Uint8Array(0)];
  return new ReadableStream({
    pull(controller) {
      if (made === count) return controller.close();
      const at = made % 65536;
      if (at === 0) received = Uint8Array.from({ length: 65536 }, (_, n) => n);
      controller.enqueue(received.subarray(at, at + 1));
      made++;
    },
  }, { highWaterMark: 0 });
}

Deno.test("very many small chunks are joined in their order, more than that are not read to the end", async () => {
  const whole = await readWithin(crumbs(CHUNKS_MAX), Infinity);
  assert.deepEqual(whole, Uint8Array.from({ length: CHUNKS_MAX }, (_, n) => n % 65536));
  assert.equal(await readWithin(crumbs(CHUNKS_MAX + 1), Infinity), null);
  let taken = 0;
  assert.equal(await eachChunkWithin(crumbs(2 * CHUNKS_MAX), Infinity, () => void taken++), false);
  assert.equal(taken, CHUNKS_MAX);
});

Deno.test("chunks that last only until the next one are joined, whatever is said to come", async () => {
  const MIB = 1024 * 1024;
  const memory = new Uint8Array(MIB);
  const fleeting = (count: number) => ({
    getReader: () => ({
      read: () => {
        if (count-- === 0) return Promise.resolve({ done: true } as const);
        return Promise.resolve({ done: false, value: memory.fill(count).subarray(0, MIB - 1) } as const);
      },
      cancel: () => Promise.resolve(),
    }),
    cancel: () => Promise.resolve(),
  });
  for (const announced of [0, 5 * (MIB - 1), 100 * MIB]) {
    const whole = await readFleeting(fleeting(5), 100 * MIB, announced);
    assert.equal(whole?.byteLength, 5 * (MIB - 1));
    assert.deepEqual([0, 1, 4].map((at) => whole[at * (MIB - 1)]), [4, 3, 0]);
    assert.equal(whole[MIB - 2], 4);
    assert.ok(whole.buffer.byteLength <= 8 * 5 * MIB, "little more room is taken than what has come needs");
  }
  assert.equal(await readFleeting(fleeting(5), 3 * MIB, 3 * MIB), null);
});

Deno.test("bytes that are given back are empty", () => {
  const bytes = new Uint8Array(1000);
  release(bytes);
  assert.deepEqual([bytes.byteLength, bytes.buffer.detached], [0, true]);
});
