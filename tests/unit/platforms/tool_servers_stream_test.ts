/** Event streams of a tool server: the answer is found however the stream is cut, and whatever stands around it. */
import assert from "node:assert/strict";
import { EventReader } from "../../../platforms/tool_servers/stream.ts";

const wanted = (message: unknown) => (message as { id?: unknown } | null)?.id === 7;
const ANSWER = { jsonrpc: "2.0", id: 7, result: { text: 'Grüße 👋 \u2028 "quoted"\n' } };

/** Numbers that look random, the same for a seed. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** What is read of those bytes, cut at random. */
function read(bytes: Uint8Array, roll: (below: number) => number, piece: number): unknown {
  const reader = new EventReader(wanted);
  for (let at = 0; at < bytes.length;) {
    const next = at + 1 + roll(piece);
    if (reader.add(bytes.subarray(at, next))) break;
    at = next;
  }
  return reader.message?.value;
}

const event = (data: string, end: string, name = "") =>
  `${name}${data.split("\n").map((line) => `data: ${line}`).join(end)}${end}${end}`;

Deno.test("the answer is read alike however the stream is cut and its lines end", () => {
  const json = JSON.stringify(ANSWER);
  const pretty = JSON.stringify(ANSWER, null, 1);
  for (let seed = 1; seed <= 300; seed++) {
    const roll = dice(seed);
    const end = ["\n", "\r\n", "\r"][roll(3)]!;
    const around = [
      `: a comment${end}${end}`,
      event('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}', end),
      event("no JSON", end),
      event(json.replace('"id":7', '"id":8'), end),
      event(json, end, `event: other${end}`),
      `id: 1${end}data:${end}${end}`,
      `retry: 100${end}`,
      `dat${end}strange: ${"x".repeat(roll(50))}${end}`,
    ].filter(() => roll(2) === 0).join("");
    const bom = roll(4) === 0 ? "\uFEFF" : "";
    const name = roll(2) === 0 ? `event: message${end}` : "";
    const whole = bom + around + event(roll(2) ? json : pretty, end, name) + around;
    assert.deepEqual(read(new TextEncoder().encode(whole), roll, 1 + roll(40)), ANSWER, `seed ${seed}`);
  }
});

Deno.test("random bytes are no answer, never throw, and are read alike however they are cut", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const roll = dice(seed);
    const alphabet = new TextEncoder().encode('data:{}"id7\n\r[],event mesag\uFEFF');
    const bytes = Uint8Array.from(
      { length: roll(2000) },
      () => roll(5) ? alphabet[roll(alphabet.length)]! : roll(256),
    );
    const one = read(bytes, roll, 1);
    assert.deepEqual(read(bytes, roll, 5000), one, `seed ${seed}`);
  }
});

Deno.test("of two answers the first counts, and a stream that ends in the middle of one has none", () => {
  const twice = event(JSON.stringify(ANSWER), "\n") + event(JSON.stringify({ ...ANSWER, result: {} }), "\n");
  const reader = new EventReader(wanted);
  assert.equal(reader.add(new TextEncoder().encode(twice)), true);
  assert.deepEqual(reader.message?.value, ANSWER);
  assert.equal(reader.bytes, new TextEncoder().encode(twice).length);
  const cut = new EventReader(wanted);
  assert.equal(cut.add(new TextEncoder().encode(event(JSON.stringify(ANSWER), "\n").trimEnd())), false);
  assert.equal(cut.message, undefined);
});

Deno.test("other messages are waited through, and no more of them than a server has reason to send", () => {
  const note = event('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', "\n");
  const bytes = (count: number, one: string) => new TextEncoder().encode(one.repeat(count));
  for (const one of [note, event("", "\n"), event("{", "\n"), event("{}", "\n", "event: other\n")]) {
    const reader = new EventReader(wanted);
    assert.equal(reader.add(bytes(10_000, one)), false);
    assert.equal(reader.add(new TextEncoder().encode(event(JSON.stringify(ANSWER), "\n"))), true);
    assert.deepEqual([reader.message?.value, reader.isFlood], [ANSWER, false]);
    const flooded = new EventReader(wanted);
    assert.equal(flooded.add(bytes(10_001, one)), true);
    assert.deepEqual([flooded.message, flooded.isFlood], [undefined, true]);
  }
});

Deno.test("a message that holds too much ends the stream, whosever it is", () => {
  const many = JSON.stringify({ id: 8, params: Array.from({ length: 200_000 }, () => 0) });
  const deep = `{"id":8,"params":${"[".repeat(99)}${"]".repeat(99)}}`;
  for (const [one, fault] of [[many, /more than 200000 values/], [deep, /deeper than 64 levels/]] as const) {
    const reader = new EventReader(wanted);
    assert.equal(reader.add(new TextEncoder().encode(event(one, "\n"))), true);
    assert.equal(reader.message?.value, undefined);
    assert.match(reader.message?.fault ?? "", fault);
  }
});
