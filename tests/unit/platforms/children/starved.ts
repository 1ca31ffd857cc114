/** A process without a descriptor left that asks two places, and says what it was told. */
import { GatewayError } from "../../../../core/errors.ts";
import { systemLookup } from "../../../../platforms/_http/addresses.ts";
import { createHttp } from "../../../../platforms/_http/http.ts";
import { createTransport } from "../../../../platforms/_http/transport.ts";

const { fetch } = createTransport();
const http = createHttp({ fetch, allowPrivate: ["127.0.0.1", "localhost"], lookup: systemLookup });
const ends = () => ({ deadline: Date.now() + 5000 });
const ask = (url: string) =>
  http.send({ method: "GET", url, headers: {}, effect: "read" }, ends()).then(
    () => "answered",
    (thrown) => thrown instanceof GatewayError ? thrown.message : String(thrown),
  );

Deno.addSignalListener("SIGTERM", () => {}); // as main.ts does; the runtime opens descriptors for the first one
using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const { port } = listener.addr as Deno.NetAddr;
await systemLookup("localhost").catch(() => []); // what it loads once is loaded
const open: Deno.FsFile[] = [];
try {
  for (;;) open.push(Deno.openSync("/dev/null"));
} catch {
  // that was the last one
}
const said = [await ask(`http://127.0.0.1:${port}/`), await ask(`http://localhost:${port}/`)];
for (const file of open) file.close();
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(said)));
Deno.exit(0);
