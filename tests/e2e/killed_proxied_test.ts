/** A gateway killed while a site's own tool is run: the same call again never writes twice, and the operator finds the doubt. */
import assert from "node:assert/strict";
import { addToolServers } from "../../sandbox/tool_servers/start.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { inFolder, type Running, start, until } from "./running.ts";

const TOOL = "builder-mcp-add-container";
/** The call's minute, another until its doubt is judged, and some. */
const LATER_MS = 125_000;

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

async function add(gateway: Running, token: string, post_id: number, key: string) {
  const response = await fetch(`${await gateway.address()}/api/v1/tools/${TOOL}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ site_id: "acme", post_id }),
  });
  return await response.json() as {
    readonly ok: boolean;
    readonly verified?: boolean | null;
    readonly error?: { readonly code: string; readonly outcome: string };
  };
}

Deno.test("killed while a site's own tool adds to a page: it is added once, and nobody says that it was not", async () => {
  await using cms = await startWordPressStandIn();
  const tools = addToolServers(cms);
  const { id } = tools.page({ title: "Page" });
  const elements = () => tools.state.pages.get(id)!.elements.length;
  const before = elements();
  await inFolder(async (folder) => {
    await using killed = gatewayAt(folder, {});
    const { username, application_password } = cms.users.admin;
    const credentials = { cms: { username, application_password } };
    const site = { id: "acme", name: "Acme", platform: "cms", base_url: cms.base_url, credentials };
    await killed.admin("POST", "/sites", site);
    await killed.admin("POST", "/proxied-tools/refresh", { site_id: "acme" });
    const { token } = await killed.token();
    tools.inject({ kind: "silent" }, { path: "add-container" });
    const ending = assert.rejects(add(killed, token, id, "first"), TypeError);
    await until(() => Promise.resolve(elements() > before), 20_000);
    killed.kill("SIGKILL");
    await ending;
    await killed.ended;

    await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    const again = await add(after, token, id, "first");
    assert.deepEqual([again.error?.code, again.error?.outcome], ["E_OUTCOME_UNKNOWN", "unknown"]);
    assert.equal(elements(), before + 1);
    const rows = await after.audit();
    const doubt = rows.find(({ tool, status }) => tool === TOOL && status === "started");
    assert.deepEqual([doubt?.outcome, doubt?.site_id], ["unknown", "acme"]);
    const other = await add(after, token, id, "second");
    assert.deepEqual([other.ok, other.verified], [true, null], "the page is free again");
    assert.equal(elements(), before + 2);
    await after.admin("POST", `/audit/${doubt?.id}/resolve`, { found: "made", note: "seen on the page" });
    const resolved = (await after.audit()).find((row) => row.id === doubt?.id);
    assert.equal(resolved?.outcome, "made");
  });
});
