/** People let clients in: the way over the sign-in, sessions that are not theirs, and the end by person, operator, removal. */
import assert from "node:assert/strict";
import { type Answered, CHALLENGE, REDIRECT, VERIFIER } from "../guard/oauth_kit.ts";
import { runCommand } from "../../admin/commands.ts";
import { CONNECTORS } from "../connectors.ts";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { joined, operator, person, PersonBrowser } from "./kit.ts";

const SITES = { sites: [site("acme", "cms"), site("other", "cms")] };

/** One request without cookies, answered as JSON. */
async function send(
  gw: Kit,
  path: string,
  body: string,
  type = "application/x-www-form-urlencoded",
): Promise<Answered> {
  const headers = { "content-type": type };
  const response = await gw.http(path, { method: "POST", as: null, headers, body });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A new client, and the address that it sends its person to. */
async function client(gw: Kit): Promise<{ id: string; address: string }> {
  const metadata = JSON.stringify({ client_name: "Helper", redirect_uris: [REDIRECT] });
  const { body } = await send(gw, "/oauth/register", metadata, "application/json");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: body.client_id,
    redirect_uri: REDIRECT,
    state: "s",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  return { id: body.client_id, address: `/oauth/authorize?${query}` };
}

const CHOICE = { sites: "acme", groups: ["discovery"], max_risk: "1", days: "7", answer: "allow" };

/** Opens the page of consent and allows. */
async function letIn(gw: Kit, browser: PersonBrowser) {
  const { id, address } = await client(gw);
  const page = await browser.open(address);
  assert.match(page.title, /^Let “Helper” in\?$/);
  const led = await browser.submit(address, CHOICE, { stay: true });
  const code = new URL(led.path).searchParams.get("code")!;
  const form = {
    grant_type: "authorization_code",
    client_id: id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  };
  const { body } = await send(gw, "/oauth/token", String(new URLSearchParams(form)));
  assert.match(body.access_token, /^oat_/, JSON.stringify(body));
  return { id, ...body as { access_token: string; refresh_token: string } };
}

const refresh = (gw: Kit, { id, refresh_token }: { id: string; refresh_token: string }) =>
  send(
    gw,
    "/oauth/token",
    String(new URLSearchParams({ grant_type: "refresh_token", client_id: id, refresh_token })),
  );

async function calls(gw: Kit, access_token: string): Promise<boolean> {
  const response = await gw.http("/api/v1/whoami", {
    as: null,
    headers: { authorization: `Bearer ${access_token}` },
  });
  await response.body?.cancel();
  return response.ok;
}

Deno.test("whoever has to sign in first comes back to the very request", async () => {
  await using gw = await gateway(SITES);
  const ann = await person(gw, "ann@agency.example");
  await (await joined(gw, ann)).submit("/admin/sign-out", {});
  const { address } = await client(gw);
  const browser = new PersonBrowser(gw);
  assert.equal((await browser.open(address)).title, "Sign in");
  const page = await browser.submit("/admin/sign-in", {
    email: ann.email,
    passphrase: "seven green lamps hum",
  });
  assert.equal(page.title, "Let “Helper” in?");
  assert.equal(page.path, address);
});

Deno.test("a form of one session grants nothing in another, nor after its person signed out", async () => {
  await using gw = await gateway(SITES);
  const ann = await joined(gw, await person(gw, "ann@agency.example"));
  const bob = await joined(gw, await person(gw, "bob@agency.example"));
  const { address } = await client(gw);
  await ann.open(address);
  bob.page = ann.page;
  const crossed = await bob.submit(address, CHOICE);
  assert.equal(crossed.status, 403);
  assert.match(crossed.text, /made for another session; nothing was granted/);
  const stolen = ann.stolen();
  stolen.page = ann.page;
  await ann.open("/admin/clients");
  await ann.submit("/admin/sign-out", {});
  assert.equal((await stolen.submit(address, CHOICE)).title, "Your session has ended");
  assert.deepEqual(await gw.store.oauthGrants.list(), []);
  assert.equal((await gw.audit()).filter(({ tool }) => tool.startsWith("client.")).length, 0);
});

Deno.test("each person sees and ends their own clients, and no other's", async () => {
  await using gw = await gateway(SITES);
  const [ann, bob] = [await person(gw, "ann@agency.example"), await person(gw, "bob@agency.example")];
  const browsers = { ann: await joined(gw, ann), bob: await joined(gw, bob) };
  const tokens = await letIn(gw, browsers.ann);
  const { grant } = (await gw.store.oauthGrants.list())[0]!;
  assert.match(
    (await browsers.ann.open("/admin/clients")).text,
    /“Helper”, whose answers go to client\.example/,
  );
  assert.match((await browsers.ann.open("/admin/clients")).text, /it confirms what it was shown/);
  assert.match((await browsers.bob.open("/admin/clients")).text, /You have let no client in/);
  const csrf = /name="csrf" value="([^"]+)"/.exec(browsers.bob.page!.text)![1]!;
  const foreign = await browsers.bob.post(
    "/admin/clients/end",
    new URLSearchParams({ csrf, client: grant.id }),
  );
  assert.equal(foreign.status, 404);
  assert.ok(await calls(gw, tokens.access_token));
  await browsers.ann.open("/admin/clients");
  await browsers.ann.submit("/admin/clients/end", {});
  assert.ok(!await calls(gw, tokens.access_token));
  assert.equal((await refresh(gw, tokens)).body.error, "invalid_grant");
  const rows = (await gw.audit()).filter(({ tool }) => tool === "client.end" || tool === "client.grant");
  assert.deepEqual(
    rows.map(({ tool, token_name, owner_user_id, arguments: what }) => [
      tool,
      token_name,
      owner_user_id,
      (what as { why?: string }).why,
    ]),
    [
      ["client.end", "ann@agency.example", ann.id, "its user ended it"],
      ["client.grant", "ann@agency.example", ann.id, undefined],
    ],
  );
});

