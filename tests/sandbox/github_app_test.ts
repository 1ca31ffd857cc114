/** The repository host: the app's own token, its installations, the tokens they give and what those reach. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { startGitHub } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";
import { appToken, asApp, asInstallation, coded, cut, RepoAsker } from "./github_asker.ts";
import { assertDescribed, faultsOf } from "./github_openapi.ts";

const REPO = "acme/site";
const R = `/repos/${REPO}`;
const NARROW = { repositories: ["site"], permissions: { contents: "write", metadata: "read" } };
const UNREADABLE = [401, "A JSON web token could not be decoded"];

Deno.test("the app is known by a token signed with its key, in either form, at the right time", async () => {
  const noon = Date.UTC(2026, 4, 4, 12);
  await using host = await startGitHub({ now: () => noon });
  const now = noon / 1000;
  const ask = (token: string | null) => new RepoAsker(host, token).get("/app");
  const good = await ask(appToken(host));
  assert.deepEqual([good.status, good.body["id"], good.body["slug"]], [200, host.app.id, host.app.slug]);
  assert.equal(good.headers.get("date"), "Mon, 04 May 2026 12:00:00 GMT");
  for (
    const token of [
      appToken(host, { iss: host.app.client_id }),
      appToken(host, {}, host.app.private_key_pkcs8),
    ]
  ) {
    assert.equal((await ask(token)).status, 200);
  }
  assert.match(host.app.private_key, /^-----BEGIN RSA PRIVATE KEY-----/);
  assert.match(host.app.private_key_pkcs8, /^-----BEGIN PRIVATE KEY-----/);

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const other = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  assert.deepEqual(cut(await ask(appToken(host, {}, other))), UNREADABLE);
  assert.deepEqual(cut(await ask(appToken(host, {}, host.app.private_key, { alg: "none" }))), UNREADABLE);
  assert.deepEqual(cut(await ask("ghs_sometoken")), UNREADABLE);
  assert.deepEqual(cut(await ask(null)), [401, "Requires authentication"]);
  assert.deepEqual(cut(await ask(appToken(host, { iss: "1" }))), [404, "Integration not found"]);
  const claims: [Json, RegExp][] = [
    [{ exp: now + 3600 }, /'exp'\) is too far in the future/],
    [{ iat: now - 3000, exp: now + 500 }, /'exp'\) is too far in the future/],
    [{ iat: now - 900, exp: now - 400 }, /'exp'\) must be/],
    [{ exp: "soon" }, /'exp'\) must be/],
    [{ iat: now + 300 }, /'iat'\) must be/],
  ];
  for (const [claim, words] of claims) {
    const { status, body } = await ask(appToken(host, claim));
    assert.equal(status, 401);
    assert.match(String(body["message"]), words);
  }
  assertDescribed(host.requests);
});

Deno.test("an installation is found by repository, user and organisation, and all are listed in pages", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  await host.make("agency/one");
  await host.make("stranger/site", { installed: false });
  host.install("agency", { type: "Organization" });
  const app = asApp(host);
  const found = await app.get(`${R}/installation`);
  assert.deepEqual([found.status, found.body["repository_selection"], found.body["suspended_at"]], [
    200,
    "all",
    null,
  ]);
  assert.equal((await app.get("/users/acme/installation")).body["id"], found.body["id"]);
  assert.equal((await app.get("/orgs/agency/installation")).body["target_type"], "Organization");
  for (
    const path of ["/orgs/acme", "/users/agency", "/users/stranger", "/users/nobody", "/repos/stranger/site"]
  ) {
    assert.deepEqual(cut(await app.get(`${path}/installation`)), [404, "Not Found"], path);
  }
  const first = await app.get("/app/installations?per_page=1");
  assert.deepEqual(JSON.parse(first.text).map((one: Json) => one["id"]), [found.body["id"]]);
  assert.match(first.headers.get("link") ?? "", /page=2>; rel="next"/);
  const second = await app.get("/app/installations?per_page=1&page=2");
  assert.deepEqual(JSON.parse(second.text).map((one: Json) => (one["account"] as Json)["login"]), ["agency"]);
  assert.equal((await app.get(`/app/installations/${found.body["id"]}`)).status, 200);
  assert.deepEqual(cut(await app.get("/app/installations/1")), [404, "Not Found"]);
  assertDescribed(host.requests);
});

Deno.test("a token of an hour ago and one of a suspended installation are refused in the host's words", async () => {
  await using host = await startGitHub({ now: () => Date.UTC(2026, 4, 4, 12) });
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  const made = host.requests.at(-1)!.answer!.body as Json;
  assert.equal(made["expires_at"], "2026-05-04T13:00:00Z");
  host.clock.advance(3600);
  assert.deepEqual(cut(await asker.get(R)), [401, "Bad credentials"]);
  const late = await asInstallation(host, REPO);
  const { body } = await asApp(host).get(`${R}/installation`);
  host.install("acme", { suspended: true });
  const denied = await asApp(host).post(`/app/installations/${body["id"]}/access_tokens`, NARROW);
  for (const answer of [await late.get(R), denied]) {
    assert.deepEqual(cut(answer), [403, "This installation has been suspended"]);
  }
  assert.deepEqual(cut(await new RepoAsker(host, null).get(R)), [401, "Requires authentication"]);
  assertDescribed(host.requests);
});

Deno.test("a token reaches only the repositories and rights it was asked for", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  await host.make("acme/other");
  const seen = async (asker: RepoAsker) => {
    const { body } = await asker.get("/installation/repositories");
    return (body["repositories"] as Json[]).map(({ full_name }) => full_name);
  };
  const narrow = await asInstallation(host, REPO);
  assert.deepEqual(await seen(narrow), [REPO]);
  assert.deepEqual(cut(await narrow.get("/repos/acme/other")), [404, "Not Found"]);
  assert.deepEqual(await seen(await asInstallation(host, REPO, {})), [REPO, "acme/other"]);

  const file = { message: "m", content: coded("x") };
  const reader = await asInstallation(host, REPO, { permissions: { contents: "read" } });
  assert.equal((await reader.get(`${R}/contents/README.md`)).status, 200);
  const writes = [
    await reader.put(`${R}/contents/x`, file),
    await reader.post(`${R}/git/blobs`, { content: "x" }),
    await reader.post(`${R}/git/refs`, { ref: "refs/heads/x", sha: await reader.head(REPO) }),
  ];
  for (const answer of writes) assert.deepEqual(cut(answer), [403, "Resource not accessible by integration"]);
  const blind = await asInstallation(host, REPO, { permissions: { metadata: "read" } });
  assert.equal((await blind.get(R)).status, 200);
  assert.equal((await blind.get(`${R}/contents/README.md`)).status, 403);
  assert.deepEqual(await host.files(REPO), { "README.md": "# Site\n" });

  const refused = async (body: Json) => {
    const { body: one } = await asApp(host).get(`${R}/installation`);
    return cut(await asApp(host).post(`/app/installations/${one["id"]}/access_tokens`, body));
  };
  assert.match(
    String((await refused({ repositories: ["nope"] }))[1]),
    /^There is at least one repository that does not/,
  );
  assert.deepEqual(await refused({ permissions: { workflows: "write" } }), [
    422,
    "The permissions requested are not granted to this installation.",
  ]);
  host.install("acme", { permissions: { contents: "read", metadata: "read" } });
  assert.equal((await refused(NARROW))[0], 422);
  assert.deepEqual(cut(await narrow.put(`${R}/contents/x`, file)), [
    403,
    "Resource not accessible by integration",
  ]);
});

Deno.test("workflows cannot be changed without the right to", async () => {
  await using host = await startGitHub();
  await host.make(REPO, { files: { ".github/workflows/ci.yml": "on: push\n", "a.txt": "a" } });
  const asker = await asInstallation(host, REPO);
  const file = { message: "m", content: coded("x") };
  assert.equal((await asker.put(`${R}/contents/.github/workflows/new.yml`, file)).status, 403);
  assert.equal((await asker.put(`${R}/contents/.github/CODEOWNERS`, file)).status, 201);
  const head = await asker.head(REPO);
  const row = { path: "a.txt", mode: "100644", type: "blob", content: "b" };
  const tree = await asker.made(`${R}/git/trees`, { tree: [row] });
  const sha = await asker.made(`${R}/git/commits`, { message: "All gone", tree, parents: [head] });
  assert.equal((await asker.patch(`${R}/git/refs/heads/main`, { sha })).status, 403);
  assert.equal((await asker.post(`${R}/git/refs`, { ref: "refs/heads/x", sha })).status, 403);
  assert.equal(await asker.head(REPO), head);
});

Deno.test("a version it does not speak is refused", async () => {
  await using host = await startGitHub();
  const answer = await asApp(host).get("/app", { "x-github-api-version": "2020-01-01" });
  assert.deepEqual(cut(answer), [400, `"2020-01-01" is not a supported version.`]);
});

Deno.test("the description finds what is wrong with a request and with an answer", async () => {
  await using host = await startGitHub();
  await host.make(REPO);
  const asker = await asInstallation(host, REPO);
  await asker.get(R);
  const { length } = host.requests;
  assertDescribed(host.requests);
  const good = host.requests[length - 1]!;
  const answer = good.answer!;
  const wrong: [Partial<typeof good>, RegExp][] = [
    [{ query: { recursve: "1" } }, /query recursve is not described/],
    [{ body: {} }, /a body is not described/],
    [{ path: "/repos/acme/site/stargazers" }, /is not described/],
    [{ method: "PATCH" }, /is not described/],
    [{ headers: { ...good.headers, accept: "*\/*" } }, /Accept is/],
    [
      { answer: { ...answer, body: { ...answer.body as Json, default_branch: 1 } } },
      /default_branch must be string/,
    ],
    [{ answer: { ...answer, status: 202 } }, /202, which is not described/],
    [{ answer: { ...answer, status: 500, body: {} } }, /message/],
  ];
  for (const [part, words] of wrong) assert.match(faultsOf({ ...good, ...part }).join("\n"), words);
  const put = { ...good, method: "PUT", path: `${R}/contents/a/b.md`, query: {} };
  assert.match(faultsOf({ ...put, body: { message: "m" } }).join("\n"), /content/);
  assert.match(
    faultsOf({ ...put, body: { message: "m", content: "", brnch: "x" } }).join("\n"),
    /additional properties.*brnch/,
  );
  assert.throws(() => assertDescribed([]), /there are exchanges/);
});
