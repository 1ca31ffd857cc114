/** The token endpoint: codes and refresh tokens that are wrong, late, somebody else's or sent twice. */
import assert from "node:assert/strict";
import { scratchFolder } from "../../sandbox/core/scratch.ts";
import { gateway, NOW } from "../kit.ts";
import { BASE, CHALLENGE, oauth, REDIRECT, test, VERIFIER, type World } from "./oauth_kit.ts";

async function clientOf(at: World): Promise<string> {
  return (await at.register()).body.client_id;
}

const YEAR_MS = 365 * 24 * 60 * 60_000;

/** Whether an access token still calls. */
async function calls(at: World, access_token: string): Promise<boolean> {
  return (await at.with(access_token, "/api/v1/whoami")).status === 200;
}

const ended = async (at: World) =>
  (await at.gw.audit()).filter(({ tool }) => tool === "client.end")
    .map(({ arguments: what }) => (what as { why: string }).why);

test("a code is for its client, redirect URI, verifier and resource, and a try with others takes nothing away", async (at) => {
  const [id, other] = [await clientOf(at), await clientOf(at)];
  const code = await at.code(id);
  const wrong: [string, Record<string, string>, string][] = [
    [other, {}, "invalid_grant"],
    ["nobody", {}, "invalid_grant"],
    [id, { redirect_uri: `${REDIRECT}/` }, "invalid_grant"],
    [id, { redirect_uri: REDIRECT.replace("callback", "%63allback") }, "invalid_grant"],
    [id, { redirect_uri: "" }, "invalid_request"],
    [id, { code_verifier: "" }, "invalid_request"],
    [id, { code_verifier: `${VERIFIER}x` }, "invalid_grant"],
    [id, { code_verifier: CHALLENGE }, "invalid_grant"],
    [id, { code_verifier: "short" }, "invalid_grant"],
    [id, { resource: "https://other.example" }, "invalid_target"],
    [id, { resource: "http://127.0.0.1:8000/api" }, "invalid_target"],
    [id, { resource: "http://localhost:8000/mcp" }, "invalid_target"],
    [id, { client_secret: "secret" }, "invalid_client"],
    [id, { grant_type: "password" }, "unsupported_grant_type"],
    [id, { grant_type: "client_credentials" }, "unsupported_grant_type"],
    [id, { grant_type: "" }, "invalid_request"],
    ["", {}, "invalid_request"],
    [id, { code: `${code}x` }, "invalid_grant"],
    [id, { code: "x".repeat(4000) }, "invalid_grant"],
  ];
  for (const [client, more, error] of wrong) {
    const { status, body, headers } = await at.exchange(client, code, more);
    assert.deepEqual(
      [body.error, status],
      [error, error === "invalid_client" ? 401 : 400],
      JSON.stringify(more),
    );
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.has("www-authenticate"), status === 401);
  }
  assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
  assert.equal((await at.exchange(id, code)).status, 200);
});

test("a request of the token endpoint is a form without repeated fields, without credentials, and small", async (at) => {
  const id = await clientOf(at);
  const code = await at.code(id);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  });
  assert.equal((await at.post("/oauth/token", `${form}&code=${code}`)).body.error, "invalid_request");
  assert.equal((await at.post("/oauth/token", `${form}&x=${"x".repeat(9000)}`)).status, 413);
  const send = (headers: Record<string, string>, body: string, path = "/oauth/token") =>
    at.gw.http(path, { method: "POST", as: null, headers, body });
  const basic = { authorization: `Basic ${btoa(`${id}:secret`)}` };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await send({ ...type, ...basic }, String(form))).status, 401);
  assert.equal(
    (await send({ "content-type": "application/json" }, JSON.stringify(Object.fromEntries(form)))).status,
    400,
  );
  assert.equal((await send(type, "", `/oauth/token?${form}`)).status, 400);
  assert.equal((await at.browse(`/oauth/token?${form}`)).status, 405);
  assert.equal((await at.post("/oauth/token", form)).status, 200);
});

test("a code is over after a minute", async (at) => {
  const id = await clientOf(at);
  const code = await at.code(id);
  at.gw.clock.now += 60_000;
  assert.equal((await at.exchange(id, code)).body.error, "invalid_grant");
});

