/** Connected accounts for an operator: the admin API and the command line, each change with its row. */
import assert from "node:assert/strict";
import { runCommand } from "../../admin/commands.ts";
import { CONNECTORS } from "../connectors.ts";
import { type Kit, MASTER, NOW, site } from "../kit.ts";
import { BASE, Browser, test, type World, world } from "./connecting_kit.ts";

/** The command line against that gateway. */
async function cli(gw: Kit, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const code = await runCommand([...args, "--url", BASE], {
    env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
    stdin: () => Promise.resolve(""),
    out: (text) => void (out += String(text)),
    err: (text) => void (err += text),
    fetch: async (request) => await gw.gateway.fetch(request),
    read: () => Promise.reject(new Error("no file is read")),
    kept: () => null,
    wait: () => Promise.resolve(false),
  }, CONNECTORS);
  return { code, out, err };
}

const rows = async (w: World) =>
  (await w.gw.audit()).filter(({ tool }) => tool.startsWith("connection.")).map(({ tool, status, error }) => [
    tool,
    status,
    error,
  ]);

test("a link is made on the command line, by the user's id or e-mail address", async (w) => {
  for (const user of [w.ann.id, "Ann@gateway.example"]) {
    const { code, out, err } = await cli(w.gw, "connection", "start", "--user", user, "--kind", "google");
    assert.equal(code, 0, err);
    assert.match(
      out,
      /^http:\/\/127\.0\.0\.1:8000\/connect\/[\w-]{43}\n\nOnly ann@gateway\.example should open it, before/,
    );
    assert.match(out, new RegExp(new Date(NOW + 600_000).toISOString()));
    assert.match(out, /it asks for analytics, search, sheets, ads, storage\.\n$/);
  }
  assert.deepEqual(await rows(w), Array.from({ length: 2 }, () => ["connection.start", "ok", null]));
});

test("an order that cannot be is refused with its field, and leaves nothing", async (w) => {
  const cases: [object, string, RegExp][] = [
    [{ user: "nobody", kind: "google" }, "E_BAD_INPUT", /^user: there is no user "nobody"/],
    [{ user: w.ann.id, kind: "mail" }, "E_BAD_INPUT", /^kind: expected one of google\b.*, not "mail"/],
    [
      { user: w.ann.id, kind: "google", scopes: ["mail"] },
      "E_BAD_INPUT",
      /^scopes: expected some of analytics, search/,
    ],
    [{ user: w.ann.id, kind: "google", scopes: [] }, "E_BAD_INPUT", /^scopes: .* not an empty list/],
    [{ user: w.ann.id, kind: "google", scope: "x" }, "E_BAD_INPUT", /did you mean scopes/],
    [{ kind: "google" }, "E_BAD_INPUT", /^user is required/],
  ];
  for (const [body, code, message] of cases) {
    const { error } = await w.admin("POST", "connections", body);
    assert.equal(error?.code, code);
    assert.match(error.message, message);
  }
  assert.deepEqual(await rows(w), []);
});

Deno.test("without the OAuth client no link is made, and the kinds say why", async () => {
  await using w = await world({
    settings: { upstream: { ACCOUNT_CLIENT_ID: null, ACCOUNT_CLIENT_SECRET: null } },
  });
  const { status, error } = await w.admin("POST", "connections", { user: w.ann.id, kind: "google" });
  assert.deepEqual([status, error?.code], [503, "E_MISSING_SECRET"]);
  const { result: { kinds } } = await w.admin("GET", "connections");
  assert.match(kinds[0]!.problem ?? "", /ACCOUNT_CLIENT_ID and ACCOUNT_CLIENT_SECRET/);
  assert.match(
    (await cli(w.gw, "connection", "kinds")).out,
    /^google: .* \(not yet: Google accounts need ACCOUNT/,
  );
  assert.deepEqual(await rows(w), []);
});

test("the list shows health, rights, times and the sites that use a connection", async (w) => {
  await w.gw.store.sites.create(site("one", "cms", { account_user_id: w.ann.id }));
  await w.gw.store.sites.create(site("two", "cms", { storage_user_id: w.ann.id, account_user_id: w.bob.id }));
  await new Browser(w.gw).connect(await w.link(w.ann, ["analytics", "storage"]));
  const { result: { connections: [one] } } = await w.admin("GET", `connections?user=${w.ann.id}`);
  const { connected_at, access_expires_at, last_refreshed_at, ends_at, sites, missing } = one!;
  assert.deepEqual(
    { connected_at, access_expires_at, last_refreshed_at, ends_at, sites, missing },
    {
      connected_at: new Date(NOW).toISOString(),
      access_expires_at: new Date(NOW + 3_599_000).toISOString(),
      last_refreshed_at: null,
      ends_at: null,
      sites: ["one", "two"],
      missing: ["search", "sheets", "ads"],
    },
  );
  assert.deepEqual((await w.admin("GET", "connections?user=bob@gateway.example")).result.connections, []);
  w.gw.clock.now += 3_600_000;
  w.accounts.withdraw("ann@agency.example");
  const request = { refresh: refreshing(w), wait_ms: 5000 };
  assert.equal((await w.gw.store.accounts.token(w.ann.id, "google", request)).state, "reconnect");
  const { out } = await cli(w.gw, "connection", "list");
  assert.match(out, /ann@gateway\.example +google +ann@agency\.example +needs_reconnect/);
  assert.match(
    out,
    new RegExp(`Connect again: deno task admin connection start --user ${w.ann.id} --kind google`),
  );
});

/** What the gateway itself would ask; the connector's own way is proven with the calls. */
const refreshing = (w: World) => async (refresh_token: string) => {
  const { ACCOUNT_CLIENT_ID: client_id, ACCOUNT_CLIENT_SECRET: client_secret } = w.accounts.env;
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token,
    client_id: client_id!,
    client_secret: client_secret!,
  });
  const answer = await (await fetch(w.accounts.env.ACCOUNT_TOKEN_URL!, { method: "POST", body })).json();
  if (answer.error) throw Object.assign(new Error("refused"), { error: answer.error });
  return answer;
};

