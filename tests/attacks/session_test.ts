/** An admin session ends with the master token it was opened with. */
import assert from "node:assert/strict";
import { adminApp } from "../../admin/api.ts";
import { CONNECTORS } from "../connectors.ts";
import { gateway, MASTER } from "../kit.ts";

Deno.test("a new master token shuts out the sessions opened with the old one", async () => {
  await using gw = await gateway();
  const behind = (masterToken: string) =>
    adminApp({
      store: gw.store,
      masterToken,
      tokenPrefix: "gate",
      baseUrl: "http://127.0.0.1:8000",
      privateUpstreams: ["cms.internal"],
      connectors: CONNECTORS,
      overview: () => assert.fail("nothing asks for the repository app"),
      setUp: () => assert.fail("nothing is made for a site"),
      linkable: () => assert.fail("nothing is listed to link"),
      probe: () => assert.fail("nothing is probed"),
      previews: {
        list: () => assert.fail("no preview branch is listed"),
        clean: () => assert.fail("no preview branch is deleted"),
      },
      pair: () => assert.fail("nothing is paired"),
      connections: () => assert.fail("nothing asks for connected accounts"),
      record: () => Promise.resolve(),
      erasing: gw.gateway.erasing,
      approvals: gw.gateway.approvals,
      views: () => Promise.reject(new Error("nothing is looked at")),
      trials: () => Promise.reject(new Error("nothing is tried")),
      webhooks: gw.gateway.webhooks,
      changes: () => assert.fail(),
      changeOf: () => assert.fail(),
      operate: () => assert.fail(),
      retention: gw.gateway.retention,
      metrics: () => Promise.resolve(""),
      problems: () => Promise.resolve([]),
      jobs: () => [],
      proxies: () => [],
      versions: () => Promise.resolve([]),
      doubts: gw.gateway.doubts,
      clients: () => assert.fail("nothing asks for clients"),
      snapshots: () => assert.fail("nothing asks for snapshots"),
      figures: () => assert.fail("nothing draws a chart"),
      proxiedTools: () => Promise.reject(new Error("nothing asks for sites' own tools")),
      toolNames: () => Promise.resolve([]),
      toolGroups: () => Promise.resolve([]),
      now: () => gw.clock.now,
      clock: { elapsed: () => 0, every: () => () => {} },
      stopping: new AbortController().signal,
      report: (_, thrown) => assert.fail(String(thrown)),
    }, () => assert.fail("nothing asks for a page"));
  const login = await behind(MASTER).request("http://127.0.0.1:8000/admin/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ master_token: MASTER }),
  });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const status = async (masterToken: string) =>
    (await behind(masterToken).request("http://127.0.0.1:8000/admin/api/tokens", { headers: { cookie } }))
      .status;
  assert.equal(await status(MASTER), 200);
  assert.equal(await status(MASTER.toUpperCase()), 401);
});
