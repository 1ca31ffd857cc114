/** The commands on a store where the disk takes no more: one sentence, 1, and nothing left that looks like a store or a copy. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { openPlace } from "../../../store/engines.ts";
import { backUpStore } from "../../../store/maintenance.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { folder, KEY } from "./kit.ts";

const fileOf = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** A command in a process that may write files of some 100 to 200 KiB only: shells count in blocks of 512 bytes or 1 KiB. */
async function limited(dir: string, kvPath: string, ...args: string[]) {
  const run = ["run", "-A", "--quiet", "--no-check", "--config", fileOf("deno.json"), fileOf("admin/cli.ts")];
  const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-c", 'trap "" XFSZ; ulimit -f 200; exec "$@"', "sh", Deno.execPath(), ...run, ...args],
    cwd: dir,
    env: { KV_PATH: kvPath, ENCRYPTION_KEYS: KEY.toBase64(), NO_COLOR: "1" },
  }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test("a command on the store that the disk does not let finish says so in one sentence, and leaves nothing half made", async () => {
  await using dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  await layNewest(at("store.sqlite3"));
  const kv = await openPlace(at("store.sqlite3"));
  for (let nth = 0; nth < 40; nth++) {
    await kv.set(["snapshots", "clarity", "acme", `day ${nth}`], "x".repeat(30_000));
  }
  kv.close();
  await backUpStore({ path: at("store.sqlite3"), now: 0 }, at("whole.ndjson"));
  const before = [...Deno.readDirSync(dir.path)].map(({ name }) => name).toSorted();
  const cases: [kvPath: string, ...args: string[]][] = [
    ["store.sqlite3", "store", "backup", at("copy.ndjson")],
    ["store.sqlite3", "store", "backup", at("copy.sqlite3")],
    ["put_back.sqlite3", "store", "restore", at("whole.ndjson")],
    ["store.sqlite3", "store", "compact"],
    ["store.sqlite3", "store", "copy", at("store.sqlite3"), at("moved.sqlite3")],
  ];
  for (const [kvPath, ...args] of cases) {
    const { code, said } = await limited(dir.path, at(kvPath), ...args);
    assert.equal(code, 1, said);
    assert.equal(said.trimEnd().split("\n").length, 1, said);
    assert.match(said, /File too large|disk I\/O error|disk is full/);
  }
  const after = [...Deno.readDirSync(dir.path)].map(({ name }) => name);
  // A copy that was cut off goes on with the same command; it is no store before.
  assert.deepEqual(after.filter((name) => !name.startsWith("moved.sqlite3")).toSorted(), before);
});
