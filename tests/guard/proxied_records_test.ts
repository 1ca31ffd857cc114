/** States of records are none of content's: what an operator approved sets them, as far as no word of them publishes. */
import assert from "node:assert/strict";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { gateway, site } from "../kit.ts";
import { admin } from "./proxied_kit.ts";

const TOOLS = ["tasks_update-task", "appointments_update-appointment", "funnels_update-page"];
const STATES = ["open", "completed", "confirmed", "scheduled", "won"];

Deno.test("a task is open or completed, and a page of a funnel is a draft", async () => {
  const fake = new FakeToolServers();
  const schema = { type: "object", properties: { status: { type: "string" } } };
  fake.put("crm", "hosted", TOOLS.map((name) => listed(name, { input_schema: schema })));
  await using gw = await gateway({
    sites: [
      site("crm", "crm", {
        crm_location_id: "location-1",
        credentials: { crm: { integration_token: "token" } },
        flags: { allow_crm_write: true },
      }),
    ],
    toolServers: fake.connector(),
  });
  await gw.gateway.toolCatalogs.run();
  for (const name of TOOLS) {
    const [tool] = (await admin<{ tools: ToolReport[] }>(gw, `?name=${name}`)).result.tools;
    const order = { name, sites: ["crm"], hash: tool!.hash, class: "write", effect: "record" };
    assert.equal((await admin(gw, "/approve", order)).ok, true);
  }
  for (const status of STATES) {
    for (const name of TOOLS.slice(0, 2)) await gw.call(name, { site_id: "crm", status });
    await gw.refuses(TOOLS[2]!, { site_id: "crm", status }, "E_FORBIDDEN_OP");
  }
  for (const name of TOOLS) await gw.refuses(name, { site_id: "crm", status: "published" }, "E_FORBIDDEN_OP");
  await gw.call(TOOLS[2]!, { site_id: "crm", status: "draft" });
  assert.equal(fake.calls.length, STATES.length * 2 + 1);
});
