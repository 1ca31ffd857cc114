/** Two gateways on one store: a token and a site have one limit at both, over either door. */
import assert from "node:assert/strict";
import { CLOCK } from "../../core/async.ts";
import { folder } from "../folder.ts";
import { gateway, type Kit, site } from "../kit.ts";

const TOYS = new URL("../fixtures/toys/", import.meta.url);
const PER_MINUTE = 30;

/** Two gateways on one file, whose clocks stand. */
async function pair(limits: { rateLimitToken?: number; rateLimitSite?: number }) {
  const dir = await folder();
  const options = {
    roots: [TOYS],
    settings: { kvPath: `${dir.path}/kv.db`, rateLimitToken: 0, rateLimitSite: 0, ...limits },
    storage: { clock: { ...CLOCK, elapsed: () => 0 } },
  };
  const one = await gateway({ ...options, sites: [site("acme", "cms")] });
  const other = await gateway(options);
  return {
    both: [one, other],
    headers: { authorization: `Bearer ${one.token()}` },
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** How many calls are let through, made at one gateway and at the other in turns. */
async function passed(
  both: readonly Kit[],
  call: (kit: Kit, nth: number) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  for (let nth = 0; nth < 4 * PER_MINUTE; nth++) if (await call(both[nth % 2]!, nth)) count++;
  return count;
}

/** What one gateway does not know of the other's calls: those that it may owe. */
const BOUND = 2;

Deno.test("a token's calls at two gateways count together, lists of tools and calls of them alike", async () => {
  await using at = await pair({ rateLimitToken: PER_MINUTE });
  const paths = ["whoami", "tools", "sites"];
  const count = await passed(at.both, async (kit, nth) => {
    const headers = { "content-type": "application/json", ...at.headers };
    const response = nth % 4 < 2
      ? await kit.http(`/api/v1/${paths[nth % 3]}`, { as: null, headers })
      : await kit.http("/api/v1/tools/list_sites", { as: null, headers, method: "POST", body: "{}" });
    const { error } = await response.json();
    if (response.status !== 429) return true;
    assert.equal(error.code, "E_RATE_LIMITED");
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
    return false;
  });
  assert.ok(count >= PER_MINUTE && count <= PER_MINUTE + BOUND, `${count}`);
});

Deno.test("calls about a site at two gateways count together, whoever makes them, and those refused are counted in one row of each gateway", async () => {
  await using at = await pair({ rateLimitSite: PER_MINUTE });
  const refused: string[] = [];
  const count = await passed(at.both, async (kit) => {
    const ending = await kit.end("toy_write", { title: "a", site_id: "acme", loud: true, volume: 3 });
    if (!("code" in ending) || ending.code !== "E_RATE_LIMITED") return true;
    refused.push(ending.code);
    return false;
  });
  assert.ok(count >= PER_MINUTE && count <= PER_MINUTE + BOUND, `${count}`);
  for (const kit of at.both) await kit.gateway.counted.flush();
  const rows = (await at.both[0]!.audit()).filter((row) => row.error === "E_RATE_LIMITED");
  assert.deepEqual(new Set(rows.map(({ tool }) => tool)), new Set(["calls.limited"]));
  const counted = rows.map((row) => (row.arguments as { count: number }).count);
  assert.equal(counted.reduce((sum, one) => sum + one, 0), refused.length);
});