test("a connection that ends by itself within seven days is warned of", async (w) => {
  const grant = { account: "x", access_token: "a", expires_in: 8 * 86_400, scopes: [] };
  await w.gw.store.accounts.connect(w.ann.id, "google", grant);
  const message = async () => (await w.admin("GET", "connections")).result.connections[0]!.message;
  assert.equal(await message(), null);
  w.gw.clock.now += 86_400_001;
  assert.match(
    await message() ?? "",
    /^It ends at 2026-11-29T12:00:00.000Z and cannot be renewed without its person/,
  );
});

test("disconnecting ends the access at the other service, once, and says so", async (w) => {
  await new Browser(w.gw).connect(await w.link(w.ann));
  const { code, out } = await cli(w.gw, "connection", "disconnect", "--user", w.ann.id, "--kind", "google");
  assert.equal(code, 0);
  assert.match(out, /forgotten its connection to ann@agency\.example, and Google has ended the access\.\n$/);
  assert.equal(w.accounts.living("ann@agency.example"), 0);
  assert.deepEqual(await w.gw.store.accounts.list(), []);
  const again = await w.admin("POST", "connections/disconnect", { user: w.ann.id, kind: "google" });
  assert.deepEqual([again.status, again.error?.code], [404, "E_NOT_FOUND"]);
  assert.equal(w.accounts.requests.filter(({ path }) => path === "/revoke").length, 1);
  assert.deepEqual((await rows(w))[0], ["connection.disconnect", "ok", null]);
});

test("where the other service does not confirm the end, that is said, and the command ends with 1", async (w) => {
  const cases: [Parameters<typeof w.accounts.inject>[0], RegExp][] = [
    [
      { kind: "html", status: 503 },
      /did not confirm that the access has ended \(Google did not revoke the access: 503/,
    ],
    [{ kind: "reset" }, /did not confirm that the access has ended \(.*broke the connection off/],
    [{ kind: "answer", status: 400, body: { error: "invalid_request" } }, /400 .*invalid_request/],
  ];
  for (const [fault, said] of cases) {
    await new Browser(w.gw).connect(await w.link(w.ann));
    w.accounts.inject(fault, { path: "/revoke" });
    const { code, out } = await cli(w.gw, "connection", "disconnect", "--user", w.ann.id, "--kind", "google");
    assert.equal(code, 1);
    assert.match(out, said);
    assert.doesNotMatch(out, /look at the site/);
    assert.match(out, /whoever owns the account can end it at https:\/\/myaccount\.google\.com\/connections/);
    assert.deepEqual(await w.gw.store.accounts.list(), [], "it is forgotten all the same");
    const [row] = (await w.gw.audit()).filter(({ tool }) => tool === "connection.disconnect");
    assert.equal((row!.arguments as { revoked: boolean }).revoked, false);
  }
});

test("a token that had ended already counts as ended; one may be forgotten here only", async (w) => {
  await new Browser(w.gw).connect(await w.link(w.ann));
  w.accounts.withdraw("ann@agency.example");
  const ended = await w.admin("POST", "connections/disconnect", { user: w.ann.id, kind: "google" });
  assert.equal(ended.result.revoked, true);
  await new Browser(w.gw).connect(await w.link(w.ann));
  const order = { user: w.ann.id, kind: "google", keep_access: true };
  const kept = await w.admin("POST", "connections/disconnect", order);
  assert.deepEqual([kept.result.revoked, w.accounts.living("ann@agency.example")], [null, 1]);
});

test("who else has connected the same account is named when its access ends", async (w) => {
  await new Browser(w.gw).connect(await w.link(w.ann));
  await new Browser(w.gw).connect(await w.link(w.bob));
  const { result } = await w.admin("POST", "connections/disconnect", { user: w.ann.id, kind: "google" });
  assert.deepEqual(result.also_affected, [w.bob.id]);
});

test("the routes are for the master token alone", async (w) => {
  for (const [method, path] of [["GET", ""], ["POST", ""], ["POST", "/disconnect"]] as const) {
    const response = await w.gw.http(`/admin/api/connections${path}`, { method });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  }
});

test("binding a site to a user without an account that works warns, with the command that connects one", async (w) => {
  await w.gw.store.sites.create(site("acme", "cms"));
  const warnings = async (user_id: string) => {
    const { result } = await w.admin("PATCH", "sites/acme", { account_user_id: user_id });
    return (result as unknown as { warnings: string[] }).warnings;
  };
  const way = `deno task admin connection start --user ${w.ann.id} --kind google`;
  assert.deepEqual(await warnings(w.ann.id), [
    `account_user_id: user "${w.ann.id}" has connected no account: ${way}`,
  ]);
  await new Browser(w.gw).connect(await w.link(w.ann));
  assert.deepEqual(await warnings(w.ann.id), []);
  w.accounts.withdraw("ann@agency.example");
  w.gw.clock.now += 3_600_000;
  await w.gw.store.accounts.token(w.ann.id, "google", { refresh: refreshing(w), wait_ms: 5000 });
  assert.deepEqual(await warnings(w.ann.id), [
    `account_user_id: user "${w.ann.id}" must connect its account again: ${way}`,
  ]);
});
