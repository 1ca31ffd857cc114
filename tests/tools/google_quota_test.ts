/** What Google Analytics takes of a property at once is never gone beyond, whoever calls. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { amongFew } from "../../platforms/google/at_once.ts";
import { DAYS, GoogleWorld } from "./_google.ts";

/** The quota of a standard property (developers.google.com/analytics/devguides/reporting/data/v1/quotas). */
const CONCURRENT = 10;

Deno.test("many reports of a property at once are all answered, and never more requests are under way than it takes", async () => {
  let [now, most] = [0, 0];
  const slow: typeof fetch = async (input, init) => {
    if (!String(input).endsWith(":runReport")) return await fetch(input, init);
    most = Math.max(most, ++now);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    return await fetch(input, init).finally(() => now--);
  };
  await using at = await GoogleWorld.open({ fetch: slow });
  const call = { site_id: "linked", ...DAYS, compare: "previous_period" };
  const reports = await Promise.all(
    Array.from({ length: 6 }, () => at.gw.call<{ left_out: unknown[] }>("generate_seo_report", call)),
  );
  assert.deepEqual(reports.flatMap(({ left_out }) => left_out), []);
  assert.ok(most > 1 && most < CONCURRENT, `${most} were under way at once`);
});

Deno.test("whoever waits gets a place in turn, also after one that failed, and none after its time", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = (name: string, until: Promise<void> = Promise.resolve()) => async () => {
    order.push(name);
    await until;
    if (name === "fails") throw new Error(name);
    return name;
  };
  const first = amongFew("p", 1, 1000, work("first", gate.promise));
  const late = await amongFew("p", 1, 0, work("late"));
  assert.equal(late, null, "nothing was done");
  const failing = assert.rejects(amongFew("p", 1, 60_000, work("fails")));
  const last = amongFew("p", 1, 60_000, work("last"));
  const elsewhere = await amongFew("q", 1, 0, work("elsewhere"));
  gate.resolve();
  assert.deepEqual([await first, elsewhere, await last], [{ done: "first" }, { done: "elsewhere" }, {
    done: "last",
  }]);
  await failing;
  assert.deepEqual(order, ["first", "elsewhere", "fails", "last"]);
  assert.deepEqual(await amongFew("p", 1, 0, work("again")), { done: "again" }, "the place is free");
});

Deno.test("a property whose tokens of the hour are used up is not asked again and again", async () => {
  let asked = 0;
  const message = "Exhausted property tokens for a project per hour.";
  await using at = await GoogleWorld.open({
    fetch: async (input, init) => {
      if (!String(input).endsWith(":runReport") || ++asked > 3) return await fetch(input, init);
      return Response.json({ error: { code: 429, status: "RESOURCE_EXHAUSTED", message } }, { status: 429 });
    },
  });
  const call = { site_id: "linked", ...DAYS, metrics: ["sessions"] };
  const door = { door: "rest" } as const;
  await at.gw.refuses(
    "get_analytics_report",
    call,
    "E_UPSTREAM",
    /its quota is used up: try again later/,
    door,
  );
  const says = /was not asked: it said that the property's quota is used up; try again in 300 s/;
  await at.gw.refuses("get_analytics_report", call, "E_UPSTREAM", says, door);
  assert.equal(asked, 3, "the tries of the first call");
  at.gw.clock.now += 300_000;
  await at.gw.call("get_analytics_report", call);
});
