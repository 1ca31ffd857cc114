/** Ten requests a project and day: counted across sites, tools and instances, one kept for the night, none wasted. */
import assert from "node:assert/strict";
import { startClarity } from "../../sandbox/clarity/start.ts";
import { retryAfter } from "../endings.ts";
import { MASTER, site } from "../kit.ts";
import { folder } from "../unit/store/kit.ts";
import {
  type Answer,
  BehaviorWorld,
  DAY,
  HOUR,
  linked,
  MIDNIGHT,
  PULLS,
  type Quota,
  test,
} from "./_behavior.ts";

const TOOL = "behavior_get_metrics";
const DIMENSIONS = ["Browser", "Device", "OS", "Country", "Source", "Medium", "Campaign", "Channel", "URL"];
/** So many questions that no two have one answer. */
const questions = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    num_of_days: 1 + at % 3,
    dimensions: [DIMENSIONS[Math.floor(at / 3)]],
  }));

/** Two instances on one store, which lies in a file, and on one stand-in. */
async function pair(): Promise<AsyncDisposableStack & { at: BehaviorWorld; second: BehaviorWorld }> {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await folder());
  const settings = { kvPath: `${path}/kv.sqlite3` };
  const at = stack.use(await BehaviorWorld.open({ settings }));
  const second = stack.use(await BehaviorWorld.open({ settings, standIn: at.clarity, second: true }));
  return Object.assign(stack, { at, second });
}

test("calls get nine of a day's ten, are refused then without a request, and go on after midnight UTC", async (at) => {
  for (const [used, question] of questions(9).entries()) {
    const { quota } = await at.ask(TOOL, question);
    assert.deepEqual([quota.used_today, quota.left], [used + 1, 8 - used]);
  }
  const says =
    /^9 of this project's 10 exports .* the last is kept for the nightly snapshot; nothing was asked/;
  const message = await at.refuses(TOOL, questions(10)[9]!, "E_UPSTREAM", says);
  assert.match(message, /resets at 2026-11-22T00:00:00\.000Z/);
  assert.equal(at.clarity.requests.length, 9);
  assert.equal((await at.ask(TOOL, questions(1)[0])).cached, true, "what is kept is answered all the same");
  at.gw.clock.now = MIDNIGHT + DAY;
  const { quota } = await at.ask(TOOL, questions(10)[9]);
  assert.deepEqual([quota.used_today, at.clarity.requests.length], [1, 10]);
});

test("sites of one project share its day, whatever their tokens; of another project they do not", async (at) => {
  await at.add(linked(at.clarity, "twin", "p1", "cms"), linked(at.clarity, "other", "p2"));
  for (const question of questions(5)) await at.ask(TOOL, question);
  for (const question of questions(9).slice(5)) await at.ask(TOOL, { site_id: "twin", ...question });
  await at.refuses(TOOL, { site_id: "twin", ...questions(10)[9] }, "E_UPSTREAM");
  const other = await at.ask(TOOL, { site_id: "other", ...questions(10)[9] });
  assert.deepEqual([other.project_id, other.quota.used_today], ["p2", 1]);
  const same = await at.ask(TOOL, { site_id: "twin", ...questions(1)[0] });
  assert.equal(same.cached, true, "and what was kept for one is there for the other");
});

test("whoever has another token never gets what was kept for the project's own", async (at) => {
  await at.ask("behavior_get_project_info");
  const stranger = {
    ...linked(at.clarity, "stranger", "p1"),
    credentials: { behavior: { export_token: "wrong" } },
  };
  await at.add(stranger);
  const says =
    /Clarity answered 401: Unauthorized; the token was rejected: make a new export token .* and set it with deno task admin site update stranger --behavior-token-stdin$/;
  await at.refuses("behavior_get_project_info", { site_id: "stranger" }, "E_UPSTREAM", says);
});

Deno.test("of fifty calls at once, on two instances, never more than nine leave", async () => {
  await using both = await pair();
  const { at, second } = both;
  const asked = questions(25).flatMap((question) =>
    [at, second].map((one) => one.gw.end(TOOL, { site_id: "client", ...question }))
  );
  const endings = await Promise.all(asked);
  assert.equal(at.clarity.requests.length, 9);
  assert.equal(at.clarity.used("p1"), 9);
  for (const one of endings) if ("code" in one) assert.match(one.message, /nothing was asked/);
  assert.equal((await second.ask("behavior_get_historical_metrics")).quota.used_today, 9);
});

test("the same question at the same time is one request, and a kept answer lasts three hours", async (at) => {
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => at.ask(PULLS[n % 2 ? 0 : 2]!, n % 2 ? {} : { num_of_days: 1 })),
  );
  assert.equal(at.clarity.requests.length, 1);
  assert.equal(new Set(all.map(({ fetched_at }) => fetched_at)).size, 1);
  at.gw.clock.now += 3 * HOUR - 1000;
  const kept = await at.ask("behavior_get_project_info");
  assert.deepEqual([kept.cached, kept.fetched_at], [true, all[0]!.fetched_at]);
  at.gw.clock.now += 1001;
  assert.equal((await at.ask("behavior_get_project_info")).cached, false);
  assert.equal(at.clarity.requests.length, 2);
});

