/** The answer to tools/list in an event stream: found as any other message is, however it is cut, and never read in one go. */
import assert from "node:assert/strict";
import { ListEvents } from "../../../platforms/tool_servers/list_events.ts";
import { ListReader, type ListText } from "../../../platforms/tool_servers/list_text.ts";
import { EventReader } from "../../../platforms/tool_servers/stream.ts";
import { listText } from "./_list_text.ts";

const wanted = ({ message }: ListText) => (message as { id?: unknown } | null | undefined)?.id === 7;
const MESSAGE = '{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"a\\n"},{"name":"é😀"}]}}';

function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5 | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Lines of every kind that a stream may have, with every end. */
function streamOf(chance: () => number): string {
  const one = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  const cut = Math.floor(chance() * MESSAGE.length);
  const lines = [
    "",
    "",
    ": a comment",
    ":",
    "event: message",
    "event:message",
    "event: ping",
    "event",
    "event:",
    "id: 7",
    "retry: 5",
    "data",
    "data:",
    "data: ",
    "data:  x",
    "data: {",
    " data: x",
    "Data: x",
    "dataset: x",
    `data: ${MESSAGE}`,
    `data:${MESSAGE}`,
    `data: ${MESSAGE.replace("7", "8")}`,
    `data: ${MESSAGE.slice(0, cut)}`,
    `data: ${MESSAGE.slice(cut)}`,
    `data: {"jsonrpc":"2.0",\ndata: "id":7, "result":{"tools":[]}}\n`,
    `x${MESSAGE}`,
  ];
  const ends = one([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]]);
  return Array.from({ length: 1 + Math.floor(chance() * 14) }, () => one(lines) + one(ends)).join("");
}

Deno.test("what stands in any stream, cut anywhere, is found as it is for any other message", () => {
  const chance = chances(11);
  let found = 0;
  for (let round = 0; round < 4000; round++) {
    const stream = (chance() < 0.1 ? "\ufeff" : "") + streamOf(chance);
    const bytes = new TextEncoder().encode(stream);
    const [events, whole] = [new ListEvents(wanted), new EventReader(wanted, listText)];
    const step = 1 + Math.floor(chance() * bytes.length);
    for (let at = 0; at < bytes.length; at += step) {
      const chunk = bytes.subarray(at, at + step);
      assert.equal(events.add(chunk), whole.add(chunk), JSON.stringify(stream));
    }
    assert.deepEqual(events.message, whole.message, JSON.stringify(stream));
    if (events.message) found++;
  }
  assert.ok(found > 500, String(found));
});

Deno.test("a stream of nothing else is waited through as long as any other, and no longer", () => {
  for (const count of [10_000, 10_001]) {
    const events = new ListEvents(wanted);
    events.add(new TextEncoder().encode("data: {}\n\n".repeat(count)));
    assert.equal(events.isFlood, count > 10_000);
    assert.equal(events.add(new TextEncoder().encode(`data: ${MESSAGE}\n\n`)), true);
    assert.equal(events.message === undefined, count > 10_000);
  }
});

Deno.test("a list of 4 MiB in one event is taken apart as it comes, and nothing of it is left to its end", () => {
  const rows = Array.from({ length: 4000 }, (_, at) => ({ name: `t${at}`, description: "x".repeat(1000) }));
  const text = JSON.stringify({ jsonrpc: "2.0", id: 7, result: { tools: rows } });
  const add = ListReader.prototype.add;
  let longest = 0;
  ListReader.prototype.add = function (piece: string) {
    longest = Math.max(longest, piece.length);
    add.call(this, piece);
  };
  try {
    const events = new ListEvents(wanted);
    const bytes = new TextEncoder().encode(`event: message\ndata: ${text}\n\n`);
    for (let at = 0; at < bytes.length; at += 65_536) events.add(bytes.subarray(at, at + 65_536));
    assert.equal(events.message?.rows.length, rows.length);
    assert.equal(events.message?.rows[3999], JSON.stringify(rows[3999]));
    assert.equal(longest, 65_536);
  } finally {
    ListReader.prototype.add = add;
  }
});
