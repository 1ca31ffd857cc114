/** Whose Google account a call uses: the one of the site's binding, and no other's, whatever happens in between. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import { FactCaches } from "../../guard/fact_caches.ts";
import { makeConnectorContext } from "../../guard/connector_context.ts";
import type { Caller, Site } from "../../core/model.ts";
import type { AccountTokens } from "../../platforms/_connector/context.ts";
import google from "../../platforms/google/connector.ts";
import { createHttp } from "../../platforms/_http/http.ts";
import type { NewSite } from "../../store/store.ts";
import { CONNECTORS } from "../connectors.ts";
import { NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { type World, world } from "./connecting_kit.ts";

const HOUR_MS = 3_600_000;

/** The account as a call on that site gets it. */
function accountOf(
  w: World,
  at: Site | null,
  caller: Caller | null = null,
  more: Record<string, string | null> = {},
): AccountTokens {
  const now = () => w.gw.clock.now;
  const http = createHttp({ allowPrivate: ["127.0.0.1"], now });
  const upstream = {
    ...Object.fromEntries(CONNECTORS.settings.map((one) => [one.name, one.default])),
    ...w.accounts.env,
    ...more,
  };
  const ports = {
    connectors: CONNECTORS,
    store: w.gw.store,
    http,
    upstream,
    cache: new FactCaches(now),
    now,
  };
  const { account } = makeConnectorContext(ports, { site: at, caller, deadline: now() + 30_000 }, google);
  assert.ok(account);
  return account;
}

/** Whose token is handed out. */
async function holder(w: World, account: AccountTokens): Promise<string | undefined> {
  return w.accounts.holder((await account.token()).access_token)?.email;
}

async function bound(w: World, id: string, fields: Partial<NewSite>): Promise<Site> {
  const made = await w.gw.store.sites.create(site(id, "cms", fields));
  assert.ok(made);
  return made;
}

/** Ann and Bob have connected their own accounts. */
async function connected(): Promise<World> {
  const w = await world();
  await w.gw.store.accounts.connect(w.ann.id, "google", w.accounts.grant("ann@agency.example"));
  await w.gw.store.accounts.connect(w.bob.id, "google", w.accounts.grant("bob@agency.example"));
  return w;
}

async function refusal(work: Promise<unknown>): Promise<GatewayError> {
  const thrown = await work.then(() => assert.fail("it was answered"), (error: unknown) => error);
  assert.ok(thrown instanceof GatewayError, String(thrown));
  return thrown;
}

const test = scenes(() => connected());

test("each use has the account of its own binding, whoever calls", async (w) => {
  const split = await bound(w, "split", { account_user_id: w.ann.id, storage_user_id: w.bob.id });
  for (const owner of [null, w.ann, w.bob]) {
    const caller = { owner } as unknown as Caller;
    const account = accountOf(w, split, caller);
    assert.equal(await holder(w, account), "ann@agency.example");
    assert.equal(await holder(w, account.of("storage")), "bob@agency.example");
  }
  const { code } = await refusal((async () => await accountOf(w, split).of("stroage").token())());
  assert.equal(code, "E_INTERNAL");
});

