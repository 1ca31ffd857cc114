/** Who may use the admin API, and how attempts are limited. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { kit, MASTER, told } from "./kit.ts";

const JSON_TYPE = { "content-type": "application/json" };
const login = (token: unknown, headers = {}) => ({
  method: "POST",
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify({ master_token: token }),
});

async function signedIn(gw: Awaited<ReturnType<typeof kit>>): Promise<string> {
  const reply = await gw.raw("/admin/login", login(MASTER));
  assert.equal(reply.status, 200);
  return reply.headers.get("set-cookie")!.split(";")[0]!;
}

Deno.test("every route of the API needs the master token", async () => {
  const gw = await kit();
  const routes = [
    ["GET", "tokens"],
    ["POST", "tokens"],
    ["POST", "tokens/t1/revoke"],
    ["GET", "sites"],
    ["POST", "sites"],
    ["GET", "sites/acme"],
    ["PATCH", "sites/acme"],
    ["GET", "projects"],
    ["POST", "projects"],
    ["GET", "users"],
    ["POST", "users"],
    ["PATCH", "users/u1"],
    ["GET", "audit"],
    ["GET", "audit.ndjson"],
    ["GET", "audit/verify"],
    ["GET", "nothing"],
  ] as const;
  for (const [method, path] of routes) {
    const reply = await gw.raw(`/admin/api/${path}`, { method });
    assert.match(told(reply, "E_AUTH"), /^Send Authorization: Bearer <MASTER_TOKEN>/);
    assert.equal(reply.headers.get("www-authenticate"), 'Bearer realm="admin"');
    assert.equal(reply.headers.get("cache-control"), "no-store");
  }
});

Deno.test("what an Authorization header must hold", async () => {
  for (const header of [`Bearer ${MASTER}`, `bearer ${MASTER}`, `Bearer   ${MASTER}`]) {
    assert.equal(
      (await (await kit()).raw("/admin/api/sites", { headers: { authorization: header } })).status,
      200,
    );
  }
  const wrong = ["Bearer", "Bearer ", MASTER, `Basic ${MASTER}`, `Bearer ${MASTER}x`, `Bearer ${MASTER} x`];
  wrong.push(`Bearer ${MASTER}, Bearer ${MASTER}`, "Bearer x", `Bearer ${MASTER.toUpperCase()}`, "");
  for (const header of wrong) {
    const message = told(
      await (await kit()).raw("/admin/api/sites", { headers: { authorization: header } }),
      "E_AUTH",
    );
    assert.match(message, /does not hold the master token/);
  }
  for (const token of ["gate_prod_abc", "oat_abc"]) {
    const headers = { authorization: `Bearer ${token}` };
    assert.match(
      told(await (await kit()).raw("/admin/api/sites", { headers }), "E_AUTH"),
      /That token calls tools/,
    );
  }
});

Deno.test("signing in sets a cookie that scripts cannot read and other sites cannot send", async () => {
  const gw = await kit();
  const reply = await gw.raw("/admin/login", login(MASTER));
  assert.deepEqual(reply.body, { ok: true, result: { expires_at: "2026-11-21T18:00:00.000Z" } });
  const [cookie, ...flags] = reply.headers.get("set-cookie")!.split("; ");
  assert.match(cookie!, /^gateway_session=[\w-]{43,}$/);
  assert.deepEqual(flags.sort(), ["HttpOnly", "Max-Age=28800", "Path=/admin", "SameSite=Strict"]);
  assert.equal((await gw.raw("/admin/api/sites", { headers: { cookie: cookie! } })).status, 200);

  const off = await (await kit({ baseUrl: "https://gateway.test" })).raw("/admin/login", login(MASTER));
  assert.ok(off.headers.get("set-cookie")!.includes("; Secure"));
});

Deno.test("a form signs in too", async () => {
  const form = (body: string) => ({
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body,
  });
  assert.equal((await (await kit()).raw("/admin/login", form(`master_token=${MASTER}`))).status, 200);
  told(await (await kit()).raw("/admin/login", form("master_token=x")), "E_AUTH");
  assert.equal(
    told(await (await kit()).raw("/admin/login", form("")), "E_BAD_INPUT"),
    "master_token is required",
  );
  assert.match(
    told(await (await kit()).raw("/admin/login", form("token=x")), "E_BAD_INPUT"),
    /token: unknown field/,
  );
});

Deno.test("a login that is not one is refused as what it is", async () => {
  const gw = await kit();
  told(await gw.raw("/admin/login", login("wrong")), "E_AUTH");
  assert.equal(
    told(await gw.raw("/admin/login", login(7)), "E_BAD_INPUT"),
    "master_token: expected the master token, not a number",
  );
  const sent = (body: BodyInit, type = "application/json") =>
    gw.raw("/admin/login", { method: "POST", headers: { "content-type": type }, body });
  told(await sent("{"), "E_BAD_JSON");
  told(await sent("[]"), "E_BAD_JSON");
  told(await sent(""), "E_BAD_JSON");
  told(await sent(new Uint8Array([0xff, 0xfe])), "E_BAD_JSON");
  const whole = JSON.stringify({ master_token: MASTER });
  for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
    const over = whole.padEnd(LIMITS.LOGIN_BODY_BYTES + 1);
    assert.match(told(await sent(over, type), "E_PAYLOAD_TOO_LARGE"), /over 4 KiB/);
  }
  assert.equal((await sent(whole.padEnd(LIMITS.LOGIN_BODY_BYTES))).status, 200);
  assert.match(told(await sent("x", "text/plain"), "E_BAD_INPUT"), /^Content-Type: expected/);
  const foreign = await gw.raw("/admin/login", login(MASTER, { origin: "https://evil.test" }));
  assert.match(
    told(foreign, "E_FORBIDDEN"),
    /^Origin "https:\/\/evil.test" is not this gateway, which is at http:\/\/127.0.0.1:8000; .* sets BASE_URL to that$/,
  );
  assert.equal(foreign.headers.get("set-cookie"), null);
});

Deno.test("signing out ends the session and takes the cookie back", async () => {
  const gw = await kit();
  const cookie = await signedIn(gw);
  told(
    await gw.raw("/admin/logout", { method: "POST", headers: { cookie, "sec-fetch-site": "cross-site" } }),
    "E_FORBIDDEN",
  );
  const reply = await gw.raw("/admin/logout", { method: "POST", headers: { cookie } });
  assert.deepEqual(reply.body, { ok: true, result: {} });
  assert.match(reply.headers.get("set-cookie")!, /^gateway_session=; Max-Age=0; Path=\/admin/);
  assert.match(
    told(await gw.raw("/admin/api/sites", { headers: { cookie } }), "E_AUTH"),
    /session has ended/,
  );
  assert.equal((await gw.raw("/admin/logout", { method: "POST" })).status, 200);
});

Deno.test("a change by cookie must come from the gateway's own pages, as JSON", async () => {
  const gw = await kit();
  const cookie = await signedIn(gw);
  const change = (headers: HeadersInit, body = '{"id":"p","name":"P"}') =>
    gw.raw("/admin/api/projects", { method: "POST", headers: { cookie, ...headers }, body });
  const own = { origin: "http://127.0.0.1:8000" };
  const refusals: Record<string, string>[] = [
    { ...JSON_TYPE },
    { ...JSON_TYPE, origin: "https://evil.test" },
    { ...JSON_TYPE, origin: "null" },
    { ...JSON_TYPE, origin: "http://127.0.0.1:8001" },
    { ...JSON_TYPE, "sec-fetch-site": "cross-site" },
    { ...JSON_TYPE, "sec-fetch-site": "same-site" },
    { ...JSON_TYPE, "sec-fetch-site": "none" },
    { ...JSON_TYPE, ...own, "sec-fetch-site": "cross-site" },
  ];
  for (const headers of refusals) told(await change(headers), "E_FORBIDDEN");
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]) {
    assert.match(
      told(await change({ ...own, "content-type": type }), "E_BAD_INPUT"),
      /sent as application\/json/,
    );
  }
  assert.deepEqual(await gw.store.projects.list(), []);
  assert.equal((await change({ ...own, ...JSON_TYPE })).status, 200);
  const fetched = { "content-type": "application/json; charset=utf-8", "sec-fetch-site": "same-origin" };
  assert.equal((await change(fetched, '{"id":"q","name":"Q"}')).status, 200);
});

Deno.test("behind a proxy the address of BASE_URL counts as own", async () => {
  const gw = await kit({ baseUrl: "https://gateway.test" });
  const headers = { cookie: await signedIn(gw), ...JSON_TYPE, origin: "https://gateway.test" };
  const reply = await gw.raw("/admin/api/projects", {
    method: "POST",
    headers,
    body: '{"id":"p","name":"P"}',
  });
  assert.equal(reply.status, 200);
});

Deno.test("wrong credentials are limited in a minute, right ones never", async () => {
  const gw = await kit();
  const bearer = (token: string) =>
    gw.raw("/admin/api/sites", { headers: { authorization: `Bearer ${token}` } });
  for (let n = 0; n < LIMITS.LOGIN_ATTEMPTS_PER_MINUTE; n++) {
    told(n % 2 ? await bearer("wrong") : await gw.raw("/admin/login", login("wrong")), "E_AUTH");
    gw.clock.now += 1000;
  }
  for (const reply of [await bearer("wrong"), await gw.raw("/admin/login", login("wrong"))]) {
    assert.equal(told(reply, "E_RATE_LIMITED"), "Too many wrong credentials; try again in 50 s");
    assert.equal(reply.headers.get("retry-after"), "50");
  }
  assert.equal((await bearer(MASTER)).status, 200);
  assert.equal((await gw.raw("/admin/login", login(MASTER))).status, 200);
  gw.clock.now += 49_999;
  told(await bearer("wrong"), "E_RATE_LIMITED");
  gw.clock.now += 1;
  told(await bearer("wrong"), "E_AUTH");
  told(await bearer("wrong"), "E_RATE_LIMITED");
  gw.clock.now -= 400 * 24 * 60 * 60_000;
  told(await bearer("wrong"), "E_AUTH");
});

Deno.test("a request without a credential is no attempt", async () => {
  const gw = await kit();
  for (let n = 0; n < 30; n++) told(await gw.raw("/admin/api/sites"), "E_AUTH");
});

Deno.test("a path or method that is not there is told with the envelope", async () => {
  const gw = await kit();
  assert.equal(
    await gw.refused("E_NOT_FOUND", "GET", "/admin/api/nope"),
    "The admin API has no GET /admin/api/nope",
  );
  await gw.refused("E_NOT_FOUND", "DELETE", "/admin/api/sites/acme");
  await gw.refused("E_NOT_FOUND", "PUT", "/admin/api/tokens", {});
});

Deno.test("a store that fails is reported, and told without its text", async () => {
  const gw = await kit();
  const broken = new Error("secret of the store");
  gw.store.tokens.list = () => Promise.reject(broken);
  const message = await gw.refused("E_INTERNAL", "GET", "/admin/api/tokens");
  assert.equal(gw.reports.length, 1);
  assert.equal(gw.reports[0]![1], broken);
  assert.ok(message.includes(gw.reports[0]![0]) && !message.includes("secret"));
});

Deno.test("a page that the same name leads to is not ours because its Host says so", async () => {
  // As a browser has it whose name for the gateway is a stranger's (DNS rebinding): Host and Origin agree.
  const gw = await kit();
  const send = (address: string, path: string, init: RequestInit) =>
    gw.app.request(`${address}${path}`, { ...init, headers: { ...init.headers, origin: address } });
  const rebound = await send("http://evil.test:8000", "/admin/login", login(MASTER));
  assert.equal(rebound.status, 403, await rebound.text());
  const cookie = (await signedIn(gw)).split(";")[0]!;
  const headers = { ...JSON_TYPE, cookie, "sec-fetch-site": "same-origin" };
  const change = { method: "POST", headers, body: "{}" };
  assert.equal((await send("http://evil.test:8000", "/admin/api/projects", change)).status, 403);
  assert.equal((await send("http://localhost:8000", "/admin/login", login(MASTER))).status, 200);
});
