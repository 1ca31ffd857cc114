/** Clients that are known by a metadata document: whose address it is, how it is fetched, and when it changes. */
import assert from "node:assert/strict";
import { NOW } from "../kit.ts";
import { oauth, REDIRECT, type World } from "./oauth_kit.ts";

const ID = "https://client.example/oauth/client.json";

const document = (more: Record<string, unknown> = {}) => ({
  client_id: ID,
  client_name: "Assistant",
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: "none",
  ...more,
});

const PUBLIC = { lookup: () => Promise.resolve(["93.184.216.34"]) };

/** A world whose network answers one document, which a test may change. */
async function world(answer: () => Response | Promise<Response>): Promise<World> {
  return await oauth({ fetch: (() => Promise.resolve(answer())) as typeof fetch, http: PUBLIC });
}
const typed = (type: string): ResponseInit => ({ headers: { "content-type": type } });
const json = (value: unknown, init?: ResponseInit) => () => Response.json(value, init);

async function shown(at: World, address: string): Promise<{ status: number; text: string }> {
  const response = await at.browse(address);
  return { status: response.status, text: await response.text() };
}

Deno.test("a client is let in by its document, which is fetched once for the page and once for the answer", async () => {
  await using at = await world(json(document()));
  const address = at.address(ID);
  const { text } = await shown(at, address);
  assert.match(text, /client\.example describes as “Assistant”/);
  await shown(at, address);
  assert.equal(at.gw.requests.length, 1, "it is kept for a moment");
  const code = new URL((await at.consent(address)).headers.get("location")!).searchParams.get("code")!;
  assert.deepEqual(at.gw.requests, [{ method: "GET", url: ID }, { method: "GET", url: ID }]);
  const { status, body } = await at.exchange(ID, code);
  assert.equal(status, 200);
  assert.equal((await at.with(body.access_token, "/api/v1/whoami")).body.result.name, "Assistant");
  assert.equal((await at.refresh(ID, body.refresh_token)).status, 200);
  assert.equal(at.gw.requests.length, 2, "tokens need no document");
});

Deno.test("nothing is fetched for somebody who has not signed in", async () => {
  await using at = await world(json(document()));
  at.who = null;
  const response = await at.browse(at.address(ID));
  assert.match(response.headers.get("location")!, /^\/admin\/sign-in/);
  await at.exchange(ID, "oac_unknown");
  assert.deepEqual(at.gw.requests, []);
});

Deno.test("an address that may not be a client's is not fetched", async () => {
  await using at = await world(json(document()));
  const addresses = [
    "https://client.example",
    "https://client.example/",
    "https://user@client.example/c.json",
    "https://client.example/c.json#part",
    "https://client.example/a/../c.json",
    "https://client.example/a/%2e%2e/c.json",
    "https://client.example/./c.json",
    "HTTPS://client.example/c.json",
    "https://CLIENT.example/c.json",
    "https://client.example:443/c.json",
    `https://client.example/${"x".repeat(512)}`,
    "https://",
    "http://client.example/c.json",
    "file:///etc/passwd",
  ];
  for (const client_id of addresses) {
    const { status, text } = await shown(at, at.address(client_id));
    assert.equal(status, 400, client_id);
    assert.match(text, /client_id: /);
  }
  assert.deepEqual(at.gw.requests, []);
});

Deno.test("a document at a private address is not fetched, whatever upstreams may be private", async () => {
  await using at = await oauth({
    fetch: (() => Promise.resolve(Response.json(document()))) as typeof fetch,
    http: {
      allowPrivate: ["127.0.0.1", "internal.example", "client.example"],
      lookup: (host) => Promise.resolve([host === "client.example" ? "10.0.0.7" : "169.254.169.254"]),
    },
  });
  const addresses = [
    ID,
    "https://127.0.0.1/c.json",
    "https://[::1]/c.json",
    "https://[::ffff:7f00:1]/c.json",
    "https://localhost/c.json",
    "https://169.254.169.254/c.json",
    "https://internal.example/c.json",
  ];
  for (const client_id of addresses) {
    const { status, text } = await shown(at, at.address(client_id));
    assert.equal(status, 400, client_id);
    assert.match(text, /cannot be read: .*private/, client_id);
    assert.ok(!text.includes("ALLOW_PRIVATE_UPSTREAMS"), "no setting would change it");
  }
  assert.deepEqual(at.gw.requests, []);
});

