/** A tool server that costs next to nothing, as a process of its own: known tools of a builder, at any number of sites. */
import { bareName, cmsTools, shownTool } from "../sandbox/tool_servers/cms_catalogue.ts";

const [port, tools, latency_ms] = Deno.args.map(Number) as [number, number, number];
/** A tool that answers at once. */
const AT_ONCE = "emcp-tools-list-pages";
const KNOWN = await Deno.readTextFile(new URL("../manifests/proxies/cms.yaml", import.meta.url));
const named = new Map(cmsTools().map((tool) => [`emcp-tools-${bareName(tool.name)}`, tool]));
const LISTED = [...named]
  .filter(([name]) => KNOWN.includes(`  ${name.replace("emcp-tools-", "builder-mcp-")}:`))
  .slice(0, tools)
  .map(([name, tool]) => ({ ...shownTool(tool), name }));
if (LISTED.length < tools) throw new Error(`There are ${LISTED.length} known tools, of ${tools}`);

/** A list of 4 MiB, as long as one may be. */
function large(): unknown[] {
  const rows: unknown[] = [...LISTED];
  for (let left = LARGE_CHARACTERS - JSON.stringify(rows).length; left > 0;) {
    const row = { ...LISTED[rows.length % LISTED.length]!, name: `more-${rows.length}` };
    left -= JSON.stringify(row).length + 1;
    if (left > 0) rows.push(row);
  }
  return rows;
}
const LARGE_CHARACTERS = 4 * 1024 * 1024 - 1024;

/** What is at other addresses than those of sites. */
const OTHER_LISTS: Readonly<Record<string, readonly unknown[]>> = {
  changed: LISTED.map((one, at) => at === 0 ? { ...one, description: "It has changed" } : one),
  large: large(),
  events: large(),
};

const RESULTS: Readonly<Record<string, unknown>> = {
  "initialize": {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "bench", version: "1" },
  },
  "tools/list": { tools: LISTED },
  "tools/call": { content: [{ type: "text", text: '{"templates":[{"id":7,"title":"Landing page"}]}' }] },
};
const headers = { "content-type": "application/json", "mcp-session-id": "bench" };

Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/healthz") return new Response("ok");
  if (!pathname.endsWith("/emcp-tools-server")) {
    return Response.json({ code: "rest_no_route", message: "No route was found", data: { status: 404 } }, {
      status: 404,
    });
  }
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = await request.json();
  if (id === undefined) return new Response(null, { status: 202 });
  const other = method === "tools/list" ? OTHER_LISTS[pathname.split("/")[1]!] : undefined;
  const waits = method === "tools/call" && params.name !== AT_ONCE;
  if (waits) await new Promise((resolve) => setTimeout(resolve, latency_ms));
  const result = other ? { tools: other } : RESULTS[method];
  const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
  if (!pathname.startsWith("/events/")) return new Response(answer, { headers });
  return new Response(`event: message\ndata: ${answer}\n\n`, {
    headers: { ...headers, "content-type": "text/event-stream" },
  });
});
