/** What MCP's annotations say of each tool is what was judged of it, with the reason. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { gateway } from "../kit.ts";
import { rpc } from "./mcp_rpc.ts";

interface Judged {
  readonly does: "reads" | "adds" | "ends" | "overwrites" | "takes away" | "goes live";
  readonly too?: readonly ("same" | "closed")[];
  readonly because: string;
}

const TABLE = load(
  await Deno.readTextFile(new URL("../golden/annotations.yaml", import.meta.url)),
) as Record<string, Judged>;

const annotations = ({ does, too = [] }: Judged) => ({
  readOnlyHint: does === "reads",
  ...does === "reads" ? {} : { destructiveHint: does !== "adds" && does !== "ends" },
  ...too.includes("same") ? { idempotentHint: true } : {},
  ...too.includes("closed") ? { openWorldHint: false } : {},
});

Deno.test("each tool that may be listed has a judged row, and is annotated by it", async () => {
  const upstream = { HOSTING_API_TOKEN: "token-of-the-tests", HOSTING_ACCOUNT_ID: "account" };
  await using gw = await gateway({ settings: { upstream } });
  const listed = async (address: string) =>
    (await rpc(gw, "tools/list", {}, { address })).result.tools as { name: string; annotations: object }[];
  const tools = new Map(
    [...await listed("/mcp"), ...await listed("/mcp?mode=search")].map((one) => [one.name, one]),
  );
  assert.deepEqual([...tools.keys()].sort(), Object.keys(TABLE).sort());
  for (const [name, judged] of Object.entries(TABLE)) {
    assert.deepEqual(tools.get(name)!.annotations, annotations(judged), name);
    assert.ok(judged.because.length > 8, `${name} has no reason`);
  }
});

Deno.test("who asks for reading alone is not offered what ends something, nor may call it so", async () => {
  await using gw = await gateway({});
  const asked = async (address: string, method: string, params: object) =>
    (await rpc(gw, method, params, { address })).result;
  const { tools } = await asked("/mcp?readonly", "tools/list", {});
  assert.ok(!tools.some(({ name }: { name: string }) => name === "cancel_change_set"));
  const set_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const call = { name: "cancel_change_set", arguments: { set_id } };
  assert.match((await asked("/mcp?readonly", "tools/call", call)).content[0].text, /^E_SCOPE_DENIED/);
  const inner = { name: "call_read_tool", arguments: { tool: "cancel_change_set", arguments: { set_id } } };
  assert.match(
    (await asked("/mcp?mode=search", "tools/call", inner)).content[0].text,
    /call it with call_write_tool/,
  );
});
