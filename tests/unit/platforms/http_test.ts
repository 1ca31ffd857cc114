/** The way out: deadlines, caps, retries, redirects, against servers on loopback and a fetch that misbehaves. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../errors.ts";
import { createHttp, type HttpOptions } from "../../../platforms/http.ts";
import type { Incoming, Outgoing } from "../../../platforms/platform.ts";

type Answer = (request: Request, nth: number) => Response | Promise<Response>;

/** A server on loopback that counts, and a client that may reach it and never really waits between tries. */
async function withServer(
  answer: Answer,
  use: (
    world: {
      base: string;
      seen: Request[];
      waits: number[];
      send: (out: Partial<Outgoing>, ms?: number) => Promise<Incoming>;
    },
  ) => Promise<void>,
  options: Partial<HttpOptions> = {},
): Promise<void> {
  const seen: Request[] = [];
  const waits: number[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    seen.push(request);
    return answer(request, seen.length);
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  const http = createHttp({
    allowPrivate: ["127.0.0.1"],
    random: () => 0.5,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    ...options,
  });
  const send = (out: Partial<Outgoing>, ms = 5000) =>
    http.send({ method: "GET", url: `${base}/`, effect: "read", ...out }, { endsAt: Date.now() + ms });
  try {
    await use({ base, seen, waits, send });
  } finally {
    await server.shutdown();
  }
}

/** A raw server: reads a request, writes that text, closes. */
async function withRaw(
  text: string,
  use: (base: string, count: () => number) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  let connections = 0;
  const loop = (async () => {
    for await (const connection of listener) {
      connections++;
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(text));
      connection.close();
    }
  })();
  try {
    await use(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`, () => connections);
  } finally {
    listener.close();
    await loop;
  }
}

const WRITE: Partial<Outgoing> = { method: "POST", effect: "write", json: { a: 1 } };

async function fails(
  promise: Promise<unknown>,
  pattern: RegExp,
  upstream: number | undefined,
): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal(error.code, "E_UPSTREAM");
    assert.match(error.message, pattern);
    assert.equal(error.upstream, upstream);
    return true;
  });
}

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
    await fails(send({}, -1), /time is used up/, 504);
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
    await fails(send({ max_bytes: 100_000 }), /more than 100000 bytes; ask for less/, 504);
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
  const http = createHttp({ allowPrivate: ["127.0.0.1"], sleep: () => Promise.resolve() });
  for (const text of ["", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"]) {
    await withRaw(text, async (base, count) => {
      const endsAt = Date.now() + 5000;
      await fails(
        http.send({ method: "GET", url: base, effect: "read" }, { endsAt }),
        /broke the connection off; .*try again/,
        504,
      );
      assert.equal(count(), 3);
    });
    await withRaw(text, async (base, count) => {
      const endsAt = Date.now() + 5000;
      const write = { method: "POST", url: base, effect: "write", json: {} } as const;
      await fails(http.send(write, { endsAt }), /broke the connection off.*outcome is unknown/, 504);
      assert.equal(count(), 1);
    });
  }
});

Deno.test("a refused connection sent nothing, so a write too is tried again", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  let tries = 0;
  const http = createHttp({
    allowPrivate: ["127.0.0.1"],
    sleep: () => Promise.resolve(),
    fetch: (...given) => {
      tries++;
      return fetch(...given);
    },
  });
  const write = {
    method: "POST",
    url: `http://127.0.0.1:${port}/?key=secret`,
    effect: "write",
    json: {},
  } as const;
  await assert.rejects(http.send(write, { endsAt: Date.now() + 5000 }), (error: GatewayError) => {
    assert.match(error.message, /could not be reached, nothing was sent/);
    assert.doesNotMatch(error.message + String(error.cause), /secret/);
    return true;
  });
  assert.equal(tries, 3);
});

Deno.test("a name that does not resolve sent nothing", async () => {
  let tries = 0;
  const http = createHttp({
    allowPrivate: [],
    sleep: () => Promise.resolve(),
    lookup: () => {
      tries++;
      return Promise.reject(new Error("ENOTFOUND"));
    },
    fetch: () => assert.fail("nothing may be sent"),
  });
  const write = { method: "POST", url: "https://nope.example/", effect: "write", json: {} } as const;
  await fails(http.send(write, { endsAt: Date.now() + 5000 }), /could not be reached, nothing was sent/, 504);
  assert.equal(tries, 3);
});

Deno.test("a resolver that hangs ends at the deadline with nothing sent", async () => {
  const http = createHttp({ allowPrivate: [], lookup: () => new Promise(() => {}) });
  const write = { method: "POST", url: "https://slow.example/", effect: "write", json: {} } as const;
  const sending = http.send(write, { endsAt: Date.now() + 100 });
  await assert.rejects(sending, (error: GatewayError) => {
    assert.match(error.message, /gave no answer within 0\.1 s/);
    assert.doesNotMatch(error.message, /outcome is unknown/);
    return true;
  });
});

