/** The pace of two processes on one file, counted by a stand-in for the CRM that they ask. */
import assert from "node:assert/strict";
import { startCrm } from "../../../sandbox/highlevel/start.ts";
import { Child, folder } from "./kit.ts";

const DAY_MS = 24 * 60 * 60_000;

Deno.test("two processes together send at most 80 requests in any 10 s, and the requests of a day", async () => {
  await using dir = await folder();
  // Early on a day, so that it does not end on the way.
  let ahead = DAY_MS - Date.now() % DAY_MS;
  const crm = startCrm({ now: () => Date.now() + ahead });
  const started = ["one", "two"].map(() =>
    new Child("pace.ts", `${dir.path}/kv.db`, "loc", `${crm.base_url}/campaigns/`)
  );
  try {
    for (const child of started) assert.equal(await child.line(), "ready");
    const sums = { one: 0, two: 0, day: 0 };
    for (const step of [ahead, 3000, 6000, 4000, 3000, 11_000, 14_000]) {
      if (step !== ahead) ahead += step;
      await Promise.all(started.map((child) => child.say(String(step))));
      const [one, two] = await Promise.all(
        started.map(async (child) => JSON.parse(await child.line()) as number[]),
      );
      sums.one += one![0]!;
      sums.two += two![0]!;
      sums.day += one![2]! + two![2]!;
    }
    const times = crm.requests.map(({ at }) => at).sort((a, b) => a - b);
    const most = Math.max(
      ...times.map((end, last) => times.slice(0, last + 1).filter((at) => at > end - 10_000).length),
    );
    assert.ok(most <= 80 && most > 60, `${most} in 10 s`);
    assert.equal(sums.one + sums.two, times.length);
    // Who comes first takes more; a process that starts late must still get its turns.
    assert.ok(Math.min(sums.one, sums.two) >= 20, `none goes without: ${JSON.stringify(sums)}`);
    assert.ok(times.length > 180 && times.length <= 200, `${times.length} on the day`);
    assert.ok(sums.day > 0, "beyond 200 the day is said to be over");
  } finally {
    for (const child of started) await child.end();
    await crm.stop();
  }
});