Deno.test("another instance on the store answers from what the first one kept", async () => {
  await using both = await pair();
  const { at, second } = both;
  const first = await at.ask(TOOL, { dimensions: ["URL", "OS", "Country"] });
  const again = await second.ask(TOOL, { dimensions: ["URL", "OS", "Country"] });
  assert.deepEqual({ ...again, cached: false }, first);
  second.gw.clock.now -= 60_000;
  assert.equal(
    (await second.ask(TOOL, { dimensions: ["URL", "OS", "Country"] })).cached,
    true,
    "clocks differ a little",
  );
  assert.equal(at.clarity.requests.length, 1);
});

test("an answer of a thousand rows and nine metrics is kept whole", async (at) => {
  const information = Array.from({ length: 1000 }, (_, n) => ({
    Url: `https://dentist.example/${crypto.randomUUID()}/${n}`,
    totalSessionCount: `${n}`,
  }));
  at.clarity.project("p1").answer = Array.from({ length: 9 }, () => ({ metricName: "Traffic", information }));
  const args = { dimensions: ["URL"], limit: 1000 };
  const first = await at.ask(TOOL, args);
  assert.ok(JSON.stringify(first).length > 500_000);
  assert.deepEqual(await at.ask(TOOL, args), { ...first, cached: true });
});

test("a quota that somebody else spent is believed: one request is refused, then none is sent that day", async (at) => {
  at.clarity.spend("p1", 10);
  const first = await at.refuses("behavior_get_project_info", {}, "E_UPSTREAM");
  assert.equal(at.clarity.requests.length, 1, "through the second door nothing was sent any more");
  assert.match(
    first,
    /Clarity said today that this project's 10 exports of the day are used up, by others too; nothing was asked/,
  );
  for (const tool of PULLS) await at.refuses(tool, { num_of_days: undefined }, "E_UPSTREAM");
  assert.equal(at.clarity.requests.length, 1);
  const { quota } = await at.ask<Answer>("behavior_get_historical_metrics");
  assert.deepEqual([quota.used_today, quota.left, quota.exhausted], [1, 0, true]);
  at.gw.clock.now = MIDNIGHT + DAY;
  assert.equal((await at.ask("behavior_get_project_info")).quota.exhausted, false);
});

test("nothing is tried again: a refusal, an error and a broken connection cost one request each", async (at) => {
  const faults = [
    [
      { kind: "answer", status: 400, body: "Bad numOfDays" },
      /answered 400: Bad numOfDays; check the arguments/,
    ],
    [{ kind: "answer", status: 403, body: "No rights" }, /403: No rights; the token was rejected/],
    [{ kind: "answer", status: 500, body: "x".repeat(5000) }, /500: x{300}…; try again later/],
    [{ kind: "busy", status: 503, retry_after: 0 }, /Clarity answered 503/],
    [{ kind: "reset" }, /broke the connection off/],
    [{ kind: "malformed" }, /cannot be read/],
    [{ kind: "html" }, /Clarity answered 502: Bad gateway; try again later/],
    [
      { kind: "redirect", to: "https://elsewhere.example/" },
      /"https:\/\/elsewhere\.example", which was not followed/,
    ],
  ] as const;
  for (const [sent, [fault, words]] of faults.entries()) {
    at.clarity.inject(fault, { times: 5 });
    await at.gw.fails("behavior_get_project_info", { site_id: "client" }, "E_UPSTREAM", words);
    assert.equal(at.clarity.requests.length, sent + 1, `${fault.kind} is asked once`);
    at.clarity.clearFaults();
  }
  const { quota } = await at.ask<{ quota: Quota }>("behavior_get_historical_metrics");
  assert.equal(quota.used_today, faults.length, "what failed counts too");
});

test("answers that make no sense are E_UPSTREAM of every tool that asks, and none is kept", async (at) => {
  const answers = [{}, [{ metric: 1 }], [{ metricName: "Traffic", information: {} }], null, "text"];
  for (const [day, answer] of answers.entries()) {
    at.gw.clock.now = MIDNIGHT + day * DAY;
    at.clarity.project("p1").answer = answer;
    for (const tool of PULLS) {
      const says = /Clarity answered what cannot be read: .*; try again later/;
      await at.gw.fails(tool, { site_id: "client" }, "E_UPSTREAM", says);
    }
  }
});

test("Retry-After says how long nothing is to be had: until the quota resets, or as Clarity asks", async (at) => {
  const wait = (args: object) => retryAfter(at.gw, TOOL, { site_id: "client", ...args });
  at.clarity.inject({ kind: "answer", status: 503, body: "Down", headers: { "retry-after": "120" } });
  assert.equal(await wait({}), "120");
  at.clarity.inject({ kind: "answer", status: 500, body: "Broken" });
  assert.equal(await wait({}), null);
  for (const question of questions(7)) await at.ask(TOOL, question);
  const untilMidnight = String(12 * 60 * 60);
  assert.equal(await wait(questions(8)[7]!), untilMidnight);
  at.gw.clock.now += DAY;
  at.clarity.spend("p1", 10);
  assert.equal(await wait({}), untilMidnight, "what others used up");
  assert.equal(at.clarity.requests.length, 10);
});

