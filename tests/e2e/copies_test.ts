/** A copy of the store, made and put back by the commands of docs/CONFIGURATION.md as they stand there. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { inFolder, start } from "./running.ts";

/** The commands of the section, in their order. */
function commands(): string[] {
  const page = Deno.readTextFileSync(new URL("../../docs/CONFIGURATION.md", import.meta.url));
  const [, section] = /^## Copies of the store$(.*?)^(?:## |<!--)/ms.exec(page) ?? [];
  assert.ok(section, "the page has the section");
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, command]) => command!);
}

/** Runs them in a folder, with this Deno in the place of the one that npx brings. */
async function shell(cwd: string, command: string): Promise<{ code: number; stderr: string }> {
  const args = ["-ec", command.replaceAll("npx -y deno@2.9", Deno.execPath())];
  const { code, stderr } = await new Deno.Command("/bin/sh", { args, cwd, env: { NO_COLOR: "1" } }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("a copy that is made while calls are recorded is whole, and what it holds works where it is put back", async () => {
  await using cms = await startWordPressStandIn();
  const [copy, putBack, ...more] = commands();
  assert.deepEqual(more, []);
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/data`);
    const env = { KV_PATH: `${folder}/data/gateway.sqlite3` };
    let early = "";
    let late = "";
    {
      await using gateway = start(folder, env);
      const { username, application_password } = cms.users.admin;
      const credentials = { cms: { username, application_password } };
      const { base_url } = cms;
      await gateway.admin("POST", "/sites", {
        id: "acme",
        name: "Acme",
        platform: "cms",
        base_url,
        credentials,
      });
      early = (await gateway.token()).token;
      const copied = Promise.withResolvers<void>();
      const copying = shell(folder, copy!).finally(copied.resolve);
      let isCopied = false;
      copied.promise.then(() => isCopied = true);
      do assert.equal((await gateway.call(early, "ping_site", { site_id: "acme" })).status, 200); while (
        !isCopied
      );
      assert.deepEqual(await copying, { code: 0, stderr: "" });
      assert.equal(
        Deno.statSync(`${folder}/gateway-copy.sqlite3`).mode! & 0o077,
        0,
        "it is its owner's alone",
      );
      const again = await shell(folder, copy!);
      assert.notEqual(again.code, 0, "a copy that is there is not written over");
      assert.match(again.stderr, /already exists/);
      late = (await gateway.token()).token;
    }
    assert.deepEqual(await shell(folder, putBack!), { code: 0, stderr: "" });
    await using gateway = start(folder, env);
    const called = await gateway.call<{ authenticated: boolean }>(early, "ping_site", { site_id: "acme" });
    assert.equal(called.result.authenticated, true, "the credential is opened");
    assert.equal((await gateway.call(late, "list_sites", {})).error?.code, "E_AUTH");
    const verdict = await gateway.admin<{ ok: boolean; rows: number }>("GET", "/audit/verify");
    assert.ok(verdict.ok && verdict.rows > 0);
  });
});

Deno.test("where there is no store, no empty copy is made", async () => {
  await inFolder(async (folder) => {
    const { code, stderr } = await shell(folder, commands()[0]!);
    assert.notEqual(code, 0);
    assert.match(stderr, /unable to open database file/);
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
});
