/** Real stores that fail under a gateway: a disk that is full, a database that is gone, keys of which one is lost. */
import assert from "node:assert/strict";
import type { Problem } from "../../rules/readiness.ts";
import { type Running, start, until } from "../e2e/running.ts";
import { folderOnDisk } from "../folder.ts";
import { Postgres } from "./_postgres.ts";

/** Long enough for what was found before to be old, and for a database to be waited for. */
const MOST_MS = 20_000;

/** What it says of itself, without a token. */
async function ready(gateway: Running): Promise<{ status: number; checks: string[] }> {
  const response = await fetch(`${await gateway.address()}/readyz`);
  const { problems = [] } = await response.json() as { problems?: Problem[] };
  return { status: response.status, checks: problems.map(({ check }) => check) };
}

const isReady = async (gateway: Running) => (await ready(gateway)).status === 200;

/** How `deno task admin gateway health` ends, and what it says. */
async function health(gateway: Running): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "admin/cli.ts", "gateway", "health"],
    env: { GATEWAY_URL: await gateway.address(), MASTER_TOKEN: "master-token-of-the-tests-0123456789abcdef" },
  }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

const run = async (...command: string[]) =>
  (await new Deno.Command(command[0]!, { args: command.slice(1), stdout: "null", stderr: "null" }).output())
    .success;

/** A disk of that size; null where this account may make none. */
async function smallDisk(megabytes: number) {
  const path = await Deno.makeTempDir();
  if (!await run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path)) {
    await Deno.remove(path);
    return null;
  }
  return {
    path,
    /** Leaves not a byte. */
    fill: () => run("dd", "if=/dev/zero", `of=${path}/rest`, "bs=1k").then(() => {}),
    free: () => Deno.remove(`${path}/rest`),
    async [Symbol.asyncDispose]() {
      await run("umount", path);
      await Deno.remove(path);
    },
  };
}

const DISK = await smallDisk(4);

Deno.test({
  name:
    "on a full disk the gateway says that it is not ready before a call is refused, and is ready again once there is room",
  ignore: DISK === null,
  async fn() {
    await using disk = DISK!;
    await using gateway = start(disk.path);
    const { token } = await gateway.token();
    assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
    assert.deepEqual(await ready(gateway), { status: 200, checks: [] });
    assert.equal((await health(gateway)).code, 0);
    await disk.fill();
    await until(async () => !await isReady(gateway), MOST_MS);
    assert.deepEqual(await ready(gateway), { status: 503, checks: ["store"] });
    const unwell = await health(gateway);
    assert.equal(unwell.code, 1);
    assert.match(unwell.said, /The store fails \("database or disk is full"\).* see to its disk/);
    const { status, error } = await gateway.call(token, "list_sites", {});
    assert.deepEqual([status, error!.code], [500, "E_INTERNAL"]);
    await disk.free();
    await until(() => isReady(gateway), MOST_MS);
    assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
    assert.equal((await health(gateway)).code, 0);
    gateway.kill("SIGTERM");
    const { code, stderr } = await gateway.ended;
    assert.equal(code, 0);
    assert.equal(stderr.match(/"event":"audit_failed"/g)?.length, 1, stderr);
  },
});

Deno.test("while PostgreSQL is gone the gateway is not ready, each call leaves one line, and it is ready again once that is back", async () => {
  await using server = await Postgres.start();
  await using dir = await folderOnDisk();
  await using gateway = start(dir.path, { KV_PATH: await server.database() });
  const { token } = await gateway.token();
  assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
  assert.equal((await ready(gateway)).status, 200);
  await server.down("SIGKILL");
  await until(async () => !await isReady(gateway), MOST_MS);
  assert.ok((await ready(gateway)).checks.includes("store"));
  const { code, said } = await health(gateway);
  assert.equal(code, 1);
  assert.match(said, /E_INTERNAL: The /);
  for (let nth = 0; nth < 3; nth++) {
    assert.equal((await gateway.call(token, "list_sites", {})).error!.code, "E_INTERNAL");
  }
  await server.up();
  await until(() => isReady(gateway), MOST_MS);
  assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
  gateway.kill("SIGTERM");
  const { stderr } = await gateway.ended;
  const lines = stderr.split("\n").filter((line) => /"event":"(internal|audit_failed)"/.test(line));
  const ids = lines.map((line) => JSON.parse(line).request_id);
  assert.ok(ids.length >= 3 && new Set(ids).size === ids.length, stderr);
});

Deno.test("with a key less than what is proven and sealed needs the gateway does not start; once that is accepted it is not ready, and names what to set again", async () => {
  await using dir = await folderOnDisk();
  const [old, next] = [1, 2].map((byte) => new Uint8Array(32).fill(byte).toBase64());
  const site = {
    ...{ id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" },
    credentials: { cms: { username: "admin", application_password: "aaaa bbbb" } },
  };
  {
    await using gateway = start(dir.path, { ENCRYPTION_KEYS: old! });
    await gateway.admin("POST", "/sites", site);
    assert.equal((await ready(gateway)).status, 200);
  }
  {
    await using gateway = start(dir.path, { ENCRYPTION_KEYS: `${next},${old}` });
    assert.equal((await ready(gateway)).status, 200, "both keys open it");
  }
  {
    await using refused = start(dir.path, { ENCRYPTION_KEYS: next! });
    const { code, stderr } = await refused.ended;
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      /which ENCRYPTION_KEYS lacks; .* Where it is lost: deno task admin store accept-keys/,
    );
  }
  const accepted = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", "admin/cli.ts", "store", "accept-keys"],
    env: { ENCRYPTION_KEYS: next!, KV_PATH: `${dir.path}/gateway.sqlite3` },
  }).output();
  assert.equal(accepted.code, 0, new TextDecoder().decode(accepted.stderr));
  await using gateway = start(dir.path, { ENCRYPTION_KEYS: next! });
  assert.deepEqual(await ready(gateway), { status: 503, checks: ["keys"] });
  const { code, said } = await health(gateway);
  assert.equal(code, 1);
  assert.match(
    said,
    /The cms credential of site acme is sealed under key "[0-9a-f]{12}", which ENCRYPTION_KEYS lacks/,
  );
});
