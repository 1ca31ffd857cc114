/** The address of one site: a model is told that it names none, and a set's items are on that site. */
import assert from "node:assert/strict";
import { rpc } from "./mcp_rpc.ts";
import { world } from "../tools/_stand_in.ts";

Deno.test("the instructions at a site's address say so, and nowhere else", async () => {
  await using at = await world();
  const initialize = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  };
  const told = async (path: string) => {
    const { result } = await rpc(at.kit.gw, "initialize", initialize, { address: path });
    return String((result as { instructions: string }).instructions);
  };
  assert.match(
    await told("/mcp/open"),
    /that of one site, "open": leave site_id out, in the items of prepare_changes too/,
  );
  assert.doesNotMatch(await told("/mcp/open"), /Start with list_sites/);
  for (const path of ["/mcp", "/mcp?groups=posts"]) assert.match(await told(path), /Start with list_sites/);
});

Deno.test("items of a set are on the site of the address where they name none, and on no other that they name", async () => {
  await using at = await world();
  const item = (args: object) => ({ tool: "update_draft", arguments: { post_id: at.draft.id, ...args } });
  const prepare = async (address: string, changes: readonly object[], more: object = {}) => {
    const params = { name: "prepare_changes", arguments: { title: "Two", changes, ...more } };
    const { result } = await rpc(at.kit.gw, "tools/call", params, { address });
    return result as { isError?: boolean; content: { text: string }[] };
  };
  const { isError, content: [shown] } = await prepare("/mcp/open", [item({ title: "One" })]);
  assert.notEqual(isError, true, shown!.text);
  const preview = JSON.parse(shown!.text);
  assert.deepEqual(preview.items.map((one: { site_id: string }) => one.site_id), ["open"]);
  const done = await prepare("/mcp/open", [item({ title: "One" })], {
    confirm: true,
    confirm_token: preview.confirm_token,
  });
  assert.notEqual(done.isError, true, done.content[0]!.text);
  assert.equal(at.draft.title, "One");
  const writes = at.kit.writes;
  const elsewhere = await prepare("/mcp", [item({ title: "Two" })]);
  assert.match(elsewhere.content[0]!.text, /site_id is required/);
  assert.equal(at.kit.writes, writes);
});
