/** A copy that an operator put back is right on every machine; one that somebody put there by hand is right on none. */
import assert from "node:assert/strict";
import { acceptRecords } from "../../../store/accept.ts";
import { backUpStore, copyStore, initStore, restoreStore } from "../../../store/maintenance.ts";
import { openPlace } from "../../../store/engines.ts";
import { folder, KEY, newToken, open } from "./kit.ts";

const OLDER =
  /^KV_PATH: .* holds older tokens than it did when this machine saw it last \(change \d+ in the place of \d+\)/;

/** A file that two machines reach, each of which remembers stores by itself; a copy of it, and tokens made since. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const machine = (name: string) => ({
    file: (now: number) => ({ path, keys: [KEY], now, known: `${dir.path}/${name}` }),
    open: () => open({ path, known: `${dir.path}/${name}` }),
    /** Starts and stops. */
    run: async (
      work: (store: Awaited<ReturnType<typeof open>>) => Promise<unknown> = () => Promise.resolve(),
    ) => {
      await using store = await open({ path, known: `${dir.path}/${name}` });
      await work(store);
    },
  });
  const [one, other] = [machine("one"), machine("other")];
  await one.run();
  const { copy } = await copyStore({ path, now: 1 }, `${dir.path}/copy.sqlite3`);
  const { copy: portable } = await backUpStore({ path, now: 1 }, `${dir.path}/copy.ndjson`);
  const twoMore = () =>
    other.run(async (store) => {
      await store.tokens.create(newToken());
      await store.tokens.create(newToken());
    });
  await twoMore();
  return {
    dir: dir.path,
    path,
    copy,
    portable,
    one,
    other,
    twoMore,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

for (const kind of ["copy", "portable"] as const) {
  Deno.test(`what store restore put back on one machine starts on the other (${kind})`, async () => {
    await using p = await place();
    await restoreStore(p.one.file(1000), p[kind]);
    await p.one.run();
    await p.other.run();
    await p.twoMore();
    await restoreStore(p.one.file(500), p[kind]); // by a clock that went back
    await p.other.run();
    await p.one.run();
  });
}

Deno.test("a copy that was put there by hand after that is refused on both machines, of whatever time it is", async () => {
  await using p = await place();
  const byHand = async (copy: string) => await Deno.copyFile(copy, p.path);
  await restoreStore(p.one.file(1000), p.copy);
  await p.one.run();
  await p.twoMore();
  await p.one.run();
  const { copy: since } = await copyStore({ path: p.path, now: 1 }, `${p.dir}/since.sqlite3`);
  await p.twoMore();
  await p.one.run();
  await byHand(p.copy); // from before what was put back
  for (const { open } of [p.one, p.other]) {
    await assert.rejects(open(), {
      message: /^KV_PATH: .* is from before a copy was put back there: an older copy/,
    });
  }
  await byHand(since); // from after it
  for (const { open } of [p.one, p.other]) await assert.rejects(open(), { message: OLDER });
});

Deno.test("that a copy was put back cannot be written by whoever has the file and not the keys", async () => {
  await using p = await place();
  await Deno.copyFile(p.copy, p.path);
  const kv = await openPlace(p.path);
  const { value } = await kv.get<Record<string, unknown>>(["store"]);
  await kv.set(["store"], { ...value, put_back_at: 2000 });
  kv.close();
  await assert.rejects(p.other.open(), { message: /^KV_PATH: the mark of .* was changed; put back a copy$/ });
});

Deno.test("what an operator accepts or begins anew on one machine starts on the other", async () => {
  await using p = await place();
  await Deno.copyFile(p.copy, p.path);
  await assert.rejects(p.other.open(), { message: OLDER });
  await acceptRecords(p.one.file(1000), true);
  await p.other.run();
  await p.twoMore();
  await Deno.remove(p.path);
  await initStore(p.one.file(2000));
  await p.other.run();
});