test("a site that is bound to nobody has nobody's account, its caller's included", async (w) => {
  const bare = await bound(w, "bare", {});
  const half = await bound(w, "half", { account_user_id: w.ann.id });
  const caller = { owner: w.bob } as unknown as Caller;
  assert.equal((await refusal(accountOf(w, bare, caller).token())).code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  assert.equal(
    (await refusal(accountOf(w, bare, caller).of("storage").token())).code,
    "E_STORAGE_NOT_LINKED",
  );
  assert.equal(
    (await refusal(accountOf(w, half, caller).of("storage").token())).code,
    "E_STORAGE_NOT_LINKED",
  );
  assert.deepEqual(w.accounts.requests, []);
});

test("a site whose user has connected nothing, or is gone, gets the command that connects", async (w) => {
  await w.gw.store.accounts.disconnect(w.ann.id, "google");
  const gone = await bound(w, "gone", { account_user_id: "01KNOBODY00000000000000000" });
  const none = await bound(w, "none", { account_user_id: w.ann.id });
  for (const at of [gone, none]) {
    const { code, message } = await refusal(accountOf(w, at).token());
    assert.equal(code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    const command = `deno task admin connection start --user ${at.account_user_id} --kind google`;
    assert.ok(message.endsWith(command), message);
  }
  assert.deepEqual(w.accounts.requests, []);
});

test("two sites of two users, asked at once through expiries, withdrawals and rebinding, never mix", async (w) => {
  await bound(w, "of-ann", { account_user_id: w.ann.id, storage_user_id: w.bob.id });
  await bound(w, "of-bob", { account_user_id: w.bob.id, storage_user_id: w.ann.id });
  const mail = new Map([[w.ann.id, "ann@agency.example"], [w.bob.id, "bob@agency.example"]]);
  const ask = async (id: string, use: "account" | "storage") => {
    const at = (await w.gw.store.sites.get(id))!;
    const account = accountOf(w, at);
    const wanted = mail.get((use === "account" ? at.account_user_id : at.storage_user_id)!);
    assert.equal(
      await holder(w, use === "account" ? account : account.of("storage")),
      wanted,
      `${id} ${use}`,
    );
  };
  for (let round = 0; round < 8; round++) {
    if (round % 2 === 1) w.gw.clock.now += HOUR_MS;
    if (round === 4) w.accounts.ways.rotates = true;
    const asked = Array.from(
      { length: 12 },
      (_, at) => ask(at % 2 ? "of-ann" : "of-bob", at % 3 ? "account" : "storage"),
    );
    const [one, other] = round % 4 < 2 ? [w.bob.id, w.ann.id] : [w.ann.id, w.bob.id];
    await w.gw.store.sites.update("of-ann", { account_user_id: one });
    await w.gw.store.sites.update("of-bob", { account_user_id: other });
    await Promise.all([...asked, ask("of-ann", "account"), ask("of-bob", "account")]);
  }
  const refreshed = w.accounts.requests.filter(({ path }) => path === "/token").length;
  assert.equal(refreshed, 8, "one refresh for each user and expiry");
});

test("an account that was withdrawn is asked for once, then every call says reconnect, with the command", async (w) => {
  const at = await bound(w, "acme", { account_user_id: w.ann.id, storage_user_id: w.ann.id });
  w.accounts.withdraw("ann@agency.example");
  w.gw.clock.now += HOUR_MS;
  for (const account of [accountOf(w, at), accountOf(w, at).of("storage"), accountOf(w, at)]) {
    const { code, message } = await refusal(account.token());
    assert.equal(code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    assert.match(message, /must be connected again: the other side no longer accepts it/);
    assert.match(
      message,
      new RegExp(`reconnect with deno task admin connection start --user ${w.ann.id} --kind google$`),
    );
  }
  assert.equal(w.accounts.requests.length, 1);
  assert.equal((await w.gw.store.accounts.get(w.bob.id, "google"))?.state, "ok");
  await w.gw.store.accounts.connect(w.ann.id, "google", w.accounts.grant("ann@agency.example"));
  assert.equal(await holder(w, accountOf(w, at)), "ann@agency.example");
});

Deno.test("where the answer of a refresh is lost, the next refresh finds what still works, or says so", async () => {
  for (const rotates of [false, true]) {
    await using w = await connected();
    const at = await bound(w, "acme", { account_user_id: w.ann.id });
    w.accounts.ways.rotates = rotates;
    w.gw.clock.now += HOUR_MS;
    w.accounts.inject({ kind: "reset", applied: true }, { path: "/token" });
    const first = await refusal(accountOf(w, at).token());
    assert.equal(first.code, "E_UPSTREAM");
    assert.match(first.message, /could not be refreshed; the account is still connected, try again later/);
    assert.doesNotMatch(first.message, /outcome|look at the site/, "a refresh changes no site");
    w.gw.clock.now += 60_000;
    if (!rotates) {
      assert.equal(await holder(w, accountOf(w, at)), "ann@agency.example");
      continue;
    }
    const { code, message } = await refusal(accountOf(w, at).token());
    assert.equal(code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    assert.match(
      message,
      /whose answer never arrived here; that answer may have held the token's replacement/,
    );
  }
});

test("a refresh token that is replaced is used from then on", async (w) => {
  const at = await bound(w, "acme", { account_user_id: w.ann.id });
  w.accounts.ways.rotates = true;
  for (let expiry = 1; expiry <= 3; expiry++) {
    w.gw.clock.now += HOUR_MS;
    assert.equal(await holder(w, accountOf(w, at)), "ann@agency.example");
    assert.equal(w.accounts.requests.length, expiry);
  }
});

test("a busy or broken token endpoint leaves the connection as it is, and its wait is handed on", async (w) => {
  const at = await bound(w, "acme", { account_user_id: w.ann.id });
  w.gw.clock.now += HOUR_MS;
  w.accounts.inject({ kind: "busy", status: 429, retry_after: 120 }, { path: "/token" });
  const busy = await refusal(accountOf(w, at).token());
  assert.deepEqual([busy.code, busy.upstream, busy.retryAfter], ["E_UPSTREAM", 429, 120]);
  const again = await refusal(accountOf(w, at).token());
  assert.equal(again.code, "E_UPSTREAM");
  assert.equal(w.accounts.requests.length, 1, "nobody asks while the pause lasts");
  w.gw.clock.now += 121_000;
  assert.equal(await holder(w, accountOf(w, at)), "ann@agency.example");
});

test("a client that Google does not know says so, and ends nobody's connection", async (w) => {
  const at = await bound(w, "acme", { account_user_id: w.ann.id });
  w.gw.clock.now = NOW + HOUR_MS;
  w.accounts.inject({ kind: "answer", status: 401, body: { error: "invalid_client" } }, { path: "/token" });
  const { code, message } = await refusal(accountOf(w, at).token());
  assert.equal(code, "E_UPSTREAM");
  assert.match(message, /Google did not renew the access: 401 invalid_client/);
  assert.equal((await w.gw.store.accounts.get(w.ann.id, "google"))?.state, "ok");
});

test("without the OAuth client a token that ended cannot be renewed, and that is said; one that lives is used", async (w) => {
  const at = await bound(w, "acme", { account_user_id: w.ann.id });
  const none = { ACCOUNT_CLIENT_ID: null, ACCOUNT_CLIENT_SECRET: null };
  assert.equal(await holder(w, accountOf(w, at, null, none)), "ann@agency.example");
  w.gw.clock.now += HOUR_MS;
  const { code, message } = await refusal(accountOf(w, at, null, none).token());
  assert.equal(code, "E_MISSING_SECRET");
  assert.match(message, /ACCOUNT_CLIENT_ID and ACCOUNT_CLIENT_SECRET/);
  assert.deepEqual(w.accounts.requests, []);
  assert.equal((await w.gw.store.accounts.get(w.ann.id, "google"))?.state, "ok");
});
