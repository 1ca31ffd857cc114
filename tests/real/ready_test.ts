/** Real stores that fail under a gateway: a disk that is full, a database that is gone, keys of which one is lost. */
import assert from "node:assert/strict";
import type { Problem } from "../../rules/readiness.ts";
import { MASTER, type Running, start, until } from "../e2e/running.ts";
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

/** How a command of `deno task admin` ends, and what it says. */
async function admin(
  env: Record<string, string>,
  ...words: string[]
): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", "admin/cli.ts", ...words],
    env,
  }).output();
  return { code, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

const health = async (gateway: Running) =>
  await admin({ GATEWAY_URL: await gateway.address(), MASTER_TOKEN: MASTER }, "gateway", "health");

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

const DISK_MB = 24;
/** Whether this account may make disks. */
const hasDisks = await (async () => {
  await using disk = await smallDisk(1);
  return disk !== null;
})();

Deno.test({
  name:
    "on a full disk the gateway says that it is not ready before a call is refused, and is ready again once there is room",
  ignore: !hasDisks,
  async fn() {
    await using disk = (await smallDisk(DISK_MB))!;
    await using gateway = start(disk.path);
    const { token } = await gateway.token();
    assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
    assert.deepEqual(await ready(gateway), { status: 200, checks: [] });
    assert.equal((await health(gateway)).code, 0);
    await disk.fill();
    await until(async () => !await isReady(gateway), MOST_MS);
    const { status: unready, checks } = await ready(gateway);
    assert.deepEqual([unready, checks[0]], [503, "store"]); // a job may have met it as well
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

Deno.test({
  name:
    "on a full disk, with entries that have gone by their time, a start is refused in a sentence, and nothing of the runtime panics",
  ignore: !hasDisks,
  async fn() {
    await using disk = (await smallDisk(DISK_MB))!;
    {
      await using gateway = start(disk.path);
      await gateway.token();
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    {
      using kv = await Deno.openKv(`${disk.path}/gateway.sqlite3`);
      await kv.set(["probe"], new Uint8Array(1000), { expireIn: 1 });
    }
    await disk.fill();
    {
      await using gateway = start(disk.path);
      const { code, stderr } = await gateway.ended;
      assert.equal(code, 1);
      assert.match(stderr, /KV_PATH: ".*" (is on a disk that is full|cannot be written).* start again/);
      assert.doesNotMatch(stderr, /panicked/);
    }
    await disk.free();
    await using gateway = start(disk.path);
    assert.equal((await ready(gateway)).status, 200);
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
  const store = `${dir.path}/gateway.sqlite3`;
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
    await using gateway = start(dir.path, { ENCRYPTION_KEYS: `${old},${next}` });
    assert.equal((await ready(gateway)).status, 200, "so they do in the other order");
    assert.equal((await health(gateway)).code, 0);
    const { code, said } = await admin(
      { ENCRYPTION_KEYS: `${old},${next}`, KV_PATH: store },
      "keys",
      "status",
    );
    assert.equal(code, 0, said);
    assert.match(said, /credentials +sealed +1 +[0-9a-f]{12}, the first key\n/, said);
    assert.match(said, /Nothing needs key [0-9a-f]{12}; it can be taken out/);
  }
  {
    await using gateway = start(dir.path, { ENCRYPTION_KEYS: `${next},${old}` });
    assert.equal((await ready(gateway)).status, 200);
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
  const accepted = await admin({ ENCRYPTION_KEYS: next!, KV_PATH: store }, "store", "accept-keys");
  assert.equal(accepted.code, 0, accepted.said);
  await using gateway = start(dir.path, { ENCRYPTION_KEYS: next! });
  assert.deepEqual(await ready(gateway), { status: 503, checks: ["keys"] });
  const { code, said } = await health(gateway);
  assert.equal(code, 1);
  assert.match(
    said,
    /The cms credential of site acme is sealed under key "[0-9a-f]{12}", which ENCRYPTION_KEYS lacks/,
  );
});

Deno.test("a rolling upgrade that is rolled back half-way: the older version ends its work, is not started again, and says which version it takes", async () => {
  await using dir = await folderOnDisk();
  const marked = async (change: (mark: Record<string, unknown>) => Record<string, unknown>) => {
    using kv = await Deno.openKv(`${dir.path}/gateway.sqlite3`);
    const { value } = await kv.get<Record<string, unknown>>(["store"]);
    await kv.set(["store"], change(value!));
  };
  let before: Record<string, unknown> = {};
  await using older = start(dir.path);
  const { token } = await older.token();
  assert.equal((await older.call(token, "list_sites", {})).status, 200);
  // As the newer version does it at its first start, the other instance of the two.
  await marked((mark) => {
    before = mark;
    return { ...mark, format: 99, lowest: { format: 99, version: "9.0.0" } };
  });
  await until(async () => !await isReady(older), MOST_MS);
  const { status, error } = await older.call(token, "list_sites", {});
  assert.equal(status, 500);
  assert.match(error!.message, /brought to format 99 by a newer version .* start version 9\.0\.0 or later/);
  const said = await health(older);
  assert.equal(said.code, 1);
  assert.match(said.said, /start version 9\.0\.0 or later, or stop every gateway and put back the backup/);
  older.kill("SIGTERM");
  await older.ended;
  {
    await using again = start(dir.path);
    const { code, stderr } = await again.ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /was written by a newer version \(format 99\); version 9\.0\.0 or later opens it, and this is /,
    );
  }
  await marked(() => before); // the backup from before
  await using back = start(dir.path);
  assert.equal((await ready(back)).status, 200);
  assert.equal((await back.call(token, "list_sites", {})).status, 200);
});
