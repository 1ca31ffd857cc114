/** The body of a request: read within a number of bytes and of pieces, and never cancelled. */
import assert from "node:assert/strict";
import { delay } from "../../../core/async.ts";
import { bodyError, isGivenUp, readJson, readText } from "../../../core/body.ts";
import { PIECES } from "../../../core/body_pieces.ts";
import { LIMITS } from "../../../core/model.ts";

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

Deno.test("memory is taken for what a body without a length brings, not for what it might", async () => {
  const sizes = async (bytes: number) => {
    const taken: number[] = [];
    let left = bytes;
    const body = new ReadableStream({
      type: "bytes",
      pull(controller) {
        const view = controller.byobRequest?.view;
        if (!view) return;
        taken.push(view.byteLength);
        const size = Math.min(left, view.byteLength);
        if (size === 0) controller.close();
        else new Uint8Array(view.buffer, view.byteOffset, size).fill(32);
        controller.byobRequest.respond(size);
        left -= size;
      },
    });
    const read = await readText(new Request("https://gateway.example/", { method: "POST", body }), CAP);
    assert.equal("bytes" in read && read.bytes, bytes);
    return taken;
  };
  const [first] = await sizes(2);
  assert.ok(first! <= 4096, `${first} bytes for 2`);
  const ofMany = await sizes(1024 * 1024);
  assert.ok(ofMany.length <= 8, `${ofMany.length} reads`);
});

Deno.test("a body over the cap is read on for who sends all of it first, so far and no further", async () => {
  const { request: large, seen } = request(1000, 1000);
  assert.deepEqual(await readText(large, 10_000), { fault: "too large" });
  assert.deepEqual(seen, { taken: 1000, cancelled: false });
  const { request: endless, seen: read } = request(1_000_000, 65_536);
  assert.deepEqual(await readText(endless, 10_000), { fault: "too large" });
  assert.deepEqual(read, { taken: 65, cancelled: false });
});

/** A request whose body never ends: a first piece, then one more each time it is asked for, after that time. */
function endless(headers: Record<string, string>, pieces: number, everyMs = 0): Request {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent++ === pieces) await new Promise(() => {});
      await delay(everyMs);
      controller.enqueue(new Uint8Array([32]));
    },
  }, { highWaterMark: 0 });
  return new Request("https://gateway.example/", { method: "POST", body, headers });
}

Deno.test("a body of which nothing comes any more is given up, and so is one that comes too slowly", async () => {
  const patience = { SILENT_MS: 40, BYTES_PER_MS: 16 };
  for (
    const request of [
      endless({ "content-length": "3000" }, 1),
      endless({ "content-length": "3000" }, 0),
      endless({ "content-length": "300000" }, 1),
      endless({}, 5),
      endless({}, Infinity, 2),
    ]
  ) {
    // One that is waited for would never end, and one that comes on and on would be in too many pieces.
    assert.deepEqual(await readText(request, CAP, { patience }), { fault: "too slow" });
    assert.equal(isGivenUp(request), true);
    await delay(0);
    const { code, message } = bodyError({ fault: "too slow" }, CAP);
    assert.deepEqual([code, /did not arrive/.test(message)], ["E_BAD_JSON", true]);
  }
  const whole = request(3, 10).request;
  assert.deepEqual(await readText(whole, CAP, { patience }), { text: " ".repeat(30), bytes: 30 });
  assert.equal(isGivenUp(whole), false);
});

Deno.test("bytes are counted as they come, and what refuses them ends the reading", async () => {
  for (const [count, bytes] of [[10, 1000], [1000, 60]] as const) {
    let seen = 0;
    const add = (more: number) => void (seen += more);
    await readText(request(count, bytes).request, CAP, { add });
    assert.equal(seen, count * bytes);
  }
  const { request: large, seen } = request(1000, 100_000);
  let told = 0;
  const refuse = () => {
    if (++told === 3) throw bodyError({ fault: "too large" }, 1024);
  };
  await assert.rejects(readText(large, CAP, { add: refuse }), /over 1 KiB/);
  assert.equal(told, 3, "what is thrown away counts no more");
  assert.ok(seen.taken < 60, `${seen.taken} pieces were read on`);
});

Deno.test("a short body is read as a long one is: as UTF-8 or not at all, and no deeper than it may be", async () => {
  const sent = (body: string | Uint8Array<ArrayBuffer>) =>
    new Request("https://x.test", {
      method: "POST",
      body,
      headers: {
        "content-length": String(
          typeof body === "string" ? new TextEncoder().encode(body).length : body.length,
        ),
      },
    });
  const read = async (body: string | Uint8Array<ArrayBuffer>) => {
    const found = await readJson(sent(body), 1000);
    return "fault" in found ? found.fault : found.value;
  };
  assert.deepEqual(await read("{}"), {});
  assert.deepEqual(await read('{"a":"é\u20ac"}'), { a: "é€" });
  assert.equal(await read(Uint8Array.of(0x22, 0xff, 0x22)), "not UTF-8");
  assert.equal(await read('{"a":'), "not JSON");
  const deep = LIMITS.NESTING_LEVELS;
  assert.notEqual(await read("[".repeat(deep) + "]".repeat(deep)), "depth");
  assert.equal(await read("[".repeat(deep + 1) + "]".repeat(deep + 1)), "depth");
  const quoted = "[".repeat(deep + 1);
  assert.deepEqual(await read(JSON.stringify([quoted])), [quoted], "a bracket in a string opens nothing");
});

Deno.test("a byte order mark before a body is no part of it, and hides nothing from the count", async () => {
  const mark = "\ufeff";
  const read = async (text: string, length: boolean) => {
    const body = new TextEncoder().encode(text);
    const headers = length ? { "content-length": String(body.length) } : undefined;
    const found = await readJson(new Request("https://x.test", { method: "POST", body, headers }), CAP);
    return "fault" in found ? found.fault : found.value;
  };
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const long = "x".repeat(2 * 1024 * 1024); // such a body is parsed in parts
  for (const length of [true, false]) {
    assert.deepEqual(await read(`${mark}{"a":"é"}`, length), { a: "é" });
    assert.deepEqual(await read(`${mark}{}`, length), {});
    assert.deepEqual(await read(`${mark}{"a":"${long}"}`, length), { a: long });
    assert.equal(await read(mark + nested(LIMITS.NESTING_LEVELS + 1), length), "depth");
    assert.equal(await read(`${mark}[${"1,".repeat(LIMITS.JSON_NODES)}1]`, length), "nodes");
    assert.equal(await read(`${mark}["${long}",${nested(LIMITS.NESTING_LEVELS)}]`, length), "depth");
    for (const twice of [`${mark}${mark}{}`, `${mark}${mark}["${long}"]`]) {
      assert.equal(await read(twice, length), "not JSON", "of two marks one is no mark");
    }
  }
  const form = await readText(new Request("https://x.test", { method: "POST", body: `${mark}a=1` }), CAP);
  assert.equal("text" in form && form.text, "a=1");
});