test("a code that comes twice ends what it gave, one after the other and at once", async (at) => {
  const id = await clientOf(at);
  const code = await at.code(id);
  const { body: tokens } = await at.exchange(id, code);
  assert.ok(await calls(at, tokens.access_token));
  assert.equal((await at.exchange(id, code)).body.error, "invalid_grant");
  assert.ok(!await calls(at, tokens.access_token));
  assert.equal((await at.refresh(id, tokens.refresh_token)).body.error, "invalid_grant");
  assert.deepEqual(await ended(at), ["its code was sent twice"]);

  const raced = await at.code(id);
  const answers = await Promise.all([1, 2, 3].map(() => at.exchange(id, raced)));
  const given = answers.filter(({ status }) => status === 200);
  assert.equal(given.length, 1);
  assert.ok(!await calls(at, given[0]!.body.access_token));
  assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
});

test("a refresh token rotates, and a lost answer is given again", async (at) => {
  const first = await at.connect();
  const second = await at.refresh(first.client_id, first.refresh_token);
  assert.equal(second.status, 200);
  assert.notEqual(second.body.refresh_token, first.refresh_token);
  at.gw.clock.now += 30_000;
  const again = await at.refresh(first.client_id, first.refresh_token);
  assert.deepEqual(again.body, { ...second.body, expires_in: 3570 });
  const third = await at.refresh(first.client_id, second.body.refresh_token);
  assert.equal(third.status, 200);
  assert.ok(await calls(at, third.body.access_token));
  assert.deepEqual(await ended(at), []);
});

const alarms = (at: World) => at.gw.logged.filter(({ event }) => event === "refresh_token_repeated");
const rows = async (at: World) => (await at.gw.audit()).filter(({ tool }) => tool === "client.repeat");
const counted = (at: World, came: string) =>
  at.gw.gateway.figures.lines().find((line) =>
    line.startsWith(`gateway_refresh_tokens_repeated_total{came="${came}"}`)
  )?.split(" ").at(-1);

test("a refresh token that comes again in its grace is said once in log and audit, and counted each time", async (at) => {
  const first = await at.connect();
  const second = (await at.refresh(first.client_id, first.refresh_token)).body;
  assert.deepEqual([alarms(at), await rows(at), counted(at, "in_grace")], [[], [], "0"]);
  for (let n = 0; n < 3; n++) {
    assert.equal(
      (await at.refresh(first.client_id, first.refresh_token)).body.refresh_token,
      second.refresh_token,
    );
  }
  const grant_id = (await at.gw.store.oauthGrants.list())[0]!.grant.id;
  assert.deepEqual(
    alarms(at).map(({ grant_id, client_id, connection }) => ({ grant_id, client_id, connection })),
    [{ grant_id, client_id: first.client_id, connection: "kept" }],
  );
  assert.deepEqual((await rows(at)).map(({ token_id }) => token_id), [grant_id]);
  assert.equal(counted(at, "in_grace"), "3");
  assert.doesNotMatch(JSON.stringify([alarms(at), await rows(at)]), /o[ar]t_/, "no token is told");

  const third = (await at.refresh(first.client_id, second.refresh_token)).body;
  assert.equal((await at.refresh(first.client_id, second.refresh_token)).status, 200);
  assert.equal(alarms(at).length, 2, "of the next token anew");
  at.gw.clock.now += 60_000;
  assert.equal((await at.refresh(first.client_id, second.refresh_token)).body.error, "invalid_grant");
  assert.equal(counted(at, "late"), "1");
  assert.equal(alarms(at).at(-1)!.connection, "ended");
  assert.ok(!await calls(at, third.access_token));
});

Deno.test("a refresh token that comes when its answer cannot have been lost ends the grant", async () => {
  for (const way of ["late", "after its successor", "two back"]) {
    await using at = await oauth();
    const first = await at.connect();
    const second = (await at.refresh(first.client_id, first.refresh_token)).body;
    if (way === "late") at.gw.clock.now += 60_000;
    let last = second;
    if (way !== "late") last = (await at.refresh(first.client_id, second.refresh_token)).body;
    if (way === "two back") last = (await at.refresh(first.client_id, last.refresh_token)).body;
    const reused = await at.refresh(first.client_id, first.refresh_token);
    assert.equal(reused.body.error, "invalid_grant", way);
    assert.match(reused.body.error_description, /used before/);
    assert.ok(!await calls(at, last.access_token), way);
    assert.equal((await at.refresh(first.client_id, last.refresh_token)).body.error, "invalid_grant");
    assert.deepEqual(await ended(at), ["a refresh token was used twice"]);
  }
});

test("refreshes at once all get one family", async (at) => {
  const { client_id, refresh_token } = await at.connect();
  const answers = await Promise.all([1, 2, 3, 4].map(() => at.refresh(client_id, refresh_token)));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200]);
  assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
  assert.deepEqual([alarms(at), await rows(at)], [[], []], "that is a client with several windows");
  assert.equal((await at.refresh(client_id, answers[0]!.body.refresh_token)).status, 200);
});

