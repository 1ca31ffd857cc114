/** The way into a repository as an app: its own tokens, the installation's, what is kept of them and for how long. */
import assert from "node:assert/strict";
import type { SiteContext } from "../../../platforms/_connector/connector.ts";
import type { RepoSettings } from "../../../platforms/github/settings.ts";
import { readApp } from "../../../platforms/github/app.ts";
import type { RecordedRequest } from "../../../sandbox/github/start.ts";
import { refused } from "./_refused.ts";
import { nothingWritten, REPO, RepoWorld } from "./_repo.ts";

const TOKENS = "/access_tokens";
const MINUTE = 60_000;

const credentialOf = ({ headers }: RecordedRequest) => headers["authorization"]?.split(" ")[1] ?? "";

function tokensOf({ host }: RepoWorld): RecordedRequest[] {
  return host.requests.filter(({ path }) => path.endsWith(TOKENS));
}

function claimsOf(jwt: string): Record<string, Record<string, unknown>> {
  const [head, body] = jwt.split(".").slice(0, 2).map((part) =>
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })))
  );
  return { head, body };
}

Deno.test("the app signs itself in with its own key, for ten minutes at most, a little in the past", async () => {
  for (const form of ["private_key", "private_key_pkcs8"] as const) {
    await using at = await RepoWorld.open({
      settings: ({ app }) => ({ REPO_APP_PRIVATE_KEY: app[form] }),
    });
    const began = Math.floor(Date.now() / 1000);
    assert.match(await (await at.client()).head("main") ?? "", /^[0-9a-f]{40}$/);
    const asApp = at.host.requests.slice(0, 2);
    assert.deepEqual(asApp.map(({ method }) => method), ["GET", "POST"]);
    for (const exchange of asApp) {
      const { head, body } = claimsOf(credentialOf(exchange));
      assert.equal(head!["alg"], "RS256");
      assert.equal(String(body!["iss"]), String(at.host.app.id));
      const [iat, exp] = [Number(body!["iat"]), Number(body!["exp"])];
      const now = Math.floor(Date.now() / 1000);
      assert.ok(iat >= began - 60 && iat <= now - 30, `iat ${iat - now}`);
      assert.ok(exp > now && exp - now <= 600, `exp ${exp - now}`);
    }
    // Nothing of the repository itself is asked with the app's own token.
    for (const exchange of at.host.requests.slice(2)) {
      assert.doesNotMatch(credentialOf(exchange), /^eyJ/);
      assert.equal(exchange.headers["x-github-api-version"], "2022-11-28");
    }
  }
});

Deno.test("the installation is looked for by repository, user and organisation, and kept", async () => {
  await using at = await RepoWorld.open();
  const lookUps = () =>
    at.host.requests.map(({ path }) => path).filter((path) => path.endsWith("/installation"));
  await (await at.client()).head("main");
  await (await at.client()).head("main");
  assert.deepEqual(lookUps(), [`/repos/${REPO}/installation`]);
  at.ahead += 9 * MINUTE;
  await (await at.client()).head("main");
  assert.equal(lookUps().length, 1);
  at.ahead += 2 * MINUTE;
  await (await at.client()).head("main");
  assert.equal(lookUps().length, 2);
});

Deno.test("an app that is not installed, or suspended, is reported as such, and nothing but that is asked", async () => {
  await using at = await RepoWorld.open();
  at.host.uninstall("acme");
  const absent = /not installed for "acme\/site"; its owner can install it.*GET \/admin\/api\/repo/;
  await refused("E_REPO_APP_NOT_INSTALLED", absent, (await at.client()).head("main"));
  const places = ["/repos/acme/site", "/users/acme", "/orgs/acme"].map((place) => `${place}/installation`);
  assert.deepEqual(at.host.requests.map(({ path }) => path), places);
  at.host.install("acme", { suspended: true });
  await refused(
    "E_REPO_APP_NOT_INSTALLED",
    /is suspended for "acme\/site"/,
    (await at.client()).head("main"),
  );
  assert.deepEqual(tokensOf(at), []);
  at.host.install("acme");
  assert.ok(await (await at.client()).head("main"), "what was not there is not remembered");
});

