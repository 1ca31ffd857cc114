/** DATABASE_URL: which tasks use the database that it names, and what they say of it. */
import assert from "node:assert/strict";
import { copyProject } from "./copy.ts";
import { environment, start } from "./running.ts";

/** It names no database, so whoever would use it says so. */
const ENV = { KV_PATH: null, DATABASE_URL: "postgres://owner:s3cr3t@127.0.0.1:1/" };

/** A copy of the project, and what is typed in it. */
async function checkout() {
  const { folder, ...copy } = await copyProject(["tests", "bench", "docs", "companion"]);
  const task = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", ...args],
      cwd: folder,
      env: { ...environment(folder, ENV), NO_COLOR: "1" },
      clearEnv: true,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const said = { code, out: text(stdout), err: text(stderr) };
    assert.ok(!`${said.out}${said.err}`.includes("s3cr3t"), "no password");
    return said;
  };
  const gateway = (...run: string[]) =>
    start(folder, ENV, { cwd: folder, run: ["-A", "gateway/launch.ts", ...run] });
  return { folder, task, gateway, ...copy };
}

Deno.test("start and the commands on its store use the database of DATABASE_URL, and name that variable", async () => {
  await using at = await checkout();
  const says = /^DATABASE_URL: the address of the database names no database; write postgres:/;
  assert.match((await at.task("start")).err, says);
  for (const words of [["check"], ["backup", "copy.ndjson"], ["init"], ["accept-keys"]]) {
    const { code, err } = await at.task("admin", "store", ...words);
    assert.equal(code, 1);
    assert.match(err, says, words.join(" "));
  }
  const copied = await at.task("admin", "store", "copy", "DATABASE_URL", "there.sqlite3");
  assert.match(copied.err, says);
  const outside = await at.task("admin", "store", "copy", "/dev/shm/none.sqlite3", "there.sqlite3");
  assert.match(
    outside.err,
    /^A file below \/dev, \/proc or \/sys is outside what a command may .* another place\n$/,
  );
});

Deno.test("dev leaves the database of DATABASE_URL alone and says so, and beside it no command takes that database for its store", async () => {
  await using at = await checkout();
  await using dev = at.gateway("serve", "main.ts", "--dev");
  await dev.address();
  const { code, err } = await at.task("admin", "store", "check");
  assert.equal(code, 1);
  assert.match(
    err,
    /^KV_PATH: not set, while DATABASE_URL names a database and "data\/gateway\.sqlite3" holds a store, .*; set KV_PATH=data/,
  );
  assert.match((await at.task("start")).err, /^These settings cannot be used:\n {2}KV_PATH: not set, while/);
  dev.kill("SIGTERM");
  const { stdout } = await dev.ended;
  assert.match(
    stdout,
    /^DATABASE_URL is not used by deno task dev, whose store is data\/gateway\.sqlite3; set KV_PATH to use a database\n/,
  );
});
