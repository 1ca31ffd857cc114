/** The stand-in for behavior projects: what is asked wrongly is refused, and it answers in the vendor's ways. */
import assert from "node:assert/strict";
import { type ClarityStandIn, KEYS, startClarity } from "../../sandbox/clarity/start.ts";
import { words } from "../words.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const start = () => startClarity({ now: () => NOON });

interface Block {
  readonly metricName: string;
  readonly information: Readonly<Record<string, string | number | null>>[];
}

async function ask(at: ClarityStandIn, query: string, token = at.project("p").token, method = "GET") {
  const url = `${at.env["BEHAVIOR_API_BASE"]}/project-live-insights${query}`;
  const response = await fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  const blocks = response.status === 200 ? JSON.parse(text) as Block[] : [];
  return { status: response.status, text, blocks };
}

Deno.test("a whole is a row for each metric and lists of ten; numbers are text, percentages numbers", async () => {
  await using at = start();
  const { blocks } = await ask(at, "?numOfDays=3");
  assert.equal(blocks.length, 16);
  for (const { metricName, information } of blocks) {
    assert.ok(information.length >= 1 && information.length <= 10, metricName);
    for (const row of information) {
      for (const [key, value] of Object.entries(row)) {
        if (/Count$|subTotal|pagesViews|Time$/.test(key)) assert.match(String(value), /^\d+$/, key);
        if (/Count$|subTotal/.test(key)) assert.equal(typeof value, "string", key);
        if (/Percentage$|averageScrollDepth/.test(key)) assert.equal(typeof value, "number", key);
      }
    }
  }
});

Deno.test("every dimension is the key of its rows, and one that nobody knows is left out silently", async () => {
  await using at = start();
  for (const [name, key] of Object.entries(KEYS)) {
    const { token } = at.project(`of-${name}`);
    const { blocks } = await ask(at, `?numOfDays=1&dimension1=${encodeURIComponent(name)}`, token);
    assert.equal(blocks.length, 9);
    for (const { information } of blocks) assert.ok(information.every((row) => key in row), name);
  }
  const unknown = await ask(at, "?numOfDays=1&dimension1=Colour");
  assert.deepEqual(unknown.blocks, (await ask(at, "?numOfDays=1")).blocks);
  const urls = (await ask(at, "?numOfDays=1&dimension1=URL")).blocks[0]!.information.map(({ Url }) =>
    String(Url)
  );
  assert.ok(urls.some((url) => url.includes("?utm_")), "with their queries");
  const sources = (await ask(at, "?numOfDays=1&dimension1=Source")).blocks[0]!.information;
  assert.ok(sources.some(({ Source }) => Source === null));
});

Deno.test("what is asked wrongly is refused and not counted; the eleventh request of a day is refused", async () => {
  await using at = start();
  const wrong = words(
    `
    ?numOfDays=0 ?numOfDays=4 ?numOfDays=1&dimension4=OS ?numOfDays=1&from=2026-11-01
  `,
    "",
  );
  for (const query of [...wrong, "?numOfDays=1&numOfDays=2"]) {
    assert.equal((await ask(at, query)).status, 400, query);
  }
  assert.equal((await ask(at, "?numOfDays=1", undefined, "POST")).status, 400);
  assert.deepEqual(await ask(at, "?numOfDays=1", "none"), { status: 401, text: "Unauthorized", blocks: [] });
  assert.equal(at.used("p"), 0);
  for (let count = 0; count < 10; count++) assert.equal((await ask(at, "?numOfDays=1")).status, 200);
  assert.equal((await ask(at, "?numOfDays=1")).status, 429);
  assert.equal((await ask(at, "?numOfDays=1", at.project("q").token)).status, 200, "of another project");
  at.clock.advance(12 * 60 * 60);
  assert.equal((await ask(at, "?numOfDays=1")).status, 200, "on another day");
});

Deno.test("a project of a day is always the same, and without visitors it is zeros or nothing", async () => {
  await using at = start();
  await using other = start();
  const whole = await ask(at, "?numOfDays=2");
  assert.deepEqual(whole, await ask(other, "?numOfDays=2", other.project("p").token));
  at.project("p").traffic = "zeros";
  assert.equal((await ask(at, "?numOfDays=1")).blocks[0]!.information[0]!["totalSessionCount"], "0");
  at.project("p").traffic = "none";
  assert.ok((await ask(at, "?numOfDays=1")).blocks.every(({ information }) => information.length === 0));
  at.project("p").more.push({ metricName: "DeadTapCount", information: [{ screensViews: "1" }] });
  assert.equal((await ask(at, "?numOfDays=1")).blocks.at(-1)!.metricName, "DeadTapCount");
});
