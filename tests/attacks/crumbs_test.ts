/** Bodies in very many small pieces, with a token and without one: refused soon, and whoever else asks is answered. */
import assert from "node:assert/strict";
import { text, wire } from "../e2e/wire.ts";
import { gateway } from "../kit.ts";

const CRUMBS = text("1\r\n \r\n".repeat(100_000));
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** What is answered first on a connection that goes on sending. */
async function firstOf(port: number, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const writing = (async () => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  })().catch(() => {}); // it is closed under it
  const buffer = new Uint8Array(65_536);
  const size = await connection.read(buffer);
  connection.close();
  await writing;
  return new TextDecoder().decode(buffer.subarray(0, size ?? 0));
}

// What is left of a body is let go of by the runtime some seconds after its connection has ended.
const options = { sanitizeResources: false, sanitizeOps: false };

Deno.test("a body in crumbs is refused wherever one is read, and its rest is not", options, async () => {
  await using gw = await gateway({ settings: { rateLimitToken: 0 } });
  await using server = await wire(gw);
  for (
    const [path, type, token] of [
      ["/oauth/token", FORM_TYPE, null],
      ["/oauth/register", JSON_TYPE, null],
      ["/mcp", JSON_TYPE, gw.token()],
      ["/api/v1/tools/list_sites", JSON_TYPE, gw.token()],
    ] as const
  ) {
    const lines = [`POST ${path} HTTP/1.1`, "Host: 127.0.0.1:8000", `Content-Type: ${type}`];
    if (token !== null) lines.push(`Authorization: Bearer ${token}`);
    const head = text(
      `${[...lines, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n`,
    );
    const answer = await firstOf(server.port, new Uint8Array([...head, ...CRUMBS]));
    assert.match(answer, /^HTTP\/1.1 413 .*in too many (small )?pieces/s, path);
    assert.equal((await gw.http("/healthz")).status, 200);
  }
  assert.deepEqual(gw.logged, []);
});