Deno.test("a document of a megabyte, behind a redirect, with another status or of another kind is not taken", async () => {
  const cases: [() => Response, RegExp][] = [
    [() => new Response(JSON.stringify(document({ x: "x".repeat(1024 * 1024) }))), /more than 10240 bytes/],
    [
      () => new Response(null, { status: 302, headers: { location: "https://other.example/c.json" } }),
      /must not redirect/,
    ],
    [() => new Response(null, { status: 307, headers: { location: ID } }), /must not redirect/],
    [json(document(), { status: 404 }), /status 404/],
    [json(document(), { status: 201 }), /status 201/],
    [json(document(), { status: 500 }), /status 500/],
    [() => new Response("<html></html>", typed("application/json")), /is not a JSON object/],
    [
      () => new Response(JSON.stringify(document()), typed("text/html; charset=utf-8")),
      /as &quot;text\/html&quot;/,
    ],
    [() => new Response(JSON.stringify(document()), typed("text/plain")), /as &quot;text\/plain&quot;/],
    [() => new Response(new TextEncoder().encode(JSON.stringify(document()))), /as &quot;&quot;/],
    [json([document()]), /is not a JSON object/],
    [json(null), /is not a JSON object/],
    [json(document({ client_id: `${ID}?x` })), /names another client_id/],
    [json(document({ client_id: undefined })), /names another client_id/],
    [json(document({ client_id: [ID] })), /names another client_id/],
    [json(document({ client_secret: "s" })), /client_secret/],
    [json(document({ token_endpoint_auth_method: "private_key_jwt" })), /private_key_jwt/],
    [json(document({ redirect_uris: [] })), /redirect_uris/],
    [json(document({ redirect_uris: ["http://client.example/cb"] })), /redirect_uris/],
    [json(document({ grant_types: ["implicit"] })), /grant_types/],
    [json(document({ redirect_uris: ["https://client.example/other"] })), /none of those/],
  ];
  for (const [answer, said] of cases) {
    await using at = await world(answer);
    const { status, text } = await shown(at, at.address(ID));
    assert.equal(status, 400);
    assert.match(text, said);
    assert.equal(at.gw.requests.length, 1);
  }
});

Deno.test("a document that never ends is given up", async () => {
  await using at = await oauth({
    // The clock of the way out is ahead, so that of the five seconds 50 ms are left.
    http: { ...PUBLIC, now: () => NOW + 4950 },
    fetch: ((_url: string, init: RequestInit) =>
      new Promise((_, reject) => {
        init.signal!.addEventListener("abort", () => reject(init.signal!.reason));
      })) as unknown as typeof fetch,
  });
  const { status, text } = await shown(at, at.address(ID));
  assert.equal(status, 400);
  assert.match(text, /gave no answer within 0.1 s/);
});

Deno.test("a document that changes between the page and the answer has the person look again", async () => {
  let now = document();
  await using at = await world(() => Response.json(now));
  const address = at.address(ID);
  now = document();
  await shown(at, address);
  now = document({ client_name: "Somebody Else" });
  const renamed = await at.consent(address);
  assert.equal(renamed.status, 422);
  assert.match(await renamed.text(), /has changed what it says of itself/);
  // What is kept by now is the new one: the person who is shown it may let it in.
  assert.equal((await at.consent(address)).status, 303);
  await shown(at, address);
  now = document({ redirect_uris: ["https://client.example/other"] });
  const moved = await at.consent(address);
  assert.equal(moved.status, 400);
  assert.equal(moved.headers.get("location"), null);
});

Deno.test("failures are not kept, and what is kept is read again after five minutes", async () => {
  let answer = json(document(), { status: 503 });
  await using at = await world(() => answer());
  assert.equal((await shown(at, at.address(ID))).status, 400);
  answer = json(document());
  assert.equal((await shown(at, at.address(ID))).status, 200);
  const before = at.gw.requests.length;
  at.gw.clock.now += 5 * 60_000;
  answer = json(document({ client_name: "Renamed" }));
  assert.match((await shown(at, at.address(ID))).text, /Renamed/);
  assert.equal(at.gw.requests.length, before + 1);
});