Deno.test("waiting between tries ends at the deadline and leaves no timer", async () => {
  const http = createHttp({ allowPrivate: ["127.0.0.1"], now: () => 0, random: () => 0.1 });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(null, { status: 503 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await fails(http.send({ method: "GET", url, effect: "read" }, { endsAt: 400 }), /within 0\.4 s/, 504);
  await server.shutdown();
});

Deno.test("a redirected write is not followed and names the address to set", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const moved = () =>
      new Response(null, { status, headers: { location: "https://www.acme.example/wp-json/?x=1" } });
    await withServer(moved, async ({ send, seen }) => {
      await fails(send(WRITE), /"https:\/\/www\.acme\.example".*set base_url/, status);
      assert.equal(seen.length, 1);
    });
  }
});

Deno.test("a read follows redirects on its origin with its headers, three at most", async () => {
  const header = { authorization: "Basic c2VjcmV0" };
  await withServer(
    (request, nth) =>
      nth <= 3
        ? new Response("moved", { status: 302, headers: { location: `/hop${nth}` } })
        : new Response(request.headers.get("authorization")),
    async ({ send, seen, base }) => {
      const answer = await send({ headers: header });
      assert.equal(answer.text(), "Basic c2VjcmV0");
      assert.equal(answer.url, `${base}/hop3`);
      assert.equal(seen.length, 4);
    },
  );
  await withServer(
    (_, nth) => new Response(null, { status: 302, headers: { location: `/hop${nth}` } }),
    async ({ send, seen }) => {
      await fails(send({}), /redirects more than 3 times/, 504);
      assert.equal(seen.length, 4);
    },
  );
});

Deno.test("credentials never reach another origin", async () => {
  const secrets = {
    Authorization: "Basic c2VjcmV0",
    cookie: "a=b",
    "x-api-key": "secret",
    accept: "text/html",
  };
  await withServer((request) => Response.json(Object.fromEntries(request.headers)), async (other) => {
    await withServer(() => Response.redirect(`${other.base}/there`, 302), async ({ send }) => {
      const got = (await send({ headers: secrets })).json() as Record<string, string>;
      assert.equal(got["accept"], "text/html");
      for (const name of ["authorization", "cookie", "x-api-key"]) assert.equal(got[name], undefined, name);
    });
    await withServer(() => Response.redirect(`${other.base}/there`, 307), async ({ send }) => {
      await fails(
        send({ method: "POST", json: { token: "secret" } }),
        /redirects to "http:\/\/127.*set the address/,
        504,
      );
    });
    assert.equal(other.seen.length, 1);
  });
});

Deno.test("each hop is checked again, by address and by the egress look", async () => {
  const to = (location: string) => () => new Response(null, { status: 302, headers: { location } });
  await withServer(to("https://169.254.169.254/latest/"), async ({ send }) => {
    await fails(send({}), /private/, 502);
  });
  await withServer(to("http://acme.example/"), async ({ send }) => await fails(send({}), /not https/, 502));
  await withServer(
    to("file:///etc/passwd"),
    async ({ send }) => await fails(send({}), /not of the web/, 502),
  );
  await withServer(to("http://["), async ({ send }) => await fails(send({}), /cannot be read/, 504));
  await withServer(to("/?_method=DELETE"), async ({ base, seen }) => {
    const http = createHttp({ allowPrivate: ["127.0.0.1"] });
    const look = (out: Outgoing) => {
      if (out.url.includes("_method")) throw new GatewayError("E_FORBIDDEN_OP", "no");
    };
    const sending = http.send({ method: "GET", url: base, effect: "read" }, {
      endsAt: Date.now() + 5000,
      look,
    });
    await fails(sending, /which was not followed: no/, 504);
    assert.equal(seen.length, 1);
  });
});

Deno.test("what the egress look throws at the first request comes through, nothing is sent", async () => {
  await withServer(() => new Response(), async ({ base, seen }) => {
    const http = createHttp({ allowPrivate: ["127.0.0.1"] });
    const look = () => {
      throw new GatewayError("E_FORBIDDEN_OP", "no");
    };
    const sending = http.send({ method: "GET", url: base, effect: "read" }, {
      endsAt: Date.now() + 5000,
      look,
    });
    await assert.rejects(sending, { code: "E_FORBIDDEN_OP" });
    assert.equal(seen.length, 0);
  });
});

Deno.test("a private address is refused before anything is sent", async () => {
  await withServer(() => new Response(), async ({ base, seen }) => {
    const http = createHttp({ allowPrivate: [] });
    const endsAt = Date.now() + 5000;
    await fails(
      http.send({ method: "GET", url: base, effect: "read" }, { endsAt }),
      /not https.*ALLOW_PRIVATE_UPSTREAMS/,
      502,
    );
    assert.equal(seen.length, 0);
  });
});

Deno.test("a header that cannot be written is a bug and not a broken connection", async () => {
  const http = createHttp({ allowPrivate: [], fetch: () => assert.fail("nothing may be sent") });
  const out = { method: "GET", url: "https://acme.example/", effect: "read", headers: { a: "é漢" } } as const;
  await assert.rejects(http.send(out, { endsAt: Date.now() + 5000 }), TypeError);
});
