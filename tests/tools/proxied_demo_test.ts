/** The demo's tool servers: what its guide says to paste goes well, and is there afterwards. */
import assert from "node:assert/strict";
import { startDemoToolServers } from "../../sandbox/demo_tool_servers.ts";
import { startCrm } from "../../sandbox/highlevel/start.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, site } from "../kit.ts";

Deno.test("on the demo's sites, tools of their own tool servers answer as the guide has them", async () => {
  await using crm = startCrm();
  const part = await startDemoToolServers(crm);
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    settings: { upstream: { CRM_API_BASE: crm.base_url, ...part.env } },
    sites: [
      site("demo-crm", "crm", {
        base_url: null,
        crm_location_id: crm.location_id,
        credentials: { crm: { integration_token: crm.token } },
      }),
    ],
  });
  await gw.store.projects.create({ id: "demo", name: "Demo" });
  await part.register(gw.gateway);
  const line = (tool: string, args: object) => `${tool} ${JSON.stringify(args)}`;
  const lines: readonly string[] = part.guide("", line, (tool, args) => [line(tool, args)]);
  const calls = lines.flatMap((line) => {
    const [, tool, args] = /^(\S+) (\{.*\})$/.exec(line) ?? [];
    return tool === undefined ? [] : [{ tool, args: JSON.parse(args!) as Args }];
  });
  const [structure, dry, ...writes] = calls;
  const preview = await gw.call<Args>(dry!.tool, dry!.args);
  assert.equal(preview.needs_confirmation, true);
  assert.match(JSON.stringify(preview.changes), /Open on Sundays/);
  assert.doesNotMatch(JSON.stringify(await gw.call(structure!.tool, structure!.args)), /Open on Sundays/);
  assert.equal(writes.length, 2);
  const [added, tagged] = await Promise.all(
    writes.map(async ({ tool, args }) => await gw.proven(tool, args)),
  );
  for (const { proof } of [added!, tagged!]) assert.equal(proof.verified, true);
  const shown = await gw.call(structure!.tool, structure!.args);
  assert.match(JSON.stringify(shown), /Open on Sundays/);
  const { data } = await gw.call<{ data: { contact: { tags: string[] } } }>("contacts_get-contact", {
    site_id: "demo-crm",
    contactId: writes[1]!.args["contactId"],
  });
  assert.ok(data.contact.tags.includes("vip"));
  const { site_id } = writes[0]!.args;
  const undo = { site_id, request_id: added!.proof.request_id };
  const { confirm_token } = await gw.call<Args>("undo_change", undo);
  await gw.call("undo_change", { ...undo, confirm: true, confirm_token });
  assert.doesNotMatch(JSON.stringify(await gw.call(structure!.tool, structure!.args)), /Open on Sundays/);
  await part.stop();
});
