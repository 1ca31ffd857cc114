/** The configurations of proxies that the documentation shows, as printed, in nginx and Caddy before a gateway. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { behind, TRIED } from "./_proxies.ts";

const MIB = 1024 * 1024;
/** The largest body that a tool takes. */
const LARGEST = 140 * MIB;

/** A body of so many bytes, made as it is read. */
function bodyOf(bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      const size = Math.min(left, MIB);
      left -= size;
      controller.enqueue(new Uint8Array(size));
    },
  });
}

Deno.test("Caddy, as the pages show it, gives up an idle connection before the gateway does: no call is lost with one", async () => {
  for (const page of ["docs/CONFIGURATION.md", "docs/deploy/Caddyfile"]) {
    const text = await Deno.readTextFile(new URL(`../../${page}`, import.meta.url));
    const shown = [...text.matchAll(/transport http \{[^}]*\bkeepalive (\d+)s/g)].map(([, s]) =>
      Number(s) * 1000
    );
    assert.equal(shown.length, text.split("transport http {").length - 1, page);
    for (const ms of shown) assert.ok(ms < LIMITS.IDLE_CONNECTION_MS, `${page}: ${ms} ms`);
  }
});

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

for (const { proxy, ignore, at } of TRIED) {
  Deno.test({
    name: `behind ${at}, set up as the page shows, clients find the gateway by its own address`,
    ignore,
    fn: () =>
      behind(proxy, async ({ kit, baseUrl, requests, ask }) => {
        const headers = { "content-type": "application/json" };
        const refused = await ask("/mcp", { method: "POST", headers, body: LIST });
        assert.equal(refused.status, 401, await refused.text());
        const pointer = `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
        assert.equal(refused.headers.get("www-authenticate"), `Bearer resource_metadata="${pointer}"`);
        assert.equal((await (await ask(pointer.slice(baseUrl.length))).json()).resource, `${baseUrl}/mcp`);
        const authorization = `Bearer ${kit.token()}`;
        const listed = await ask("/mcp", {
          method: "POST",
          headers: { ...headers, authorization, "x-forwarded-for": "198.51.100.9" },
          body: LIST,
        });
        assert.equal(listed.status, 200, await listed.text());
        const { headers: passed } = requests.at(-1)!;
        assert.equal(`https://${passed.get("host")}`, baseUrl);
        assert.equal(
          passed.get("x-forwarded-for")!.split(",").at(-1)!.trim(),
          "127.0.0.1",
          "the client's own",
        );
        const form = await ask("/admin/sign-in", { method: "POST", headers: { origin: baseUrl } });
        assert.doesNotMatch(await form.text(), /is not this gateway/);
      }),
  });

  Deno.test({
    name: `behind ${at}, set up as the page shows, events come as they happen and the largest upload fits`,
    ignore,
    fn: () =>
      behind(proxy, async ({ ask }, instead) => {
        const heard = Promise.withResolvers<void>();
        const events = new TextEncoder();
        instead("/events", () => {
          const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
            async start(controller) {
              controller.enqueue(events.encode("data: one\n\n"));
              await heard.promise; // what is held back would never be heard
              controller.enqueue(events.encode("data: two\n\n"));
              controller.close();
            },
          });
          return new Response(body, { headers: { "content-type": "text/event-stream" } });
        });
        const reader = (await ask("/events")).body!.pipeThrough(new TextDecoderStream()).getReader();
        assert.equal((await reader.read()).value, "data: one\n\n");
        heard.resolve();
        assert.equal((await reader.read()).value, "data: two\n\n");
        await reader.cancel();
        instead("/upload", async ({ body }) => {
          let bytes = 0;
          for await (const piece of body!) bytes += piece.length;
          return new Response(String(bytes));
        });
        const sent = await ask("/upload", { method: "POST", body: bodyOf(LARGEST) });
        assert.deepEqual([sent.status, await sent.text()], [200, String(LARGEST)]);
      }),
  });
}
