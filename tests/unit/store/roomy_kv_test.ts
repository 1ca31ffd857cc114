/** The KV of a file whose disk gets full: it is closed before Deno's own would end the process, read meanwhile, and opened again. */
import assert from "node:assert/strict";
import { openRoomy, type Place, placeOf, ROOM_BYTES } from "../../../store/roomy_kv.ts";
import { folder } from "../../folder.ts";

const FULL = { name: "TypeError", message: "database or disk is full" };

/** A file whose disk has as much room as the test says, and how often it was opened. */
async function world() {
  const dir = await folder();
  const path = `${dir.path}/a.sqlite3`;
  const real = placeOf(path);
  const at = { free: ROOM_BYTES as number | null, opened: 0, closed: 0, path, look: () => {} };
  const hold: { until: Promise<void> | null } = { until: null };
  const place: Place = {
    ...real,
    free: () => at.free,
    async open() {
      at.opened++;
      const kv = await real.open();
      const [close, get] = [kv.close.bind(kv), kv.get.bind(kv)];
      return Object.assign(kv, {
        close: () => void (at.closed++, close()),
        get: async (...args: Parameters<typeof get>) => (await hold.until, await get(...args)),
      });
    },
    every(_, look) {
      at.look = look;
      return () => {};
    },
  };
  return { at, hold, place, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const inodes = (path: string) => ["", "-wal", "-shm"].map((end) => Deno.statSync(path + end).ino);
/** What was asked for before has its turn. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Tries until it is made: opening takes some turns. */
async function made(work: () => Promise<unknown>): Promise<void> {
  while (!await work().then(() => true, () => false)) await turn();
}

Deno.test("without room changes are refused and reads answered, nothing keeps the file open to write, and with room it goes on", async () => {
  await using w = await world();
  const { at, place } = w;
  using kv = await openRoomy(place);
  await kv.set(["a", 1], "one");
  const files = inodes(at.path);
  at.free = ROOM_BYTES - 1;
  at.look();
  assert.equal(at.closed, 1, "what would delete from a full disk is not there");
  await assert.rejects(kv.set(["a", 2], "two"), FULL);
  await assert.rejects(
    kv.atomic().check({ key: ["a", 2], versionstamp: null }).set(["a", 2], 2).commit(),
    FULL,
  );
  assert.equal((await kv.get(["a", 1])).value, "one");
  assert.deepEqual((await kv.getMany([["a", 1], ["a", 2]])).map(({ value }) => value), ["one", null]);
  const listed = await Array.fromAsync(kv.list({ prefix: ["a"] }));
  assert.deepEqual(listed.map(({ value }) => value), ["one"]);
  at.look();
  assert.deepEqual([at.opened, inodes(at.path)], [1, files], "the files are those that the gateway knows");
  at.free = ROOM_BYTES;
  at.look();
  await made(() => kv.set(["a", 2], "two"));
  assert.equal((await kv.get(["a", 2])).value, "two");
  assert.deepEqual([at.opened, inodes(at.path)], [2, files]);
});

Deno.test("what is under way ends first, and room that comes back meanwhile leaves the file open", async () => {
  await using w = await world();
  const { at, place, hold } = w;
  using kv = await openRoomy(place);
  await kv.set(["a"], 1);
  for (const comesBack of [true, false]) {
    const held = Promise.withResolvers<void>();
    hold.until = held.promise;
    const reading = kv.get(["a"]);
    at.free = 0;
    at.look();
    assert.equal(at.closed, 0);
    await assert.rejects(kv.set(["a"], 2), FULL);
    if (comesBack) {
      at.free = ROOM_BYTES;
      at.look();
    }
    held.resolve();
    assert.equal((await reading).value, 1);
    await turn();
    assert.equal(at.closed, comesBack ? 0 : 1);
    hold.until = null;
  }
});

Deno.test("a change that was begun before does not reach the file that is opened after", async () => {
  await using w = await world();
  const { at, place } = w;
  using kv = await openRoomy(place);
  const begun = kv.atomic().set(["a"], 1);
  at.free = 0;
  at.look();
  at.free = ROOM_BYTES;
  at.look();
  await made(() => kv.set(["b"], 1));
  await assert.rejects(begun.commit(), FULL);
  assert.equal((await kv.get(["a"])).value, null);
});

Deno.test("a file on a full disk is not opened, and one of which nobody knows the room is", async () => {
  await using w = await world();
  const { at, place } = w;
  at.free = 0;
  await assert.rejects(openRoomy(place), FULL);
  assert.equal(at.opened, 0);
  at.free = null;
  using kv = await openRoomy(place);
  await kv.set(["a"], 1);
});
