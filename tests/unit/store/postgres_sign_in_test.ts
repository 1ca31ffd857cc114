/** A connection to PostgreSQL that cannot be signed in is closed at once: a command would not end before the server ends it. */
import assert from "node:assert/strict";
import { openPlace } from "../../../store/engines.ts";

/** A message of authentication, as servers send it. */
function asking(kind: number, text: string): Uint8Array {
  const rest = new TextEncoder().encode(text);
  return Uint8Array.from([0x52, 0, 0, 0, 8 + rest.length, 0, 0, 0, kind, ...rest]);
}
const [SASL, CONTINUE] = [asking(10, "SCRAM-SHA-256\0\0"), asking(11, "r=nonce,s=c2FsdA==,i=4096")];

/** Asks for a password; resolves once the other side has ended the connection. */
async function serve(connection: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(1024);
  for (const asks of [SASL, CONTINUE]) {
    await connection.read(bytes);
    await connection.write(asks);
  }
  while (await connection.read(bytes).catch(() => null) !== null);
  connection.close();
}

Deno.test("where a database asks for a password and the address has none, it is asked once and the connection is closed", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const served: Promise<void>[] = [];
  const serving = (async () => {
    for await (const connection of server) served.push(serve(connection));
  })();
  const { port } = server.addr as Deno.NetAddr;
  await assert.rejects(async () => {
    const kv = await openPlace(`postgres://gateway@127.0.0.1:${port}/gateway`);
    await kv.get(["a"]);
  });
  server.close();
  await serving;
  await Promise.all(served); // as long as the connection is open this waits
  assert.equal(served.length, 1);
});
