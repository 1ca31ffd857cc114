/** What a durable call must cost: Hono, the token's SHA-256 looked up, one durable chained commit a batch, a fixed answer. */
import { hash } from "node:crypto";
import { Hono } from "hono";

const [port, path, file, token] = Deno.args;
const text = await Deno.readTextFile(file!);
const tokens = new Map([[hash("sha256", token!), "bench"]]);
const kv = await Deno.openKv(path);
let [queue, done, isBusy, n, prev] = [[] as string[], Promise.withResolvers<void>(), false, 0, ""];

/** Resolves once the row is durable; rows that come while a commit is under way share the next. */
function append(row: object): Promise<void> {
  queue.push(JSON.stringify(row));
  const { promise } = done;
  if (!isBusy) void commitAll();
  return promise;
}

async function commitAll(): Promise<void> {
  isBusy = true;
  await Promise.resolve(); // what is appended in the same turn comes along
  while (queue.length > 0) {
    const [rows, batch] = [queue, done];
    [queue, done] = [[], Promise.withResolvers<void>()];
    const segment = new TextEncoder().encode(`${JSON.stringify({ n: ++n, prev })}\n${rows.join("\n")}\n`);
    prev = hash("sha256", segment);
    await kv.atomic().set(["segment", n], segment).commit();
    batch.resolve();
  }
  isBusy = false;
}

const app = new Hono();
app.get("/*", () => new Response(text));
app.post("/*", async (c) => {
  const began = Date.now();
  const token = tokens.get(hash("sha256", (c.req.header("authorization") ?? "").slice("Bearer ".length)));
  if (token === undefined) return new Response("no such token", { status: 401 });
  const args = await c.req.json();
  const [id, ms] = [crypto.randomUUID(), Date.now() - began];
  await append({ id, at: new Date(began).toISOString(), token, path: c.req.path, args, status: "ok", ms });
  return new Response(text, { headers: { "content-type": "application/json", "x-request-id": id } });
});
Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, app.fetch);
