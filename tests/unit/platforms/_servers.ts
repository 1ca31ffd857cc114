/** Servers on loopback, and a way out that may reach them. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import type { Incoming, Outgoing } from "../../../platforms/_http/request.ts";
import { createTransport } from "../../../platforms/_http/transport.ts";

/** The real way to send, which keeps no connection: there is nothing to dispose of after a test. */
export const unkept = createTransport({ idleMs: 0 }).fetch;

/** What a server answers. */
export type Answer = (request: Request, nth: number) => Response | Promise<Response>;

/** A server on loopback that counts, and a client that may reach it and never really waits between tries. */
export async function withServer(
  answer: Answer,
  use: (
    world: {
      base: string;
      seen: Request[];
      waits: number[];
      send: (out: Partial<Outgoing>, ms?: number) => Promise<Incoming>;
    },
  ) => Promise<void>,
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
  });
  const send = (out: Partial<Outgoing>, ms = 5000) =>
    http.send({ method: "GET", url: `${base}/`, effect: "read", ...out }, { deadline: Date.now() + ms });
  try {
    await use({ base, seen, waits, send });
  } finally {
    http[Symbol.dispose]();
    await server.shutdown();
  }
}

/** A raw server: reads a request, writes that text, closes. */
export async function withRaw(
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

/** A write. */
export const WRITE: Partial<Outgoing> = { method: "POST", effect: "write", json: { a: 1 } };

/** Asserts an E_UPSTREAM with that message and status. */
export async function fails(
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