test("a refresh token is for its client and resource, and a try of another takes nothing away", async (at) => {
  const { client_id, refresh_token } = await at.connect();
  const other = await clientOf(at);
  const wrong: [string, Record<string, string>, string][] = [
    [other, {}, "invalid_grant"],
    [client_id, { resource: "https://other.example" }, "invalid_target"],
    [client_id, { resource: "http://127.0.0.1:8000/api" }, "invalid_target"],
    [client_id, { refresh_token: "ort_unknown" }, "invalid_grant"],
    [client_id, { refresh_token: "" }, "invalid_request"],
    [client_id, { client_secret: "secret" }, "invalid_client"],
  ];
  for (const [client, more, error] of wrong) {
    assert.equal((await at.refresh(client, refresh_token, more)).body.error, error, JSON.stringify(more));
  }
  assert.equal((await at.refresh(client_id, refresh_token)).status, 200);
});

Deno.test("a code and a refresh token are taken for either of the gateway's addresses, whichever was asked for", async () => {
  const [root, door] = [BASE, `${BASE}/mcp`];
  for (const asked of [undefined, root, `${root}/`, door]) {
    for (const redeemed of [undefined, root, door, `${door}/`]) {
      await using at = await oauth();
      const what = `asked for ${asked}, redeemed for ${redeemed}`;
      const id = await clientOf(at);
      const named: Record<string, string> = redeemed === undefined ? {} : { resource: redeemed };
      const { status, body } = await at.exchange(id, await at.code(id, { resource: asked }), named);
      assert.equal(status, 200, what);
      const other = await at.refresh(id, body.refresh_token, { resource: redeemed === door ? root : door });
      assert.equal(other.status, 200, what);
      assert.ok(await calls(at, other.body.access_token), what);
      const { error } = (await at.refresh(id, other.body.refresh_token, { resource: `${BASE}/admin` })).body;
      assert.equal(error, "invalid_target", what);
    }
  }
});

test("a grant ends after its days, and its last access token with it", async (at) => {
  const { client_id, ...first } = await at.connect({ days: "1" });
  at.gw.clock.now += 24 * 60 * 60_000 - 60_000;
  const { body } = await at.refresh(client_id, first.refresh_token);
  assert.equal(body.expires_in, 60);
  at.gw.clock.now += 60_000;
  assert.ok(!await calls(at, body.access_token));
  assert.equal((await at.refresh(client_id, body.refresh_token)).body.error, "invalid_grant");
});

test("revoking a refresh token ends the grant, revoking an access token that one; unknown ones are nothing", async (at) => {
  const { client_id, access_token, refresh_token } = await at.connect();
  const revoke = async (form: Record<string, string>) => (await at.post("/oauth/revoke", form)).status;
  assert.equal(await revoke({ token: "unknown", client_id }), 200);
  assert.equal(await revoke({ token: refresh_token, client_id: "other" }), 200);
  assert.ok(await calls(at, access_token));
  assert.equal(await revoke({}), 400);
  assert.equal(await revoke({ token: access_token, client_id, token_type_hint: "refresh_token" }), 200);
  assert.ok(!await calls(at, access_token));
  const next = await at.refresh(client_id, refresh_token);
  assert.equal(next.status, 200);
  assert.equal(await revoke({ token: refresh_token, client_id }), 200);
  assert.ok(!await calls(at, next.body.access_token));
  assert.equal((await at.refresh(client_id, next.body.refresh_token)).body.error, "invalid_grant");
  assert.deepEqual(await ended(at), ["its client disconnected"]);
});

test("an access token says why it no longer calls", async (at) => {
  const { access_token } = await at.connect();
  const [listed] = await at.gw.store.oauthGrants.list();
  await at.gw.store.oauthGrants.end(listed!.grant.id, "its user ended it");
  const { status, body } = await at.with(access_token, "/api/v1/whoami");
  assert.equal(status, 401);
  assert.match(
    body.error.message,
    /^The connection was ended at .*, because its user ended it; connect again$/,
  );
  const unknown = await at.with("oat_unknown", "/api/v1/whoami");
  assert.match(unknown.body.error.message, /not known, or its time is over; refresh it/);
});

test("an access token does not open the admin API, and a refresh token or code calls nothing", async (at) => {
  const { access_token, refresh_token, client_id } = await at.connect();
  assert.equal((await at.with(access_token, "/admin/api/tokens")).status, 401);
  for (const text of [refresh_token, await at.code(client_id)]) {
    assert.equal((await at.with(text, "/api/v1/whoami")).status, 401);
  }
});

