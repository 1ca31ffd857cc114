/** The catalogue is complete: every tool that has a row is there, exactly as its row says, and nothing differs. */
import assert from "node:assert/strict";
import type { ToolEntry } from "../../registry/entry.ts";
import { goldenFaults, loadTools } from "../../registry/load.ts";
import { CONNECTORS } from "../connectors.ts";
import { catalogue, type GoldenTool, rows } from "./golden.ts";

const ROOT = new URL("../../", import.meta.url);
const TOOLS = await loadTools({ roots: [ROOT], known: CONNECTORS });
const ROWS = await rows();

/** What a row fixes, with what it leaves out filled in; lists whose order means nothing are sorted. */
function fixed({ group, tier, site, platforms, flags, raise, links, secrets, no_flag }: GoldenTool) {
  return {
    group,
    tier: Number(tier[1]),
    site,
    platforms: (platforms === "all" ? [...CONNECTORS.kinds] : platforms).toSorted(),
    flags: (flags ?? []).map(({ flag, when = null, live = false, code = null }) => ({
      flag,
      when,
      live,
      code,
    })),
    raise: (raise ?? []).map(({ when, tier }) => ({ when, tier: Number(tier[1]) })),
    links: [...links ?? []],
    secrets: (secrets ?? []).map(({ name, code, hide = false }) => ({ name, code, hide })),
    no_flag: no_flag ?? null,
  };
}

/** The same of a tool that is there. */
function served({ group, manifest }: ToolEntry) {
  const { tier, site, platforms, flags, raise, links, secrets, no_flag = null } = manifest;
  return {
    group,
    tier,
    site,
    platforms: platforms.toSorted(),
    flags: flags.map(({ flag, when = null, live, code = null }) => ({ flag, when, live, code })),
    raise,
    links,
    secrets,
    no_flag,
  };
}

Deno.test("the 106 tools of the specification, and ours that have a row, are there just as it says", async () => {
  assert.equal((await catalogue()).specification.length, 106);
  const found = Object.fromEntries(ROWS.map(({ name }) => {
    const tool = TOOLS.get(name);
    return [name, tool ? served(tool) : null];
  }));
  assert.deepEqual(found, Object.fromEntries(ROWS.map((row) => [row.name, fixed(row)])));
});

Deno.test("every link of a tool is judged by a connector that reaches its upstream", () => {
  for (const { name, links = [] } of ROWS) {
    for (const link of links) {
      const connector = CONNECTORS.links.get(link);
      assert.ok(connector?.connect && connector.policy, `${name}: nothing reaches what "${link}" is about`);
    }
  }
});

/** Rows that differ from a tool's in one thing each. */
function differing(row: GoldenTool): GoldenTool[] {
  const platforms = row.platforms === "all" || row.platforms.length === CONNECTORS.kinds.length
    ? [CONNECTORS.kinds[0]!]
    : "all";
  return [
    { ...row, group: "elsewhere" },
    { ...row, site: row.site === "none" ? "required" : "none" },
    { ...row, platforms },
    { ...row, tier: row.tier === "T4" ? "T0" : "T4" },
    { ...row, links: row.links?.length ? [] : [[...CONNECTORS.links.keys()][0]!] },
    { ...row, flags: row.flags?.length ? [] : [{ flag: "allow_publish" }] },
    { ...row, secrets: row.secrets?.length ? [] : [{ name: "REPO_APP_ID", code: "E_MISSING_SECRET" }] },
  ];
}

Deno.test("a row that differs from its tool in any one thing is a fault", () => {
  for (const row of ROWS) {
    const { group, manifest } = TOOLS.get(row.name)!;
    assert.deepEqual(goldenFaults(group, manifest, { ...row }, CONNECTORS), [], row.name);
    for (const other of differing(row)) {
      const faults = goldenFaults(group, manifest, { ...other }, CONNECTORS);
      assert.ok(faults.length > 0, `${row.name}: ${JSON.stringify(other)} is taken for the same`);
    }
  }
});
