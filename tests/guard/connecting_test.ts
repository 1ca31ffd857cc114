/** Connecting an account: the link, the browser it is bound to, the consent, and every way it can go wrong. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import type { Grant, Store } from "../../store/store.ts";
import { NOW } from "../kit.ts";
import { BASE, Browser, CALLBACK, test, world } from "./connecting_kit.ts";

const KIND = "google";

test("a person connects an account by a link; who it is and what was granted is kept", async (w) => {
  const link = await w.link(w.ann);
  assert.match(link, /^http:\/\/127\.0\.0\.1:8000\/connect\/[\w-]{43}$/);
  const browser = new Browser(w.gw);
  const first = await browser.open(link);
  assert.equal(first.status, 200);
  assert.match(first.text, /will be connected for ann@gateway\.example/);
  const done = await browser.connect(link);
  assert.deepEqual([done.status, done.title], [200, "Connected"]);
  assert.match(done.text, /The Google account ann@agency\.example is connected/);
  assert.match(browser.given[0]!, /; Max-Age=1200; Path=\/connect; HttpOnly; SameSite=Lax$/);
  const { result: { connections: [view] } } = await w.admin("GET", "connections");
  const one = view!;
  assert.deepEqual(
    [one.user_id, one.kind, one.account, one.account_id, one.health, one.rights, one.missing],
    [w.ann.id, KIND, "ann@agency.example", "10001", "active", [
      "analytics",
      "search",
      "sheets",
      "ads",
      "storage",
    ], []],
  );
  const asked = new URL(w.accounts.requests[0]!.target, w.accounts.base_url).searchParams;
  assert.deepEqual(
    [
      "redirect_uri",
      "response_type",
      "access_type",
      "prompt",
      "include_granted_scopes",
      "code_challenge_method",
    ]
      .map((name) => asked.get(name)),
    [CALLBACK, "code", "offline", "consent", "true", "S256"],
  );
  const rows = (await w.gw.audit()).filter(({ tool }) => tool.startsWith("connection."));
  assert.deepEqual(rows.map(({ tool, status, door, owner_user_id }) => [tool, status, door, owner_user_id]), [
    ["connection.connect", "ok", "admin", w.ann.id],
    ["connection.start", "ok", "admin", null],
  ]);
});

test("a link works in the browser that opened it first, as often as wanted, until it has connected", async (w) => {
  const link = await w.link(w.ann);
  const [mine, other] = [new Browser(w.gw), new Browser(w.gw)];
  await mine.open(link);
  const refused = await other.open(link);
  assert.deepEqual([refused.status, refused.title], [403, "This link was opened in another browser"]);
  assert.equal((await other.open(`${link}/consent`)).status, 403);
  assert.deepEqual(w.accounts.requests, [], "nobody was led to the consent page");
  const [one, two] = [await mine.begin(link), await mine.begin(link)];
  assert.equal((await mine.open(await mine.answer(two))).title, "Connected");
  const late = await mine.open(await mine.answer(one));
  assert.deepEqual([late.status, late.title], [410, "This link was used already"]);
  for (const browser of [mine, other]) {
    const over = await browser.open(link);
    assert.ok([403, 410].includes(over.status), over.title);
  }
  assert.equal(w.accounts.requests.filter(({ path }) => path === "/token").length, 1);
});

test("what only looks at a link does not bind it", async (w) => {
  const link = await w.link(w.ann);
  for (const headers of [{}, { "sec-fetch-mode": "navigate", "sec-purpose": "prefetch" }]) {
    const looks = new Browser(w.gw, headers as Record<string, string>);
    assert.equal((await looks.open(link)).status, 200);
    assert.deepEqual(looks.given, []);
  }
  const browser = new Browser(w.gw);
  const back = await browser.answer(await browser.begin(await w.link(w.bob)));
  for (const address of [link, `${link}/consent`, back]) {
    const { status } = await w.gw.http(address.slice(BASE.length), { method: "HEAD", as: null });
    assert.equal(status, 405);
  }
  assert.equal((await browser.open(back)).title, "Connected");
  assert.equal((await new Browser(w.gw).connect(link)).title, "Connected");
});

test("nobody is led to the consent past the page that says for whom the account is connected", async (w) => {
  const link = await w.link(w.bob);
  for (const site of ["cross-site", "same-site", "none"]) {
    const led = new Browser(w.gw, { "sec-fetch-mode": "navigate", "sec-fetch-site": site });
    const page = await led.open(`${link}/consent`);
    const first = site === "cross-site";
    assert.equal(page.title, first ? "Connect an account" : "This link was opened in another browser");
    assert.equal(page.text.includes("bob@gateway.example"), first);
  }
  assert.deepEqual(w.accounts.requests, [], "nobody came to the consent page");
  const own = new Browser(w.gw, { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" });
  assert.equal((await own.connect(await w.link(w.ann))).title, "Connected");
});

Deno.test("over https a link's cookie is of this host alone: a sibling's page cannot set it", async () => {
  await using w = await world({ settings: { baseUrl: "https://gateway.agency.example" } });
  const path = new URL(await w.link(w.bob)).pathname;
  const headers = { "sec-fetch-mode": "navigate" };
  const opened = await w.gw.http(path, { as: null, headers });
  await opened.body?.cancel();
  const [line = ""] = opened.headers.getSetCookie();
  const [, name, value] = /^__Host-(connect_[^=]+)=([^;]+); .*Path=\/; HttpOnly; Secure; SameSite=Lax$/.exec(
    line,
  )!;
  const statusOf = async (cookie: string) => {
    const answer = await w.gw.http(path, { as: null, headers: { ...headers, cookie } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await statusOf(`${name}=${value}`), 403, "as a sibling could set it");
  assert.equal(await statusOf(`__Host-${name}=${value}`), 200);
});

test("an answer counts once, in the browser that asked, and nothing else is an answer", async (w) => {
  const link = await w.link(w.ann);
  const [mine, other] = [new Browser(w.gw), new Browser(w.gw)];
  const back = await mine.answer(await mine.begin(link));
  const foreign = await other.open(back);
  assert.deepEqual([foreign.status, foreign.title], [403, "This answer belongs to another browser"]);
  assert.equal((await mine.open(back)).title, "Connected");
  const replayed = await mine.open(back);
  assert.deepEqual([replayed.status, replayed.title], [400, "This answer was used already"]);
  for (const query of ["", "?state=abc&code=4%2Fabc", "?error=access_denied"]) {
    const page = await mine.open(`${CALLBACK}${query}`);
    assert.deepEqual([page.status, page.title], [400, "This answer belongs to no request"]);
  }
  assert.equal(
    w.accounts.requests.filter(({ path }) => path === "/token").length,
    1,
    "one code was exchanged",
  );
  assert.equal((await w.gw.store.accounts.list()).length, 1);
});

test("who does not agree, or ticks nothing, has connected nothing, and may try again", async (w) => {
  const link = await w.link(w.ann);
  const browser = new Browser(w.gw);
  const denied = await browser.connect(link, { answer: "deny" });
  assert.deepEqual([denied.status, denied.title], [403, "Nothing was connected"]);
  assert.match(denied.text, /You did not agree/);
  const bare = await browser.connect(link, { tick: [] });
  assert.deepEqual([bare.status, bare.title], [403, "Nothing was connected"]);
  assert.match(bare.text, /ticked nothing/);
  assert.deepEqual(await w.gw.store.accounts.list(), []);
  assert.equal(w.accounts.living("ann@agency.example"), 0, "what was not kept was given back");
  assert.equal((await browser.connect(link)).title, "Connected");
});

test("rights that were not ticked are named, and added by another link", async (w) => {
  const browser = new Browser(w.gw);
  const part = await browser.connect(await w.link(w.ann), { tick: ["analytics.readonly", "drive.file"] });
  assert.deepEqual([part.status, part.title], [200, "Connected, but not with everything"]);
  assert.match(part.text, /Not agreed to<\/h2>\s*<ul><li>read search figures/);
  const rights = async () => (await w.admin("GET", "connections")).result.connections[0]!.rights;
  assert.deepEqual(await rights(), ["analytics", "storage"]);
  const more = await browser.connect(await w.link(w.ann, ["search"]));
  assert.equal(more.title, "Connected");
  assert.deepEqual(await rights(), ["analytics", "search", "storage"]);
  const hints = w.accounts.requests.filter(({ path }) => path.endsWith("/auth")).map(({ query }) =>
    query.login_hint
  );
  assert.deepEqual(hints, [undefined, "ann@agency.example"]);
});

test("a link opens for ten minutes, and a consent page may take ten more", async (w) => {
  const [slow, late] = [await w.link(w.ann), await w.link(w.ann)];
  const browser = new Browser(w.gw);
  w.gw.clock.now = NOW + 9 * 60_000;
  const consent = await browser.begin(slow);
  w.gw.clock.now = NOW + 11 * 60_000;
  const over = await browser.open(late);
  assert.deepEqual([over.status, over.title], [410, "This link is too old"]);
  const back = await browser.answer(consent);
  w.gw.clock.now = NOW + 20 * 60_000;
  const page = await browser.open(back);
  assert.deepEqual([page.status, page.title], [410, "This took too long"]);
  assert.deepEqual(await w.gw.store.accounts.list(), []);
  const unknown = await browser.open(late.slice(0, -1) + (late.endsWith("A") ? "B" : "A"));
  assert.deepEqual([unknown.status, unknown.title], [404, "This link is not known"]);
});

test("where the exchange fails nothing is connected, the page says why, and the link works again", async (w) => {
  const link = await w.link(w.ann);
  const browser = new Browser(w.gw);
  const cases: [() => void, RegExp][] = [
    [() => w.accounts.inject({ kind: "html", status: 503 }, { path: "/token" }), /503/],
    [() => w.accounts.inject({ kind: "reset" }, { path: "/token" }), /broke the connection off/],
    [() => w.accounts.inject({ kind: "malformed" }, { path: "/token" }), /Google answered 200; /],
    [
      () =>
        w.accounts.inject({ kind: "answer", status: 400, body: { error: "invalid_grant" } }, {
          path: "/token",
        }),
      /too old/,
    ],
    [() => (w.accounts.ways.no_refresh_token = true), /nothing to renew it with/],
    [() => {
      w.accounts.ways.no_refresh_token = false;
      w.accounts.ways.issuer = "https://other.example";
    }, /iss/],
  ];
  for (const [wrong, why] of cases) {
    wrong();
    const page = await browser.connect(link);
    assert.deepEqual([page.status, page.title], [502, "Nothing was connected"]);
    assert.match(page.text, why);
    assert.doesNotMatch(page.text, /outcome|look at the site/, "no site was to be changed");
    assert.deepEqual(await w.gw.store.accounts.list(), []);
  }
  delete w.accounts.ways.issuer;
  assert.equal((await browser.connect(link)).title, "Connected");
});

Deno.test("a store that fails is a page too, which names the request and nothing else", async () => {
  const broken = () => Promise.reject(new Error("disk of the store, state and all"));
  const store = (real: Store): Store => ({
    ...real,
    connectLinks: Object.assign(Object.create(real.connectLinks), { take: broken }),
  });
  await using w = await world({ store });
  const page = await new Browser(w.gw).open(`${CALLBACK}?state=secret&code=secret`);
  assert.deepEqual([page.status, page.title], [500, "Something failed"]);
  const [fault] = w.gw.logged;
  assert.ok(page.text.includes(String(fault!["request_id"])) && !/disk|secret/.test(page.text));
  assert.match(String(fault!["cause"]), /disk of the store/);
});

Deno.test("what was granted and cannot be kept is given back, unless the same account is connected already", async () => {
  const full = () => Promise.reject(new GatewayError("E_INTERNAL", "The store is full"));
  const store = (real: Store): Store => {
    const { accounts } = real;
    const connect = (user: string, kind: string, grant: Grant) =>
      grant.scopes.some((one) => one.endsWith("adwords")) ? full() : accounts.connect(user, kind, grant);
    return {
      ...real,
      accounts: {
        connect,
        get: (user, kind) => accounts.get(user, kind),
        list: (user) => accounts.list(user),
        disconnect: (user, kind, wait) => accounts.disconnect(user, kind, wait),
        disconnectAll: (user, wait) => accounts.disconnectAll(user, wait),
        token: (user, kind, request) => accounts.token(user, kind, request),
      },
    };
  };
  await using w = await world({ store });
  const browser = new Browser(w.gw);
  const lost = await browser.connect(await w.link(w.ann));
  assert.deepEqual([lost.status, lost.title], [502, "Nothing was connected"]);
  assert.equal(w.accounts.living("ann@agency.example"), 0);
  assert.equal((await browser.connect(await w.link(w.ann, ["search"]))).title, "Connected");
  assert.equal((await browser.connect(await w.link(w.bob))).status, 502);
  assert.equal(w.accounts.living("ann@agency.example"), 1, "Ann's connection did not end with Bob's attempt");
  assert.deepEqual(w.gw.logged, []);
});

test("of many answers with one state at once, one is taken", async (w) => {
  const browser = new Browser(w.gw);
  const back = await browser.answer(await browser.begin(await w.link(w.ann)));
  const pages = await Promise.all(Array.from({ length: 8 }, () => browser.open(back)));
  assert.deepEqual(pages.map(({ title }) => title).sort(), [
    "Connected",
    ...Array.from({ length: 7 }, () => "This answer was used already"),
  ]);
});

test("the pages load a stylesheet, run nothing, and escape what came from elsewhere", async (w) => {
  w.accounts.people.unshift({ sub: "6", email: "<script>alert(1)</script>@x.example" });
  const browser = new Browser(w.gw);
  const page = await browser.connect(await w.link(w.ann), { account: w.accounts.people[0]!.email });
  assert.equal(page.title, "Connected");
  assert.ok(!/<script/.test(page.text) && page.text.includes("&lt;script&gt;"));
  const response = await w.gw.http("/connect/callback", { as: null });
  const policy = response.headers.get("content-security-policy")!;
  assert.match(
    policy,
    /^default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  assert.equal(response.headers.get("cache-control"), "no-store");
  await response.body?.cancel();
});
