/** The tool servers that sites have themselves: those of a WordPress's plugins, and the CRM's hosted one. */
import { onDemand } from "../../core/async.ts";
import { connector } from "../_connector/connector.ts";
import { TOOL_SERVER_URL } from "../highlevel/routes.ts";
import { address } from "../_connector/settings.ts";
import { originsOf, refusalOf } from "./servers.ts";
import type { ToolServers } from "./types.ts";

// What asks them is not needed to start.
const client = onDemand(() => import("./client.ts"));

export default connector({
  name: "tool_servers",
  product: "HighLevel's and WordPress's tool servers",
  scope: "site",
  settings: {
    CRM_MCP_URL: address(TOOL_SERVER_URL, "HighLevel's tool server"),
  },
  borrows: ["wordpress", "highlevel"],
  origins: originsOf,
  policy: refusalOf,
  async connect(ctx): Promise<ToolServers> {
    return new (await client()).ToolServersClient(ctx);
  },
  checks: [{
    names: ["crm_tool_server"],
    run: async (ctx, limitMs) => await (await import("./checks.ts")).crmCheck(ctx, limitMs),
  }],
});
