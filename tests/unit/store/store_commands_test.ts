/** What the commands on a store answer to whoever names the wrong thing: what it is, and what to write instead. */
import assert from "node:assert/strict";
import { runOnStore } from "./files_kit.ts";
import { folder, newToken, open } from "./kit.ts";

/** A store that runs no more, and the command line in an environment of its own. */
async function place() {
  const dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  {
    await using store = await open({ path: at("store.sqlite3") });
    await store.tokens.create(newToken());
  }
  return { at, run: runOnStore, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

Deno.test("a portable backup is not taken for a store, and no store is made under such a name", async () => {
  await using p = await place();
  const [store, backup] = [p.at("store.sqlite3"), p.at("today.ndjson")];
  assert.equal((await p.run({ KV_PATH: store }, "store", "backup", backup)).code, 0);
  for (
    const [named, { code, said }] of [
      ["<from>", await p.run({}, "store", "copy", backup, p.at("there.sqlite3"))],
      ["<to>", await p.run({}, "store", "copy", store, p.at("there.ndjson"))],
      ["KV_PATH", await p.run({ KV_PATH: backup }, "store", "check")],
    ] as const
  ) {
    assert.equal(code, 1);
    assert.ok(said.startsWith(`${named}: "`), said);
    assert.match(
      said,
      /is the name of a portable backup, .* store backup <file> .* and store restore <file> /,
    );
  }
  await assert.rejects(Deno.stat(p.at("there.ndjson")), Deno.errors.NotFound);
});

Deno.test("a copy names both places, and a variable that is not set is none", async () => {
  await using p = await place();
  const [from, to] = [p.at("store.sqlite3"), p.at("there.sqlite3")];
  for (const env of [{ KV_PATH: "" }, { KV_PATH: " " }]) {
    const { code, said } = await p.run(env, "store", "copy", from, "KV_PATH");
    assert.equal(code, 1);
    assert.match(said, /^KV_PATH: not set; set it to the place that is meant, or name the place itself$/m);
  }
  const { code, said } = await p.run({ KV_PATH: to }, "store", "copy", from, "KV_PATH");
  assert.equal(code, 0, said);
  assert.ok(said.includes(`are the same at both places, ${from} and ${to}:\n`), said);
});

Deno.test("a store of other keys is not called damaged, and nobody is sent to put back a copy", async () => {
  await using p = await place();
  const KV_PATH = p.at("store.sqlite3");
  const other = new Uint8Array(32).fill(9).toBase64();
  const { code, said } = await p.run({ KV_PATH, ENCRYPTION_KEYS: other }, "store", "check");
  assert.equal(code, 1);
  assert.match(
    said,
    /^Not to be opened: \d+ entries of .* were read\.\n {2}ENCRYPTION_KEYS: none of them opens/,
  );
  assert.ok(!said.includes("put back"), said);
  assert.match((await p.run({ KV_PATH }, "store", "check")).said, /^Whole: /);
});
