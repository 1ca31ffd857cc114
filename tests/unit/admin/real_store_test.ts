/** The admin API over the store the gateway has: what is written is what the next answer shows. */
import assert from "node:assert/strict";
import type { Code } from "../../../core/errors.ts";
import { fakeRetention, WAITS } from "./fake_retention.ts";
import { openStore } from "../../../store/kv.ts";
import type { AuditPage, Store } from "../../../store/store.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { auditRow, kit, type ShownSite } from "./kit.ts";
import { folder } from "../../folder.ts";

async function withStore(work: (gw: ReturnType<typeof kit>, store: Store) => Promise<void>): Promise<void> {
  const clock = { now: Date.parse("2026-11-21T10:00:00Z") };
  const store = await openStore({
    path: ":memory:",
    keys: [new Uint8Array(32).fill(1)],
    siteShape: SITE_SHAPE,
    tokenPrefix: "gate",
    now: () => clock.now,
  });
  try {
    await work(kit({ store, now: () => clock.now }), store);
  } finally {
    await store.close();
  }
}

const SITE = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test/" };

Deno.test("a site's credentials are sealed, read back by the gateway and never by the API", async () => {
  await withStore(async (gw, store) => {
    const cms = { username: "bot", application_password: "aaaa bbbb" };
    await gw.ok("POST", "/admin/api/sites", {
      ...SITE,
      credentials: { cms },
      flags: { allow_publish: true },
    });
    assert.deepEqual(await store.sites.secret("acme", "cms"), cms);
    const site = await gw.ok<ShownSite>("PATCH", "/admin/api/sites/acme", {
      seo: { enabled: true },
      repo: "a/b",
    });
    assert.deepEqual([site.base_url, site.repo, site.flags.allow_publish], [
      "https://acme.test",
      "a/b",
      true,
    ]);
    assert.deepEqual([site.seo, site.credentials.cms], [{ enabled: true, channel: "rest" }, true]);
    assert.deepEqual([site.available_builders, site.default_builder], [["block"], "block"]);
    await gw.ok("PATCH", "/admin/api/sites/acme", { credentials: { cms: null } });
    assert.equal(await store.sites.secret("acme", "cms"), null);
    await gw.refused("E_BAD_INPUT", "POST", "/admin/api/sites", SITE);
    const { sites } = await gw.ok<{ sites: ShownSite[] }>("GET", "/admin/api/sites");
    assert.deepEqual(sites.map((one) => one.id), ["acme"]);
  });
});

Deno.test("a site that moves to another origin loses the credentials of the old one, and is told so", async () => {
  await withStore(async (gw, store) => {
    const cms = { username: "bot", application_password: "aaaa bbbb" };
    const others = { crm: { integration_token: "pit" }, behavior: { export_token: "aa.bb" } };
    await gw.ok("POST", "/admin/api/sites", { ...SITE, credentials: { cms, ...others } });
    const change = (body: object) =>
      gw.ok<ShownSite & { warnings: string[] }>("PATCH", "/admin/api/sites/acme", body);
    const same = await change({ base_url: "https://ACME.test:443/blog" });
    assert.deepEqual([same.credentials, same.warnings], [
      { cms: true, companion: false, crm: true, behavior: true },
      [],
    ]);
    const moved = await change({ base_url: "https://new.test" });
    assert.deepEqual(moved.credentials, { cms: false, companion: false, crm: true, behavior: true });
    assert.deepEqual(moved.warnings, [
      "credentials.cms: dropped, as they belong to https://acme.test; send them again for https://new.test",
    ]);
    assert.equal(await store.sites.secret("acme", "cms"), null);
    assert.deepEqual((await change({ base_url: "https://acme.test" })).warnings, []);
    const again = await change({ base_url: "https://new.test", credentials: { cms } });
    assert.deepEqual([again.credentials.cms, again.warnings], [true, []]);
    assert.deepEqual(await store.sites.secret("acme", "cms"), cms);
  });
});

Deno.test("a token opens what its text says until it is revoked", async () => {
  await withStore(async (gw, store) => {
    await gw.ok("POST", "/admin/api/sites", SITE);
    const user = { email: "a@acme.test", role: "member", allowed_sites: ["acme"], max_risk: 1 };
    const { user_id } = await gw.ok("POST", "/admin/api/users", user);
    const body = { name: "w", env: "prod", allowed_sites: ["acme"], allowed_tools: ["get_post"] };
    const asked = { ...body, owner_user_id: user_id };
    const made = await gw.ok<{ token: string; token_id: string; max_risk: number }>(
      "POST",
      "/admin/api/tokens",
      asked,
    );
    assert.match(made.token, /^gate_prod_[\w-]{43}$/);
    assert.equal((await store.tokens.find(made.token))?.id, made.token_id);
    assert.equal(made.max_risk, 1);
    await gw.ok("POST", `/admin/api/tokens/${made.token_id}/revoke`);
    assert.ok((await store.tokens.find(made.token))?.revoked_at);
    await gw.refused("E_BAD_INPUT", "POST", "/admin/api/users", { ...user, email: "A@acme.test" });
    const other = await gw.ok("POST", "/admin/api/users", { ...user, email: "b@acme.test" });
    const path = `/admin/api/users/${other.user_id}`;
    assert.match(await gw.refused("E_BAD_INPUT", "PATCH", path, { email: "a@acme.test" }), /^email: /);
    assert.equal((await gw.ok("PATCH", path, { max_risk: 3 })).max_risk, 3);
  });
});

