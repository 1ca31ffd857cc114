/** The way out, where an answer came that is none, or the gateway itself stopped waiting for it. */
import assert from "node:assert/strict";
import type { GatewayError } from "../../../core/errors.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import { heard, serveRaw } from "./_pinned.ts";
import { fails, withRaw } from "./_servers.ts";

Deno.test("an answer that came and cannot be read is reported as such, not as a connection that broke", async () => {
  using http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve() });
  const head = "HTTP/1.1 200 OK\r\n";
  const cases: [string, RegExp][] = [
    [
      `${head}x: ${"a".repeat(70_000)}\r\ncontent-length: 2\r\n\r\n{}`,
      /with more than 64 KiB of headers; see/,
    ],
    [`${head}transfer-encoding: chunked\r\n\r\nZZZ\r\n{}\r\n0\r\n\r\n`, /breaks the rules of HTTP; see/],
    [`${head}content-length: 3\r\ncontent-length: 5\r\n\r\n{}   `, /breaks the rules of HTTP; see/],
    ["SSH-2.0-OpenSSH_9.2\r\n", /breaks the rules of HTTP; see/],
    [`${head}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd`, /cannot be unpacked; see/],
  ];
  for (const [text, said] of cases) {
    await withRaw(text, async (base) => {
      const read = { method: "GET", url: base, effect: "read" } as const;
      await assert.rejects(http.send(read, { deadline: Date.now() + 5000 }), (error: GatewayError) => {
        assert.match(error.message, said);
        assert.match(error.message, /what answers there, and try again$/);
        assert.doesNotMatch(error.message, /broke|is up/);
        return true;
      });
      const write = { method: "POST", url: base, effect: "write", json: {} } as const;
      await fails(
        http.send(write, { deadline: Date.now() + 5000 }),
        /answers there; the outcome is unknown/,
        504,
      );
    });
  }
});

Deno.test("what the gateway cuts off as it stops is not laid on the other side, and is not tried again", async () => {
  for (const effect of ["read", "write"] as const) {
    let asked = 0;
    const arrived = Promise.withResolvers<void>();
    await using server = serveRaw(async (connection) => {
      asked++;
      await heard(connection);
      arrived.resolve();
      await heard(connection);
    });
    const http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve() });
    const out = { method: "POST", url: `http://127.0.0.1:${server.port}/`, effect } as const;
    const sending = http.send(out, { deadline: Date.now() + 5000 });
    sending.catch(() => {});
    await arrived.promise;
    http[Symbol.dispose]();
    const what = effect === "read"
      ? /gave no answer before the gateway was stopped; try again$/
      : /gave no answer before the gateway was stopped; the outcome is unknown/;
    await fails(sending, what, 504);
    assert.equal(asked, 1);
    const late = http.send(out, { deadline: Date.now() + 5000 });
    await fails(late, /was not asked: the gateway was stopped; try again$/, 504);
  }
});
