/** Each connection is served by itself: whoever goes silent on one loses that one, and nobody else notices. */
import assert from "node:assert/strict";
import { readText } from "../../../core/body.ts";
import { BriefResponse, serveConnection, serveConnections } from "../../../core/connections.ts";

const HEAD = "POST / HTTP/1.1\r\nHost: a\r\n";
const PATIENCE = { SILENT_MS: 30, BYTES_PER_MS: 16 };
const IDLE_MS = 40_000;
/** More than sockets hold on their way. */
const LARGE = "x".repeat(32 * 1024 * 1024);

/** A server of connections on a clock that the test moves. */
function world() {
  let now = 0;
  let sweep = () => {};
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held = Promise.withResolvers<void>();
  assert.ok(serveConnection, "this version of the runtime serves single connections");
  const served = serveConnections({
    listener,
    serve: serveConnection,
    idleMs: IDLE_MS,
    clock: {
      elapsed: () => now,
      every(_, work) {
        sweep = () => void work();
        return () => void (sweep = () => {});
      },
    },
    async answer(request) {
      const path = new URL(request.url).pathname;
      if (path === "/unread") return new Response("no");
      if (path === "/brief") return new BriefResponse("brief");
      if (path === "/held") await held.promise;
      if (path === "/large") return new Response(LARGE);
      if (path === "/events") {
        const body = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(LARGE)) });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      }
      const read = await readText(request, 1_000_000, { patience: PATIENCE });
      return "fault" in read ? new Response(read.fault, { status: 400 }) : new Response(`read ${read.text}`);
    },
  });
  const { port } = listener.addr as Deno.NetAddr;
  return {
    served,
    answerHeld: held.resolve,
    pass(ms: number) {
      now += ms;
      sweep();
    },
    connect: () => Client.of(port),
    async [Symbol.asyncDispose]() {
      await served.shutdown();
      await served.finished;
    },
  };
}

/** One connection as its client sees it. */
class Client implements Disposable {
  constructor(private readonly connection: Deno.TcpConn) {}

  static async of(port: number): Promise<Client> {
    return new Client(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(text: string): Promise<void> {
    await this.connection.write(new TextEncoder().encode(text));
  }

  /** How many bytes come until it is closed. */
  async rest(): Promise<number> {
    const buffer = new Uint8Array(256 * 1024);
    for (let sum = 0;;) {
      const size = await this.connection.read(buffer).catch(() => null);
      if (size === null) return sum;
      sum += size;
    }
  }

  /** What is answered next; null once it is closed. */
  async read(): Promise<string | null> {
    const buffer = new Uint8Array(4096);
    const size = await this.connection.read(buffer).catch(() => null);
    return size === null ? null : new TextDecoder().decode(buffer.subarray(0, size));
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }
}

const whole = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

Deno.test("a body that stalls is answered, its connection is closed, and the others go on", async () => {
  await using at = world();
  using other = await at.connect();
  await other.send(whole("/", "one"));
  assert.match(await other.read() ?? "", /read one$/);
  for (
    const rest of [
      "Content-Length: 3000\r\n\r\n{",
      "Content-Length: 90000\r\n\r\n{",
      "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    ]
  ) {
    using client = await at.connect();
    await client.send(whole("/", "first"));
    assert.match(await client.read() ?? "", /read first$/);
    await client.send(`${HEAD}${rest}`);
    assert.match(await client.read() ?? "", /^HTTP\/1.1 400.*too slow$/s);
    at.pass(1000);
    assert.equal(await client.read(), null, rest);
  }
  await other.send(whole("/", "two"));
  assert.match(await other.read() ?? "", /read two$/);
});

Deno.test("a connection is closed that asks nothing, leaves headers unfinished or its body unread", async () => {
  await using at = world();
  for (const sent of ["", "POST / HT", `${HEAD}Content-Length: 5\r\n`]) {
    using client = await at.connect();
    if (sent !== "") await client.send(sent);
    await new Promise((resolve) => setTimeout(resolve, 5)); // it has been accepted
    at.pass(IDLE_MS);
    assert.equal(await client.read(), null, sent);
  }
  using unread = await at.connect();
  await unread.send("POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n{");
  assert.match(await unread.read() ?? "", /no$/);
  at.pass(1000); // that it has asked is seen at the next look
  at.pass(IDLE_MS);
  assert.equal(await unread.read(), null);
});

Deno.test("a connection of brief answers stays while it asks, and is closed once it asks no more", async () => {
  await using at = world();
  using client = await at.connect();
  for (let asked = 0; asked < 3; asked++) {
    await client.send(whole("/brief", "x"));
    assert.match(await client.read() ?? "", /brief$/);
    at.pass(IDLE_MS - 1); // seen to have asked since it was looked at last
  }
  at.pass(IDLE_MS);
  assert.equal(await client.read(), null);
});

Deno.test("what takes long is not silent: a call is answered however long ago it came", async () => {
  await using at = world();
  using client = await at.connect();
  await client.send(whole("/held", "late"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  at.pass(10 * IDLE_MS);
  at.answerHeld();
  assert.match(await client.read() ?? "", /read late$/);
});

Deno.test("an answer that nobody reads ends its connection, and is not kept; a stream of events may be as quiet as it likes", async () => {
  await using at = world();
  using silent = await at.connect();
  using listening = await at.connect();
  for (const [client, path] of [[silent, "/large"], [listening, "/events"]] as const) {
    await client.send(whole(path, "x"));
    assert.match(await client.read() ?? "", /^HTTP\/1.1 200 OK/);
  }
  at.pass(1000); // that it has asked is seen at the next look
  at.pass(IDLE_MS);
  assert.ok(await silent.rest() < LARGE.length, "it was closed before all was sent");
  assert.match(await listening.read() ?? "", /x/);
});

Deno.test("shut down it accepts nothing more, answers what is under way, and closes all connections", async () => {
  const at = world();
  using silent = await at.connect();
  using idle = await at.connect();
  using busy = await at.connect();
  await idle.send(whole("/", "x"));
  assert.match(await idle.read() ?? "", /read x$/);
  await busy.send(whole("/held", "y"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const down = at.served.shutdown();
  assert.deepEqual([await silent.read(), await idle.read()], [null, null]);
  await assert.rejects(at.connect());
  at.answerHeld();
  assert.match(await busy.read() ?? "", /read y$/);
  await down;
  await at.served.finished;
  assert.equal(await busy.read(), null);
});

Deno.test("a connection that is accepted while it is shut down is closed too, and nothing on it is answered", async () => {
  assert.ok(serveConnection);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using client = await Client.of((listener.addr as Deno.NetAddr).port);
  const accepted = [Promise.withResolvers<Deno.Conn>(), Promise.withResolvers<Deno.Conn>()];
  let asked = 0;
  let answered = 0;
  const served = serveConnections({
    listener: {
      accept: () => accepted[asked++]!.promise,
      close: () => accepted[1]!.reject(new Deno.errors.BadResource("closed")),
    } as Deno.Listener,
    serve: serveConnection,
    idleMs: IDLE_MS,
    clock: { elapsed: () => 0, every: () => () => {} },
    answer: () => (answered++, new Response("late")),
  });
  accepted[0]!.resolve(await listener.accept());
  const down = served.shutdown(); // before the one that accepts has had its turn
  await client.send(whole("/", "x")).catch(() => {}); // it may be closed by then
  await down;
  assert.equal(await client.read(), null);
  assert.equal(answered, 0);
});
