/** The launcher's flags: what a permission set of deno.json becomes, and which file KV_PATH adds to it. */
import assert from "node:assert/strict";
import { permissionFlags, storeFile } from "../../../gateway/launch.ts";
import { words } from "../../words.ts";

const SERVE = { net: true, read: ["."], write: ["./data"], env: ["KV_PATH", "REPO_*"] };
const HERE = { root: "/srv/gateway", installed: () => true };

Deno.test("a set becomes a flag a kind, its paths told from the project's folder", () => {
  assert.deepEqual(
    permissionFlags(SERVE, HERE),
    words(`
    --allow-net --allow-read=/srv/gateway --allow-write=/srv/gateway/data --allow-env=KV_PATH,REPO_*
  `),
  );
});

Deno.test("the store's file is added to what may be read and written, beside it only what SQLite keeps there to look at", () => {
  const flags = permissionFlags(SERVE, { ...HERE, store: "/var/lib/a b/store" });
  const store = "/var/lib/a b/store";
  assert.ok(flags.includes(`--allow-read=/srv/gateway,${store},${store}-wal,${store}-shm`));
  assert.ok(flags.includes("--allow-write=/srv/gateway/data,/var/lib/a b/store"));
});

Deno.test("what a set does not grant is not granted, and what it grants whole stays whole", () => {
  assert.deepEqual(permissionFlags({ read: true, run: false, write: [] }, HERE), ["--allow-read"]);
  assert.deepEqual(permissionFlags({ read: true }, { ...HERE, store: "/a" }), [
    "--allow-read",
    "--allow-write=/a",
  ]);
});

Deno.test("a program that is not on this machine is left out, and with the last one the flag", () => {
  const installed = (program: string) => program === "git";
  assert.deepEqual(permissionFlags({ run: ["git", "php"] }, { ...HERE, installed }), ["--allow-run=git"]);
  assert.deepEqual(permissionFlags({ run: ["php"] }, { ...HERE, installed }), []);
  const named = { ...HERE, installed, runtime: "/opt/deno" };
  assert.deepEqual(permissionFlags({ run: ["git", "deno"] }, named), ["--allow-run=git,/opt/deno"]);
});

Deno.test("a comma in a path is refused, because it would grant two other paths", () => {
  assert.throws(() => permissionFlags(SERVE, { ...HERE, store: "/a,/etc" }), /"\/a,\/etc" has a comma/);
  assert.throws(() => permissionFlags(SERVE, { ...HERE, root: "/a,b" }), /has a comma/);
});

Deno.test("a kind of permission that is unknown is refused", () => {
  assert.throws(() => permissionFlags({ wirte: true }, HERE), /"wirte" is no kind of permission/);
});

Deno.test("KV_PATH names a file only where it is a path and the set reads it", () => {
  assert.equal(storeFile(SERVE, "/var/lib/store", "/here"), "/var/lib/store");
  assert.equal(storeFile(SERVE, " data/store ", "/here"), "/here/data/store");
  for (const none of [undefined, "", "  ", ":memory:", "https://kv.test/db", "HTTP://kv.test"]) {
    assert.equal(storeFile(SERVE, none, "/here"), null, String(none));
  }
  assert.equal(storeFile({ env: ["HOME"] }, "/var/lib/store", "/here"), null);
});

Deno.test("every permission set of deno.json can be made flags", async () => {
  const { permissions } = JSON.parse(await Deno.readTextFile(new URL("../../../deno.json", import.meta.url)));
  for (const [name, set] of Object.entries(permissions)) {
    assert.ok(permissionFlags(set as Record<string, boolean>, HERE).length > 0, name);
  }
});
