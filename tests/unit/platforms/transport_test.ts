/** The address that was judged is the one connected to: whatever the name stands for later, with TLS on the name. */
import assert from "node:assert/strict";
import { createHttp } from "../../../platforms/_http/http.ts";
import { NotSent } from "../../../platforms/_http/sockets.ts";
import { AUTHORITY, serve, serveRaw, transport } from "./_pinned.ts";
import { fails } from "./_servers.ts";

/** Two servers at one port: where the name pointed when it was judged, and where it points afterwards. */
function twoPlaces(tls = false) {
  const judged = serve(() => new Response("judged"), { hostname: "127.0.0.2", tls });
  const other = serve(() => new Response("other"), { hostname: "127.0.0.1", port: judged.port, tls });
  return {
    port: judged.port,
    async [Symbol.asyncDispose]() {
      await judged[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

const READ = { method: "GET", effect: "read" } as const;
const soon = () => ({ deadline: Date.now() + 5000 });

Deno.test("a name that changes its address after it was judged is reached at the judged one", async () => {
  await using places = twoPlaces();
  const answers = [["127.0.0.2"], ["127.0.0.1"]];
  let asked = 0;
  using http = createHttp({
    allowPrivate: ["rebinding.example"],
    lookup: () => Promise.resolve(answers[asked++]!),
  });
  const url = `http://rebinding.example:${places.port}/`;
  assert.equal((await http.send({ ...READ, url }, soon())).text(), "judged");
  assert.equal(asked, 1, "the name is resolved once a request");
  assert.equal(
    (await http.send({ ...READ, url }, soon())).text(),
    "other",
    "a kept connection is no way around",
  );
});

Deno.test("a public name that is made to stand for this machine is not reached here", async () => {
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  let asked = 0;
  const given: (readonly string[])[] = [];
  using http = createHttp({
    allowPrivate: [],
    lookup: () => Promise.resolve(answers[asked++]!),
    fetch: (_url, _init, addresses) => {
      given.push(addresses);
      return Promise.resolve(new Response("public"));
    },
  });
  const url = "https://rebinding.example/";
  assert.equal((await http.send({ ...READ, url }, soon())).text(), "public");
  await fails(http.send({ ...READ, url }, soon()), /resolves to a private address/, 502);
  assert.deepEqual(given, [["93.184.216.34"]]);
});

Deno.test("a judged address that is down is not replaced by what the name stands for now", async () => {
  await using here = serve(() => assert.fail("nothing may arrive"));
  using http = createHttp({
    allowPrivate: ["localhost"],
    lookup: () => Promise.resolve(["127.0.0.3"]),
    sleep: () => Promise.resolve(),
  });
  const url = `http://localhost:${here.port}/`;
  await fails(http.send({ ...READ, url }, soon()), /could not be reached, nothing was sent/, 504);
});

Deno.test("with TLS the judged address is connected to and the certificate is for the name", async () => {
  await using places = twoPlaces(true);
  using way = transport({ authorities: [AUTHORITY] });
  const url = `https://acme.example:${places.port}/`;
  assert.equal(await (await way.get(url, ["127.0.0.2"])).text(), "judged");
  assert.equal(await (await way.get(url, ["127.0.0.1"])).text(), "other");
  const bare = `https://127.0.0.1:${places.port}/`;
  assert.equal(
    await (await way.get(bare, ["127.0.0.1"])).text(),
    "other",
    "a certificate may be for an address",
  );
});

Deno.test("a certificate for another name, or of nobody known, is refused before anything is sent", async () => {
  await using server = serve(() => assert.fail("nothing may arrive"), { tls: true });
  using way = transport({ authorities: [AUTHORITY] });
  using strict = transport();
  for (const host of ["other.example", "sub.acme.example", "127.0.0.2", "[::2]"]) {
    await assert.rejects(way.get(`https://${host}:${server.port}/`), NotSent, host);
  }
  await assert.rejects(strict.get(`https://acme.example:${server.port}/`), NotSent);
});

Deno.test("the next address is tried where the one before refuses or hangs", async () => {
  await using server = serve(() => new Response("here"));
  using way = transport();
  const url = `http://acme.example:${server.port}/`;
  assert.equal(await (await way.get(url, ["127.0.0.3", "::1", "127.0.0.1"])).text(), "here");

  const silent = Deno.listen({ port: 0, hostname: "127.0.0.2" });
  const held = silent.accept();
  await using secure = serve(() => new Response("late"), { tls: true, port: silent.addr.port });
  using named = transport({ authorities: [AUTHORITY] });
  const late = await named.get(`https://acme.example:${secure.port}/`, ["127.0.0.2", "127.0.0.1"]);
  assert.equal(await late.text(), "late");
  const connection = await held;
  while (await connection.read(new Uint8Array(4096)) !== null); // the slower try was given up
  connection.close();
  silent.close();
});

Deno.test("an IPv6 address is pinned like any other, also as the host of the URL", async () => {
  await using server = serve((request) => new Response(request.headers.get("host")), { hostname: "::1" });
  using way = transport();
  const { port } = server;
  assert.equal(await (await way.get(`http://acme.example:${port}/`, ["::1"])).text(), `acme.example:${port}`);
  assert.equal(await (await way.get(`http://[::1]:${port}/`, ["::1"])).text(), `[::1]:${port}`);
});

Deno.test("ports of other protocols are not connected to", async () => {
  using way = transport();
  await assert.rejects(way.get("https://acme.example:25/"), NotSent);
});

Deno.test("a refused connection is NotSent, one that breaks is not", async () => {
  using way = transport();
  await using server = serveRaw((connection) => Promise.resolve(connection.close()));
  await assert.rejects(way.get(`http://a.example:${server.port}/`), (error) => !(error instanceof NotSent));
  await assert.rejects(way.get(`http://a.example:${server.port}/`, ["127.0.0.9"]), NotSent);
  await assert.rejects(way.get(`http://a.example:${server.port}/`, []), NotSent);
});

Deno.test("giving up while connecting, in the handshake, before the answer or in its body ends the connection", async () => {
  const ended: number[] = [];
  await using server = serveRaw(async (connection, nth) => {
    const buffer = new Uint8Array(4096);
    await connection.read(buffer);
    if (nth === 3) {
      await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"));
    }
    arrived[nth - 1]!.resolve();
    while (await connection.read(buffer).catch(() => null) !== null);
    ended.push(nth);
    gone[nth - 1]!.resolve();
  });
  const arrived = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const gone = [1, 2, 3].map(() => Promise.withResolvers<void>());
  using way = transport();
  const at = (scheme: string, signal: AbortSignal) =>
    way.get(`${scheme}://acme.example:${server.port}/`, ["127.0.0.1"], { signal });

  await assert.rejects(at("http", AbortSignal.abort()));
  const handshake = new AbortController();
  const first = at("https", handshake.signal);
  void arrived[0]!.promise.then(() => handshake.abort());
  await assert.rejects(first, NotSent);
  await gone[0]!.promise;

  const head = new AbortController();
  const second = at("http", head.signal);
  void arrived[1]!.promise.then(() => head.abort(new Error("enough")));
  await assert.rejects(second, /enough/);
  await gone[1]!.promise;

  const body = new AbortController();
  const third = await at("http", body.signal);
  await arrived[2]!.promise;
  const reading = third.text();
  body.abort();
  await assert.rejects(reading);
  await gone[2]!.promise;
  assert.deepEqual(ended, [1, 2, 3]);
});

Deno.test("a body that only its connection ends is not taken for whole where it is given up", async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = serveRaw(async (connection) => {
    const buffer = new Uint8Array(4096);
    await connection.read(buffer);
    await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf"));
    arrived.resolve();
    while (await connection.read(buffer).catch(() => null) !== null);
  });
  using way = transport();
  const clock = new AbortController();
  const answer = await way.get(`http://a.example:${server.port}/`, ["127.0.0.1"], { signal: clock.signal });
  await arrived.promise;
  const reading = answer.text();
  clock.abort(new Error("enough"));
  await assert.rejects(reading, /enough/);
});

Deno.test("with leave for the network alone, a process trusts what the runtime trusts and asks for no more", async () => {
  await using server = serve(() => new Response("hello"), { tls: true });
  const trusted = await Deno.makeTempFile({ suffix: ".pem" });
  await Deno.writeTextFile(trusted, AUTHORITY);
  const module = new URL("../../../platforms/_http/transport.ts", import.meta.url).href;
  const script = `
    import { createTransport } from ${JSON.stringify(module)};
    using way = createTransport();
    const init = { method: "GET", headers: {}, body: null, redirect: "manual" as const,
      signal: new AbortController().signal };
    const at = (host: string) => way.fetch(new URL("https://" + host + ":${server.port}/"), init, ["127.0.0.1"]);
    const { value } = await (await at("acme.example")).body!.getReader().read();
    console.log(new TextDecoder().decode(value), await at("other.example").catch(({ name }) => name));
  `;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", "--ext=ts", "-"],
    env: {
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      DENO_CERT: trusted,
      NO_COLOR: "1",
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(script));
  await writer.close();
  const { stdout, stderr } = await child.output();
  await Deno.remove(trusted);
  assert.equal(new TextDecoder().decode(stdout), "hello NotSent\n", new TextDecoder().decode(stderr));
});

Deno.test("the way out that the gateway makes trusts no authority but the runtime's", async () => {
  await using server = serve(() => assert.fail("nothing may arrive"), { tls: true });
  const options = {
    allowPrivate: ["acme.example"],
    lookup: () => Promise.resolve(["127.0.0.1"]),
    sleep: () => Promise.resolve(),
    authorities: [AUTHORITY],
  };
  using http = createHttp(options);
  const url = `https://acme.example:${server.port}/`;
  await fails(http.send({ ...READ, url }, soon()), /could not be reached, nothing was sent/, 504);
});
