/** The last line of defence: what nobody caught is logged, and the process ends in order for its supervisor. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { inFolder, type Running, start, until } from "./running.ts";

const RUN = ["-A", "--preload", new URL("fault_preload.ts", import.meta.url).pathname, "main.ts"];

/** Each line of the log on a fault, as the object that it is. */
const linesOf = (stderr: string): Record<string, unknown>[] =>
  stderr.trimEnd().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
    .filter(({ event }) => event !== "store_made");

async function statusOf(gateway: Running, path: string): Promise<number> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const answer = await fetch(`${await gateway.address()}${path}`, { client });
  await answer.body?.cancel();
  return answer.status;
}

/** A new connection each time, as a balancer's. */
const unready = (gateway: Running) => until(async () => await statusOf(gateway, "/readyz") === 503, 5000);

for (const fault of ["a timer", "a promise", "an emitter"]) {
  Deno.test(`${fault} fails and nobody catches it: readyz says so, calls go on, the log has the stack, the exit is 1`, async () => {
    await inFolder(async (folder) => {
      await using gateway = start(folder, { FAULT: fault, SHUTDOWN_SECONDS: "4" }, { run: RUN });
      const { token } = await gateway.token();
      assert.equal(await statusOf(gateway, "/readyz"), 200);
      gateway.kill("SIGUSR2");
      await unready(gateway);
      assert.equal(await statusOf(gateway, "/healthz"), 200);
      assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
      const { code, signal, stderr } = await gateway.ended;
      assert.deepEqual([code, signal], [1, null]);
      const [line, ...more] = linesOf(stderr);
      assert.deepEqual(
        [line?.event, line?.kind, more],
        ["uncaught", fault === "a promise" ? "rejection" : "error", []],
      );
      assert.match(
        String(line?.cause),
        new RegExp(`^Error: ${fault} failed[^]*\\n    at .*fault_preload\\.ts`),
      );
      assert.ok(!stderr.includes("secret"), stderr);
    });
  });
}

Deno.test("a fault while a write waits: the write ends well, and its row is kept", async () => {
  await inFolder(async (folder) => {
    const arrived = Promise.withResolvers<void>();
    const through = Promise.withResolvers<void>();
    const sleep = async () => {
      arrived.resolve();
      await through.promise;
    };
    const cms = await startWordPressStandIn({ sleep, latency: [{ method: "POST", ms: 1 }] });
    await using gateway = start(folder, { FAULT: "a promise", SHUTDOWN_SECONDS: "20" }, { run: RUN });
    try {
      const { username, application_password } = cms.users.admin;
      const credentials = { cms: { username, application_password } };
      const site = { id: "acme", name: "Acme", platform: "cms", base_url: cms.base_url, credentials };
      await gateway.admin("POST", "/sites", site);
      const { token } = await gateway.token();
      const draft = { site_id: "acme", title: "Hello", content_html: "<p>Hello</p>", confirm: true };
      const ending = gateway.call<{ status: string }>(token, "create_draft", draft);
      await arrived.promise;
      gateway.kill("SIGUSR2");
      await unready(gateway);
      gateway.kill("SIGTERM"); // its supervisor need not wait for the seconds that are left
      through.resolve();
      const { status, result } = await ending;
      assert.deepEqual([status, result.status], [200, "draft"]);
      assert.equal((await gateway.ended).code, 1);
    } finally {
      through.resolve();
      await cms.stop();
    }
    await using after = start(folder);
    assert.deepEqual((await after.audit()).map((row) => [row.tool, row.status]), [["create_draft", "ok"]]);
  });
});

Deno.test("a hundred faults at once: the first twenty are logged, and it ends within its seconds", async () => {
  await inFolder(async (folder) => {
    await using gateway = start(folder, { FAULT: "a storm", SHUTDOWN_SECONDS: "1" }, { run: RUN });
    await gateway.address();
    gateway.kill("SIGUSR2");
    const { code, stderr } = await gateway.ended;
    assert.deepEqual([code, linesOf(stderr).length], [1, 20]);
  });
});

Deno.test("what was thrown is no error: it is logged as it is", async () => {
  await inFolder(async (folder) => {
    await using gateway = start(folder, { FAULT: "a text", SHUTDOWN_SECONDS: "1" }, { run: RUN });
    await gateway.address();
    gateway.kill("SIGUSR2");
    const { code, stderr } = await gateway.ended;
    assert.deepEqual([code, linesOf(stderr).map(({ cause }) => cause)], [1, ["a text was thrown"]]);
  });
});
