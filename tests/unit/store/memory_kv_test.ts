/** The KV that most tests use answers as Deno's own does, to whatever the store asks of one. */
import assert from "node:assert/strict";
import { folder } from "../../folder.ts";
import { openMemory } from "../../memory_kv.ts";
import { assertAlike, assertSameLimits } from "./kv_asks.ts";

Deno.test("what is set, checked, summed, listed and read in any order is answered as Deno's KV does", async () => {
  using real = await Deno.openKv(":memory:");
  using memory = await openMemory(":memory:");
  await assertAlike(real, memory);
});

Deno.test("its limits and refusals are those of Deno's KV, to the word", async () => {
  await assertSameLimits(await Deno.openKv(":memory:"), await openMemory(":memory:"));
});

Deno.test("what expires is not there afterwards, and a file is opened by Deno's KV", async () => {
  using memory = await openMemory(":memory:");
  await memory.set(["gone"], 1, { expireIn: 1 });
  await memory.set(["stays"], 1, { expireIn: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual((await Array.fromAsync(memory.list({ prefix: [] }))).map(({ key }) => key), [["stays"]]);
  assert.equal((await memory.atomic().check({ key: ["gone"], versionstamp: null }).commit()).ok, true);
  await using place = await folder();
  using file = await openMemory(`${place.path}/kv`);
  assert.ok(file instanceof Deno.Kv);
});
