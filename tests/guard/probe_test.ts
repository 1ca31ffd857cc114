/** A probe over a whole gateway, at a stand-in of each upstream: agreeing answers, a missing name, another type, a refusal. */
import assert from "node:assert/strict";
import type { ProbeReport } from "../../registry/probe_report.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { CASES, type Json, type ProbeCase } from "../probe_cases.ts";
import { Changed, probed, readOf, serviceOf, statesOf } from "../probe_kit.ts";

const asksOf = (at: { readonly gw: Kit }, { site, costly }: ProbeCase) => probed(at.gw, site, costly);

for (const one of CASES) {
  const { service, read, at: place, name } = one;
  Deno.test(`${service}: answers as they are agree, and nothing is written`, async () => {
    const way = new Changed();
    await using at = await one.open({ fetch: way.fetch });
    const wrote = at.writes.length;
    const report = await asksOf(at, one);
    assert.deepEqual(
      statesOf(report, service),
      Object.fromEntries(one.reads.map((name) => [name, "agrees"])),
    );
    assert.equal(serviceOf(report, service).problem, null);
    assert.equal(report.agrees, true, JSON.stringify(report.upstreams));
    assert.equal(at.writes.length, wrote);
    assert.ok(readOf(report, service, read).check!.types[place], "what is changed below is seen");
  });

  Deno.test(`${service}: a name that is gone, and one of another type, are said where they stand`, async () => {
    const way = new Changed();
    await using at = await one.open({ fetch: way.fetch });
    way.change(one.request, (answer) => void delete one.object(answer as Json)[name]);
    // A list may have further rows that still have it.
    if (!one.whole) way.change(one.request, (answer) => shortened(answer));
    const gone = await asksOf(at, one);
    const { check, state } = readOf(gone, service, read);
    if (one.optional) {
      assert.deepEqual([check!.not_seen.includes(place), gone.agrees], [true, true]);
    } else {
      assert.deepEqual([check!.missing, state, gone.agrees], [[place], "differs", false]);
    }
    await using again = await one.open({ fetch: (way.reset(), way.fetch) });
    way.change(one.request, (answer) => {
      one.object(answer as Json)[name] = { odd: 1 } as unknown as Json;
    });
    const other = await asksOf(again, one);
    const found = readOf(other, service, read);
    assert.deepEqual([found.state, other.agrees], ["differs", false]);
    assert.deepEqual(found.check!.other_types.map(({ at, came }) => [at, came.includes("object")]), [[
      place,
      true,
    ]]);
  });

  Deno.test(`${service}: a refusal is a line with its code, and the rest is compared`, async () => {
    const way = new Changed();
    await using at = await one.open({ fetch: way.fetch });
    const { status, body, code = "E_UPSTREAM" } = one.refusal;
    way.refuse(one.request, status, body);
    const report = await asksOf(at, one);
    const { problem, state, check } = readOf(report, service, read);
    assert.deepEqual([state, problem!.code, check], ["refused", code, null]);
    if (code === "E_UPSTREAM") assert.equal(problem!.status, status);
    const others = Object.entries(statesOf(report, service)).filter(([name]) => name !== read);
    assert.deepEqual(others.filter(([, state]) => state !== "agrees"), []);
    assert.deepEqual(others.map(([name]) => name), one.reads.filter((name) => name !== read));
    assert.equal(report.agrees, true, "a refusal is no difference");
  });
}

/** Every list cut to its first entry. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
}

Deno.test("every probe has a case here, and connectors without one are named", async () => {
  await using gw = await gateway({ sites: [site("one", "crm")] });
  const report: ProbeReport = await probed(gw, "one");
  const services = report.upstreams.map(({ connector, service }) => `${connector}/${service}`);
  assert.deepEqual(services.toSorted(), CASES.map(({ service }) => service).toSorted());
  const without = report.without_probe.map(({ connector }) => connector);
  assert.ok(without.includes("tool_servers") && without.includes("web"));
  assert.ok(report.upstreams.every(({ state }) => state === "not_linked"));
  assert.deepEqual(gw.requests, [], "what is not linked is not asked");
});
