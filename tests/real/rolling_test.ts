/** Two gateways on one PostgreSQL behind Caddy, as docs/DEPLOY.md shows them, changed one after the other under load. */
import assert from "node:assert/strict";
import { type Gateway, newSecrets, startGateway, THREE_SITES } from "../../bench/gateway.ts";
import { freePort } from "../../bench/process.ts";
import { Postgres } from "./_postgres.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/DEPLOY.md", import.meta.url));
const CALLERS = 8;

/** The page's configuration of Caddy for two gateways, with the test's addresses in it. */
function caddyfile(port: number, ports: readonly [number, number]): string {
  const [, site] = /^```caddy\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  assert.ok(site, "the page shows no Caddyfile");
  const changed = [
    ["gateway.example {", `http://127.0.0.1:${port} {\n\tbind 127.0.0.1`],
    ["127.0.0.1:8000 127.0.0.1:8001", ports.map((one) => `127.0.0.1:${one}`).join(" ")],
  ].reduce((text, [from, to]) => {
    assert.ok(text.includes(from!), `the page does not say ${from}`);
    return text.replace(from!, to!);
  }, site);
  return `{\n\tadmin off\n}\n${changed}`;
}

/** Whether calls have reached that gateway. */
async function isCalled({ url }: Gateway, master: string): Promise<boolean> {
  const response = await fetch(`${url}/admin/metrics`, { headers: { authorization: `Bearer ${master}` } });
  assert.equal(response.status, 200);
  return (await response.text()).includes('tool="list_sites"');
}

/** Whether Caddy is there. */
const installed = await new Deno.Command("caddy", { args: ["version"], stdout: "null", stderr: "null" })
  .output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "two gateways are changed one after the other, and no call fails",
  ignore: !installed,
  async fn() {
    await using server = await Postgres.start();
    const env = {
      ...newSecrets(),
      KV_PATH: await server.database(),
      DRAIN_SECONDS: "5",
      TRUSTED_PROXIES: "127.0.0.1",
    };
    const folder = await Deno.makeTempDir();
    const ports = [freePort(), freePort()] as const;
    const started = (at: number, sites: typeof THREE_SITES = []) =>
      startGateway(folder, sites, { ...env, PORT: String(ports[at]) });
    const running: Gateway[] = [await started(0, THREE_SITES), await started(1)];
    const port = freePort();
    await Deno.writeTextFile(`${folder}/Caddyfile`, caddyfile(port, ports));
    const caddy = new Deno.Command("caddy", {
      args: ["run", "--config", `${folder}/Caddyfile`],
      env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const answers = new Map<string, number>();
    let isOver = false;
    const call = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/tools/list_sites`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${running[0]!.token}` },
        body: "{}",
      });
      const text = await response.text();
      return text.startsWith('{"ok":true') ? "ok" : `${response.status} ${text.slice(0, 200)}`;
    };
    try {
      while (await call().catch(String) !== "ok");
      const callers = Array.from({ length: CALLERS }, async () => {
        while (!isOver) {
          const answer = await call().catch(String);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      });
      const { token } = running[0]!;
      for (const at of [0, 1]) {
        await running[at]![Symbol.asyncDispose]();
        running[at] = { ...await started(at), token };
        while (!await isCalled(running[at], env.MASTER_TOKEN)); // the proxy has seen that it is there
      }
      isOver = true;
      await Promise.all(callers);
      assert.deepEqual([...answers.keys()], ["ok"]);
      assert.ok(answers.get("ok")! > 100);
    } finally {
      caddy.kill("SIGTERM");
      await caddy.status;
      for (const one of running) await one[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