Deno.test("a document of a kind of JSON is taken", async () => {
  await using at = await world(() =>
    new Response(JSON.stringify(document()), typed("Application/OAuth-Client+json; charset=utf-8"))
  );
  assert.equal((await shown(at, at.address(ID))).status, 200);
});

Deno.test("a document is kept as long as its host says, for a minute at least and an hour at most", async () => {
  const [minute, hour] = [60_000, 60 * 60_000];
  const cases: [Record<string, string>, number][] = [
    [{}, 5 * minute],
    [{ "cache-control": "no-store" }, minute],
    [{ "cache-control": "private, no-cache" }, minute],
    [{ "cache-control": "public, max-age=0" }, minute],
    [{ "cache-control": "max-age=600" }, 10 * minute],
    [{ "cache-control": "Public, Max-Age=600", age: "300" }, 5 * minute],
    [{ "cache-control": "max-age=31536000, immutable" }, hour],
    [{ "cache-control": "max-age=never" }, 5 * minute],
  ];
  for (const [headers, kept] of cases) {
    await using at = await world(json(document(), { headers }));
    await shown(at, at.address(ID));
    at.gw.clock.now += kept - 1;
    await shown(at, at.address(ID));
    assert.equal(at.gw.requests.length, 1, JSON.stringify(headers));
    at.gw.clock.now += 1;
    await shown(at, at.address(ID));
    assert.equal(at.gw.requests.length, 2, JSON.stringify(headers));
  }
});

Deno.test("a document that was read under a clock that has gone back is read again", async () => {
  await using at = await world(json(document()));
  at.gw.clock.now += 400 * 24 * 60 * 60_000;
  await shown(at, at.address(ID));
  at.gw.clock.now = NOW;
  await shown(at, at.address(ID));
  assert.equal(at.gw.requests.length, 2);
});

Deno.test("a host that names the version of its document is asked whether it has changed", async () => {
  const asked: (string | null)[] = [];
  let [etag, name] = ['"one"', "Assistant"];
  await using at = await oauth({
    http: PUBLIC,
    fetch: ((_url: URL, init: RequestInit) => {
      const known = new Headers(init.headers).get("if-none-match");
      asked.push(known);
      if (known === etag) return Promise.resolve(new Response(null, { status: 304 }));
      return Promise.resolve(Response.json(document({ client_name: name }), { headers: { etag } }));
    }) as unknown as typeof fetch,
  });
  const address = at.address(ID);
  await shown(at, address);
  assert.equal((await at.consent(address)).status, 303, "it has not changed");
  assert.equal((await at.consent(address)).status, 303);
  assert.deepEqual(asked, [null, '"one"', '"one"']);
  [etag, name] = ['"two"', "Somebody Else"];
  assert.equal((await at.consent(address)).status, 422, "it has");
  assert.match((await shown(at, address)).text, /Somebody Else/);
  etag = '"one"';
  assert.equal((await at.consent(address)).status, 303);
  assert.deepEqual(asked.slice(3), ['"one"', '"two"']);
});

Deno.test("a 304 to a request that named no version is no document", async () => {
  await using at = await world(() => new Response(null, { status: 304 }));
  assert.match((await shown(at, at.address(ID))).text, /status 304/);
});

Deno.test("one person has 20 documents fetched a minute, all together 60 from one host", async () => {
  await using at = await world(json(document()));
  for (let count = 0; count < 20; count++) await shown(at, at.address(`${ID}?${count}`));
  assert.equal(at.gw.requests.length, 20);
  const { text } = await shown(at, at.address(`${ID}?more`));
  assert.match(text, /was not read: too many were in the last minute; try again in 60 s/);
  assert.equal(at.gw.requests.length, 20);
  for (const [index, email] of ["bob@b.example", "cy@b.example", "di@b.example"].entries()) {
    at.who = await at.gw.store.users.create({ email, role: "member", allowed_sites: ["*"], max_risk: 1 });
    for (let count = 0; count < 20; count++) await shown(at, at.address(`${ID}?${index}-${count}`));
  }
  assert.equal(at.gw.requests.length, 60);
  await shown(at, at.address("https://elsewhere.example/c.json"));
  assert.equal(at.gw.requests.length, 60, "the fourth person has had 20 tries");
  at.gw.clock.now += 60_000;
  await shown(at, at.address("https://elsewhere.example/c.json"));
  assert.equal(at.gw.requests.length, 61, "another host is another");
});
