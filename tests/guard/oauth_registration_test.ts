/** Clients that register: what is taken of what they say, what is left out, and how many may. */
import assert from "node:assert/strict";
import { BASE, oauth, REDIRECT, test } from "./oauth_kit.ts";

test("a registration says what is wrong with it, and what was made of it", async (at) => {
  const made = await at.register({
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    token_endpoint_auth_method: "client_secret_basic",
    application_type: "native",
    redirect_uris: ["http://127.0.0.1/cb"],
  });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("cache-control"), "no-store");
  assert.deepEqual(made.body, {
    client_id: made.body.client_id,
    client_id_issued_at: Math.floor(at.gw.clock.now / 1000),
    client_name: "Helper",
    redirect_uris: ["http://127.0.0.1/cb"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "tools",
  });
  const uri = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`);
  const cases: [Record<string, unknown>, string][] = [
    [{ redirect_uris: undefined }, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: uri(11) }, "invalid_redirect_uri"],
    [{ redirect_uris: "https://a.example" }, "invalid_redirect_uri"],
    [{ redirect_uris: [1] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://a.example/cb"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["com.example.app:/cb"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["http://a.example/cb", "javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [`https://a.example/${"x".repeat(1024)}`] }, "invalid_redirect_uri"],
    [{ grant_types: ["client_credentials"] }, "invalid_client_metadata"],
    [{ response_types: ["token"] }, "invalid_client_metadata"],
    [{ client_name: 5 }, "invalid_client_metadata"],
  ];
  for (const [metadata, error] of cases) {
    const { status, body } = await at.register(metadata);
    assert.deepEqual([status, body.error], [400, error], JSON.stringify(metadata));
  }
  const large = await at.register({ software_statement: "x".repeat(20_000) });
  assert.equal(large.status, 413);
  const init = { method: "POST", as: null };
  for (const [type, body] of [["text/plain", "{}"], ["application/json", "{"], ["application/json", "[]"]]) {
    const headers = { "content-type": type! };
    const { status } = await at.gw.http("/oauth/register", { ...init, headers, body: body! });
    assert.equal(status, 400);
  }
});

test("a registration keeps the redirect URIs that may be, and says which were left out and why", async (at) => {
  const long = `https://a.example/${"x".repeat(1024)}`;
  const named = [REDIRECT, "http://a.example/cb", "windsurf://codeium/cb", "cursor://anysphere.mcp/cb", long];
  const { status, body } = await at.register({ redirect_uris: named });
  assert.equal(status, 201);
  assert.deepEqual(body.redirect_uris, [REDIRECT, "cursor://anysphere.mcp/cb"]);
  const left: { redirect_uri: string; reason: string }[] = body.redirect_uris_left_out;
  assert.deepEqual(left.map(({ redirect_uri }) => redirect_uri), [named[1], named[2], long.slice(0, 200)]);
  assert.match(left[0]!.reason, /^is http, which is only for/);
  assert.match(left[1]!.reason, /^has another scheme; use https, .* cursor:\/\//);
  assert.match(left[2]!.reason, /^is longer than 1024/);
  assert.equal((await at.exchange(body.client_id, await at.code(body.client_id))).status, 200);
  for (const redirect_uri of named.slice(1, 3)) {
    const page = await at.browse(at.address(body.client_id, { redirect_uri }));
    assert.equal(page.status, 400, redirect_uri);
  }
});

/** What editors register, and which of it they then ask with. */
const EDITORS: readonly { redirect_uris: readonly string[]; asked: readonly string[]; source: string }[] = [
  {
    source: "Cursor's three in one request: erp-mafia/accounted pull request 2225, 2026-09-03",
    redirect_uris: [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
    asked: ["cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:8787/callback"],
  },
  {
    source:
      "Visual Studio Code's four, and the port it takes where its own is taken: microsoft/vscode issue 278512",
    redirect_uris: [
      "https://insiders.vscode.dev/redirect",
      "https://vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1:33418/",
    ],
    asked: ["https://vscode.dev/redirect", "http://127.0.0.1:33418/", "http://127.0.0.1:59656/"],
  },
];

test("editors are registered with all that they name, and let in with what they ask with", async (at) => {
  for (const { redirect_uris, asked, source } of EDITORS) {
    const { status, body } = await at.register({ redirect_uris });
    assert.deepEqual([status, body.redirect_uris], [201, redirect_uris], source);
    assert.equal(body.redirect_uris_left_out, undefined, source);
    for (const redirect_uri of asked) {
      const code = await at.code(body.client_id, { redirect_uri });
      assert.equal((await at.exchange(body.client_id, code, { redirect_uri })).status, 200, redirect_uri);
    }
  }
});

Deno.test("an editor that waits behind a scheme of its own is let in, with a plain warning that anybody may wait there", async () => {
  for (const [scheme, program] of [["cursor", "Cursor"], ["vscode", "Visual Studio Code"]]) {
    await using at = await oauth();
    const redirect_uri = `${scheme}://publisher.extension/oauth/callback`;
    const { body } = await at.register({ client_name: "Editor", redirect_uris: [redirect_uri] });
    const address = at.address(body.client_id, { redirect_uri });
    const shown = await at.browse(address);
    const page = await shown.text();
    assert.match(
      page,
      new RegExp(`Warning: any program on that machine can register itself for ${scheme}://`),
    );
    assert.match(page, new RegExp(`only if you just connected from ${program} there`));
    assert.match(shown.headers.get("content-security-policy")!, new RegExp(`form-action 'self' ${scheme}:;`));
    const back = new URL((await at.consent(address)).headers.get("location")!);
    assert.equal(`${back.protocol}//${back.host}${back.pathname}`, redirect_uri);
    assert.deepEqual([back.searchParams.get("state"), back.searchParams.get("iss")], ["state-1", BASE]);
    const code = back.searchParams.get("code")!;
    assert.equal((await at.exchange(body.client_id, code, { redirect_uri })).status, 200);
    const [listed] = await at.gw.store.oauthGrants.list();
    assert.equal(listed!.grant.redirect_host, `${scheme}://publisher.extension`);
    const usual = await (await at.browse(at.address((await at.register()).body.client_id))).text();
    assert.doesNotMatch(usual, /Warning/);
  }
});

test("the 31st registration of a minute from one address, and the 61st of all, are asked to come back", async (at) => {
  const from = async (hostname: string) => {
    const request = new Request("http://127.0.0.1:8000/oauth/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    });
    const response = await at.gw.gateway.fetch(request, {
      remoteAddr: { transport: "tcp", hostname, port: 1 },
    });
    const { error } = await response.json();
    return [response.status, response.headers.get("retry-after"), error];
  };
  const fine = [201, null, undefined];
  for (let count = 0; count < 30; count++) assert.deepEqual(await from("198.51.100.1"), fine);
  at.gw.clock.now += 10_000;
  assert.deepEqual(await from("198.51.100.1"), [429, "50", "temporarily_unavailable"]);
  for (let count = 0; count < 30; count++) assert.deepEqual(await from("198.51.100.2"), fine);
  assert.deepEqual(await from("198.51.100.3"), [429, "60", "temporarily_unavailable"]);
  at.gw.clock.now += 50_000;
  assert.deepEqual(await from("198.51.100.1"), fine);
});
