/** The yardstick: a bare Deno.serve, and a bare Hono route that reads a JSON body, each answering one fixed text. */
import { Hono } from "hono";

const [kind, port, file] = Deno.args;
const text = await Deno.readTextFile(file!);
const headers = { "content-type": "application/json" };

const hono = new Hono();
hono.get("/*", () => new Response(text, { headers }));
hono.post("/*", async (c) => {
  await c.req.json();
  return new Response(text, { headers });
});

Deno.serve(
  { hostname: "127.0.0.1", port: Number(port) },
  kind === "hono" ? hono.fetch : () => new Response(text, { headers }),
);
