/** The stand-in of Google's authorization server refuses what the real one refuses. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Accounts, SCOPES, startAccounts } from "../../sandbox/google_accounts/start.ts";

const BACK = "https://gateway.example/connect/callback";
const VERIFIER = "a-verifier-of-43-characters-or-more-0123456789";

function asked(at: Accounts, change: Record<string, string | null> = {}): URL {
  const url = new URL(at.env["ACCOUNT_AUTH_URL"]!);
  const query: Record<string, string | null> = {
    client_id: at.client.id,
    redirect_uri: BACK,
    response_type: "code",
    scope: `openid email ${SCOPES[0]}`,
    state: "abc",
    access_type: "offline",
    prompt: "consent",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    ...change,
  };
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value);
  return url;
}

async function post(url: string, form: Record<string, string>) {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, ...await response.json() };
}

/** What is sent for a code. */
const exchanged = (at: Accounts, code: string, change: Record<string, string> = {}) =>
  post(at.env["ACCOUNT_TOKEN_URL"]!, {
    grant_type: "authorization_code",
    code,
    code_verifier: VERIFIER,
    redirect_uri: BACK,
    client_id: at.client.id,
    client_secret: at.client.secret,
    ...change,
  });
const renewed = (at: Accounts, refresh_token: string) =>
  post(at.env["ACCOUNT_TOKEN_URL"]!, {
    grant_type: "refresh_token",
    refresh_token,
    client_id: at.client.id,
    client_secret: at.client.secret,
  });

async function code(at: Accounts, change: Record<string, string | null> = {}): Promise<string> {
  const page = await (await fetch(asked(at, change))).text();
  const form = new URLSearchParams({
    request: /name="request" value="([^"]+)"/.exec(page)![1]!,
    account: at.people[0]!.email,
    scope: SCOPES[0],
    answer: "allow",
  });
  const response = await fetch(`${at.base_url}/consent`, { method: "POST", body: form, redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location")!).searchParams.get("code")!;
}

function start(): Accounts {
  const at = startAccounts();
  at.client.redirect_uris.push(BACK);
  return at;
}

Deno.test("a consent page with anything wrong in it is a page of its own, and leads nowhere", async () => {
  await using at = start();
  const cases: [Record<string, string | null>, RegExp][] = [
    [{ client_id: "another" }, /invalid_client/],
    [{ redirect_uri: `${BACK}/` }, /redirect_uri_mismatch/],
    [{ redirect_uri: `${BACK}?a=b` }, /redirect_uri_mismatch/],
    [{ response_type: "token" }, /invalid_request/],
    [{ state: null }, /invalid_request/],
    [{ code_challenge: null }, /invalid_request/],
    [{ code_challenge_method: "plain" }, /invalid_request/],
    [{ scope: "openid https://www.googleapis.com/auth/drive" }, /invalid_scope/],
  ];
  for (const [change, said] of cases) {
    const response = await fetch(asked(at, change), { redirect: "manual" });
    assert.equal(response.status, 400);
    assert.match(await response.text(), said);
  }
});

Deno.test("a code counts once, for its client, its redirect URI and its verifier, for ten minutes", async () => {
  await using at = start();
  const wrong: [Record<string, string>, number, string][] = [
    [{ client_secret: "guessed" }, 401, "invalid_client"],
    [{ redirect_uri: "https://gateway.example/other" }, 400, "redirect_uri_mismatch"],
    [{ code_verifier: "another-verifier-of-43-characters-0123456789ab" }, 400, "invalid_grant"],
    [{ code: "4/made-up" }, 400, "invalid_grant"],
    [{ grant_type: "password" }, 400, "unsupported_grant_type"],
  ];
  const one = await code(at);
  for (const [change, status, error] of wrong) {
    const answer = await exchanged(at, one, change);
    assert.deepEqual([answer.status, answer.error], [status, error]);
  }
  const tokens = await exchanged(at, one);
  assert.equal(tokens.status, 200);
  assert.deepEqual(at.holder(tokens.access_token)?.email, at.people[0]!.email);
  assert.equal((await exchanged(at, one)).error, "invalid_grant");
  const late = await code(at);
  at.clock.advance(601);
  assert.equal((await exchanged(at, late)).error, "invalid_grant");
});

Deno.test("a refresh token comes with offline access that was asked for anew, and dies when it is revoked", async () => {
  await using at = start();
  const first = await exchanged(at, await code(at));
  assert.ok(first.refresh_token);
  assert.equal((await exchanged(at, await code(at, { prompt: null }))).refresh_token, undefined);
  assert.equal((await exchanged(at, await code(at, { access_type: null }))).refresh_token, undefined);
  const again = await renewed(at, first.refresh_token);
  assert.deepEqual([again.status, again.refresh_token], [200, undefined]);
  at.clock.advance(3600);
  assert.equal(at.holder(again.access_token), null, "access tokens live an hour");
  const revoke = () => post(at.env["ACCOUNT_REVOKE_URL"]!, { token: first.refresh_token });
  assert.deepEqual([(await revoke()).status, (await revoke()).error], [200, "invalid_token"]);
  assert.equal((await renewed(at, first.refresh_token)).error, "invalid_grant");
});

Deno.test("where it replaces refresh tokens, the one before is dead at once", async () => {
  await using at = start();
  at.ways.rotates = true;
  const { refresh_token } = at.grant(at.people[0]!.email);
  const next = await renewed(at, refresh_token);
  assert.ok(next.refresh_token && next.refresh_token !== refresh_token);
  assert.equal((await renewed(at, refresh_token)).error, "invalid_grant");
  assert.equal((await renewed(at, next.refresh_token)).status, 200);
});
