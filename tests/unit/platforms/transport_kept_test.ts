/** Kept connections: one address each, never a write on one that may be closing, and bodies as they come. */
import assert from "node:assert/strict";
import process from "node:process";
import { NotSent } from "../../../platforms/_http/sockets.ts";
import { heard, OK, say, serve, serveRaw, transport } from "./_pinned.ts";

const POST = { method: "POST", body: "x" } as const;
type Ask = Parameters<Awaited<ReturnType<typeof transport>>["get"]>[2];

Deno.test("requests that follow each other share a connection, also after answers without a body", async () => {
  const ports = new Set<number>();
  await using server = serve((request, from) => {
    ports.add(from);
    const status = Number(new URL(request.url).searchParams.get("status") ?? 200);
    return new Response(status === 200 ? "text" : null, { status });
  });
  using way = transport();
  const url = `http://acme.example:${server.port}/`;
  for (const query of ["", "?status=204", "?status=304", "", "?status=302"]) {
    await (await way.get(`${url}${query}`)).text();
  }
  assert.equal((await way.get(url, ["127.0.0.1"], { method: "HEAD" })).body, null);
  assert.equal(await (await way.get(url, ["127.0.0.1"], POST)).text(), "text");
  assert.equal(ports.size, 1);
});

Deno.test("a connection that is used often gathers no listeners", async () => {
  await using server = serve(() => new Response("x"));
  using way = transport();
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  for (let nth = 0; nth < 30; nth++) await (await way.get(`http://acme.example:${server.port}/`)).text();
  process.off("warning", note);
  assert.deepEqual(warnings, []);
});

Deno.test("a hundred requests at once are all answered, and their connections are kept for more", async () => {
  const ports = new Set<number>();
  await using server = serve((request, from) => {
    ports.add(from);
    return new Response(new URL(request.url).pathname);
  });
  using way = transport();
  for (let round = 0; round < 2; round++) {
    const texts = Array.from({ length: 100 }, async (_, nth) => {
      const answer = await way.get(`http://acme.example:${server.port}/${nth}`);
      assert.equal(await answer.text(), `/${nth}`);
    });
    await Promise.all(texts);
  }
  assert.ok(ports.size < 200, `${ports.size} connections`);
});

Deno.test("fifty calls at once need fifty connections, however often they are repeated", async () => {
  const ports = new Set<number>();
  let all = Promise.withResolvers<void>();
  let waiting = 0;
  await using server = serve(async (_, from) => {
    ports.add(from);
    if (++waiting === 50) all.resolve();
    await all.promise;
    return new Response("x");
  });
  using way = transport();
  const call = async () => (await way.get(`http://acme.example:${server.port}/`, ["127.0.0.1"], POST)).text();
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 50 }, call));
    [waiting, all] = [0, Promise.withResolvers<void>()];
  }
  assert.equal(ports.size, 50);
});

Deno.test("with nothing to be kept, every request has a connection of its own", async () => {
  const ports: number[] = [];
  await using server = serve((_, from) => new Response(`${ports.push(from)}`));
  using way = transport({ idleMs: 0 });
  for (let nth = 0; nth < 2; nth++) await (await way.get(`http://acme.example:${server.port}/`)).text();
  assert.equal(new Set(ports).size, 2);
});

/** Answers the first request of each connection, and closes when it hears a second one. */
const once = (seen: string[]) => async (connection: Deno.TcpConn) => {
  seen.push((await heard(connection))!.split(" ")[0]!);
  await say(connection, OK("first"));
  const second = await heard(connection);
  if (second !== null) seen.push(`${second.split(" ")[0]} unanswered`);
  connection.close();
};

const READ_BY_POST = { ...POST, read: true };
/** What is asked first and then, how long after, and what the server heard of it. */
const CLOSED: readonly [what: string, asked: readonly Ask[], idle_ms: number, heard: string][] = [
  ["a read is sent again at once", [{}, {}], 0, "GET, GET unanswered, GET"],
  [
    "a read that uses POST, long after, is sent again",
    [READ_BY_POST, READ_BY_POST],
    20_000,
    "POST, POST unanswered, POST",
  ],
  ["a write may have been received: it is not sent again", [{}, POST], 0, "GET, POST unanswered"],
  ["a read of which each is counted is not sent again", [{}, { once: true }], 0, "GET, GET unanswered"],
];

