/** A store on a KV Connect server, started as documented, and what is said of one that cannot be used. */
import assert from "node:assert/strict";
import { ACCESS_TOKEN, type KvConnectServer, startKvConnect } from "./kv_connect_server.ts";
import { inFolder, start } from "./running.ts";

Deno.test("the gateway keeps everything on a KV Connect server, and finds it again", async () => {
  await using server = startKvConnect();
  await inFolder(async (folder) => {
    const env = { KV_PATH: server.url, DENO_KV_ACCESS_TOKEN: ACCESS_TOKEN };
    let token = "";
    {
      await using gateway = start(folder, env);
      token = (await gateway.token()).token;
      await gateway.admin(
        "POST",
        "/sites",
        { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" },
      );
      gateway.kill("SIGTERM");
      assert.equal((await gateway.ended).code, 0);
    }
    await using gateway = start(folder, env);
    const { result } = await gateway.call<{ sites: { id: string }[] }>(token, "list_sites", {});
    assert.deepEqual(result.sites.map(({ id }) => id), ["acme"]);
    assert.ok((await gateway.admin<{ ok: boolean }>("GET", "/audit/verify")).ok);
    const other = await start(folder, { ...env, ENCRYPTION_KEYS: new Uint8Array(32).fill(9).toBase64() })
      .ended;
    assert.match(other.stderr, /^ENCRYPTION_KEYS: none of them opens "http:/);
  });
});

/** What is said of each address by a process with that access token. */
async function said(addresses: readonly string[], token: string | null): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--config",
      new URL("../../deno.json", import.meta.url).pathname,
      new URL("../unit/store/children/open_servers.ts", import.meta.url).pathname,
      ...addresses,
    ],
    env: token === null ? {} : { DENO_KV_ACCESS_TOKEN: token },
    stderr: "null",
  });
  return JSON.parse(new TextDecoder().decode((await child.output()).stdout));
}

Deno.test("what is wrong with a server, its address or the token is said as it is, in one sentence", async () => {
  const answers: [says: RegExp, server: KvConnectServer][] = [
    [
      /^refused the access token \(401\); set DENO_KV_ACCESS_TOKEN to one of that database$/,
      startKvConnect(),
    ],
    [
      /^answered 404, as no KV Connect server does; check the address$/,
      startKvConnect({ metadata: () => new Response("", { status: 404 }) }),
    ],
    [
      /^answered 503; that server is at fault, or not ready yet$/,
      startKvConnect({ metadata: () => new Response("", { status: 503 }) }),
    ],
    [
      /^answered, but not as a KV Connect server does; check the address$/,
      startKvConnect({ metadata: () => new Response("<html>") }),
    ],
    [
      /^answered, but not as a KV Connect server does; check the address$/,
      startKvConnect({ metadata: () => Response.json({}) }),
    ],
  ];
  const gone = startKvConnect();
  await gone[Symbol.asyncDispose]();
  answers.push([/^cannot be reached \(Connection refused\); check the address and the network$/, gone]);
  const messages = await said(answers.map(([, { url }]) => url), "another token");
  for (const [at, [says, { url }]] of answers.entries()) {
    const start = `KV_PATH: "${url}" `;
    assert.ok(messages[at]!.startsWith(start), messages[at]);
    assert.match(messages[at]!.slice(start.length), says);
  }
  await using dumb = startKvConnect({ isDumb: true });
  assert.match(
    (await said([dumb.url], ACCESS_TOKEN))[0]!,
    /" has not answered in time; check the address and that server$/,
  );
  await using server = startKvConnect();
  assert.match(
    (await said([server.url], null))[0]!,
    /" needs an access token; set DENO_KV_ACCESS_TOKEN to one of that/,
  );
  assert.equal(server.asked.metadata, 0);
  for (const [, one] of answers) if (one !== gone) await one[Symbol.asyncDispose]();
});

Deno.test("without a token the task says so, and names no folder", async () => {
  await using server = startKvConnect();
  await inFolder(async (folder) => {
    const { code, stderr } = await start(folder, { KV_PATH: server.url }).ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^KV_PATH: "http:.*" needs an access token; set DENO_KV_ACCESS_TOKEN to one of that database\n$/,
    );
  });
});
