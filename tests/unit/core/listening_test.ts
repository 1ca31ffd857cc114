/** Listening goes on whatever the system does to it, without spinning, and ends when it is told to. */
import assert from "node:assert/strict";
import { Listening, type Served } from "../../../core/listening.ts";
import { words } from "../../words.ts";

/** A server whose accepting can be taken away, and whose call in flight is answered when the test says so. */
class Fake implements Served {
  readonly #finished = Promise.withResolvers<void>();
  readonly #drained = Promise.withResolvers<void>();
  readonly finished = this.#finished.promise;
  shutdowns = 0;

  fail(): void {
    this.#finished.reject(new Error("Too many open files"));
  }

  answerAll(): void {
    this.#drained.resolve();
  }

  shutdown(): Promise<void> {
    this.shutdowns++;
    this.#finished.resolve();
    return this.#drained.promise;
  }
}

/** Listening over fakes, with a clock that only waiting moves. */
function world() {
  const servers: Fake[] = [];
  const events: Record<string, unknown>[] = [];
  const refuse: Error[] = [];
  let now = 0;
  let held = Promise.withResolvers<void>();
  const listening = new Listening({
    listen() {
      const fault = refuse.shift();
      if (fault) throw fault;
      const server = new Fake();
      servers.push(server);
      return server;
    },
    elapsed: () => now,
    delay: (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => reject(signal.reason));
      held.promise.then(() => {
        now += ms;
        resolve();
      });
      return promise;
    },
    log: (event) => void events.push(event),
  });
  return {
    listening,
    servers,
    events,
    refuse,
    pass: (ms: number) => void (now += ms),
    /** Ends the wait that is under way. */
    async wake() {
      held.resolve();
      await settled();
      held = Promise.withResolvers();
    },
    waits: () => events.flatMap(({ again_in_ms }) => again_in_ms === undefined ? [] : [again_in_ms]),
  };
}

/** Lets what is ready run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

Deno.test("a server that can accept no more is followed by another, and lets its idle connections go", async () => {
  const at = world();
  at.listening.start();
  at.servers[0]!.fail();
  await settled();
  assert.deepEqual([at.servers.length, at.servers[0]!.shutdowns], [1, 1]);
  assert.deepEqual(at.events, [
    { event: "accept_failed", cause: "Error: Too many open files", again_in_ms: 50 },
  ]);
  await at.wake();
  assert.equal(at.servers.length, 2);
  assert.deepEqual(at.events.at(-1), { event: "listening_again" });
});

Deno.test("failing again and again it waits longer each time, two seconds at most, and never gives up", async () => {
  const at = world();
  at.listening.start();
  for (let round = 0; round < 9; round++) {
    at.servers.at(-1)!.fail();
    await settled();
    await at.wake();
  }
  assert.equal(at.servers.length, 10);
  assert.deepEqual(at.waits(), [50, 100, 200, 400, 800, 1600, 2000, 2000, 2000]);
  at.pass(10_000);
  at.servers.at(-1)!.fail();
  await settled();
  assert.equal(at.waits().at(-1), 50, "after a while without failure it begins anew");
});

Deno.test("a port that cannot be had when listening again is tried for until it can", async () => {
  const at = world();
  at.listening.start();
  at.refuse.push(new Deno.errors.AddrInUse("taken"), new Error("Too many open files"));
  at.servers[0]!.fail();
  await settled();
  for (let round = 0; round < 3; round++) await at.wake();
  assert.equal(at.servers.length, 2);
  assert.deepEqual(
    at.events.map(({ event }) => event),
    words("accept_failed listen_failed listen_failed listening_again"),
  );
});

Deno.test("a port that cannot be had at the start is the caller's to hear of", () => {
  const at = world();
  at.refuse.push(new Deno.errors.AddrInUse("taken"));
  assert.throws(() => at.listening.start(), Deno.errors.AddrInUse);
});

Deno.test("told to stop it does not listen again, neither at once nor out of a wait", async () => {
  const accepting = world();
  accepting.listening.start();
  const stopped = accepting.listening.stop();
  accepting.servers[0]!.answerAll();
  await stopped;
  const waiting = world();
  waiting.listening.start();
  waiting.servers[0]!.fail();
  await settled();
  waiting.servers[0]!.answerAll();
  await waiting.listening.stop();
  await waiting.wake();
  assert.deepEqual([accepting.servers.length, waiting.servers.length], [1, 1]);
  assert.deepEqual(accepting.events, []);
});

Deno.test("stopping waits for the calls in flight of a server that could accept no more", async () => {
  const at = world();
  at.listening.start();
  at.servers[0]!.fail();
  await settled();
  await at.wake();
  let ended = false;
  const stopped = at.listening.stop().then(() => ended = true);
  at.servers[1]!.answerAll();
  await settled();
  assert.equal(ended, false);
  at.servers[0]!.answerAll();
  await stopped;
});