for (const [what, [first, then], idle_ms, expected] of CLOSED) {
  Deno.test(`on a kept connection that closes under it ${what}`, async () => {
    const clock = { now: 0 };
    const seen: string[] = [];
    await using server = serveRaw(once(seen));
    using way = transport({ now: () => clock.now });
    const ask = (more: Ask | undefined) =>
      way.get(`http://acme.example:${server.port}/`, ["127.0.0.1"], more);
    assert.equal(await (await ask(first)).text(), "first");
    clock.now += idle_ms;
    if (!/is not sent again/.test(what)) assert.equal(await (await ask(then)).text(), "first");
    else await assert.rejects(ask(then), (error) => !(error instanceof NotSent));
    assert.equal(seen.join(", "), expected);
  });
}

Deno.test("once it is disposed of, what waits on a kept connection fails, and nothing is sent any more", async () => {
  const seen: string[] = [];
  const second = Promise.withResolvers<void>();
  await using server = serveRaw(async (connection) => {
    seen.push((await heard(connection))!.split(" ")[0]!);
    await say(connection, OK("first"));
    if (await heard(connection) !== null) second.resolve();
    await heard(connection); // until the other side closes
    connection.close();
  });
  const way = transport();
  const url = `http://acme.example:${server.port}/`;
  await (await way.get(url)).text();
  const reading = way.get(url);
  await second.promise;
  way[Symbol.dispose]();
  await assert.rejects(reading, NotSent);
  await assert.rejects(way.get(url), NotSent);
  assert.deepEqual(seen, ["GET"], "there was no other connection");
});

