/** Snapshots on the command line; what they report is proven in tests/guard/snapshots_test.ts. */
import assert from "node:assert/strict";
import { openTerminal } from "./open_terminal.ts";
import { SNAPSHOTS } from "./fake_snapshots.ts";
import { MASTER } from "./kit.ts";

const SHOWN = `2026-11-20  1 of 2 kept, 1 failed, 0 missing
  run from 2026-11-21T01:30:00.000Z to 2026-11-21T01:30:02.000Z: 2 due, 1 with figures, 0 without visits, 1 failed
  other failed 2 times: Clarity answered 500: broken; try again later
2026-11-19  1 of 2 kept (1 late), 0 failed, 1 missing
  missing: other
The next day's are due at 2026-11-22T01:30:00.000Z.
`;

Deno.test("snapshots shows each day with its runs, what failed and what is missing, and ends with 1", async () => {
  const cli = await openTerminal();
  for (const words of [["snapshots"], ["snapshots", "show"], ["snapshots", "--days", "2"]]) {
    const { code, out, err } = await cli.run(...words);
    assert.deepEqual([code, out, err], [1, SHOWN, ""], words.join(" "));
  }
  const { out } = await cli.run("snapshots", "--json");
  assert.deepEqual(JSON.parse(out), SNAPSHOTS);
});

Deno.test("a day before a site was linked is not counted against it", async () => {
  const sites = SNAPSHOTS.sites.map((site, at) => ({
    ...site,
    days: site.days.map((day, n) =>
      n === 0 || at === 1 ? { ...day, status: "unlinked" as const, late: false } : day
    ),
  }));
  const report = { ...SNAPSHOTS, sites, runs: [], complete: true };
  const cli = await openTerminal({}, { MASTER_TOKEN: MASTER }, { snapshots: () => Promise.resolve(report) });
  assert.deepEqual((await cli.good("snapshots")).out.split("\n").slice(0, 2), [
    "2026-11-20  1 of 1 kept, 0 failed, 0 missing",
    "2026-11-19  no site was linked yet",
  ]);
});

Deno.test("snapshots hands on its options, and explains itself", async () => {
  const cli = await openTerminal();
  await cli.run("snapshots", "show", "--days", "3", "--site", "acme");
  assert.match(cli.asked.at(-1)!.url, /\/admin\/api\/snapshots\?days=3&site_id=acme$/);
  assert.match(await cli.bad("snapshots", "--days", "0"), /days: expected a whole number from 1 to 400/);
  assert.match(await cli.bad("snapshots", "--site", "acmee"), /No site "acmee", did you mean acme/);
  assert.match(await cli.bad("snapshots", "shwo"), /No command snapshots shwo, did you mean show/);
  for (const words of [["snapshots", "--help"], ["snapshots", "show", "--help"]]) {
    assert.match(
      (await cli.good(...words)).out,
      /--days <days> .*how many days back[\s\S]*ends with 1 where/,
    );
  }
});
