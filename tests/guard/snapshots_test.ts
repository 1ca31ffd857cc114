/** The nightly run: one snapshot a site and day, whatever fails, on whichever instance, whenever it is made up for. */
import assert from "node:assert/strict";
import type { Snapshot, SnapshotReport } from "../../core/model.ts";
import { MASTER } from "../kit.ts";
import { BehaviorWorld, DAY, HOUR, linked, MIDNIGHT, test } from "../tools/_behavior.ts";
import { folder } from "../unit/store/kit.ts";

const MINUTE = 60_000;
/** 01:30 UTC of the tests' day, whose snapshots are of the day before. */
const DUE = MIDNIGHT + 90 * MINUTE;
const DATE = "2026-11-20";
const FIRST = "0000-00-00";

/** Every snapshot of a site, by day. */
async function kept(at: BehaviorWorld, site_id = "client"): Promise<Snapshot[]> {
  return await at.gw.store.snapshots.list("clarity", site_id, FIRST, "9999");
}

async function dates(at: BehaviorWorld, site_id = "client"): Promise<string[]> {
  return (await kept(at, site_id)).map(({ date, status, late }) => `${date} ${status}${late ? " late" : ""}`);
}

/** What an operator sees. */
async function report(at: BehaviorWorld, query = ""): Promise<SnapshotReport> {
  const headers = { authorization: `Bearer ${MASTER}` };
  const response = await at.gw.http(`/admin/api/snapshots${query}`, { headers });
  const { ok, result, error } = await response.json();
  assert.ok(ok, JSON.stringify(error));
  return result;
}

test("at 01:30 UTC the day that is over is kept of each linked site, not a minute before, and once", async (at) => {
  await at.add(linked(at.clarity, "blog", "p2", "cms"));
  await at.night(DUE - 1);
  assert.deepEqual(at.clarity.requests, []);
  for (const ms of [0, 1, HOUR, 20 * HOUR]) await at.night(DUE + ms);
  assert.equal(at.clarity.requests.length, 2);
  for (const { query } of at.clarity.requests) assert.deepEqual(query, { numOfDays: "1" });
  const [snapshot, ...more] = await kept(at);
  assert.deepEqual(more, []);
  const { metrics, ...rest } = snapshot!;
  assert.deepEqual(rest, {
    site_id: "client",
    date: DATE,
    source: "p1",
    attempts: 1,
    credentials_version: 1,
    status: "ok",
    error: null,
    retry: false,
    pulled_at: "2026-11-21T01:30:00.000Z",
    window_start: "2026-11-20T01:30:00.000Z",
    window_end: "2026-11-21T01:30:00.000Z",
    late: false,
  });
  assert.ok(Number(metrics!["sessions"]) > 50);
  assert.deepEqual([await dates(at, "blog"), await dates(at, "tokenless")], [[`${DATE} ok`], []]);
  assert.deepEqual(await at.gw.audit(), [], "the run is no call");
  const [line, ...other] = at.gw.logged;
  assert.deepEqual([line, other], [
    { event: "snapshots", connector: "clarity", date: DATE, due: 2, ok: 2, empty: 0, failed: 0 },
    [],
  ]);
});

Deno.test("thirty nights are thirty days; a clock that is changed in spring or autumn makes none twice or missing", async () => {
  for (const from of ["2026-03-20T01:30:00Z", "2026-10-20T01:30:00Z"]) {
    await using at = await BehaviorWorld.open();
    const first = Date.parse(from);
    for (let night = 0; night < 30; night++) await at.night(first + night * DAY);
    const all = await kept(at);
    assert.equal(new Set(all.map(({ date }) => date)).size, 30);
    assert.equal(at.clarity.requests.length, 30);
    for (const { date, window_start } of all) assert.equal(window_start, `${date}T01:30:00.000Z`);
    const sites = (await report(at, "?days=30&site_id=client")).sites;
    assert.deepEqual([sites[0]!.snapshot_count, sites[0]!.days_missing], [30, 0]);
  }
});

test("a clock that is set back runs the same night again, and nothing is asked or replaced", async (at) => {
  await at.night(DUE);
  const before = await kept(at);
  await at.night(DUE - 40 * MINUTE);
  await at.night(DUE);
  assert.deepEqual([await kept(at), at.clarity.requests.length], [before, 1]);
});

