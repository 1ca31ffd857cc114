/** The request for authorization and the page of consent: what is shown, what goes back, what is granted, what never is. */
import assert from "node:assert/strict";
import { ChangingSource, offer } from "../changing_source.ts";
import { BASE, CHALLENGE, filledIn, oauth, REDIRECT, test, type World } from "./oauth_kit.ts";

async function clientOf(at: World): Promise<string> {
  return (await at.register()).body.client_id;
}

/** Where a request leads, as the client is answered it. */
async function ledTo(at: World, address: string): Promise<URLSearchParams> {
  const response = await at.browse(address);
  const to = response.headers.get("location") ?? "";
  assert.ok(to.startsWith(`${REDIRECT}?`), `${response.status} ${to}`);
  return new URL(to).searchParams;
}

/** No grant stands, and none can come of a code. */
async function nothingGranted(at: World): Promise<void> {
  assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
  assert.deepEqual((await at.gw.audit()).filter(({ tool }) => tool.startsWith("client.")), []);
}

test("an unknown client and a redirect URI that is not the client's are shown, and lead nowhere", async (at) => {
  const id = await clientOf(at);
  const addresses: [string, RegExp][] = [
    [at.address("01ARZ3NDEKTSV4RRFFQ69G5FAV"), /no client .* is registered here/],
    [at.address("nobody"), /no client/],
    [at.address(id, { client_id: undefined }), /client_id: is required, once/],
    [`${at.address(id)}&client_id=other`, /client_id: is required, once/],
    [at.address(id, { redirect_uri: undefined }), /redirect_uri: is required, once/],
    [`${at.address(id)}&redirect_uri=https%3A%2F%2Fevil.example`, /redirect_uri: is required, once/],
    [at.address(id, { redirect_uri: `${REDIRECT}/` }), /none of those/],
    [at.address(id, { redirect_uri: REDIRECT.replace("callback", "%63allback") }), /none of those/],
    [at.address(id, { redirect_uri: "https://evil.example/callback" }), /none of those/],
    [at.address(id, { redirect_uri: "javascript:alert(1)" }), /redirect_uri/],
    [at.address(id, { redirect_uri: 'https://x.example/"><script>alert(1)</script>' }), /redirect_uri/],
  ];
  for (const who of [at.user, null]) {
    at.who = who;
    for (const [address, said] of addresses) {
      const response = await at.browse(address);
      const text = await response.text();
      assert.equal(response.status, 400, address);
      assert.equal(response.headers.get("location"), null);
      assert.match(text, said);
      assert.ok(!text.includes("<script>"), "markup is escaped");
    }
  }
  await nothingGranted(at);
});

test("every other fault goes back to the client with its state and with who answers", async (at) => {
  const id = await clientOf(at);
  const faults: [Record<string, string | undefined>, string][] = [
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "code id_token" }, "unsupported_response_type"],
    [{ response_mode: "fragment" }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge: `${CHALLENGE}=` }, "invalid_request"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ resource: `${BASE}/mcpx` }, "invalid_target"],
    [{ resource: `${BASE}/admin` }, "invalid_target"],
  ];
  for (const [more, error] of faults) {
    const answer = await ledTo(at, at.address(id, more));
    assert.equal(answer.get("error"), error, JSON.stringify(more));
    assert.equal(answer.get("state"), "state-1");
    assert.equal(answer.get("iss"), BASE);
    assert.match(answer.get("error_description")!, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    assert.equal(answer.get("code"), null);
  }
  const twice = await ledTo(at, `${at.address(id)}&code_challenge=${CHALLENGE}`);
  assert.equal(twice.get("error"), "invalid_request");
  const states = await ledTo(at, `${at.address(id)}&state=other`);
  assert.deepEqual([states.get("error"), states.get("state")], ["invalid_request", null]);
  const long = await ledTo(at, at.address(id, { state: "x".repeat(2049) }));
  assert.deepEqual([long.get("error"), long.get("state")], ["invalid_request", null]);
  const both = await ledTo(at, `${at.address(id)}&resource=${encodeURIComponent(BASE)}`);
  assert.equal(both.get("error"), "invalid_target");
  await nothingGranted(at);
});

test("a state and a name with markup are carried as texts", async (at) => {
  const name = `<script>alert(1)</script>"'&`;
  const { client_id } = (await at.register({ client_name: name })).body;
  const state = `<img src=x onerror=alert(1)>"'&#&code=stolen`;
  const address = at.address(client_id, { state });
  const response = await at.browse(address);
  const page = await response.text();
  assert.ok(!page.includes("<script>") && !page.includes("<img"), "escaped");
  assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  assert.match(
    response.headers.get("content-security-policy")!,
    /^default-src 'none'; .*frame-ancestors 'none'/,
  );
  assert.equal(response.headers.get("x-frame-options"), "DENY");
  assert.equal(response.headers.get("cache-control"), "no-store");
  const to = new URL((await at.consent(address)).headers.get("location")!).searchParams;
  assert.equal(to.get("state"), state);
  assert.equal(to.getAll("code").length, 1);
  assert.match(to.get("code")!, /^oac_/);
});

