/** Scrapers that ask for the figures and never read them: everybody else is answered, and the gateway ends as ever. */
import assert from "node:assert/strict";
import { inFolder, start } from "./running.ts";

const TOKEN = "metrics-token-of-the-tests-0123456789";
const SCRAPERS = 150;
/** Of one scraper more than sockets hold on their way: its answers wait in the gateway. */
const ASKED_AT_ONCE = 400;
const CALLS = 20;
/** What all of them together may cost in memory. */
const MEMORY_BYTES_MAX = 150 * 1024 * 1024;

Deno.test("150 scrapers that never read an answer stop no call, no other scraper and no end, and cost little memory", async () => {
  await inFolder(async (folder) => {
    await using gateway = start(folder, { METRICS_TOKEN: TOKEN });
    const address = await gateway.address();
    const { hostname, port } = new URL(address);
    const { token } = await gateway.token();
    const asks =
      `GET /metrics HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    const scrape = async () => {
      const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
      assert.equal(response.status, 200);
      return await response.text();
    };
    const memory = async () => Number(/^process_resident_memory_bytes (\S+)$/m.exec(await scrape())![1]);
    const before = await memory();
    using silent = new DisposableStack();
    for (let made = 0; made < SCRAPERS; made++) {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      silent.defer(() => connection.close());
      connection.write(new TextEncoder().encode(asks.repeat(ASKED_AT_ONCE))).catch(() => {}); // it may not take all
    }
    for (let nth = 0; nth < CALLS; nth++) {
      assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
      assert.match(await scrape(), /^gateway_calls_total\{tool="list_sites",door="rest",result="ok"\} /m);
    }
    const grown = await memory() - before;
    assert.ok(grown < MEMORY_BYTES_MAX, `memory grew by ${grown} bytes`);
    gateway.kill("SIGTERM");
    assert.equal((await gateway.ended).code, 0);
  });
});
