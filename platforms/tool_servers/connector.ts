/** The sites' own tool servers: this version does not reach them yet. */
import { described } from "../connector.ts";
import { address } from "../settings.ts";

export default described({
  name: "tool_servers",
  product: "HighLevel's and WordPress's tool servers",
  scope: "site",
  settings: {
    CRM_MCP_URL: address("https://services.leadconnectorhq.com/mcp/", "HighLevel's tool server"),
  },
});