Deno.test("a token of another address is not accepted", async () => {
  const folder = await scratchFolder("test-");
  const kvPath = `${folder}/kv.db`;
  let had: Awaited<ReturnType<World["connect"]>>;
  {
    await using at = await oauth({ settings: { kvPath } });
    had = await at.connect();
    assert.ok(await calls(at, had.access_token));
  }
  {
    await using moved = await gateway({ settings: { kvPath, baseUrl: "http://127.0.0.1:9000" } });
    const headers = { authorization: `Bearer ${had.access_token}` };
    const response = await moved.http("/api/v1/whoami", { as: null, headers });
    assert.equal(response.status, 401);
    assert.match((await response.json()).error.message, /issued for another address/);
    const { client_id, refresh_token } = had;
    for (const resource of ["", "http://127.0.0.1:9000/mcp"]) {
      const form = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token, resource });
      const refreshed = await moved.http("/oauth/token", { method: "POST", as: null, body: form });
      assert.deepEqual([refreshed.status, (await refreshed.json()).error], [400, "invalid_target"]);
    }
  }
  {
    await using back = await gateway({ settings: { kvPath } });
    const { client_id, refresh_token } = had;
    const form = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token });
    const refreshed = await back.http("/oauth/token", { method: "POST", as: null, body: form });
    assert.equal(refreshed.status, 200, "nothing was lost");
  }
  await Deno.remove(folder, { recursive: true });
});

test("an access token in an address is none", async (at) => {
  const { access_token } = await at.connect();
  const response = await at.browse(`/api/v1/whoami?access_token=${access_token}`);
  assert.equal(response.status, 401);
});

test("a grant is refreshed 60 times an hour, and a client that goes on is asked to come back", async (at) => {
  const { client_id, ...first } = await at.connect();
  let { refresh_token } = first;
  for (let count = 0; count < 60; count++) {
    refresh_token = (await at.refresh(client_id, refresh_token)).body.refresh_token;
  }
  const { status, headers, body } = await at.refresh(client_id, refresh_token);
  assert.deepEqual(
    [status, body.error, headers.get("retry-after")],
    [429, "temporarily_unavailable", "3600"],
  );
  at.gw.clock.now += 60 * 60_000;
  assert.equal((await at.refresh(client_id, refresh_token)).status, 200);
});

test("what was issued under a clock that was ahead is worth nothing, and the client is let in anew", async (at) => {
  const before = await at.connect();
  at.gw.clock.now += 2 * YEAR_MS;
  const ahead = await at.connect();
  assert.equal(await calls(at, ahead.access_token), true);
  at.gw.clock.now = NOW;
  assert.equal(await calls(at, ahead.access_token), false);
  const { status, body } = await at.refresh(ahead.client_id, ahead.refresh_token);
  assert.deepEqual([status, body.error], [503, "temporarily_unavailable"]);
  assert.equal(await calls(at, before.access_token), true, "what was issued before is worth what it was");
  assert.equal(await calls(at, (await at.connect()).access_token), true);
  const { grant } = (await at.gw.store.oauthGrants.list()).find(({ grant }) =>
    grant.expires_at > NOW + YEAR_MS
  )!;
  assert.ok(
    await at.gw.store.oauthGrants.end(grant.id, "its user ended it"),
    "it is listed, and can be ended",
  );
});

test("a clock that is far behind for a while takes no connection from anybody", async (at) => {
  const { client_id, refresh_token } = await at.connect();
  at.gw.clock.now = 0;
  assert.equal((await at.refresh(client_id, refresh_token)).body.error, "temporarily_unavailable");
  at.gw.clock.now = NOW + 2 * 60 * 60_000;
  assert.equal((await at.refresh(client_id, refresh_token)).status, 200);
});

test("another method than an address has is answered with the one it has", async (at) => {
  const addresses = [
    ["/oauth/token", "POST"],
    ["/oauth/revoke", "POST"],
    ["/oauth/register", "POST"],
    ["/.well-known/oauth-authorization-server", "GET"],
    ["/.well-known/oauth-protected-resource/mcp", "GET"],
  ] as const;
  for (const [path, method] of addresses) {
    for (const other of ["PUT", "DELETE", method === "GET" ? "POST" : "GET"]) {
      const response = await at.browse(path, { method: other });
      assert.deepEqual([response.status, response.headers.get("allow")], [405, `${method}, OPTIONS`], path);
      assert.equal((await response.json()).error_description, `Send a ${method}`);
    }
  }
});