test("a site that is linked to another project has that one's day, and none of the one before", async (at) => {
  await at.night(DUE);
  const credentials = { behavior: { export_token: at.clarity.project("p2").token } };
  await at.gw.store.sites.update("client", { behavior_project_id: "p2", credentials });
  const shown = async () => {
    const { complete, sites: [site] } = await report(at, "?days=1");
    const [day] = site!.days;
    return [complete, site!.snapshot_count, day!.status, day!.to_come];
  };
  assert.deepEqual(await shown(), [false, 0, "missing", true], "what is kept is another project's");
  at.clarity.inject({ kind: "answer", status: 500, body: "broken" }, { times: 1 });
  await at.night(DUE + HOUR);
  assert.deepEqual(await shown(), [false, 0, "failed", true]);
  await at.night(DUE + 2 * HOUR);
  assert.deepEqual(await shown(), [true, 1, "ok", false]);
  assert.deepEqual((await kept(at)).map(({ source, attempts }) => [source, attempts]), [["p2", 2]]);
  await at.night(DUE + 3 * HOUR);
  assert.equal(at.clarity.requests.length, 3, "and it is kept");
});

Deno.test("of two instances one runs, and every project is asked once", async () => {
  await using place = await folder();
  const settings = { kvPath: `${place.path}/kv.sqlite3` };
  await using at = await BehaviorWorld.open({ settings });
  await at.add(...Array.from({ length: 20 }, (_, n) => linked(at.clarity, `site-${n}`)));
  await using second = await BehaviorWorld.open({ settings, standIn: at.clarity, second: true });
  second.gw.clock.now = DUE;
  await Promise.all([at.night(DUE), second.night(DUE), at.night(DUE), second.night(DUE)]);
  assert.equal(at.clarity.requests.length, 21);
  const { runs, complete } = await report(second);
  assert.deepEqual([runs.length, runs[0]!.ok, complete], [1, 21, true]);
});

Deno.test("of 500 sites 50 fail, and the others are there, four asked at once", async () => {
  await using at = await BehaviorWorld.open({ clarity: { limits: { concurrency: 4 } } });
  const broken = Array.from({ length: 50 }, (_, n) => `p-${n * 10 + 3}`);
  await at.add(...Array.from({ length: 499 }, (_, n) => linked(at.clarity, `s-${n}`, `p-${n}`)));
  for (const [n, id] of broken.entries()) {
    if (n % 2 === 0) at.clarity.project(id).token = "another";
    else at.clarity.project(id).answer = "no list";
  }
  await at.night(DUE);
  const { sites, runs, complete } = await report(at, "?days=1");
  const failed = sites.filter(({ days }) => days[0]!.status === "failed").map(({ source }) => source);
  assert.deepEqual(failed.toSorted(), broken.toSorted());
  assert.equal(sites.filter(({ days }) => days[0]!.status === "ok").length, 450);
  assert.deepEqual([runs[0]!.due, runs[0]!.ok, runs[0]!.failed, complete], [500, 450, 50, false]);
  assert.equal(at.clarity.requests.length, 500);
});

test("trouble of the vendor is tried once more an hour later, a refusal only with other credentials", async (at) => {
  await at.add(linked(at.clarity, "refused", "p2"));
  const project = at.clarity.project("p2");
  const own = project.token;
  project.token = "another";
  at.clarity.inject({ kind: "answer", status: 500, body: "broken" }, {
    times: 1,
    while: () => at.clarity.requests.at(-1)!.headers["authorization"]!.includes("p1"),
  });
  await at.night(DUE);
  const seen = async (site_id: string) => {
    const { status, attempts, retry, error } = (await kept(at, site_id))[0]!;
    return [status, attempts, retry, error?.replace(/;.*/s, "")];
  };
  assert.deepEqual(await seen("client"), ["failed", 1, true, "Clarity answered 500"]);
  assert.deepEqual(await seen("refused"), ["failed", 1, false, "Clarity answered 401"]);
  await at.night(DUE + HOUR);
  assert.deepEqual(await seen("client"), ["ok", 2, false, undefined]);
  assert.equal(at.clarity.requests.length, 3, "what was refused is not asked again");
  await at.gw.store.sites.update("refused", { credentials: { behavior: { export_token: "wrong" } } });
  await at.night(DUE + 2 * HOUR);
  await at.night(DUE + 3 * HOUR);
  assert.equal(at.clarity.requests.length, 4, "another token is tried once");
  project.token = own;
  await at.gw.store.sites.update("refused", { credentials: { behavior: { export_token: own } } });
  await at.night(DUE + 4 * HOUR);
  assert.deepEqual(await seen("refused"), ["ok", 1, false, undefined]);
  assert.deepEqual(await dates(at, "refused"), [`${DATE} ok`], "05:30 is not late");
});

