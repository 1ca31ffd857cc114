/** Connecting a Meta account: the whole way over the stand-in, what goes wrong on it, and how long it holds. */
import assert from "node:assert/strict";
import { scratchFolder } from "../../sandbox/core/scratch.ts";
import type { MetaStandIn } from "../../sandbox/meta_ads/start.ts";
import { type Kit, MASTER } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { MetaWorld } from "../tools/_meta.ts";
import { type AdminAnswer, BASE, Browser, CALLBACK } from "./connecting_kit.ts";

const DAY_MS = 86_400_000;

async function admin(gw: Kit, method: string, path: string, body?: unknown): Promise<AdminAnswer> {
  const response = await gw.http(`/admin/api/${path}`, {
    method,
    as: null,
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...await response.json() };
}

/** Opens a world without a connection, over a store that may lie in a file. */
const open = (kvPath?: string) =>
  MetaWorld.open({ life_ms: null, settings: kvPath === undefined ? {} : { kvPath } });

/** A new link, opened and followed to its end: the page that is shown last. */
async function connect({ gw, user_id }: MetaWorld) {
  const { result, error } = await admin(gw, "POST", "connections", { user: user_id, kind: "meta_ads" });
  assert.equal(error, undefined);
  return { link: result.link, page: await new Browser(gw).begin(result.link) };
}

const listed = async ({ gw }: MetaWorld) => (await admin(gw, "GET", "connections")).result.connections;
const ASKED =
  /client_id=700100200&redirect_uri=([^&]+)&state=([^&]+)&response_type=code&scope=ads_read&auth_type=rerequest/;

const test = scenes(() => open());

test("a person connects by a link; the code becomes a token of sixty days, and the site's ads can be read", async (at) => {
  const { page } = await connect(at);
  assert.match(page.title, /Connected/);
  assert.match(page.text, /Meta account Ada Agency is connected/);
  assert.match(page.text, /read ad accounts, their campaigns and what their ads did/);
  const paths = at.meta.requests.map(({ path }) => path.replace("/v26.0", ""));
  assert.deepEqual(
    paths,
    ["/dialog/oauth", "/oauth/access_token", "/oauth/access_token", "/debug_token", "/me"],
  );
  const [dialog, code, long] = at.meta.requests;
  assert.match(dialog!.target, ASKED);
  assert.equal(dialog!.query["redirect_uri"], CALLBACK);
  assert.deepEqual(Object.keys(code!.query), ["client_id", "client_secret", "redirect_uri", "code"]);
  assert.equal(long!.query["grant_type"], "fb_exchange_token");
  const [one] = await listed(at);
  assert.deepEqual(
    [one!.account, one!.account_id, one!.health, one!.rights, one!.message],
    ["Ada Agency", "5001", "active", ["ads"], null],
  );
  assert.equal(one!.ends_at!.slice(0, 10), "2027-01-20");
  assert.equal((await at.ask("get_social_ad_account"))["name"], "Harbour Dental");
  assert.deepEqual(await at.leaks(), []);
});

test("seven days before its end the list of connections warns, and afterwards says how it is made again", async (at) => {
  await connect(at);
  at.gw.clock.now += 54 * DAY_MS;
  const [soon] = await listed(at);
  assert.deepEqual([soon!.health, soon!.sites.includes("client")], ["active", true]);
  assert.match(soon!.message!, /^It ends at 2027-01-20T.* cannot be renewed without its person/);
  at.gw.clock.now += 7 * DAY_MS;
  assert.equal((await listed(at))[0]!.health, "needs_reconnect");
  const command = `deno task admin connection start --user ${at.user_id} --kind meta_ads`;
  const says = new RegExp(
    `must be connected again: .*; its operator makes the link to reconnect with ${command}$`,
  );
  await at.refuses("list_social_ads", {}, "E_SOCIAL_ADS_TOKEN_EXPIRED", says);
  assert.match((await connect(at)).page.title, /Connected/);
  await at.ask("list_social_ads");
});

test("who does not agree, or leaves out what the ads need, has connected nothing", async (at) => {
  const { visitor } = at.meta.state.consents;
  visitor.agrees = false;
  assert.match((await connect(at)).page.text, /You did not agree at Meta/);
  Object.assign(visitor, { agrees: true, refuses: ["ads_read"] });
  assert.match((await connect(at)).page.text, /ticked nothing/);
  assert.deepEqual(await listed(at), []);
  await at.refuses(
    "list_social_ads",
    {},
    "E_SOCIAL_ADS_NOT_LINKED",
    /the link to connect with deno task admin/,
  );
});

Deno.test("the earlier end counts: of the token, or of the right to read; a token without an end has none", async () => {
  const debugged = (meta: MetaStandIn, data: object) => {
    const [person] = meta.state.world.people;
    const usual = { app_id: "700100200", user_id: person!.id, is_valid: true, scopes: ["ads_read"] };
    meta.inject({ kind: "answer", body: { data: { ...usual, ...data } } }, { path: "/debug_token" });
  };
  const at_ = (ms: number) => Math.floor(ms / 1000);
  const cases: [(now: number) => object, boolean, string | null][] = [
    [
      (now) => ({ expires_at: at_(now + 50 * DAY_MS), data_access_expires_at: at_(now + 9 * DAY_MS) }),
      true,
      "2026-11-30",
    ],
    [(now) => ({ expires_at: 0, data_access_expires_at: at_(now + 9 * DAY_MS) }), true, "2026-11-30"],
    [() => ({ expires_at: 0, data_access_expires_at: 0 }), true, null],
    [() => ({}), true, "2027-01-20"],
    [() => ({}), false, "2027-01-20"],
  ];
  for (const [data, tells, end] of cases) {
    await using at = await open();
    at.meta.state.consents.tells_expiry = tells;
    debugged(at.meta, data(at.gw.clock.now));
    assert.match((await connect(at)).page.title, /Connected/);
    const [one] = await listed(at);
    assert.equal(one!.ends_at?.slice(0, 10) ?? null, end);
  }
});

Deno.test("a token that is dead, of another app or of another person is not kept", async () => {
  const wrong = [
    { is_valid: false, app_id: "700100200", user_id: "5001", scopes: ["ads_read"] },
    { is_valid: true, app_id: "1", user_id: "5001", scopes: ["ads_read"] },
    { is_valid: true, app_id: "700100200", user_id: "5002", scopes: ["ads_read"] },
  ];
  for (const data of wrong) {
    await using at = await open();
    at.meta.inject({ kind: "answer", body: { data } }, { path: "/debug_token" });
    assert.match((await connect(at)).page.text, /Connecting with Meta failed/);
    assert.deepEqual(await listed(at), []);
  }
});

test("an exchange that fails connects nothing, sends its code once, and the link works again", async (at) => {
  for (const nth of [1, 2]) {
    const from = at.meta.requests.length;
    at.meta.inject({ kind: "graph", code: 2, status: 500, message: "Service temporarily unavailable" }, {
      path: "/oauth/access_token",
    });
    const { link, page } = await connect(at);
    assert.match(page.text, /Connecting with Meta failed: .*it answered 500; try again later/);
    const exchanges = at.meta.requests.slice(from).filter(({ path }) => path.endsWith("access_token"));
    assert.equal(exchanges.length, 1, "a code is sent once");
    assert.deepEqual(await listed(at), [], `try ${nth}`);
    assert.ok(link.startsWith(BASE));
  }
  assert.match((await connect(at)).page.title, /Connected/);
});

Deno.test("what may pass while Meta is asked about a new token is asked again, twice at most, and the consent is not lost", async () => {
  const passing = {
    kind: "graph",
    code: 2,
    status: 500,
    message: "Service temporarily unavailable",
  } as const;
  for (const path of ["/debug_token", "/me"]) {
    await using at = await open();
    at.meta.inject(passing, { path, times: 2 });
    assert.match((await connect(at)).page.title, /Connected/);
    assert.equal(at.meta.requests.filter((one) => one.path.endsWith(path)).length, 3);
    assert.deepEqual(at.waits, [500, 1500]);
    at.meta.inject(passing, { path, times: 3 });
    assert.match((await connect(at)).page.text, /it answered 500; try again later/);
    at.meta.inject({ kind: "graph", code: 190, message: "Malformed" }, { path });
    const before = at.meta.requests.length;
    assert.match((await connect(at)).page.text, /failed: .*it answered 400/);
    const asked = at.meta.requests.slice(before).filter((one) => one.path.endsWith(path));
    assert.equal(asked.length, 1, "a refusal stands");
  }
});

Deno.test("a gateway without the app's id or secret makes no link, and says what is missing", async () => {
  await using at = await MetaWorld.open({
    life_ms: null,
    settings: { upstream: { SOCIAL_ADS_APP_ID: null, SOCIAL_ADS_APP_SECRET: null } },
  });
  const { error } = await admin(at.gw, "POST", "connections", { user: at.user_id, kind: "meta_ads" });
  assert.equal(error!.code, "E_MISSING_SECRET");
  assert.match(error!.message, /^Meta accounts need SOCIAL_ADS_APP_ID and SOCIAL_ADS_APP_SECRET/);
  assert.deepEqual(at.meta.requests, []);
});

test("ending a connection forgets it here, and says where its person ends it at Meta; nothing is deleted", async (at) => {
  await connect(at);
  const asked = at.meta.requests.length;
  const { result } = await admin(at.gw, "POST", "connections/disconnect", {
    user: at.user_id,
    kind: "meta_ads",
  });
  assert.equal(result.revoked, false);
  assert.match(
    result.message,
    /forgotten its connection to Ada Agency, but .*https:\/\/www\.facebook\.com\/settings/,
  );
  assert.equal(at.meta.requests.length, asked);
  await at.refuses("list_social_ads", {}, "E_SOCIAL_ADS_NOT_LINKED", /has no connection/);
});

Deno.test("no token, code, state or secret stands in any log, row, page, admin answer, message or stored byte", async () => {
  const folder = await scratchFolder("test-");
  const secrets = new Set<string>();
  const said: string[] = [];
  try {
    await using at = await open(`${folder}/kv.db`);
    const repeat = (path: string) =>
      at.meta.inject({
        kind: "answer",
        status: 400,
        get body() {
          return { error: { code: 100, message: `cannot read ${at.meta.requests.at(-1)!.target}` } };
        },
      }, { path });
    for (const path of ["/oauth/access_token", "/debug_token", "/me"]) {
      repeat(path);
      said.push((await connect(at)).page.text);
    }
    said.push((await connect(at)).page.text);
    at.meta.inject({ kind: "graph", code: 190 }, { path: "/act_1001" });
    said.push(
      await at.gw.refuses("get_social_ad_account", { site_id: "client" }, "E_SOCIAL_ADS_TOKEN_EXPIRED"),
    );
    said.push((await connect(at)).page.text, JSON.stringify(await at.ask("list_social_ads")));
    said.push(JSON.stringify(await listed(at)), JSON.stringify([at.gw.logged, await at.gw.audit()]));
    for (const { query, answer } of at.meta.requests) {
      const body = answer?.body as { access_token?: string } | null;
      const { state, code, client_secret, fb_exchange_token, input_token, appsecret_proof } = query;
      for (
        const one of [
          state,
          code,
          client_secret,
          fb_exchange_token,
          input_token,
          appsecret_proof,
          body?.access_token,
        ]
      ) if (one !== undefined) secrets.add(one);
    }
    assert.ok(secrets.size > 15);
  } finally {
    const stored = new Uint8Array(
      (await Array.fromAsync(
        Deno.readDir(folder),
        async ({ name }) => [...await Deno.readFile(`${folder}/${name}`)],
      ))
        .flat(),
    );
    assert.ok(stored.length > 4096, "the store lies in the folder");
    said.push(new TextDecoder("latin1").decode(stored));
    await Deno.remove(folder, { recursive: true });
  }
  for (const secret of secrets) {
    for (const [at, text] of said.entries()) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        assert.ok(!text.includes(form), `${at}: ${secret}`);
      }
    }
  }
});
