/** Two gateways on one PostgreSQL behind Caddy with docs/deploy/Caddyfile, changed one after the other under load. */
import assert from "node:assert/strict";
import { type Gateway, newSecrets, startGateway, THREE_SITES } from "../../bench/gateway.ts";
import { freePort } from "../../bench/process.ts";
import { siteOfDrafts } from "../../bench/two_instances.ts";
import { hasCaddy, startCaddy } from "./_caddy.ts";
import { Postgres } from "./_postgres.ts";

const CALLERS = 8;
/** One call in so many is a write. */
const WRITE_EVERY = 20;

/** Whether calls have reached that gateway. */
async function isCalled({ url }: Gateway, master: string): Promise<boolean> {
  const response = await fetch(`${url}/admin/metrics`, { headers: { authorization: `Bearer ${master}` } });
  assert.equal(response.status, 200);
  return (await response.text()).includes('tool="list_sites"');
}

Deno.test({
  name: "two gateways are changed one after the other: no call fails, and no write is lost or made twice",
  ignore: !hasCaddy,
  async fn() {
    await using server = await Postgres.start();
    await using place = await siteOfDrafts(CALLERS);
    const env = {
      ...newSecrets(),
      KV_PATH: await server.database(),
      DRAIN_SECONDS: "5",
      TRUSTED_PROXIES: "127.0.0.1",
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
    };
    const folder = await Deno.makeTempDir();
    const ports = [freePort(), freePort()] as const;
    const started = (at: number, sites: Parameters<typeof startGateway>[1] = []) =>
      startGateway(folder, sites, { ...env, PORT: String(ports[at]) });
    const running: Gateway[] = [await started(0, [...THREE_SITES, place.site]), await started(1)];
    const caddy = startCaddy(folder, ports);
    const answers = new Map<string, number>();
    let isOver = false;
    let written = 0;
    const call = async (tool: string, args: Record<string, unknown> = {}) => {
      const response = await fetch(`${caddy.url}/api/v1/tools/${tool}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${running[0]!.token}` },
        body: JSON.stringify(args),
      });
      const text = await response.text();
      return text.startsWith('{"ok":true') ? "ok" : `${response.status} ${text.slice(0, 200)}`;
    };
    try {
      while (await call("list_sites").catch(String) !== "ok");
      const callers = place.drafts.map(async (post_id) => {
        for (let n = 1; !isOver; n++) {
          const isWrite = n % WRITE_EVERY === 0;
          if (isWrite) written++;
          const args = { site_id: place.site.id, post_id, title: `Title ${n}`, confirm: true };
          const answer = await (isWrite ? call("update_draft", args) : call("list_sites")).catch(String);
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
      assert.ok(answers.get("ok")! > 100 && written > CALLERS);
      // Beside them the gateway asks the site for tools of its own now and then.
      const made = place.cms.writes.filter(({ path }) => path.includes("/posts/"));
      assert.equal(made.length, written, "each write was made, and once");
    } finally {
      await caddy[Symbol.asyncDispose]();
      for (const one of running) await one[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