Deno.test("the largest token and site that a body may hold fit the store", async () => {
  await withStore(async (gw) => {
    for (let n = 0; n < 400; n++) {
      const id = `s${n}`.padEnd(63, "x");
      await gw.ok("POST", "/admin/api/sites", { id, name: "s", platform: "crm" });
    }
    const allowed_sites = Array.from({ length: 400 }, (_, n) => `s${n}`.padEnd(63, "x"));
    const allowed_tools = Array.from({ length: 256 }, (_, n) => `t-${n}`.padEnd(128, "x"));
    await gw.ok("POST", "/admin/api/tokens", {
      name: "é".repeat(100),
      env: "dev",
      allowed_sites,
      allowed_tools,
    });
    const token = "x".repeat(4096);
    const credentials = { crm: { integration_token: token }, behavior: { export_token: token } };
    const base_url = `https://acme.test/${"a".repeat(2000)}`;
    await gw.ok("POST", "/admin/api/sites", { ...SITE, base_url, name: "é".repeat(100), credentials });
  });
});

Deno.test("a session opens the API until it ends", async () => {
  await withStore(async (gw) => {
    const signed = await gw.call("POST", "/admin/login", {
      master_token: "master-token-of-the-tests-0123456789",
    });
    const cookie = signed.headers.get("set-cookie")!.split(";")[0]!;
    assert.equal((await gw.raw("/admin/api/sites", { headers: { cookie } })).status, 200);
    await gw.raw("/admin/logout", { method: "POST", headers: { cookie } });
    assert.equal((await gw.raw("/admin/api/sites", { headers: { cookie } })).status, 401);
  });
});

Deno.test("the audit is listed, exported and found whole", async () => {
  await withStore(async (gw, store) => {
    const ids = ["01KAHZ0000000000000000000A", "01KAHZ0000000000000000000B", "01KAHZ0000000000000000000C"];
    for (const id of ids) await store.audit.append(auditRow({ id, tool: "get_post" }));
    const first = await gw.ok<AuditPage>("GET", "/admin/api/audit?limit=2&tool=get_post");
    assert.equal(first.rows.length, 2);
    const next = `/admin/api/audit?limit=2&tool=get_post&cursor=${first.next_cursor}`;
    const rest = await gw.ok<AuditPage>("GET", next);
    assert.deepEqual([...first.rows, ...rest.rows].map((row) => row.id), ids.toReversed());
    const lines = (await gw.call("GET", "/admin/api/audit.ndjson")).text.trimEnd().split("\n");
    assert.equal(lines.filter((line: string) => JSON.parse(line).tool === "get_post").length, 3);
    assert.equal((await gw.ok("GET", "/admin/api/audit/verify")).ok, true);
    const code: Code = "E_BAD_INPUT";
    assert.match(await gw.refused(code, "GET", "/admin/api/audit?cursor=nonsense"), /^cursor: /);
  });
});

Deno.test("health names what is sealed under a missing key by what an operator calls it", async () => {
  await using place = await folder();
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const opened = (...keys: Uint8Array[]) =>
    openStore({ path: `${place.path}/store`, keys, siteShape: SITE_SHAPE, tokenPrefix: "gate" });
  const first = await opened(old);
  const gw = kit({ store: first });
  const credentials = { cms: { username: "u", application_password: "aaaa bbbb" } };
  await gw.ok("POST", "/admin/api/sites", {
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example",
    credentials,
  });
  const user = await first.users.create({
    email: "ann@agency.example",
    role: "member",
    allowed_sites: [],
    max_risk: 0,
  });
  const grant = { access_token: "a", expires_in: 60, refresh_token: "r", scopes: [], account: "x" };
  for (const id of [user!.id, "removed"]) await first.accounts.connect(id, "google", grant).catch(() => {});
  await first.close();
  await (await opened(next, old)).close();
  const store = await opened(next);
  const quiet = { ...WAITS, waiting: null };
  const retention = { ...fakeRetention(), state: () => Promise.resolve(quiet) };
  const { ok, sealed } = await kit({ store, retention }).ok("GET", "/admin/api/health") as {
    ok: boolean;
    sealed: { kind: string; of: string; name: string }[];
  };
  assert.equal(ok, false);
  assert.deepEqual(sealed.map(({ kind, of, name }) => [kind, of, name]), [
    ["credential", "acme", "cms"],
    ["account", "ann@agency.example", "google"],
  ]);
  await store.close();
});