Deno.test("an operator lists every client and ends one", async () => {
  await using gw = await gateway(SITES);
  const ann = await person(gw, "ann@agency.example");
  const tokens = await letIn(gw, await joined(gw, ann));
  const { result } = await operator(gw, "GET", "clients");
  assert.equal(result.clients.length, 1);
  const { grant_id, email, allowed_sites, groups, max_risk } = result.clients[0];
  assert.deepEqual([email, allowed_sites, groups, max_risk], [ann.email, ["acme"], ["discovery"], 1]);
  assert.ok(!JSON.stringify(result).includes("oat_"));
  assert.equal((await operator(gw, "GET", "clients?user_id=nobody")).result.clients.length, 0);
  assert.equal((await operator(gw, "POST", "clients/unknown/end", {})).error?.code, "E_NOT_FOUND");
  assert.deepEqual((await operator(gw, "POST", `clients/${grant_id}/end`, {})).result, {
    grant_id,
    client_name: "Helper",
  });
  assert.equal((await operator(gw, "POST", `clients/${grant_id}/end`, {})).error?.code, "E_NOT_FOUND");
  assert.ok(!await calls(gw, tokens.access_token));
  const [end] = (await gw.audit()).filter(({ tool }) => tool === "client.end");
  assert.equal(end!.token_name, "master token");
});

Deno.test("a user who is removed while a refresh is in flight leaves nothing that calls", async () => {
  await using gw = await gateway(SITES);
  for (let round = 0; round < 5; round++) {
    const ann = await person(gw, `ann-${round}@agency.example`);
    const tokens = await letIn(gw, await joined(gw, ann));
    const [refreshed, removed] = await Promise.all([
      refresh(gw, tokens),
      operator(gw, "POST", `users/${ann.id}/remove`, {}),
    ]);
    assert.equal(removed.error, undefined);
    const texts = [tokens.access_token, refreshed.body.access_token].filter((text) => text !== undefined);
    for (const text of texts) assert.ok(!await calls(gw, text));
    const last = refreshed.body.refresh_token ?? tokens.refresh_token;
    assert.equal((await refresh(gw, { ...tokens, refresh_token: last })).body.error, "invalid_grant");
    assert.deepEqual(await gw.store.oauthGrants.list(), []);
  }
});

Deno.test("the command line lists connected clients and ends one", async () => {
  await using gw = await gateway(SITES);
  const ann = await person(gw, "ann@agency.example");
  const tokens = await letIn(gw, await joined(gw, ann));
  const run = async (...args: string[]) => {
    let [out, err] = ["", ""];
    const code = await runCommand(args, {
      env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
      stdin: () => assert.fail("nothing is read"),
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      fetch: async (request) => await gw.gateway.fetch(request),
      read: () => Promise.reject(new Error("no file is read")),
      kept: () => null,
      wait: () => Promise.resolve(false),
    }, CONNECTORS);
    return { code, out, err };
  };
  const listed = await run("client", "list", "--user", ann.id);
  assert.equal(listed.code, 0, listed.err);
  assert.match(listed.out, /Helper +client\.example +ann@agency\.example +acme +discovery +1/);
  const [{ grant_id }] = JSON.parse((await run("client", "list", "--json")).out).clients;
  assert.match((await run("client", "end", grant_id)).out, /client_name +Helper/);
  assert.ok(!await calls(gw, tokens.access_token));
  const again = await run("client", "end", grant_id);
  assert.equal(again.code, 1);
  assert.match(again.err, /No connected client .*; list the connected clients to find it/);
});
