/** What the commands on a store answer to whoever names the wrong thing: what it is, and what to write instead. */
import assert from "node:assert/strict";
import { runOnStore } from "./files_kit.ts";
import { folder, KEY, newToken, open } from "./kit.ts";

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

Deno.test("keys status and keys reseal say what needs which key, in words and as JSON, and end with 1 where one is missing", async () => {
  await using p = await place();
  const next = new Uint8Array(32).fill(9).toBase64();
  const env = { KV_PATH: p.at("store.sqlite3"), ENCRYPTION_KEYS: `${next},${KEY.toBase64()}` };
  const before = await p.run(env, "keys", "status");
  assert.equal(before.code, 0);
  assert.match(before.said, /^ {2}tokens +proven +1 {2}[0-9a-f]{12}, an older key$/m);
  assert.match(before.said, /To seal all under the first key: deno task admin keys reseal\n$/);
  const done = await p.run(env, "keys", "reseal");
  assert.deepEqual([done.code, done.said.split("\n")[0]], [
    0,
    "1 record was sealed anew, and 5 proofs made anew.",
  ]);
  const after = await p.run(env, "keys", "status");
  assert.match(after.said, /\nNothing needs key [0-9a-f]{12}; it can be taken out of ENCRYPTION_KEYS\.\n$/);
  const old = await p.run({ KV_PATH: env.KV_PATH }, "keys", "status", "--json");
  assert.equal(old.code, 1);
  assert.deepEqual(JSON.parse(old.said).missing.length, 1);
  const refused = await p.run({ KV_PATH: env.KV_PATH }, "keys", "reseal");
  assert.deepEqual([refused.code, /^ENCRYPTION_KEYS: none of them opens /.test(refused.said)], [1, true]);
  const none = await p.run({ ...env, KV_PATH: p.at("none.sqlite3") }, "keys", "reseal");
  assert.match(none.said, /^KV_PATH: there is no store at /);
  await assert.rejects(Deno.stat(p.at("none.sqlite3")), Deno.errors.NotFound);
});

Deno.test("store accept-records shows what the gateway did not write, and accepts it where that is confirmed", async () => {
  await using p = await place();
  const env = { KV_PATH: p.at("store.sqlite3") };
  assert.deepEqual([(await p.run(env, "store", "accept-records")).code], [0]);
  const kv = await Deno.openKv(env.KV_PATH);
  await kv.set(["users", "eve"], { id: "eve" });
  kv.close();
  const shown = await p.run(env, "store", "accept-records");
  assert.equal(shown.code, 1);
  assert.match(shown.said, /^ {2}The record \["users","eve"\] was not written by the gateway$/m);
  assert.match(shown.said, /To accept them: deno task admin store accept-records --confirm\n$/);
  assert.equal((await p.run(env, "store", "check")).code, 1);
  const accepted = await p.run(env, "store", "accept-records", "--confirm");
  assert.deepEqual(
    [accepted.code, accepted.said.endsWith("are accepted as they are; start the gateway.\n")],
    [0, true],
  );
  assert.equal((await p.run(env, "store", "check")).code, 0);
});