test("what fails twice is left for that day, and the next night begins anew", async (at) => {
  at.clarity.inject({ kind: "reset" }, { times: 2 });
  for (let hour = 0; hour < 22; hour++) await at.night(DUE + hour * HOUR);
  assert.equal(at.clarity.requests.length, 2);
  const [failed] = await kept(at);
  assert.deepEqual([failed!.status, failed!.attempts, failed!.retry], ["failed", 2, false]);
  assert.match(failed!.error!, /broke the connection off/);
  await at.night(DUE + DAY);
  assert.deepEqual(await dates(at), [`${DATE} failed`, "2026-11-21 ok"]);
});

test("a quota that others spent fails the night once, without another request that day", async (at) => {
  at.gw.clock.now = MIDNIGHT + HOUR;
  at.clarity.spend("p1", 10);
  for (let hour = 0; hour < 5; hour++) await at.night(DUE + hour * HOUR);
  assert.equal(at.clarity.requests.length, 1);
  assert.match(
    (await kept(at))[0]!.error!,
    /^Clarity answered 429; .* used up, by others too/,
  );
});

test("calls before 01:30 leave a request for the night", async (at) => {
  at.gw.clock.now = MIDNIGHT + HOUR;
  const names = ["Browser", "Device", "OS", "Source", "Medium", "Campaign", "Channel", "URL", "Country"];
  for (const one of [...names, "Browser"]) {
    await at.gw.end("behavior_get_metrics", { site_id: "client", num_of_days: 2, dimensions: [one] });
  }
  await at.gw.end("behavior_get_metrics", { site_id: "client", num_of_days: 3 });
  assert.equal(at.clarity.requests.length, 9);
  await at.night(DUE);
  assert.deepEqual([await dates(at), at.clarity.used("p1")], [[`${DATE} ok`], 10]);
});

test("a run that was missed is made up for on its day, marked late from 06:00 UTC; an older day stays missing", async (at) => {
  await at.night(DUE);
  await at.night(DUE + 3 * DAY + 8 * HOUR);
  assert.deepEqual(await dates(at), [`${DATE} ok`, "2026-11-23 ok late"]);
  const late = (await kept(at))[1]!;
  assert.deepEqual([late.window_start, late.window_end], [
    "2026-11-23T09:30:00.000Z",
    "2026-11-24T09:30:00.000Z",
  ]);
  const { sites, complete, next_due } = await report(at, "?days=4");
  const { days, snapshot_count, days_missing } = sites.find(({ site_id }) => site_id === "client")!;
  assert.deepEqual(days.map(({ date, status, to_come }) => [date, status, to_come]), [
    [DATE, "ok", false],
    ["2026-11-21", "missing", false],
    ["2026-11-22", "missing", false],
    ["2026-11-23", "ok", false],
  ]);
  assert.deepEqual(
    [snapshot_count, days_missing, complete, next_due],
    [2, 2, true, "2026-11-25T01:30:00.000Z"],
  );
  assert.equal(at.clarity.requests.length, 2);
});

