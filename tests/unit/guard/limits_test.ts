/** The token bucket: a minute's worth at once, then evenly, each key for itself. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { RateLimit } from "../../../guard/pipeline/limits.ts";
import { Budgets } from "../../../store/budgets.ts";
import { Database } from "../../../store/database.ts";
import { openMemory } from "../../memory_kv.ts";

const KV = await openMemory(":memory:");

function bucket(perMinute: number) {
  const clock = { now: 0 };
  const db = new Database(KV, Date.now, () => clock.now);
  const limit = new RateLimit(perMinute, "token", new Budgets(db, false));
  /** How many calls in a row were let through, at most `tries`. */
  const taken = (key: string, tries: number) => {
    for (let count = 0; count < tries; count++) {
      if (refusal(limit, key)) return count;
    }
    return tries;
  };
  return { clock, limit, taken };
}

function refusal(limit: RateLimit, key: string): GatewayError | null {
  try {
    limit.take(key);
    return null;
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    return error;
  }
}

Deno.test("a minute's worth may come at once, and the next is refused with the seconds to wait", () => {
  const { limit, taken } = bucket(30);
  assert.equal(taken("a", 100), 30);
  const refused = refusal(limit, "a");
  assert.deepEqual([refused?.code, refused?.retryAfter], ["E_RATE_LIMITED", 2]);
  assert.equal(refused?.message, "The token has used its 30 calls a minute; try again in 2 s");
});

Deno.test("who waits as long as was said is let through once", () => {
  for (const perMinute of [1, 7, 60, 1200]) {
    const { clock, limit, taken } = bucket(perMinute);
    taken("a", perMinute);
    clock.now += refusal(limit, "a")!.retryAfter! * 1000;
    assert.equal(refusal(limit, "a"), null, `${perMinute} a minute`);
  }
});

Deno.test("a bucket refills evenly and never past a minute's worth", () => {
  const { clock, taken } = bucket(60);
  taken("a", 60);
  clock.now += 10_000;
  assert.equal(taken("a", 100), 10);
  clock.now += 3_600_000;
  assert.equal(taken("a", 100), 60);
});

Deno.test("refused tries do not push the next call further away", () => {
  const { clock, limit } = bucket(1);
  limit.take("a");
  for (let second = 0; second < 59; second++) {
    clock.now += 1000;
    assert.ok(refusal(limit, "a"));
  }
  clock.now += 1000;
  assert.equal(refusal(limit, "a"), null);
});

Deno.test("keys do not share, and 0 is no limit", () => {
  const { limit, taken } = bucket(2);
  assert.equal(taken("a", 9), 2);
  assert.equal(taken("b", 9), 2);
  assert.ok(refusal(limit, "a"));
  assert.equal(bucket(0).taken("a", 5000), 5000);
});

Deno.test("a clock that goes back gives nothing and takes nothing", () => {
  const { clock, taken } = bucket(10);
  clock.now = 60_000;
  assert.equal(taken("a", 4), 4);
  clock.now = 0;
  assert.equal(taken("a", 100), 6);
});

Deno.test("with more keys than are kept, only buckets that are full again are forgotten", () => {
  const { clock, limit, taken } = bucket(1);
  for (let key = 0; key < 10_000; key++) limit.take(`k${key}`);
  clock.now += 1000;
  limit.take("more");
  assert.equal(taken("k0", 1), 0, "a used one is kept");
  clock.now += 60_000;
  limit.take("and more");
  assert.equal(taken("more", 1), 1);
});

Deno.test("looking takes no call, and says what taking one would", () => {
  const { clock, limit, taken } = bucket(2);
  for (let times = 0; times < 9; times++) limit.look("a");
  assert.equal(taken("a", 100), 2);
  const refused = refusal(limit, "a");
  assert.throws(() => limit.look("a"), { code: "E_RATE_LIMITED", message: refused?.message });
  limit.look("b");
  clock.now += 30_000;
  limit.look("a");
  assert.equal(taken("a", 100), 1);
  bucket(0).limit.look("a");
});