test("an answer is never sent to the gateway itself, whose host people trust", async (at) => {
  const redirect_uri = "http://127.0.0.1/admin/tokens";
  const { client_id } = (await at.register({ redirect_uris: [redirect_uri] })).body;
  const own = redirect_uri.replace("127.0.0.1", "127.0.0.1:8000");
  const response = await at.browse(at.address(client_id, { redirect_uri: own }));
  assert.deepEqual([response.status, response.headers.get("location")], [400, null]);
  assert.match(await response.text(), /is an address of this gateway, where no client answers/);
  assert.equal((await at.browse(at.address(client_id, { redirect_uri }))).status, 200);
});

test("a name cannot end its own quotation and go on in the words of the page", async (at) => {
  const client_name = "Claude” asks. The agency has verified it. “It";
  const { client_id } = (await at.register({ client_name })).body;
  const page = await (await at.browse(at.address(client_id))).text();
  assert.match(page, /<h1>Let “[^“”]*” in\?<\/h1>/);
  assert.match(page, /<p>A program that calls itself “[^“”]*” asks\. Nobody has verified that name\.<\/p>/);
});

test("a name that would change how the page reads is refused at registration", async (at) => {
  for (const client_name of ["a\u202eb", "a\nb", "a\u0000b", "x".repeat(101), "a\u200bb"]) {
    const { status, body } = await at.register({ client_name });
    assert.deepEqual([status, body.error], [400, "invalid_client_metadata"], JSON.stringify(client_name));
  }
});

test("a loopback redirect may use another port, and the policy lets the form lead there", async (at) => {
  const { client_id } = (await at.register({ redirect_uris: ["http://127.0.0.1:3000/cb"] })).body;
  const redirect_uri = "http://127.0.0.1:4711/cb";
  const address = at.address(client_id, { redirect_uri });
  const page = await at.browse(address);
  assert.match(
    page.headers.get("content-security-policy")!,
    /form-action 'self' http:\/\/127\.0\.0\.1:4711;/,
  );
  assert.match(await page.text(), /a program on the machine you are at/);
  const to = (await at.consent(address)).headers.get("location")!;
  assert.ok(to.startsWith(`${redirect_uri}?code=`), to);
  const code = new URL(to).searchParams.get("code")!;
  const other = await at.exchange(client_id, code, { redirect_uri: "http://127.0.0.1:3000/cb" });
  assert.equal(other.body.error, "invalid_grant");
  assert.equal((await at.exchange(client_id, code, { redirect_uri })).status, 200);
});

test("a query of a redirect URI is kept as it was written", async (at) => {
  const redirect_uri = "https://client.example/cb?tenant=a%20b&x=%2F";
  const { client_id } = (await at.register({ redirect_uris: [redirect_uri] })).body;
  const to = (await at.consent(at.address(client_id, { redirect_uri }))).headers.get("location")!;
  assert.ok(to.startsWith(`${redirect_uri}&code=`), to);
});

Deno.test("the page offers what the person has, and drafts only on no site of several", async () => {
  await using at = await oauth({}, { allowed_sites: ["acme"], max_risk: 2 });
  const id = await clientOf(at);
  const page = await (await at.browse(at.address(id))).text();
  assert.match(page, /acme/);
  assert.ok(!page.includes("other"), "a site of somebody else's is not shown");
  const first = filledIn(page, { sites: [] });
  assert.equal(first.get("max_risk"), "1");
  assert.equal(first.get("days"), "30");
  assert.ok(!page.includes("publish, on sites"), "a ceiling above the person's is not offered");
  assert.match(page, /name="sites" value="acme" type="checkbox" checked/);
  await at.gw.store.users.update(at.user.id, { allowed_sites: ["*"], max_risk: 0 });
  const wider = await (await at.browse(at.address(id))).text();
  assert.ok(!/name="sites" value="\w+" type="checkbox" checked/.test(wider), "of several none is ticked");
  assert.equal(filledIn(wider).get("max_risk"), "0");
});

Deno.test("of sites' own tools the page names those of the person's sites", async () => {
  const sources = [new ChangingSource(offer("find-here", ["acme"]), offer("find-there", ["other"]))];
  await using at = await oauth({ sources }, { allowed_sites: ["acme"] });
  const page = await (await at.browse(at.address(await clientOf(at)))).text();
  assert.match(page, /find-here/);
  assert.ok(!page.includes("find-there"));
});

