/** How fast Duda is asked: never more than it takes in any second, with room for the writes that follow a look. */
import assert from "node:assert/strict";
import { PACE, Pacer, turn } from "../../../platforms/duda/pace.ts";
import { API_RATE } from "../../../sandbox/duda/start.ts";

const account = (user: string) => ({
  SITEBUILDER_API_BASE: "https://api.example",
  SITEBUILDER_API_USER: user,
  SITEBUILDER_API_PASSWORD: "x",
});

/** When each of many is sent that are all asked for at once; those that wait ask again when told to. */
function sendAll(count: number, wait: (now: number) => number): number[] {
  const sent: number[] = [];
  const due = new Map(Array.from({ length: count }, (_, at) => [at, 0]));
  for (let now = 0; due.size > 0; now++) {
    for (const [at, when] of due) {
      if (when > now) continue;
      const ms = wait(now);
      assert.ok(ms >= 0 && ms <= 1000, `a wait of ${ms} ms`);
      if (ms > 0) due.set(at, now + ms);
      else if (due.delete(at)) sent.push(now);
    }
  }
  return sent;
}

Deno.test("no second has more requests than the pace allows, and none waits without need", () => {
  const pacer = new Pacer();
  const sent = sendAll(100, (now) => pacer.take(now));
  for (const [at, when] of sent.entries()) assert.equal(when, 1000 * Math.floor(at / 8));
  assert.ok(PACE.requests <= API_RATE.requests && PACE.window_ms === API_RATE.window_ms);
});

Deno.test("reads leave room for writes, which use all there is", () => {
  const read = turn(account("mixed"), "read");
  const write = turn(account("mixed"), "write");
  const waits = (take: (now: number) => number, now: number, count: number) =>
    Array.from({ length: count }, () => take(now));
  assert.deepEqual(waits(read, 0, 8), [0, 0, 0, 0, 0, 0, 1000, 1000]);
  assert.deepEqual(waits(write, 10, 3), [0, 0, 990]);
  assert.deepEqual(waits(read, 1000, 7), [0, 0, 0, 0, 10, 10, 10]);
  assert.equal(turn(account("another"), "read")(0), 0, "an account of its own has a pace of its own");
});

Deno.test("a clock that is set back holds nobody up", () => {
  const pacer = new Pacer();
  for (let n = 0; n < PACE.requests; n++) assert.equal(pacer.take(1_000_000), 0);
  assert.deepEqual([pacer.take(1_000_001), pacer.take(5)], [999, 0]);
});
