/** The way out: deadlines, caps and retries, against servers on loopback and a fetch that misbehaves. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { VERSION } from "../../../core/model.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import { heard, OK, say, serveRaw } from "./_pinned.ts";
import { type Answer, fails, withRaw, withServer, WRITE } from "./_servers.ts";

Deno.test("an answer of any status comes back with its text and JSON", async () => {
  await withServer(
    async (request) =>
      Response.json({ got: await request.json(), type: request.headers.get("content-type") }, {
        status: 418,
      }),
    async ({ send }) => {
      const answer = await send(WRITE);
      assert.equal(answer.status, 418);
      assert.deepEqual(answer.json(), { got: { a: 1 }, type: "application/json" });
      assert.match(answer.text(), /^\{"got"/);
    },
  );
});

Deno.test("HTML and half a JSON are no JSON, and no failure", async () => {
  const bodies = ["<html><body>Fatal error</body></html>", '{"id": 1, "ti'];
  await withServer((_, nth) => new Response(bodies[nth - 1]), async ({ send }) => {
    assert.equal((await send({})).json(), undefined);
    assert.equal((await send({})).json(), undefined);
  });
});

Deno.test("a hanging read ends at its deadline and says after how long", async () => {
  const gate = Promise.withResolvers<Response>();
  await withServer(() => gate.promise, async ({ send, seen }) => {
    await fails(send({ deadline_ms: 200 }), /gave no answer within 0\.2 s; .*try again/, 504);
    await fails(send({}, 300), /within 0\.3 s/, 504);
    assert.equal(seen.length, 2);
    gate.resolve(new Response());
  });
});

Deno.test("a hanging write says that its outcome is unknown, and is not sent again", async () => {
  const gate = Promise.withResolvers<Response>();
  await withServer(() => gate.promise, async ({ send, seen }) => {
    await fails(
      send({ ...WRITE, deadline_ms: 200 }),
      /outcome is unknown: look at the site before trying again/,
      504,
    );
    assert.equal(seen.length, 1);
    gate.resolve(new Response());
  });
});

Deno.test("a success is given to its reducer piece by piece, a new one for each try, and a refusal is not", async () => {
  const answers = [
    () => new Response("busy", { status: 503 }),
    () => new Response("made of pieces"),
    () => new Response("refused", { status: 400 }),
    () => new Response("x".repeat(2000)),
  ];
  await withServer((_, nth) => answers[nth - 1]!(), async ({ send }) => {
    let made = 0;
    let size = 0;
    const reducer = () => {
      made++;
      size = 0;
      return {
        add: ({ byteLength }: Uint8Array) => void (size += byteLength),
        kept: () => new Uint8Array([size]),
      };
    };
    assert.deepEqual((await send({ reducer })).bytes, new Uint8Array(["made of pieces".length]));
    assert.equal((await send({ reducer })).text(), "refused");
    await fails(send({ reducer, max_bytes: 1000 }), /more than 1000 bytes/, 504);
    assert.equal(made, 2, "one for each success");
  });
});

Deno.test("a reducer that needs no more ends an answer that would go on", async () => {
  let stopped = 0;
  const piece = new TextEncoder().encode("piece ");
  const endless = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(piece),
        cancel: () => void stopped++,
      }, { highWaterMark: 0 }),
    );
  await withServer((_, nth) => nth === 1 ? endless() : new Response("the end"), async ({ send }) => {
    const taken: string[] = [];
    const reducer = (headers: Headers) => {
      assert.ok(headers.has("date"), "it sees the headers");
      return {
        add(chunk: Uint8Array) {
          taken.push(new TextDecoder().decode(chunk));
          return true;
        },
        kept: () => new TextEncoder().encode(taken.join("")),
      };
    };
    assert.equal((await send({ reducer })).text(), "piece ");
    assert.equal((await send({ ...WRITE, reducer })).text(), "piece the end");
    assert.equal((await send({ reducer: () => null })).text(), "the end", "no reducer reads it whole");
  });
  assert.equal(stopped, 1);
});

Deno.test("an answer that ends by itself after enough was read leaves its connection for the next request", async () => {
  const ports: number[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (_, { remoteAddr }) => {
    ports.push(remoteAddr.port);
    return new Response("whole");
  });
  const http = createHttp({ allowPrivate: ["127.0.0.1"] });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const reducer = () => ({ add: () => true, kept: () => new Uint8Array() });
  for (let nth = 0; nth < 2; nth++) {
    await http.send({ method: "GET", url, effect: "read", reducer }, { deadline: Date.now() + 5000 });
  }
  assert.equal(ports.length, 2);
  assert.equal(ports[0], ports[1]);
  http[Symbol.dispose]();
  await server.shutdown();
});

Deno.test("a body that stalls half way ends at the deadline", async () => {
  const stalled = () =>
    new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')) }),
    );
  await withServer(stalled, async ({ send }) => {
    await fails(send({ deadline_ms: 200 }), /within 0\.2 s/, 504);
  });
});

Deno.test("a call whose time is used up sends nothing", async () => {
  await withServer(() => new Response(), async ({ send, seen }) => {
    await fails(send({}, -1), /the 60 s of the call are used up/, 504);
    assert.equal(seen.length, 0);
  });
});

Deno.test("an answer over the cap is cut off while it is read", async () => {
  let sent = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 65536;
          if (sent > 10 * 1024 * 1024) controller.close();
          else controller.enqueue(new Uint8Array(65536));
        },
      }),
    );
  await withServer(endless, async ({ send }) => {
    await fails(
      send({ max_bytes: 100_000 }),
      /more than 100000 bytes, or in too many pieces; ask for less/,
      504,
    );
    assert.ok(sent < 10 * 1024 * 1024, "the rest was never made");
    await fails(send({ ...WRITE, max_bytes: 100_000 }), /more than 100000 bytes.*outcome is unknown/, 504);
  });
});

Deno.test("a packed answer is judged by what it unpacks to", async () => {
  const packed = new Response(new Uint8Array(1024 * 1024)).body!.pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).bytes();
  await withServer(
    () => new Response(bytes, { headers: { "content-encoding": "gzip" } }),
    async ({ send }) => {
      await fails(send({ max_bytes: 100_000 }), /more than 100000 bytes/, 504);
    },
  );
});

Deno.test("a read is tried again on 429, 502, 503 and 504, three times in all, with growing pauses", async () => {
  for (const status of [429, 502, 503, 504]) {
    await withServer(
      (_, nth) => nth < 3 ? new Response("busy", { status }) : new Response("ok"),
      async ({ send, seen, waits }) => {
        assert.equal((await send({})).text(), "ok");
        assert.equal(seen.length, 3);
        assert.deepEqual(waits, [250, 500]);
      },
    );
  }
  await withServer(() => new Response("busy", { status: 503 }), async ({ send, seen }) => {
    assert.equal((await send({})).status, 503);
    assert.equal(seen.length, 3);
  });
});

Deno.test("a read is not tried again on other statuses", async () => {
  for (const status of [400, 401, 403, 404, 500, 501]) {
    await withServer(() => new Response("no", { status }), async ({ send, seen }) => {
      assert.equal((await send({})).status, status);
      assert.equal(seen.length, 1);
    });
  }
});

Deno.test("Retry-After is obeyed within the deadline, in seconds or as a date, and ends the tries beyond it", async () => {
  const busy = (value: string): Answer => (_, nth) =>
    nth === 1 ? new Response(null, { status: 429, headers: { "retry-after": value } }) : new Response("ok");
  await withServer(busy("2"), async ({ send, waits }) => {
    assert.equal((await send({})).text(), "ok");
    assert.deepEqual(waits, [2000]);
  });
  await withServer(busy(new Date(Date.now() + 3000).toUTCString()), async ({ send, waits }) => {
    assert.equal((await send({})).text(), "ok");
    assert.ok(waits[0]! > 1000 && waits[0]! <= 3000, String(waits));
  });
  await withServer(busy("3600"), async ({ send, seen, waits }) => {
    assert.equal((await send({})).status, 429);
    assert.deepEqual([seen.length, waits.length], [1, 0]);
  });
});

Deno.test("a write is never tried again on an answer", async () => {
  for (const status of [429, 500, 502, 503, 504]) {
    await withServer(() => new Response("no", { status }), async ({ send, seen }) => {
      assert.equal((await send(WRITE)).status, status);
      assert.equal(seen.length, 1);
    });
  }
});

Deno.test("a connection that breaks is tried again for a read, not for a write", async () => {
  using http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve() });
  for (const text of ["", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"]) {
    await withRaw(text, async (base, count) => {
      const deadline = Date.now() + 5000;
      await fails(
        http.send({ method: "GET", url: base, effect: "read" }, { deadline }),
        /broke the connection off; .*try again/,
        504,
      );
      assert.equal(count(), 3);
    });
    await withRaw(text, async (base, count) => {
      const deadline = Date.now() + 5000;
      const write = { method: "POST", url: base, effect: "write", json: {} } as const;
      await fails(http.send(write, { deadline }), /broke the connection off.*outcome is unknown/, 504);
      assert.equal(count(), 1);
    });
  }
});

Deno.test("a refused connection sent nothing, so a write too is tried again", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  let pauses = 0;
  using http = createHttp({
    allowPrivate: ["127.0.0.1"],
    sleep: () => {
      pauses++;
      return Promise.resolve();
    },
  });
  const write = {
    method: "POST",
    url: `http://127.0.0.1:${port}/?key=secret`,
    effect: "write",
    json: {},
  } as const;
  await assert.rejects(http.send(write, { deadline: Date.now() + 5000 }), (error: GatewayError) => {
    assert.match(error.message, /could not be reached, nothing was sent/);
    assert.doesNotMatch(error.message + String(error.cause), /secret/);
    return true;
  });
  assert.equal(pauses, 2);
});

Deno.test("a name that does not resolve sent nothing", async () => {
  let tries = 0;
  using http = createHttp({
    allowPrivate: [],
    sleep: () => Promise.resolve(),
    lookup: () => {
      tries++;
      return Promise.reject(new Error("ENOTFOUND"));
    },
    fetch: () => assert.fail("nothing may be sent"),
  });
  const write = { method: "POST", url: "https://nope.example/", effect: "write", json: {} } as const;
  await fails(
    http.send(write, { deadline: Date.now() + 5000 }),
    /could not be reached, nothing was sent/,
    504,
  );
  assert.equal(tries, 3);
});

Deno.test("a resolver that hangs ends at the deadline with nothing sent", async () => {
  using http = createHttp({ allowPrivate: [], lookup: () => new Promise(() => {}) });
  const write = { method: "POST", url: "https://slow.example/", effect: "write", json: {} } as const;
  const sending = http.send(write, { deadline: Date.now() + 100 });
  await assert.rejects(sending, (error: GatewayError) => {
    assert.match(error.message, /gave no answer within 0\.1 s/);
    assert.doesNotMatch(error.message, /outcome is unknown/);
    return true;
  });
});

Deno.test("waiting between tries ends at the deadline and leaves no timer", async () => {
  using http = createHttp({ allowPrivate: ["127.0.0.1"], now: () => 0, random: () => 0.1 });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(null, { status: 503 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await fails(http.send({ method: "GET", url, effect: "read" }, { deadline: 400 }), /within 0\.4 s/, 504);
  await server.shutdown();
});

Deno.test("a read of which every try counts is sent once, unless nothing was sent", async () => {
  const once = { once: true } as const;
  for (const status of [429, 502, 503, 504]) {
    await withServer(() => new Response("busy", { status }), async ({ send, seen }) => {
      assert.equal((await send(once)).status, status);
      assert.equal(seen.length, 1);
    });
  }
  const http = createHttp({ allowPrivate: ["127.0.0.1"] });
  await withRaw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", async (base, count) => {
    const out = { method: "GET", url: base, effect: "read", ...once } as const;
    await fails(http.send(out, { deadline: Date.now() + 5000 }), /broke the connection off/, 504);
    assert.equal(count(), 1);
  });
});

Deno.test("a write by GET, and a read that counts, are not sent again where a kept connection closes under them", async () => {
  for (const how of [{ effect: "write" }, { effect: "read", once: true }] as const) {
    let heardOf = 0;
    await using server = serveRaw(async (connection) => {
      await heard(connection);
      await say(connection, OK("first"));
      if (await heard(connection) !== null) heardOf++;
      connection.close();
    });
    using http = createHttp({ allowPrivate: ["127.0.0.1"] });
    const url = `http://127.0.0.1:${server.port}/`;
    const send = (out: typeof how | { readonly effect: "read" }) =>
      http.send({ method: "GET", url, ...out }, { deadline: Date.now() + 5000 });
    await send({ effect: "read" });
    await fails(send(how), /broke the connection off/, 504);
    assert.equal(heardOf, 1);
  }
});

Deno.test("every request names its sender with the version", async () => {
  await withServer((request) => Response.json(request.headers.get("user-agent")), async ({ send }) => {
    assert.equal((await send({})).json(), `site-operations-gateway/${VERSION}`);
    assert.equal((await send(WRITE)).json(), `site-operations-gateway/${VERSION}`);
  });
});
