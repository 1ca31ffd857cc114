/** diagnose_site on the CRM's tool server: asked where a location is linked, and nowhere else. */
import assert from "node:assert/strict";
import type { Check } from "../../platforms/_connector/checks.ts";
import { startCrm } from "../../sandbox/highlevel/start.ts";
import { addHostedTools } from "../../sandbox/tool_servers/hosted.ts";
import { gateway, type Kit, site } from "../kit.ts";

async function checkOf(gw: Kit, site_id: string): Promise<Check | undefined> {
  const { checks } = await gw.call<{ checks: Check[] }>("diagnose_site", { site_id });
  return checks.find(({ name }) => name === "crm_tool_server");
}

/** A gateway with a static site that is linked to that CRM, and some that are half linked. */
async function linked(
  { base_url, location_id, token }: ReturnType<typeof startCrm>,
  url?: string,
): Promise<Kit> {
  const credentials = { crm: { integration_token: token } };
  const crm_location_id = location_id;
  return await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    http: { sleep: () => Promise.resolve() },
    settings: { upstream: { CRM_API_BASE: base_url, ...(url === undefined ? {} : { CRM_MCP_URL: url }) } },
    sites: [
      site("shop", "static", { crm_location_id, credentials }),
      site("tokenless", "static", { crm_location_id }),
      site("nowhere", "static", { credentials }),
    ],
  });
}

Deno.test("diagnose_site proves the CRM's tool server by asking it for the location, on a linked site of any kind", async () => {
  await using crm = startCrm();
  const hosted = addHostedTools(crm);
  await using gw = await linked(crm, hosted.url);
  const check = await checkOf(gw, "shop");
  assert.deepEqual([check?.ok, check?.detail], [true, "The CRM's tool server answers for the location"]);
  assert.deepEqual(hosted.ran.map(({ tool, location_id }) => [tool, location_id]), [
    ["locations_get-location", crm.location_id],
  ]);
  hosted.inject({ kind: "http", status: 503 }, { method: "tools/call", times: 3 });
  const down = await checkOf(gw, "shop");
  assert.deepEqual([down?.ok, down?.next_step?.includes("CRM_MCP_URL")], [null, true]);
  const asked = crm.requests.length;
  for (const id of ["tokenless", "nowhere"]) assert.equal(await checkOf(gw, id), undefined);
  assert.equal(crm.requests.length, asked);
});

Deno.test("diagnose_site sends no token of another address's CRM to the vendor's own tool server", async () => {
  await using crm = startCrm();
  await using gw = await linked(crm);
  const check = await checkOf(gw, "shop");
  assert.equal(check?.ok, false);
  assert.match(check!.detail, /"https:\/\/services\.leadconnectorhq\.com" is not where its upstream is/);
  assert.deepEqual(gw.requests.filter(({ url }) => !url.startsWith(crm.base_url)), []);
});
