/** Secrets that are piped in or typed: what is typed is not shown, may be taken back, and ends with its line. */
import assert from "node:assert/strict";
import { CommandError } from "../../../admin/terminal.ts";
import { readSecret } from "../../../admin/typed.ts";

interface Read {
  readonly secret: string;
  readonly shown: string;
  readonly raw: readonly boolean[];
}

async function read(parts: readonly string[], isTerminal: boolean): Promise<Read> {
  const raw: boolean[] = [];
  let shown = "";
  const readable = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
  const keys = { isTerminal: () => isTerminal, setRaw: (on: boolean) => void raw.push(on), readable };
  const secret = await readSecret(keys, (text) => shown += text);
  return { secret, shown, raw };
}

Deno.test("what is piped in is read to its end, and nothing is prompted for", async () => {
  assert.deepEqual(await read(["se", "cret\n", "more\n"], false), {
    secret: "secret\nmore\n",
    shown: "",
    raw: [],
  });
});

Deno.test("what a person types is one line, is not echoed, and the terminal is given back", async () => {
  for (const end of ["\r", "\n", "\r\n", "\x04"]) {
    assert.deepEqual(await read(["s", "ec", `ret${end}`, "not this\n"], true), {
      secret: "secret",
      shown: "Enter the secret (it is not shown): \n",
      raw: [true, false],
    });
  }
});

Deno.test("what was taken back is not part of it, and an end without a line is its end", async () => {
  assert.equal((await read(["sx\x7fecü\x7fr", "ext\x7f\x7f\x7f\x7fret\r"], true)).secret, "secret");
  assert.equal((await read(["\x7f\x7fab"], true)).secret, "ab");
});

Deno.test("a terminal whose reading fails, or is given up by Ctrl-C, is given back as well", async () => {
  const raw: boolean[] = [];
  const readable = new ReadableStream<Uint8Array>({ pull: (at) => at.error(new Error("gone")) });
  const keys = { isTerminal: () => true, setRaw: (on: boolean) => void raw.push(on), readable };
  await assert.rejects(readSecret(keys, () => {}), /gone/);
  assert.deepEqual(raw, [true, false]);
  const givenUp = ReadableStream.from([new TextEncoder().encode("sec\x03")]);
  await assert.rejects(readSecret({ ...keys, readable: givenUp }, () => {}), CommandError);
  assert.deepEqual(raw, [true, false, true, false]);
});