test("days before a site was linked are not missing; those after are, also where nothing was ever kept", async (at) => {
  const shown = async (query: string) => {
    const { complete, sites } = await report(at, query);
    const { days, days_missing } = sites.find(({ site_id }) => site_id === "client")!;
    return [days.map(({ status }) => status).join(" "), days_missing, complete];
  };
  at.gw.clock.now = DUE - MINUTE; // linked at noon of the tests' day; the newest day is two days before it
  assert.deepEqual(await shown("?days=2"), ["unlinked unlinked", 0, true]);
  at.gw.clock.now = MIDNIGHT + 12 * HOUR;
  assert.deepEqual(
    await shown("?days=3"),
    ["unlinked unlinked missing", 1, false],
    "that one can still be had",
  );
  at.gw.clock.now = DUE + 3 * DAY;
  assert.deepEqual(await shown("?days=5"), ["unlinked missing missing missing missing", 4, false]);
  await at.night(DUE + 3 * DAY);
  assert.deepEqual(await shown("?days=5"), ["unlinked missing missing missing ok", 3, true]);
  // A change of anything else of the site says nothing of when it was linked, once days are kept.
  await at.night(DUE + 5 * DAY);
  await at.gw.store.sites.update("client", { name: "Another" });
  assert.deepEqual(await shown("?days=3"), ["ok missing ok", 1, true]);
  assert.deepEqual(await shown("?days=2"), ["missing ok", 1, true], "an earlier day is kept");
});

test("what a call pulled since 01:30 serves the run, and what the run pulled serves calls", async (at) => {
  await at.add(linked(at.clarity, "twin", "p1", "cms"), linked(at.clarity, "blog", "p2"));
  at.gw.clock.now = DUE - 10 * MINUTE;
  await at.ask("behavior_get_project_info");
  await at.night(DUE);
  assert.equal(at.clarity.requests.length, 3, "what was pulled before does not hold the whole day");
  assert.deepEqual(await dates(at, "twin"), [`${DATE} ok`], "two sites of a project have one request");
  const twins = [(await kept(at))[0]!.metrics, (await kept(at, "twin"))[0]!.metrics];
  assert.deepEqual(twins[0], twins[1]);
  assert.equal((await at.ask("behavior_get_project_info", { site_id: "blog" })).cached, true);
});

test("a project without visitors is kept as empty", async (at) => {
  await at.add(linked(at.clarity, "zeros", "p2"));
  at.clarity.project("p1").traffic = "none";
  at.clarity.project("p2").traffic = "zeros";
  await at.night(DUE);
  assert.deepEqual([await dates(at), await dates(at, "zeros")], [[`${DATE} empty`], [`${DATE} empty`]]);
});

test("a store that fails ends the run with a line in the log, and the next run does what is left", async (at) => {
  const { store } = at.gw;
  await at.add(...Array.from({ length: 9 }, (_, n) => linked(at.clarity, `site-${n}`)));
  const put = store.snapshots.put.bind(store.snapshots);
  let left = 5;
  store.snapshots.put = async (...args) => {
    if (left-- <= 0) throw new Error("disk full");
    return await put(...args);
  };
  await at.night(DUE);
  assert.deepEqual(at.gw.logged.filter(({ event }) => event === "snapshots_failed"), [
    { event: "snapshots_failed", cause: "Error: disk full" },
  ]);
  const cutOff = (await report(at)).runs;
  assert.deepEqual([cutOff.length, cutOff[0]!.ended_at], [1, null]);
  store.snapshots.put = put;
  await at.night(DUE + HOUR);
  const { complete, runs } = await report(at, "?days=1");
  assert.deepEqual([complete, runs.length, runs[1]!.due], [true, 2, 5]);
  const asked = Map.groupBy(at.clarity.requests, ({ headers }) => headers["authorization"]);
  assert.ok([...asked.values()].every((of) => of.length <= 1), "what was pulled is not pulled again");
});

test("an instance that lost its lease stops, and the other one's snapshots stand", async (at) => {
  await at.add(...Array.from({ length: 9 }, (_, n) => linked(at.clarity, `site-${n}`)));
  const { leases } = at.gw.store;
  const hold = leases.hold.bind(leases);
  let renewals = 0;
  leases.hold = (name, ttl_ms, work) =>
    hold(name, ttl_ms, () => work(() => Promise.resolve(++renewals <= 6)));
  await at.night(DUE);
  assert.ok(at.clarity.requests.length <= 6);
  assert.equal(at.gw.logged.at(-1)!["event"], "snapshots_stopped");
  assert.equal((await report(at)).runs[0]!.ended_at, null);
  leases.hold = hold;
  await at.night(DUE + HOUR);
  assert.equal((await report(at, "?days=1")).complete, true);
  assert.equal(at.clarity.requests.length, 10);
});

