/** Gateways whose sites have tool servers in memory, and what a token is shown of their tools. */
import { runCommand } from "../../admin/commands.ts";
import type { UpstreamTool } from "../../platforms/tool_servers/types.ts";
import { CONNECTORS } from "../connectors.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { gateway, type Kit, type KitOptions, MASTER, site } from "../kit.ts";

/** The server that sites have. */
export const BUILDER = "emcp-tools-server";
/** A known write. */
export const HEADING = listed("emcp-tools-add-heading");
/** A known read. */
export const PAGES = listed("emcp-tools-list-pages", {
  input_schema: { type: "object" },
  hints: { read_only: true },
});

interface Served {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { properties: Record<string, Record<string, unknown>>; required: string[] };
  readonly annotations: Record<string, unknown>;
}

/** The tools of sites that a token is shown over MCP, by name. */
export async function shown(gw: Kit, as = "all"): Promise<Map<string, Served>> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const init = { method: "POST", headers: { "content-type": "application/json" }, body, as };
  const { tools } = (await (await gw.http("/mcp", init)).json()).result as { tools: Served[] };
  return new Map(
    tools.filter((one) => /\n\nSites that offer it: /.test(one.description)).map((one) => [one.name, one]),
  );
}

/** A gateway with a cms site for each list, whose servers were asked once. */
export async function open(
  lists: Readonly<Record<string, readonly UpstreamTool[]>>,
  options: KitOptions = {},
): Promise<{ gw: Kit; fake: FakeToolServers } & AsyncDisposable> {
  const fake = new FakeToolServers();
  for (const [id, tools] of Object.entries(lists)) fake.put(id, BUILDER, tools);
  const gw = await gateway({
    sites: Object.keys(lists).map((id) => site(id, "cms")),
    toolServers: fake.connector(),
    ...options,
  });
  await gw.gateway.toolCatalogs.run();
  return { gw, fake, [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose]() };
}

/** Lists again whatever is due an hour later. */
export async function anHourLater({ gw }: { gw: Kit }): Promise<void> {
  gw.clock.now += 3_600_000;
  await gw.gateway.toolCatalogs.run();
}

/** An answer of the admin API: its result, or the code and message of the refusal. */
export async function admin<T = Record<string, never>>(
  gw: Kit,
  path: string,
  body?: unknown,
): Promise<{ ok: boolean; result: T; error: { code: string; message: string } }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
  return await (await gw.http(`/admin/api/proxied-tools${path}`, { ...init, headers })).json();
}

/** The admin command line in front of a gateway. */
export async function command(gw: Kit, ...args: string[]) {
  let [out, err] = ["", ""];
  const code = await runCommand(args, {
    env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
    stdin: () => Promise.resolve(""),
    out: (text) => void (out += String(text)),
    err: (text) => void (err += text),
    fetch: (request) => Promise.resolve(gw.gateway.fetch(request)),
    read: () => Promise.reject(new Error("no file is read")),
    kept: () => null,
    wait: () => Promise.resolve(false),
  }, CONNECTORS);
  return { code, out, err };
}
