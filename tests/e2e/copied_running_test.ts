/** A store whose files were copied while a gateway ran: what cannot be told is refused, and what may be missing is said. */
import assert from "node:assert/strict";
import { inFolder, KEY, MASTER, type Running, start } from "./running.ts";

const CALLS = 30;

/** A command on that store, or on what answers at that address. */
async function admin(env: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--frozen", "admin/cli.ts", ...words],
    env: { ENCRYPTION_KEYS: KEY.toBase64(), MASTER_TOKEN: MASTER, ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

async function stopped(gateway: Running): Promise<void> {
  gateway.kill("SIGTERM");
  assert.equal((await gateway.ended).code, 0);
}

Deno.test("the file alone, or the files beside it too, copied with cp while a gateway runs: restore refuses these, says what may be missing of that, and an anchor shows it", async () => {
  await inFolder(async (folder) => {
    const store = `${folder}/gateway.sqlite3`;
    const alone = `${folder}/alone.sqlite3`;
    const beside = `${folder}/beside.sqlite3`;
    const anchors = `${folder}/anchors.ndjson`;
    let token = "";
    {
      await using gateway = start(folder);
      ({ token } = await gateway.token());
      await stopped(gateway); // what was written so far is in the file itself
    }
    {
      await using gateway = start(folder);
      for (let nth = 0; nth < CALLS; nth++) await gateway.call(token, "list_sites", {});
      await Deno.copyFile(store, alone);
      for (const end of ["", "-wal", "-shm"]) await Deno.copyFile(`${store}${end}`, `${beside}${end}`);
      const { code, out } = await admin({ GATEWAY_URL: await gateway.address() }, "audit", "anchor");
      assert.equal(code, 0);
      await Deno.writeTextFile(anchors, out);
      await stopped(gateway);
    }
    const before = await Deno.readFile(store);
    const refused = await admin({ KV_PATH: store }, "store", "restore", beside);
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /-wal" beside it: it is in use, or was copied while it was; make a copy with .* store backup/,
    );
    assert.deepEqual(await Deno.readFile(store), before);
    const made = await admin({ KV_PATH: store }, "store", "backup", `${folder}/made.sqlite3`);
    assert.equal(made.code, 0, made.err);

    const taken = await admin({ KV_PATH: store }, "store", "restore", alone);
    assert.equal(taken.code, 0, taken.err);
    assert.match(
      taken.out,
      /was not made by store backup: where a gateway ran meanwhile, what it wrote last is not in it/,
    );
    {
      await using gateway = start(folder);
      const env = { GATEWAY_URL: await gateway.address() };
      assert.equal((await admin(env, "audit", "verify")).code, 0, "by itself nothing shows it");
      const { code, out, err } = await admin(env, "audit", "verify", "--anchor", anchors);
      assert.equal(code, 1);
      assert.match(out + err, /Missing: segments \d+ to \d+ of writer .*which were there when the anchor/);
      await stopped(gateway);
    }
    const whole = await admin({ KV_PATH: store }, "store", "restore", `${folder}/made.sqlite3`);
    assert.equal(whole.code, 0, whole.err);
    assert.doesNotMatch(whole.out, /not made by store backup/);
    await using gateway = start(folder);
    const env = { GATEWAY_URL: await gateway.address() };
    assert.equal((await admin(env, "audit", "verify", "--anchor", anchors)).code, 0);
  });
});
