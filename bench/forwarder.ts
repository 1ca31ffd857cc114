/** The yardstick of a call that is handed on: sent to a tool server by Node's client, one record committed, answered. */
import { Agent, request } from "node:http";

const [port, upstream, store] = Deno.args as [string, string, string];
const RECORD = new Uint8Array(900);
const HEADERS = { "content-type": "application/json" };
const agent = new Agent({ keepAlive: true });
const kv = await Deno.openKv(store);
let [number, last] = [0, Promise.resolve()];

/** One commit after another, for each continues the one before. */
function kept(): Promise<void> {
  return last = last.then(async () => {
    const id = String(++number).padStart(26, "0");
    await kv.atomic().set(["head"], { n: number, id }).set(["record", id], RECORD).set(["todo", id], true)
      .commit();
  });
}

function forwarded(path: string, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = {
    ...HEADERS,
    "content-length": new TextEncoder().encode(body).length,
    "mcp-session-id": "bench",
  };
  const asked = request(upstream + path, { method: "POST", agent, headers }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (piece: string) => text += piece);
    answer.on("end", () => resolve(text)).on("error", reject);
  });
  asked.on("error", reject).end(body);
  return promise;
}

Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => {} }, async (incoming) => {
  const { pathname } = new URL(incoming.url);
  if (pathname === "/healthz") return new Response("ok");
  const { result } = JSON.parse(await forwarded(pathname, JSON.stringify(await incoming.json())));
  await kept();
  return new Response(JSON.stringify({ result }), { headers: HEADERS });
});
