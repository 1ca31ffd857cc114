/** One call at a time: in line within an instance, by lease between instances, and an end to waiting. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { exclusively, type ExclusivePorts } from "../../../guard/pipeline/exclusive.ts";
import type { Held } from "../../../registry/tool.ts";

/** Leases that somebody else holds until told otherwise. */
class Leases {
  readonly held = new Set<string>();
  asked = 0;

  async hold(
    name: string,
    _ttl: number,
    work: (renew: () => Promise<boolean>) => Promise<void>,
  ): Promise<boolean> {
    this.asked++;
    if (this.held.has(name)) return false;
    this.held.add(name);
    try {
      await work(() => Promise.resolve(true));
    } finally {
      this.held.delete(name);
    }
    return true;
  }

  isHeld = (name: string) => Promise.resolve(this.held.has(name));
}

const WORK_MS = 10_000;

function ports(): { leases: Leases; ports: ExclusivePorts } {
  const leases = new Leases();
  return { leases, ports: { store: { leases }, now: () => 0, delay: () => Promise.resolve() } };
}

Deno.test("work of one name is done in the order it was asked for, that of another name beside it", async () => {
  const { ports: one } = ports();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (word: string, until?: Promise<void>) => async ({ waited }: Held) => {
    await until;
    done.push(`${word} ${waited}`);
    return word;
  };
  const at = (name: string) => ({ name, deadline: WORK_MS + 60_000 });
  const all = [
    exclusively(one, at("a"), work("first", gate.promise)),
    exclusively(one, at("a"), work("second")),
    exclusively(one, at("a"), work("third")),
  ];
  assert.equal(await exclusively(one, at("b"), work("beside")), "beside");
  gate.resolve();
  assert.deepEqual(await Promise.all(all), ["first", "second", "third"]);
  assert.deepEqual(done, ["beside false", "first false", "second true", "third true"]);
});

Deno.test("work that fails lets the next have its turn", async () => {
  const { ports: one } = ports();
  const at = { name: "a", deadline: WORK_MS + 60_000 };
  const failing = exclusively(one, at, () => Promise.reject(new Error("no")));
  const next = exclusively(one, at, () => Promise.resolve("yes"));
  await assert.rejects(failing, /no/);
  assert.equal(await next, "yes");
});

Deno.test("where another instance does not let go in time nothing is done, and the caller is told when to come back", async () => {
  const { leases, ports: one } = ports();
  leases.held.add("exclusive a");
  let done = 0;
  const busy = (error: unknown) =>
    error instanceof GatewayError && error.code === "E_BUSY" && error.outcome === "none" &&
    error.retryAfter !== undefined;
  const work = () => Promise.resolve(done++);
  await assert.rejects(exclusively(one, { name: "a", deadline: WORK_MS + 100 }, work), busy);
  assert.deepEqual([done, leases.asked > 1], [0, true]);
  const tried = leases.asked;
  await assert.rejects(exclusively(one, { name: "a", deadline: 0 }, work), busy);
  assert.equal(leases.asked, tried + 1, "without time left it is tried once");
  leases.held.clear();
  await exclusively(one, { name: "a", deadline: 0 }, work);
  assert.equal(done, 1);
});

Deno.test("a call that gives up in the line leaves it to those behind", async () => {
  const { ports: one } = ports();
  const gate = Promise.withResolvers<void>();
  const first = exclusively(one, { name: "a", deadline: WORK_MS + 60_000 }, () => gate.promise);
  const second = exclusively(one, { name: "a", deadline: WORK_MS }, () => Promise.resolve("late"));
  const third = exclusively(one, { name: "a", deadline: WORK_MS + 60_000 }, () => Promise.resolve("third"));
  await assert.rejects(second, /changing the same thing/);
  gate.resolve();
  await first;
  assert.equal(await third, "third");
});
