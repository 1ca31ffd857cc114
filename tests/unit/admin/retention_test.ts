/** Retention and health through the admin API and the command line. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { VERSION } from "../../../core/model.ts";
import { openTerminal } from "./open_terminal.ts";
import { WAITS } from "./fake_retention.ts";
import { kit, told } from "./kit.ts";
import { words } from "../../words.ts";

const RETAIN = "/admin/api/audit/retain";

Deno.test("retain without confirm shows what would go, with it what went", async () => {
  const gw = await kit();
  for (const body of [{}, { confirm: false }]) {
    const shown = await gw.ok("POST", RETAIN, body);
    assert.deepEqual([(shown.due as { entries: number }).entries, shown.dropped], [70, null]);
  }
  const went = await gw.ok("POST", RETAIN, { confirm: true });
  assert.deepEqual(went.dropped, { segments: 3, entries: 70 });
});

Deno.test("retain refuses what it does not know, and who may not", async () => {
  const gw = await kit();
  assert.match(
    await gw.refused("E_BAD_INPUT", "POST", RETAIN, { confirm: "yes" }),
    /^confirm: expected true or false/,
  );
  assert.match(
    await gw.refused("E_BAD_INPUT", "POST", RETAIN, { before: "2026-01-01" }),
    /^before: unknown field/,
  );
  for (const [method, path] of [["POST", RETAIN], ["GET", "/admin/api/health"]] as const) {
    told(await gw.raw(path, { method }), "E_AUTH");
  }
});

Deno.test("health says what waits for the operator", async () => {
  const gw = await kit();
  assert.deepEqual(await gw.ok("GET", "/admin/api/health"), {
    ok: false,
    gateway_version: VERSION,
    clock: "2026-11-21T10:00:00.000Z",
    retention: WAITS,
    problems: [],
    jobs: [],
    foreign: [],
    sealed: [],
    unpreviewed: [],
    proxies: [],
    held_tools: [],
    freezes: [],
    unheld: [],
    kept_changes: { changes: 0, bytes: 0, near_quota: [] },
    webhooks: [],
    versions: [],
  });
  await gw.ok("POST", RETAIN, { confirm: true });
  assert.equal((await gw.ok("GET", "/admin/api/health")).ok, true);
});

Deno.test("audit retain shows what would go, and with --confirm lets it go", async () => {
  const cli = await openTerminal();
  const shown = (await cli.good("audit", "retain")).out;
  assert.match(
    shown,
    /^The gateway's clock says 2026-11-21T10:00.*too old is what was written before 2025-10-17T10/,
  );
  assert.match(shown, /The clock jumped\. Nothing is dropped until/);
  assert.match(shown, /That is 70 rows in 3 segments, written from 2025-01-01\S+ to 2025-10-16/);
  assert.match((await cli.good("audit", "retain", "--confirm")).out, /^Dropped: 70 rows in 3 segments/);
  assert.match((await cli.good("audit", "retain", "--confirm")).out, /nothing was dropped/);
  assert.match((await cli.good("audit", "retain")).out, /Nothing is\./);
});

Deno.test("health is not told of a store whose ping fails, but what is wrong with it", async () => {
  const message = "The file of the store is damaged (malformed); stop the gateway and put back a copy";
  const ping = () => Promise.reject(new GatewayError("E_INTERNAL", message));
  const { store } = await kit();
  const gw = await kit({ store: { ...store, ping } });
  assert.equal(await gw.refused("E_INTERNAL", "GET", "/admin/api/health"), message);
});

Deno.test("gateway health ends with 1 while something waits", async () => {
  const cli = await openTerminal();
  const { code, out } = await cli.run("gateway", "health");
  assert.equal(code, 1);
  assert.match(out, /kept for 400 days; retention ran at 2026-11-21.*nothing is left from before 2025-10-17/);
  assert.match(out, /Retention waits for you since 2026-11-20\S+: The clock jumped/);
  await cli.good("audit", "retain", "--confirm");
  assert.doesNotMatch((await cli.good("gateway", "health")).out, /waits/);
});

Deno.test("gateway health names what fails on a clock or does not end, and ends with 1", async () => {
  const seen = { running_since: null, began_at: null, done_at: null, failing_since: null };
  const jobs = [
    { ...seen, name: "audit doubts", event: "doubts_failed" },
    {
      ...seen,
      name: "tool catalogues",
      event: "tool_catalogs_failed",
      failing_since: "2026-11-21T09:59:00.000Z",
    },
    {
      ...seen,
      name: "daily snapshots",
      event: "snapshots_failed",
      running_since: "2026-11-21T08:00:00.000Z",
    },
  ];
  const retention = { ...WAITS, waiting: null };
  const message = "Requests come from 172.17.0.1; set TRUSTED_PROXIES";
  const proxies = [{ address: "172.17.0.1", seen_at: "2026-11-21T09:00:00.000Z", message }];
  const result = { ok: false, clock: "2026-11-21T10:00:00.000Z", retention, jobs, sealed: [], proxies };
  const cli = await openTerminal({ fetch: () => Promise.resolve(Response.json({ ok: true, result })) });
  const { code, out } = await cli.run("gateway", "health");
  assert.equal(code, 1);
  assert.match(
    out,
    /The runs of tool catalogues fail since 2026-11-21T09:59:00.000Z; the log says why \(tool_catalogs_failed\)\./,
  );
  assert.match(out, /The run of daily snapshots that began at 2026-11-21T08:00:00.000Z has not ended\./);
  assert.doesNotMatch(out, /doubts/);
  assert.match(out, /from 172\.17\.0\.1; set TRUSTED_PROXIES \(last seen at 2026-11-21T09:00:00\.000Z\)\./);
});

Deno.test("gateway health names a version of an upstream that ends, and what to change", async () => {
  const message =
    "Ads API v26 ends on 2027-11-01, in 9 days; from then on its calls fail. To do: set ADS_API_BASE";
  const versions = [{
    connector: "ads",
    api: "Ads API",
    version: "v26",
    sunset: "2027-11-01",
    days_left: 9,
    message,
  }];
  const retention = { days: 365, horizon: null, ran_at: null, waiting: null };
  const result = { ok: true, clock: "2027-10-23T10:00:00.000Z", retention, jobs: [], sealed: [], versions };
  const cli = await openTerminal({ fetch: () => Promise.resolve(Response.json({ ok: true, result })) });
  const { code, out } = await cli.run("gateway", "health");
  assert.equal(code, 0);
  assert.ok(out.includes(`\n${message}.\n`), out);
});

Deno.test("gateway health names what is sealed under a missing key, and ends with 1", async () => {
  const key = "0123456789ab";
  const sealed = [
    { kind: "credential", of: "acme", name: "cms", key },
    { kind: "account", of: "ann@agency.example", name: "google", key },
    { kind: "passphrase", of: "ann@agency.example", name: "", key },
  ];
  const result = {
    ok: false,
    clock: "2026-11-21T10:00:00.000Z",
    retention: { ...WAITS, waiting: null },
    jobs: [],
    sealed,
    proxies: [],
    held_tools: [],
    freezes: [],
  };
  const cli = await openTerminal({ fetch: () => Promise.resolve(Response.json({ ok: true, result })) });
  const { code, out } = await cli.run("gateway", "health");
  assert.equal(code, 1);
  const lines = [
    'The cms credential of site acme is sealed under key "0123456789ab", which ENCRYPTION_KEYS lacks: add that key, or ' +
    "set it again (site update acme).",
    "The google account of ann@agency.example is sealed under key",
    "The passphrase of ann@agency.example is sealed under key",
  ];
  for (const line of lines) assert.ok(out.includes(line), out);
});

Deno.test("a site that may publish on a mere yes is offered a preview where it is registered, and named by gateway health", async () => {
  const cli = await openTerminal();
  await cli.good("audit", "retain", "--confirm");
  const add = (id: string, ...more: string[]) =>
    cli.good("site", "add", id, "--platform", "cms", "--base-url", `https://${id}.example`, ...more);
  const offer = (id: string) =>
    new RegExp(`allow_publish is set, .*site update ${id} --confirm-policy preview`);
  const { out, err } = await add("open", "--flag", "allow_publish=true");
  assert.match(out + err, offer("open"));
  for (
    const [id, ...more] of [["closed"], words("shown --flag allow_publish=true --confirm-policy preview")]
  ) {
    const said = await add(id!, ...more);
    assert.doesNotMatch(said.out + said.err, /one call with confirm/);
  }
  const later = await cli.good("site", "update", "closed", "--flag", "allow_main_branch_push=true");
  assert.match(later.out + later.err, /"flag" and allow_main_branch_push is set/);
  const { code, out: health } = await cli.run("gateway", "health");
  assert.equal(code, 0, "it is an offer, not a fault");
  assert.match(health, /Site open has allow_publish, and its confirm policy is "flag"/);
  assert.match(health, /Site closed has allow_main_branch_push/);
  assert.doesNotMatch(health, /shown/);
  await cli.good("site", "update", "open", "--confirm-policy", "preview");
  assert.doesNotMatch((await cli.run("gateway", "health")).out, /Site open/);
});

Deno.test("health says how much is kept of changes, and which site is near its quota, with its oldest", async () => {
  const cli = await openTerminal();
  const { store } = cli;
  const room = [
    { site_id: "acme", changes: 3, bytes: 90 * 2 ** 20, oldest: "01KAKB3Y00RA1A1A1A1A1A1A1A" },
    { site_id: "calm", changes: 2, bytes: 2 ** 20, oldest: "01KAKB3Y00RA1A1A1A1A1A1A1B" },
  ].map(({ oldest, ...one }) => ({ ...one, oldest: { request_id: oldest, kept_until: 0 } }));
  store.changes.room = () => Promise.resolve(room);
  const { out } = await cli.run("gateway", "health");
  assert.match(out, /What stood there before 5 changes is kept \(91\.0 MiB\)\./);
  assert.match(out, /Site acme has 90\.0 MiB of 100\.0 MiB .* those from before 2025-11-21T/);
  assert.doesNotMatch(out, /Site calm/);
});