Deno.test("an installation that covers other repositories of its owner says so", async () => {
  for (const type of ["User", "Organization"] as const) {
    await using at = await RepoWorld.open();
    await at.host.make("acme/other");
    at.host.install("acme", { type, repositories: ["other"] });
    await refused(
      "E_REPO_APP_NOT_INSTALLED",
      /installed for "acme", but not for a repository "site": it is not there/,
      (await at.client()).head("main"),
    );
    assert.deepEqual(at.asked.at(-1), `POST ${tokensOf(at)[0]!.path}`);
    nothingWritten(at);
  }
});

Deno.test("a token is for the one repository, to read or to write, and serves until a minute before its end", async () => {
  await using at = await RepoWorld.open();
  await (await at.client()).head("main");
  await at.push({ "a.md": "a" });
  await at.push({ "a.md": "b" });
  const narrow = (contents: string) => ({
    repositories: ["site"],
    permissions: { contents, metadata: "read" },
  });
  assert.deepEqual(tokensOf(at).map(({ body }) => body), [narrow("read"), narrow("write")]);
  // What reads is sent with the token that can do no more.
  const [reading, writing] = tokensOf(at).map(({ answer }) => (answer!.body as { token: string }).token);
  for (const exchange of at.host.requests) {
    const { method, path } = exchange;
    if (path.endsWith("/installation") || path.endsWith(TOKENS)) continue;
    assert.equal(credentialOf(exchange), method === "GET" ? reading : writing, `${method} ${path}`);
  }
  at.ahead += 58 * MINUTE;
  await (await at.client()).head("main");
  assert.equal(tokensOf(at).length, 2);
  at.ahead += 1.5 * MINUTE;
  await (await at.client()).head("main");
  assert.deepEqual(tokensOf(at).map(({ body }) => body).slice(2), [narrow("read")]);
});

Deno.test("two sites of one owner have each its own token", async () => {
  await using at = await RepoWorld.open();
  await at.host.make("acme/other");
  await (await at.client()).head("main");
  await (await at.client({ id: "other", repo: "acme/other" })).head("main");
  assert.deepEqual(tokensOf(at).map(({ body }) => (body as { repositories: string[] }).repositories), [
    ["site"],
    ["other"],
  ]);
});

Deno.test("a token that has run out is replaced once, for reads and for writes of which nothing was done", async () => {
  await using at = await RepoWorld.open();
  const head = await (await at.client()).head("main");
  at.host.expireTokens();
  assert.equal(await (await at.client()).head("main"), head);
  assert.equal(tokensOf(at).length, 2);
  await at.push({ "a.md": "a" });
  for (const path of ["/git/trees", "/git/commits", "/git/refs"]) {
    at.host.inject({ kind: "unauthorized" }, { method: path === "/git/refs" ? "PATCH" : "POST", path });
  }
  await at.push({ "a.md": "b" });
  assert.deepEqual(await at.log(), ["A change", "A change", "First commit"]);
  assert.equal((await at.host.files(REPO))["a.md"], "b");
});

Deno.test("a token that is never taken is an E_UPSTREAM after one fresh one", async () => {
  await using at = await RepoWorld.open();
  at.host.inject({ kind: "unauthorized" }, { path: "/git/", times: 9 });
  const error = await refused(
    "E_UPSTREAM",
    /answered 401: Bad credentials; .*REPO_APP_ID.*clock/,
    (await at.client()).head("main"),
  );
  assert.equal(error.upstream, 401);
  assert.equal(tokensOf(at).length, 2);
  assert.equal(at.asked.filter((one) => one === "GET /git/ref/heads/main").length, 2);
});

Deno.test("an answer without a token is no token, and is not kept for one", async () => {
  await using at = await RepoWorld.open();
  for (const body of ["{}", "<<<", '{"token":{}}', '{"token":""}']) {
    at.host.inject({ kind: "answer", body, status: 201 }, { path: TOKENS, times: 2 });
    await refused("E_UPSTREAM", /answer 201 cannot be read/, (await at.client()).head("main"));
    assert.ok(at.host.requests.every(({ path }) => !path.includes("/git/")), body);
    at.host.clear();
  }
  assert.ok(await (await at.client()).head("main"));
});

