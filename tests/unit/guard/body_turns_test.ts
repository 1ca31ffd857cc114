/** Large bodies take turns: by bytes, token after token; small ones never wait, and who leaves holds nobody up. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/model.ts";
import { BodyTurns, type Turn } from "../../../guard/pipeline/body_turns.ts";
import { BodiesInFlight } from "../../../guard/pipeline/in_flight.ts";

const LARGE = LIMITS.LARGE_BODY_BYTES + 1;

/** Turns for so many large bodies at once, a clock that is moved by hand, and who has had a turn. */
function world(most: number) {
  const waits: { ms: number; end: () => void }[] = [];
  const turns = new BodyTurns(most * LARGE, (ms, end) => {
    const wait = { ms, end };
    waits.push(wait);
    return () => void waits.splice(waits.indexOf(wait), 1);
  });
  const order: string[] = [];
  const ask = (name: string, turn: Turn, bytes = LARGE) =>
    Promise.try(() => turn.take(bytes)).then(() => void order.push(name));
  return { turns, waits, order, ask };
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const refusedAs = (code: string) => (thrown: unknown) =>
  thrown instanceof GatewayError && thrown.code === code;

Deno.test("large bodies beyond the bytes wait, the tokens in turns, and small ones never do", async () => {
  const { turns, order, ask, waits } = world(1);
  const names = ["a1", "a2", "a3", "b1", "b2", "c1"];
  const all = names.map((name) => [name, turns.of(name[0]!)] as const);
  const asked = all.map(([name, turn]) => ask(name, turn));
  await ask("small", turns.of("a"), LIMITS.LARGE_BODY_BYTES);
  assert.deepEqual(order, ["a1", "small"]);
  assert.equal(turns.waiting, 5);
  for (let n = 0; n < names.length; n++) {
    const latest = order.at(-1) === "small" ? "a1" : order.at(-1);
    const turn = all.find(([name]) => name === latest)![1];
    turn.end();
    turn.end(); // gives nothing back twice
    await settled();
  }
  await Promise.all(asked);
  assert.deepEqual(order, ["a1", "small", "a2", "b1", "c1", "a3", "b2"]);
  assert.deepEqual([turns.waiting, waits.length], [0, 0], "no timer is left");
});

Deno.test("a body larger than all that may be worked on has its turn alone", async () => {
  const { turns, order, ask } = world(2);
  const [first, huge, last] = ["t", "u", "v"].map((token) => turns.of(token));
  await ask("first", first!);
  const asked = [ask("huge", huge!, 5 * LARGE), ask("last", last!)];
  await settled();
  assert.deepEqual(order, ["first"], "nobody overtakes it, or it would wait for ever");
  first!.end();
  await settled();
  assert.deepEqual(order, ["first", "huge"]);
  huge!.end();
  await Promise.all(asked);
  assert.equal(turns.waiting, 0);
});

Deno.test("a client that leaves leaves the line, and whoever waits too long is told to come back", async () => {
  const { turns, waits, order, ask } = world(1);
  const first = turns.of("t");
  await ask("first", first);
  const client = new AbortController();
  const gone = ask("gone", turns.of("t", () => client.signal));
  const late = ask("late", turns.of("t"));
  const next = ask("next", turns.of("t"));
  client.abort();
  await assert.rejects(gone, refusedAs("E_CANCELLED"));
  assert.equal(waits[0]!.ms, LIMITS.CALL_DEADLINE_MS);
  waits[0]!.end();
  await assert.rejects(late, (thrown) => {
    assert.ok(thrown instanceof GatewayError);
    assert.deepEqual([thrown.code, thrown.retryAfter, thrown.outcome], ["E_BUSY", 2, "none"]);
    assert.match(
      thrown.message,
      /over 4 MiB .* waited 60 s for its turn; nothing was done, try again in 2 s/,
    );
    return true;
  });
  await assert.rejects(
    ask("left before", turns.of("t", () => AbortSignal.abort())),
    refusedAs("E_CANCELLED"),
  );
  first.end();
  await next;
  assert.deepEqual([order, turns.waiting, waits.length], [["first", "next"], 0, 0]);
});

Deno.test("who leaves the head of the line lets a smaller body behind it go on", async () => {
  const { turns, order, ask } = world(2);
  await ask("first", turns.of("t"));
  const client = new AbortController();
  const huge = ask("huge", turns.of("u", () => client.signal), 2 * LARGE);
  const small = ask("smaller", turns.of("v"));
  await settled();
  assert.deepEqual(order, ["first"]);
  client.abort();
  await assert.rejects(huge, refusedAs("E_CANCELLED"));
  await small;
  assert.deepEqual(order, ["first", "smaller"]);
});

Deno.test("a body asks for its turn with what has come of it, and gives turn and room back together", async () => {
  const turns = new BodyTurns(LARGE);
  const bodies = new BodiesInFlight(3 * LARGE, turns);
  const first = bodies.body("t");
  first.add(LARGE);
  assert.equal(first.turn(), undefined);
  const second = bodies.body("u");
  second.add(LARGE);
  const waits = second.turn();
  assert.ok(waits instanceof Promise);
  assert.equal(turns.waiting, 1);
  first.release();
  await waits;
  second.release();
  bodies.body("t").add(3 * LARGE);
});