Deno.test("an instance that stops begins no other site, lets none fail for it, and leaves the rest to the next at once", async () => {
  await using place = await folder();
  const settings = { kvPath: `${place.path}/kv.sqlite3` };
  await using at = await BehaviorWorld.open({ settings });
  const ids = Array.from({ length: 9 }, (_, n) => `site-${n}`);
  await at.add(...ids.map((id) => linked(at.clarity, id)));
  await using second = await BehaviorWorld.open({ settings, standIn: at.clarity, second: true });
  const { sites } = at.gw.store;
  const secret = sites.secret.bind(sites);
  let begun = 0;
  let stopped: Promise<void> | undefined;
  sites.secret = async (...args) => {
    begun++;
    if (begun === 3) stopped = at.gw.gateway.snapshots.stop();
    if (begun === 4) throw new TypeError("the connection was closed");
    return await secret(...args);
  };
  await at.night(DUE);
  await stopped;
  const found = await Promise.all(["client", ...ids].map((id) => kept(at, id)));
  assert.deepEqual(found.flat().map(({ status }) => status), ["ok", "ok", "ok"]);
  assert.deepEqual([begun, at.clarity.requests.length], [4, 3]);
  assert.deepEqual(at.gw.logged, [
    { event: "snapshots_stopped", connector: "clarity", date: DATE, due: 10, ok: 3, empty: 0, failed: 0 },
  ]);
  await at.night(DUE + 1);
  assert.equal(begun, 4, "it begins nothing any more");
  await second.night(DUE + 1);
  const { runs, complete } = await report(second, "?days=1");
  assert.deepEqual([complete, runs.map(({ due, ok, ended_at }) => [due, ok, ended_at !== null])], [
    true,
    [[10, 3, false], [7, 7, true]],
  ]);
});

test("while a run is under way, or was cut off, its row says how far it came", async (at) => {
  await at.add(...Array.from({ length: 9 }, (_, n) => linked(at.clarity, `site-${n}`)));
  const { snapshots } = at.gw.store;
  const put = snapshots.put.bind(snapshots);
  const seen: (readonly number[])[] = [];
  snapshots.put = async (...args) => {
    const [run] = (await report(at, "?days=1")).runs;
    seen.push([run!.ok, Number(run!.ended_at === null)]);
    return await put(...args);
  };
  await at.night(DUE);
  assert.equal(seen.length, 10);
  assert.ok(
    seen.every(([ok, isOpen], at) => isOpen === 1 && ok! >= at - 4 && ok! <= at),
    JSON.stringify(seen),
  );
});

test("a site whose token no key opens fails alone, and says what to do", async (at) => {
  await at.add(linked(at.clarity, "other", "p2"));
  const { sites } = at.gw.store;
  const secret = sites.secret.bind(sites);
  sites.secret = (id, kind, base_url) =>
    id === "other" ? Promise.reject(new TypeError("a bug")) : secret(id, kind, base_url);
  await at.night(DUE);
  assert.deepEqual(await dates(at), [`${DATE} ok`]);
  const [failed] = await kept(at, "other");
  assert.equal(failed!.error, "Something failed inside the gateway; its log says what");
  assert.equal(failed!.retry, true, "it may be over in an hour");
  assert.deepEqual(
    at.gw.logged[0],
    { event: "snapshot_failed", connector: "clarity", site_id: "other", cause: "TypeError: a bug" },
  );
});

test("the report refuses what it does not know, and is the master token's", async (at) => {
  const ask = async (query: string, token = MASTER) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await at.gw.http(`/admin/api/snapshots${query}`, { headers });
    return { status: response.status, ...(await response.json()).error };
  };
  assert.match((await ask("?days=0")).message, /days: expected a whole number from 1 to 400, not 0/);
  assert.match((await ask("?days=401")).message, /days: expected a whole number/);
  assert.match(
    (await ask("?days=32")).message,
    /days: at most 31 of all sites; name one with site_id for more/,
  );
  assert.equal((await ask("?days=400&site_id=client")).status, 200);
  assert.match((await ask("?site=client")).message, /site: .*did you mean site_id/);
  assert.deepEqual((await ask("?site_id=clinet")).status, 404);
  assert.deepEqual((await ask("", at.gw.token())).status, 401);
  assert.deepEqual((await report(at, "?site_id=tokenless")).sites, []);
});