Deno.test("a clock, a key or an id that the host does not take is told after one request", async () => {
  await using at = await RepoWorld.open();
  at.host.inject({ kind: "unauthorized" }, { path: "/installation", times: 9 });
  await refused("E_UPSTREAM", /answered 401.*this machine's clock/, (await at.client()).head("main"));
  assert.equal(at.host.requests.length, 1);
  await using other = await RepoWorld.open({ settings: () => ({ REPO_APP_ID: "1" }) });
  await refused(
    "E_UPSTREAM",
    /does not take the app's key: check REPO_APP_ID/,
    (await other.client()).head("main"),
  );
  assert.equal(other.host.requests.length, 1);
});

Deno.test("an app taken out or suspended after it was found is told at once, and found again when it is back", async () => {
  await using at = await RepoWorld.open();
  const head = async () => await (await at.client()).head("main");
  await head();
  at.host.uninstall("acme");
  await refused("E_REPO_APP_NOT_INSTALLED", /not installed/, head());
  at.host.install("acme");
  assert.ok(await head(), "it has another installation now");
  at.host.install("acme", { suspended: true });
  await refused("E_REPO_APP_NOT_INSTALLED", /suspended/, head());
  at.host.install("acme");
  assert.ok(await head());
});

Deno.test("the right to write is looked at before anything is written, and again once it was missing", async () => {
  await using at = await RepoWorld.open();
  at.host.install("acme", { permissions: { contents: "read", metadata: "read" } });
  const client = await at.client();
  assert.equal(await client.mayWrite(), false);
  const error = await refused(
    "E_UPSTREAM",
    /may only read it; nothing was written: .*"Contents/,
    client.requireWrite(),
  );
  assert.equal(error.upstream, 403);
  nothingWritten(at);
  at.host.install("acme");
  await (await at.client()).requireWrite();
  assert.equal(await (await at.client()).mayWrite(), true);
});

Deno.test("a site without a repository and an app without its secrets send nothing", async () => {
  const rows = [
    [
      {},
      { repo: null },
      "E_REPO_NOT_LINKED",
      /Site "acme" has no repository; its operator can set one with deno task admin site update acme --repo …/,
    ],
    [{ REPO_APP_ID: null }, {}, "E_MISSING_SECRET", /need REPO_APP_ID,/],
    [{ REPO_APP_PRIVATE_KEY: null }, {}, "E_MISSING_SECRET", /need REPO_APP_PRIVATE_KEY,/],
    [{ REPO_APP_ID: null, REPO_APP_PRIVATE_KEY: null }, {}, "E_MISSING_SECRET", /REPO_APP_ID/],
  ] as const;
  for (const [settings, given, code, message] of rows) {
    await using at = await RepoWorld.open({ settings: () => settings });
    await refused(code, message, at.client(given));
    assert.deepEqual([at.sent, at.host.requests], [[], []]);
  }
});

Deno.test("a private key that is none is told by its setting's name, without the key", async () => {
  const body = btoa("not a key at all, but long enough to be taken for one, and secret").match(/.{1,64}/g)!;
  for (const kind of ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"]) {
    const key = [`-----BEGIN ${kind}-----`, ...body, `-----END ${kind}-----`].join("\n");
    await using at = await RepoWorld.open({ settings: () => ({ REPO_APP_PRIVATE_KEY: key }) });
    const client = await at.client();
    const error = await refused(
      "E_MISSING_SECRET",
      /need REPO_APP_PRIVATE_KEY, and the one that is set is no RSA key/,
      client.head("main"),
    );
    for (const line of body) assert.ok(!`${error.stack} ${String(error.cause)}`.includes(line));
    const report = await readApp(at.reach() as SiteContext<RepoSettings>);
    assert.equal(report.configured, true);
    assert.match(report.problem ?? "", /need REPO_APP_PRIVATE_KEY, and the one that is set/);
    assert.deepEqual([at.sent, at.host.requests], [[], []]);
  }
});

Deno.test("no credential comes back in a message, whatever the host says", async () => {
  const echo: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname;
    const answer = await fetch(input, init);
    const tell = told.find((part) => path.endsWith(part));
    if (tell === undefined) return answer;
    await answer.body?.cancel();
    const [, said] = new Headers(init?.headers).get("authorization")!.split(" ");
    return Response.json({ message: `You sent ${said}, that is "${said}"` }, { status: 418 });
  };
  let told: string[] = [];
  for (const part of ["/installation", TOKENS, "/git/ref/heads/main"]) {
    await using at = await RepoWorld.open({ fetch: echo });
    told = [part];
    const error = await refused("E_UPSTREAM", /You sent .*\[redacted\]/, (await at.client()).head("main"));
    assert.equal(error.upstream, 418);
    assert.ok(!JSON.stringify([error.message, String(error.cause)]).includes("ghs_"));
  }
});
