/** The gateway as a process: how it starts, what it says when it cannot, what a restart and a second process see. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Site } from "../../core/model.ts";
import { VERSION } from "../../core/model.ts";
import { inFolder, start, until } from "./running.ts";

Deno.test("it boots, answers the health checks and both doors at the address it prints", async () => {
  await inFolder(async (folder) => {
    await using gateway = start(folder);
    const address = await gateway.address();
    for (const [path, more] of [["/healthz", { version: VERSION }], ["/readyz", {}]] as const) {
      const response = await fetch(`${address}${path}`);
      assert.deepEqual([response.status, await response.json()], [200, { ok: true, ...more }]);
    }
    const { token } = await gateway.token();
    assert.deepEqual((await gateway.call(token, "list_sites", {})).result, { sites: [] });
    const listed = await fetch(`${address}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    assert.equal(listed.status, 200);
    assert.ok((await listed.json()).result.tools.length > 0);
    const document = await (await fetch(`${address}/api/v1/openapi.json`)).json();
    assert.equal(document.servers[0].url, address);
  });
});

/** Asserts that it ends at once, with a message that has all of this and no stack trace. */
async function refuses(
  folder: string,
  env: Record<string, string | null>,
  says: readonly RegExp[],
  run?: readonly string[],
) {
  await using gateway = start(folder, env, { run });
  const { code, stdout, stderr } = await gateway.ended;
  assert.deepEqual([code, stdout], [1, ""], stderr);
  for (const one of says) assert.match(stderr, one);
  assert.ok(!/^\s+at |error: Uncaught|file:\/\//m.test(stderr), stderr);
  for (const secret of ["master-token-of-the-tests", "c2hvcnQ"]) assert.ok(!stderr.includes(secret), stderr);
}

const FAULTS:
  readonly (readonly [name: string, env: Record<string, string | null>, says: readonly RegExp[]])[] = [
    ["without ENCRYPTION_KEYS", { ENCRYPTION_KEYS: null }, [
      /^ {2}ENCRYPTION_KEYS: not set; make one with /m,
    ]],
    ["with a short ENCRYPTION_KEYS", { ENCRYPTION_KEYS: "c2hvcnQ=" }, [/^ {2}ENCRYPTION_KEYS: .*32/m]],
    ["with ENCRYPTION_KEYS that are no base64", { ENCRYPTION_KEYS: "***" }, [/^ {2}ENCRYPTION_KEYS: /m]],
    ["without MASTER_TOKEN", { MASTER_TOKEN: null }, [/^ {2}MASTER_TOKEN: not set; make one with /m]],
    ["with a short MASTER_TOKEN", { MASTER_TOKEN: "c2hvcnQ" }, [/^ {2}MASTER_TOKEN: .*32/m]],
    [
      "with several faults, told at once,",
      {
        MASTER_TOKEN: null,
        ENCRYPTION_KEYS: "c2hvcnQ=",
        PORT: "eighty",
        BASE_URL: "ftp://a",
        RATE_LIMIT_SITE: "-1",
      },
      [/MASTER_TOKEN: /, /ENCRYPTION_KEYS: /, /PORT: .*"eighty"/, /BASE_URL: /, /RATE_LIMIT_SITE: /],
    ],
  ];

for (const [name, env, says] of FAULTS) {
  Deno.test(`${name} it does not start, and says what to do`, async () => {
    await inFolder((folder) => refuses(folder, env, says));
  });
}

Deno.test("on a corrupt store file it does not start, and leaves the file as it is", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/gateway.sqlite3`;
    const garbage = "this is no database ".repeat(500);
    await Deno.writeTextFile(path, garbage);
    await refuses(folder, {}, [
      /^KV_PATH: ".*" is no database or is damaged; see what .*store check\), and put back a copy .*, or move the file away/m,
    ]);
    assert.equal(await Deno.readTextFile(path), garbage);
  });
});

Deno.test("on a store file another process has locked it does not start, and says so", async () => {
  await inFolder(async (folder) => {
    using database = new DatabaseSync(`${folder}/gateway.sqlite3`);
    database.exec("CREATE TABLE there_is (one)");
    database.exec("BEGIN EXCLUSIVE");
    await refuses(folder, {}, [/^KV_PATH: ".*" is locked by another process; end that one/m]);
  });
});

Deno.test("on a KV_PATH it may not use, or that is no file, it does not start", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/folder`);
    await Deno.writeTextFile(`${folder}/file`, "");
    const direct = ["--no-prompt", "-P=serve", "main.ts"];
    await refuses(folder, {}, [/^KV_PATH: ".*" is outside what this process may read/m], direct);
    await refuses(folder, { KV_PATH: `${folder}/folder` }, [/^KV_PATH: ".*" cannot be opened or written/m]);
    await refuses(folder, { KV_PATH: `${folder}/file/a.sqlite3` }, [
      /^KV_PATH: ".*" cannot be opened or written/m,
    ]);
  });
});

Deno.test("on a port that is taken it does not start", async () => {
  await inFolder(async (folder) => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    await refuses(folder, { PORT: `${port}` }, [
      new RegExp(`^PORT: ${port} on 127.0.0.1 is taken; stop what`, "m"),
    ]);
  });
});

Deno.test("after a restart tokens, sites and audit are there, and a revoked token stays revoked", async () => {
  await inFolder(async (folder) => {
    await using before = start(folder);
    const kept = await before.token();
    const gone = await before.token();
    await before.admin(
      "POST",
      "/sites",
      { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" },
    );
    await before.admin("POST", `/tokens/${gone.token_id}/revoke`);
    assert.equal((await before.call(kept.token, "get_site", { site_id: "acme" })).status, 200);
    const rows = await before.audit();
    assert.equal(rows.length, 1);
    before.kill("SIGTERM");
    assert.equal((await before.ended).code, 0);

    await using after = start(folder);
    assert.deepEqual(await after.audit(), rows);
    assert.equal((await after.call(gone.token, "list_sites", {})).error?.code, "E_AUTH");
    const { result } = await after.call<{ sites: Site[] }>(kept.token, "list_sites", {});
    assert.deepEqual(result.sites.map((site) => site.id), ["acme"]);
    assert.deepEqual((await after.audit()).map((row) => row.tool), ["list_sites", "get_site"]);
  });
});

Deno.test("of two processes on one store file, a revoked token and a flag taken back hold in the other within a second", async () => {
  await inFolder(async (folder) => {
    await using one = start(folder);
    await using other = start(folder);
    const { token, token_id } = await one.token();
    const spare = await one.token();
    const flags = { allow_publish: true };
    await one.admin(
      "POST",
      "/sites",
      { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example", flags },
    );
    const flag = async () =>
      (await other.call<Site>(spare.token, "get_site", { site_id: "acme" })).result.flags.allow_publish;
    assert.equal((await other.call(token, "list_sites", {})).status, 200);
    assert.equal(await flag(), true);
    await one.admin("PATCH", "/sites/acme", { flags: { allow_publish: false } });
    await until(async () => !await flag(), 1000);
    const refused = await other.call(spare.token, "publish_post", {
      site_id: "acme",
      post_id: 1,
      confirm: true,
    });
    assert.equal(refused.error?.code, "E_PUBLISH_NOT_ALLOWED");
    await one.admin("POST", `/tokens/${token_id}/revoke`);
    await until(async () => (await other.call(token, "list_sites", {})).status === 401, 1000);
    assert.equal((await other.call(spare.token, "list_sites", {})).status, 200);
  });
});