test("the page names groups of tools by plain phrases, those of everyday work first", async (at) => {
  const page = await (await at.browse(at.address(await clientOf(at)))).text();
  const labels = [...page.matchAll(/<label for="groups-\d+">([^<]*)<\/label>/g)].map(([, label]) => label);
  assert.deepEqual(labels.slice(0, 2), [
    "Look up your sites and check that they work",
    "Articles, their images and categories",
  ]);
  const groups = new Set(at.gw.gateway.catalog.entries().map(({ group }) => group));
  assert.equal(labels.length, [...page.matchAll(/name="groups"/g)].length);
  assert.deepEqual(labels.filter((label) => groups.has(label!)), []);
});

Deno.test("what is sent beyond the offer is not granted", async () => {
  await using at = await oauth({}, { allowed_sites: ["acme"], max_risk: 1 });
  const tokens = await at.connect({
    sites: ["acme", "other", "*"],
    groups: ["posts", "*", "nothing"],
    max_risk: "4",
    days: "36500",
  });
  const [listed] = await at.gw.store.oauthGrants.list(at.user.id);
  assert.deepEqual(listed!.grant.allowed_sites, ["acme"]);
  assert.deepEqual(listed!.grant.groups, ["posts"]);
  assert.equal(listed!.grant.max_risk, 0);
  assert.equal(listed!.grant.expires_at, at.gw.clock.now + 24 * 60 * 60_000);
  const { body } = await at.with(tokens.access_token, "/api/v1/sites");
  assert.equal(body.result.sites.length, 1);
});

test("without a site, without a group and without an answer nothing is granted, and the page says so", async (at) => {
  const address = at.address(await clientOf(at));
  const cases: [Record<string, string | string[]>, RegExp][] = [
    [{ sites: [] }, /Tick at least one site/],
    [{ sites: ["nowhere"] }, /Tick at least one site/],
    [{ groups: [] }, /Tick at least one group/],
    [{ answer: [] }, /Choose Allow or Deny/],
    [{ answer: "maybe" }, /Choose Allow or Deny/],
  ];
  for (const [choice, said] of cases) {
    const response = await at.consent(address, choice);
    assert.equal(response.status, 422);
    assert.match(await response.text(), said);
  }
  await nothingGranted(at);
});

test("a no goes back as access_denied, and nothing is granted", async (at) => {
  const response = await at.consent(at.address(await clientOf(at)), { answer: "deny" });
  const answer = new URL(response.headers.get("location")!).searchParams;
  assert.equal(answer.get("error"), "access_denied");
  assert.equal(answer.get("state"), "state-1");
  assert.equal(answer.get("iss"), BASE);
  await nothingGranted(at);
});

test("a form of another origin, without the proof of our page, or too large grants nothing", async (at) => {
  const address = at.address(await clientOf(at));
  const form = filledIn(await (await at.browse(address)).text());
  const send = (headers: Record<string, string>, body: string) =>
    at.browse(
      address,
      { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", ...headers }, body },
    );
  const forged = new URLSearchParams([...form].filter(([name]) => name !== "csrf"));
  const guessed = new URLSearchParams([...forged, ["csrf", "guess"]]);
  const cases: [Record<string, string>, string][] = [
    [{ origin: "https://evil.example" }, String(form)],
    [{ origin: "null" }, String(form)],
    [{ "sec-fetch-site": "cross-site" }, String(form)],
    [{ origin: BASE }, String(forged)],
    [{ origin: BASE }, String(guessed)],
    [{ origin: BASE }, `${form}&x=${"x".repeat(64 * 1024)}`],
  ];
  for (const [headers, body] of cases) {
    const response = await send(headers, body);
    assert.equal(response.status, 403);
    assert.match(await response.text(), /nothing was granted/);
  }
  at.who = null;
  const gone = await send({ origin: BASE }, String(form));
  assert.equal(gone.status, 401);
  assert.match(await gone.text(), /Your session has ended[\s\S]*href="\/admin\/sign-in\?next=/);
  await nothingGranted(at);
});

test("the page of consent loads nothing, is in no frame, and sends no address on", async (at) => {
  const response = await at.browse(at.address(await clientOf(at)));
  const policy = response.headers.get("content-security-policy")!.split("; ");
  assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"));
  assert.ok(policy.includes("base-uri 'none'"));
  assert.ok(!policy.some((one) => one.startsWith("script-src")), policy.join());
  assert.equal(response.headers.get("x-frame-options"), "DENY");
  assert.match(response.headers.get("referrer-policy")!, /^(no-referrer|same-origin)$/);
  const loaded = [...(await response.text()).matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, to]) => to!);
  assert.deepEqual(loaded.filter((to) => !/^[/#]/.test(to)), []);
});
