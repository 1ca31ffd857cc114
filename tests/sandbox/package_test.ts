/** Reading single files out of a gzipped tar. */
import assert from "node:assert/strict";
import { gzipSync } from "fflate";
import { untar } from "../../sandbox/wordpress/package.ts";

function entry(name: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const out = new Uint8Array(512 + Math.ceil(bytes.length / 512) * 512);
  const put = (value: string, at: number) => out.set(new TextEncoder().encode(value), at);
  put(name, 0);
  put(bytes.length.toString(8).padStart(11, "0"), 124);
  put("0", 156);
  out.set(bytes, 512);
  return out;
}

function packed(...entries: Uint8Array[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const tar = new Uint8Array(entries.reduce((sum, row) => sum + row.length, 1024));
  let at = 0;
  for (const row of entries) {
    tar.set(row, at);
    at += row.length;
  }
  const bytes = new Uint8Array(gzipSync(tar));
  return new ReadableStream({
    start(controller) {
      // Odd pieces, so that headers and bodies are cut anywhere.
      for (let from = 0; from < bytes.length; from += 7) controller.enqueue(bytes.slice(from, from + 7));
      controller.close();
    },
  });
}

Deno.test("wanted files come out whole, others are passed over", async () => {
  const long = "x".repeat(1500);
  const stream = packed(
    entry("a/skip", "no"),
    entry("a/one", long),
    entry("a/empty", ""),
    entry("a/two", "2"),
  );
  const found = await untar(stream, new Set(["a/one", "a/two", "a/absent"]));
  const text = (name: string) => new TextDecoder().decode(found.get(name));
  assert.deepEqual([...found.keys()], ["a/one", "a/two"]);
  assert.deepEqual([text("a/one"), text("a/two")], [long, "2"]);
});

Deno.test("reading stops at the last wanted file", async () => {
  const found = await untar(packed(entry("first", "1"), entry("second", "2")), new Set(["first"]));
  assert.deepEqual([...found.keys()], ["first"]);
});
