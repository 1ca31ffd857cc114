/** Answers that are hardly HTTP, over TLS: each is an answer or a failure of who asked, and nothing is left unheard. */
import assert from "node:assert/strict";
import { createTransport } from "../../../platforms/_http/transport.ts";
import { newAuthority } from "../../authority.ts";
import { unheard } from "../../unheard.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const head = (...lines: string[]) => ["HTTP/1.1 200 OK", ...lines, "", ""].join("\r\n");

/** What is answered, byte for byte, and the status it is taken for; null for a failure. */
const ANSWERS: Readonly<Record<string, readonly [string, number | null]>> = {
  "an upgrade nobody asked for": [
    "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhi",
    null,
  ],
  "a continue": [`HTTP/1.1 100 Continue\r\n\r\n${OK}`, 200],
  "early hints": [`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`, 200],
  "two answers at once": [OK + OK, 200],
  "a chunk without a length": [head("transfer-encoding: chunked") + "zz\r\nabc\r\n", null],
  "a trailer that is none": [head("transfer-encoding: chunked") + "2\r\nok\r\n0\r\nx: \x01\r\n\r\n", null],
  "a head of 200 kB": [head(`x: ${"y".repeat(200_000)}`), null],
  "no HTTP at all": ["\x00\x01\x02 nothing\r\n\r\n", null],
  "gzip that is none": [head("content-encoding: gzip", "content-length: 5") + "abcde", null],
  "gzip that is cut": [head("content-encoding: gzip", "content-length: 500") + "\x1f\x8b", null],
  "a header that is none": [head("bad name: \x01", "content-length: 0"), null],
  "a header in two lines": [head("x: a", "\tb", "content-length: 0"), null],
  "two lengths": [head("content-length: 2", "content-length: 5") + "ok", null],
  "a status of its own": ["HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nok", 999],
  "a status of nothing": ["HTTP/1.1 000 Odd\r\ncontent-length: 2\r\n\r\nok", 0],
  "less than it promised": [head("content-length: 10") + "ok", null],
};

const HOST = "acme.example";
const authority = await newAuthority();
const identity = await authority.issue([HOST]);

/** A server that answers those bytes and closes. */
function answering(text: string): { port: number } & AsyncDisposable {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...identity });
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  const talk = async (connection: Deno.TlsConn) => {
    using _ = connection;
    await connection.read(new Uint8Array(4096));
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  const talks: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) talks.push(talk(connection).catch(() => {}));
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(talks);
    },
  };
}

/** The status of an answer that was read to its end; null where there was none. */
async function statusOf(way: ReturnType<typeof createTransport>, port: number): Promise<number | null> {
  const { signal } = new AbortController();
  const init = { method: "GET", headers: {}, body: null, redirect: "manual", signal } as const;
  try {
    const answer = await way.fetch(new URL(`https://${HOST}:${port}/`), init, ["127.0.0.1"]);
    const reader = answer.body?.getReader();
    while (reader && !(await reader.read()).done);
    return answer.status;
  } catch (thrown) {
    assert.ok(thrown instanceof Error);
    return null;
  }
}

for (const [name, [text, status]] of Object.entries(ANSWERS)) {
  Deno.test(`${name}: ${status === null ? "a failure" : `an answer with status ${status}`}, twice, and nothing unheard`, async () => {
    using listening = unheard();
    await using server = answering(text);
    using way = createTransport({ authorities: [authority.pem] });
    for (let nth = 0; nth < 2; nth++) assert.equal(await statusOf(way, server.port), status);
    await listening.assertNothing();
  });
}
