/** The watch over versions of upstreams: what is said 120 days before one ends, by a clock that the test sets. */
import assert from "node:assert/strict";
import type { VersionEnding } from "../../../core/model.ts";
import { VendorWatch } from "../../../guard/vendor_watch.ts";
import type { VersionWatch } from "../../../platforms/_connector/connector.ts";
import { readConnectors } from "../../../registry/connectors.ts";
import { gateway, MASTER, site } from "../../kit.ts";

const DAY_MS = 86_400_000;
const connectors = await readConnectors([new URL("../../../", import.meta.url)]);
const defaults = Object.fromEntries(connectors.settings.map(({ name, default: value }) => [name, value]));
const watched = connectors.all.flatMap(({ watch = [] }): readonly VersionWatch[] => watch);

function watchAt(day: string, upstream: Record<string, string | null> = {}) {
  const logged: Record<string, unknown>[] = [];
  const watch = new VendorWatch({
    connectors,
    store: { sites: { list: () => Promise.resolve([]) } },
    upstream: { ...defaults, ...upstream },
    now: () => Date.parse(day),
    log: (event) => void logged.push(event),
  });
  return { watch, logged };
}

/** What is over at a moment: calls to it fail. */
const overAt = async (day: string) =>
  (await watchAt(day).watch.ending()).filter(({ days_left }) => days_left <= 0).map(({ message }) => message);

Deno.test("no version that the gateway uses is over today", async () => {
  const today = Deno.env.get("WATCH_CLOCK") ?? new Date().toISOString();
  assert.deepEqual(await overAt(today), []);
});

Deno.test("with the clock set past any sunset the same look fails", async () => {
  const sunsets = watched.flatMap(({ sunset }) => sunset ?? []);
  assert.ok(sunsets.length > 0);
  for (const sunset of sunsets) {
    assert.ok((await overAt(sunset)).some((message) => message.includes(`ended on ${sunset}`)), sunset);
  }
});

Deno.test("120 days before a sunset it is named with what to change, in the log too, and not a day before", async () => {
  const ads = watched.find(({ setting }) => setting === "ADS_API_BASE")!;
  assert.deepEqual([ads.version, ads.sunset], ["v26", "2027-11-01"]);
  const before = (days: number) => new Date(Date.parse(ads.sunset!) - days * DAY_MS).toISOString();
  assert.deepEqual(await watchAt(before(121)).watch.ending(), []);
  for (const [days, words] of [[120, "in 120 days"], [1, "in 1 day;"]] as const) {
    const { watch, logged } = watchAt(before(days));
    const [ending, ...more] = await watch.ending();
    assert.deepEqual([more, ending!.days_left, ending!.sunset], [[], days, ads.sunset]);
    assert.ok(ending!.message.startsWith(`Google Ads API v26 ends on 2027-11-01, ${words}`), ending!.message);
    assert.ok(ending!.message.endsWith(`To do: ${ads.change}`));
    await watch.run();
    assert.deepEqual(logged, [{ event: "version_ending", ...ending }]);
  }
  const { watch } = watchAt(before(1), { ADS_API_BASE: "https://googleads.googleapis.com/v27" });
  assert.deepEqual(await watch.ending(), [], "an operator has set a newer one");
});

Deno.test("a setting that is watched names that version, and each row says what to do", () => {
  const names = watched.map(({ api, version }) => `${api} ${version}`);
  assert.equal(new Set(names).size, names.length);
  for (const { setting, version, change, field } of watched) {
    assert.ok(connectors.siteFields.has(field), field);
    assert.ok(setting === undefined || defaults[setting]!.split("/").includes(version), setting);
    assert.ok(change.startsWith("set ") || change.startsWith("install "), change);
  }
  for (const known of ["v26", "v26.0", "v1beta", "2021-07-28", "2021-04-15"]) {
    assert.ok(watched.some(({ version }) => version === known), known);
  }
});

Deno.test("gateway health names a version that ends, and is not well once it has ended", async () => {
  const start = Date.parse("2027-08-01");
  await using gw = await gateway({ start, settings: { upstream: { ...defaults } } });
  const health = async () => {
    const headers = { authorization: `Bearer ${MASTER}` };
    const { result } = await (await gw.http("/admin/api/health", { headers })).json();
    return result as { ok: boolean; versions: VersionEnding[] };
  };
  const soon = await health();
  assert.deepEqual([soon.ok, soon.versions.map(({ version, days_left }) => [version, days_left])], [
    true,
    [["v26", 92]],
  ]);
  gw.clock.now = Date.parse("2027-11-01");
  const unused = await health();
  assert.deepEqual([unused.ok, unused.versions[0]!.days_left], [true, 0], "no site uses it");
  await gw.store.sites.create(site("client", "cms", { ads_customer_id: "123-456-7890" }));
  const over = await health();
  assert.deepEqual([over.ok, over.versions[0]!.sites], [false, 1]);
  assert.ok(over.versions[0]!.message.includes("ended on 2027-11-01: its calls fail (1 site uses it)"));
});
