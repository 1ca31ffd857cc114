/** The body of an answer as it is taken from its connection. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { readWithin } from "../../../core/bytes.ts";
import { Body } from "../../../platforms/_http/body.ts";

Deno.test("of a body in very many pieces few are taken before they are read, and all come in their order", async () => {
  const bytes = Uint8Array.from({ length: 10_000 }, (_, at) => at % 251);
  const source = new Readable({ read() {} });
  for (const at of bytes.keys()) source.push(bytes.subarray(at, at + 1));
  source.push(null);
  let over = 0;
  const ends = { signal: new AbortController().signal, over: () => Promise.resolve(void over++) };
  const body = new Body(source, source, ends);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(source.isPaused());
  assert.ok(source.readableLength >= bytes.length - 256, `${source.readableLength} are left`);
  assert.deepEqual(await readWithin(body, bytes.length), bytes);
  assert.equal(over, 1);
});
