/** More connections than the process may have descriptors: it goes on, and answers once they leave. */
import assert from "node:assert/strict";
import { inFolder, MASTER, start, until } from "./running.ts";

const DESCRIPTORS = 256;
const CONNECTIONS = 700;
const CONNECT_MS = 200;
const ANSWER_MS = 30_000;
/** Seven hundred connections take every descriptor some three times; a gateway that spins logs hundreds. */
const FAILURES_MAX = 40;

/** Connects, unless that is refused or takes long; what is late is closed when it comes, and is in `pending` until then. */
async function connect(port: number, pending: Promise<void>[]): Promise<Deno.TcpConn | null> {
  const opening = Deno.connect({ hostname: "127.0.0.1", port });
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => {
    pending.push(opening.then((connection) => connection.close(), () => {}));
    late.resolve(null);
  }, CONNECT_MS);
  const connection = await Promise.race([opening, late.promise]).catch(() => null);
  clearTimeout(timer);
  return connection;
}

/** Whether the gateway says that it is well, on a connection of its own. */
async function healthy(address: string): Promise<boolean> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  try {
    const response = await fetch(`${address}/healthz`, { client, signal: AbortSignal.timeout(2000) });
    return (await response.json()).ok === true;
  } catch {
    return false;
  }
}

Deno.test({
  name:
    "700 idle connections under 256 descriptors end nothing: it answers once they left, and stops as ever",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inFolder(async (folder) => {
      await using gateway = start(folder, {}, { descriptors: DESCRIPTORS });
      const address = await gateway.address();
      const port = Number(new URL(address).port);
      const held: Deno.TcpConn[] = [];
      const pending: Promise<void>[] = [];
      for (let made = 0; made < CONNECTIONS; made++) {
        const connection = await connect(port, pending);
        if (connection) held.push(connection);
      }
      assert.ok(held.length > DESCRIPTORS / 2, `${held.length} connections were had`);
      for (const connection of held) connection.close();
      await until(() => healthy(address), ANSWER_MS);
      assert.deepEqual((await gateway.ask<unknown[]>("GET", "/admin/api/tokens", MASTER)).status, 200);
      gateway.kill("SIGTERM");
      const { code, stderr } = await gateway.ended;
      assert.equal(code, 0);
      const events = stderr.split("\n").slice(0, -1).map((line) => JSON.parse(line).event);
      const failures = events.filter((event) => event !== "listening_again");
      assert.ok(failures.includes("accept_failed"), "descriptors did run out");
      assert.ok(failures.length < FAILURES_MAX, `${failures.length} failures were logged`);
      await Promise.all(pending); // nobody listens any more
    });
  },
});