test("what the vendor quotes of a token is taken out", async (at) => {
  const { token } = at.clarity.project("p1");
  at.clarity.inject({ kind: "answer", status: 401, body: `No such token: ${token}` }, { times: 2 });
  const says = /401: No such token: \[redacted\]; the token was rejected/;
  await at.refuses("behavior_get_project_info", {}, "E_UPSTREAM", says);
});

test("diagnose_site asks the project once in three hours, and says what its token lacks", async (at) => {
  interface Check {
    readonly ok: boolean | null;
    readonly detail: string;
    readonly next_step: string | null;
  }
  const check = async (site_id: string) => {
    const { checks } = await at.ask<{ checks: Check[] }>("diagnose_site", { site_id, checks: ["behavior"] });
    assert.equal(checks.length, 1);
    return checks[0]!;
  };
  assert.deepEqual(
    await check("client"),
    { name: "behavior", ok: true, detail: 'Clarity answers to the token of project "p1"', next_step: null },
  );
  assert.match((await check("client")).detail, /within the last three hours$/);
  assert.equal(at.clarity.requests.length, 1);
  assert.match((await check("tokenless")).detail, /has no export token;/);
  assert.equal(at.clarity.requests.length, 1);
  at.clarity.project("p1").token = "eyJ.another";
  at.gw.clock.now += 4 * HOUR;
  const rejected = await check("client");
  assert.deepEqual([rejected.ok, rejected.next_step], [
    false,
    "Make a new export token, set it, then diagnose again",
  ]);
  for (let more = 0; more < 7; more++) await at.gw.end(TOOL, { site_id: "client", ...questions(9)[more] });
  const spent = await check("client");
  assert.deepEqual([spent.ok, spent.next_step], [null, "Diagnose again after 00:00 UTC"]);
  assert.equal(at.clarity.requests.length, 9);
});

test("of a linked site of any kind diagnose_site says whether the project answers, of another one nothing", async (at) => {
  for (const kind of ["cms", "static", "sitebuilder"] as const) {
    await at.add(linked(at.clarity, `a-${kind}`, "p1", kind), site(`bare-${kind}`, kind, { base_url: null }));
    const seen = async (site_id: string) => {
      const { checks } = await at.ask<{ checks: { name: string; ok: boolean }[] }>("diagnose_site", {
        site_id,
      });
      return checks.flatMap(({ name, ok }) => name === "behavior" ? [ok] : []);
    };
    assert.deepEqual([await seen(`a-${kind}`), await seen(`bare-${kind}`)], [[true], []], kind);
  }
  assert.equal(at.clarity.requests.length, 1, "sites of one project share the answer");
  assert.deepEqual(
    (await at.gw.call<Answer>("diagnose_site", { site_id: "nowhere", checks: ["behavior"] }))["checks"],
    [{
      name: "behavior",
      ok: false,
      detail:
        'Site "nowhere" is linked to no behavior project: it has no behavior_project_id; its operator can set what is ' +
        "missing with deno task admin site update nowhere --behavior-project-id <id> --behavior-token-stdin",
      next_step: "Set what is missing, then diagnose again",
    }],
  );
});

test("diagnose_site with checks asks nobody for what was not asked", async (at) => {
  const { checks } = await at.ask<{ checks: { name: string }[] }>("diagnose_site", {
    checks: ["topicmap_link"],
  });
  assert.deepEqual(checks.map(({ name }) => name), ["topicmap_link"]);
  assert.equal(at.clarity.requests.length, 0, "no export of the day is spent");
});

Deno.test("no token stands in the store, in the site's own answers, or in what an operator exports", async () => {
  await using place = await folder();
  {
    const clarity = startClarity({ now: () => MIDNIGHT + 12 * HOUR });
    const { token } = clarity.project("p1");
    {
      await using at = await BehaviorWorld.open({
        standIn: clarity,
        settings: { kvPath: `${place.path}/kv.sqlite3` },
      });
      for (const tool of PULLS) await at.ask(tool);
      await at.night(MIDNIGHT + 13 * HOUR);
      const headers = { authorization: `Bearer ${MASTER}` };
      for (const page of ["sites", "snapshots", "audit", "audit.ndjson"]) {
        const response = await at.gw.http(`/admin/api/${page}`, { headers });
        assert.equal(response.status, 200, page);
        assert.ok(!(await response.text()).includes(token), page);
      }
      assert.ok(!JSON.stringify(await at.ask("get_site")).includes(token));
    }
    await clarity.stop();
    for await (const { name } of Deno.readDir(place.path)) {
      const bytes = await Deno.readFile(`${place.path}/${name}`);
      assert.ok(!new TextDecoder("latin1").decode(bytes).includes(token), name);
    }
  }
});