Deno.test("a write takes no connection that was idle for over a second, nor one the server is about to close", async () => {
  const clock = { now: 0 };
  const ports: number[] = [];
  const server = serve((_, from) => {
    ports.push(from);
    return new Response("x", { headers: ports.length === 4 ? { "keep-alive": "timeout=1" } : {} });
  });
  using way = transport({ now: () => clock.now });
  const url = `http://acme.example:${server.port}/`;
  const same = async (more = {}) => {
    await (await way.get(url, ["127.0.0.1"], more)).text();
    return ports.at(-1) === ports.at(-2);
  };
  await same();
  clock.now += 900;
  assert.equal(await same(POST), true);
  clock.now += 1100;
  assert.equal(await same(POST), false);
  clock.now += 5000;
  assert.equal(await same(), true, "a read may");
  assert.equal(await same(), false, "the server said that it keeps it for a second");
  way[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

Deno.test("bytes nobody asked for never become the answer to a later request", async () => {
  await using server = serveRaw(async (connection, nth) => {
    await heard(connection);
    await say(connection, OK(`answer ${nth}`) + (nth === 1 ? OK("smuggled") : ""));
    while (await heard(connection).catch(() => null) !== null) await say(connection, OK("smuggled"));
  });
  using way = transport();
  const url = `http://acme.example:${server.port}/`;
  assert.equal(await (await way.get(url)).text(), "answer 1");
  assert.equal(await (await way.get(url)).text(), "answer 2");
});

Deno.test("an answer that is no HTTP, or changes the protocol, is a failure after sending", async () => {
  for (
    const text of ["220 mail\r\n", "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"]
  ) {
    await using server = serveRaw(async (connection) => {
      await heard(connection);
      await say(connection, text);
    });
    using way = transport();
    const asked = way.get(`http://acme.example:${server.port}/`);
    await assert.rejects(asked, (error) => !(error instanceof NotSent));
  }
});

Deno.test("an answer that comes before the request was taken is read, and the rest of the request is not sent", async () => {
  const gone = Promise.withResolvers<void>();
  await using server = serveRaw(async (connection) => {
    await heard(connection);
    await say(connection, "HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig");
    await answered.promise;
    while (await heard(connection).catch(() => null) !== null);
    gone.resolve();
  });
  const answered = Promise.withResolvers<void>();
  using way = transport();
  const upload = { method: "POST", body: new Uint8Array(64 * 1024 * 1024) };
  const answer = await way.get(`http://acme.example:${server.port}/`, ["127.0.0.1"], upload);
  assert.equal(await answer.text(), "big");
  answered.resolve();
  await gone.promise;
});

Deno.test("every header of an answer comes back, repeated ones too, and redirects are not followed", async () => {
  await using server = serve(() =>
    new Response(null, {
      status: 307,
      headers: [["location", "/there"], ["set-cookie", "a=1"], ["set-cookie", "b=2"], [
        "x-name",
        "caf\u00e9",
      ]],
    })
  );
  using way = transport();
  const answer = await way.get(`http://acme.example:${server.port}/`);
  assert.equal(answer.status, 307);
  assert.equal(answer.headers.get("location"), "/there");
  assert.equal(answer.headers.get("x-name"), "caf\u00e9");
  assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
});

Deno.test("headers and texts beyond ASCII arrive as they were sent, each in its encoding", async () => {
  await using server = serve(async (request) =>
    Response.json([
      request.headers.get("x-name"),
      await request.text(),
      request.headers.get("content-length"),
    ])
  );
  using way = transport();
  for (const name of ["plain", "caf\u00e9"]) {
    const sending = { method: "POST", headers: { "x-name": name }, body: "th\u00e9 \u{1f375}" };
    const answer = await way.get(`http://acme.example:${server.port}/`, ["127.0.0.1"], sending);
    assert.deepEqual(await answer.json(), [name, "th\u00e9 \u{1f375}", "9"]);
  }
});

Deno.test("packed bodies are unpacked, and one that is cut short is a failure", async () => {
  const text = "packed ".repeat(10_000);
  const { brotliCompressSync, deflateSync, gzipSync } = await import("node:zlib");
  const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  for (const [encoding, pack] of Object.entries(packers)) {
    const whole = new Uint8Array(pack(text));
    for (const bytes of [whole, whole.subarray(0, whole.length - 20)]) {
      await using server = serve(() => new Response(bytes, { headers: { "content-encoding": encoding } }));
      using way = transport();
      const answer = await way.get(`http://acme.example:${server.port}/`);
      assert.equal(answer.headers.get("content-encoding"), null);
      assert.equal(answer.headers.get("content-length"), null);
      if (bytes === whole) assert.equal(await answer.text(), text, encoding);
      else if (encoding === "br") assert.notEqual(await answer.text(), text); // has no checksum to tell it by
      else await assert.rejects(answer.text(), encoding);
    }
  }
});

Deno.test("a body is read from the connection only as fast as it is taken", async () => {
  const chunk = new Uint8Array(256 * 1024);
  const stop = Promise.withResolvers<void>();
  let sent = 0;
  await using server = serveRaw(async (connection) => {
    await heard(connection);
    await say(connection, "HTTP/1.1 200 OK\r\n\r\n");
    const writing = (async () => {
      for (;;) sent += await connection.write(chunk);
    })();
    await Promise.race([writing.catch(() => {}), stop.promise]);
  });
  using way = transport();
  const answer = await way.get(`http://acme.example:${server.port}/`);
  const reader = answer.body!.getReader();
  await reader.read();
  let before = -1;
  while (before !== sent) { // until the buffers on the way are full
    before = sent;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were taken unread`);
  await reader.cancel();
  stop.resolve();
});

Deno.test("twenty megabytes arrive as they were sent, with their length", async () => {
  const bytes = new Uint8Array(20 * 1024 * 1024).map((_, at) => at % 251);
  const digest = async (of: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", of)).toHex();
  await using server = serve(async (request) =>
    new Response(`${request.headers.get("content-length")} ${await digest(await request.bytes())}`)
  );
  using way = transport();
  const sending = { method: "POST", body: bytes, headers: { "content-length": "7" } };
  const answer = await way.get(`http://acme.example:${server.port}/`, ["127.0.0.1"], sending);
  assert.equal(await answer.text(), `${bytes.length} ${await digest(bytes)}`);
});
