/** What may be under way at once: calls wait in their order, leave when their client does, and bodies fill no memory. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { BodiesInFlight, CallsInFlight, type Place } from "../../../guard/pipeline/in_flight.ts";
import { LIMITS } from "../../../core/model.ts";

const isBusy = (thrown: unknown) =>
  thrown instanceof GatewayError && thrown.code === "E_BUSY" && thrown.retryAfter === 2 &&
  thrown.outcome === "none" && /try again in 2 s$/.test(thrown.message);

const take = (place: Place) => Promise.try(() => place.take());

/** Calls of which so many may be under way, and a clock that says when waiting has been long enough. */
function world(most: number) {
  const waits: { ms: number; end: () => void }[] = [];
  const calls = new CallsInFlight(most, (ms, end) => {
    const wait = { ms, end };
    waits.push(wait);
    return () => void waits.splice(waits.indexOf(wait), 1);
  });
  const order: string[] = [];
  const enter = (name: string, place: Place) => take(place).then(() => void order.push(name));
  return { calls, waits, order, enter };
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

Deno.test("calls beyond the limit wait, first come first served, and those of another token do not", async () => {
  const { calls, order, enter, waits } = world(2);
  const places = ["a", "b", "c", "d"].map((name) => [name, calls.place("t")] as const);
  const all = places.map(([name, place]) => enter(name, place));
  await enter("other", calls.place("u"));
  await settled();
  assert.deepEqual(order, ["a", "b", "other"]);
  places[1]![1].leave();
  await settled();
  assert.deepEqual(order, ["a", "b", "other", "c"]);
  places[1]![1].leave(); // gives nothing back twice
  await settled();
  assert.equal(order.length, 4);
  places[0]![1].leave();
  await Promise.all(all);
  assert.deepEqual([order.at(-1), waits.length], ["d", 0], "no timer is left");
});

Deno.test("a place is free again once those who had one have left", async () => {
  const { calls, enter } = world(1);
  for (const name of ["a", "b", "c"]) {
    const place = calls.place("t");
    await enter(name, place);
    place.leave();
  }
});

Deno.test("with 0 nothing waits", async () => {
  const { calls, enter, order } = world(0);
  await Promise.all(Array.from({ length: 1000 }, (_, n) => enter(`${n}`, calls.place("t"))));
  assert.equal(order.length, 1000);
});

Deno.test("who would wait behind too many is told to come back", async () => {
  const { calls, waits } = world(1);
  const first = calls.place("t");
  await first.take();
  const waiting = Array.from({ length: LIMITS.CALLS_WAITING_PER_TOKEN }, () => calls.place("t"));
  const taken = waiting.map(take);
  await assert.rejects(take(calls.place("t")), isBusy);
  first.leave();
  for (const [n, one] of taken.entries()) {
    await one;
    waiting[n]!.leave();
  }
  assert.equal(waits.length, 0);
  await calls.place("t").take();
});

Deno.test("a client that leaves leaves the line, and whoever waits too long is told to come back", async () => {
  const { calls, waits, order, enter } = world(1);
  const first = calls.place("t");
  await first.take();
  const client = new AbortController();
  const gone = take(calls.place("t", () => client.signal));
  const late = take(calls.place("t"));
  const next = calls.place("t");
  const served = enter("next", next);
  client.abort();
  await assert.rejects(gone, (thrown) => thrown instanceof GatewayError && thrown.code === "E_CANCELLED");
  assert.equal(waits[0]!.ms, LIMITS.CALL_DEADLINE_MS);
  waits[0]!.end();
  await assert.rejects(late, isBusy);
  await assert.rejects(
    take(calls.place("t", () => AbortSignal.abort())),
    (thrown) => thrown instanceof GatewayError && thrown.code === "E_CANCELLED",
  );
  first.leave();
  await served;
  assert.deepEqual(order, ["next"]);
});

Deno.test("a call that only waits gives its place to another and takes the next", async () => {
  const { calls, order, enter } = world(1);
  const waits = calls.place("t");
  await enter("first", waits);
  const other = calls.place("t");
  const second = enter("second", other);
  waits.leave();
  await second;
  const again = enter("first again", waits);
  await settled();
  assert.deepEqual(order, ["first", "second"]);
  other.leave();
  await again;
});

Deno.test("bodies take room as they come and give it back, whole or refused", () => {
  const bodies = new BodiesInFlight(100);
  const first = bodies.body("t");
  first.add(60);
  first.add(40);
  const other = bodies.body("u");
  assert.throws(() => other.add(1), isBusy);
  first.release();
  first.release();
  other.add(100);
  assert.throws(() => other.add(1), isBusy);
  bodies.body("t").add(100);
});

Deno.test("the bodies of one token leave room for the others, and one alone may have it all", () => {
  const bodies = new BodiesInFlight(100);
  const first = bodies.body("t");
  first.add(50);
  const second = bodies.body("t");
  second.add(25);
  assert.throws(() => second.add(1), isBusy);
  bodies.body("u").add(25);
  first.add(25);
  assert.throws(() => first.add(1), isBusy);
});
