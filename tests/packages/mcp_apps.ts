/** The host's side of MCP Apps, by its own makers. */
export { AppBridge } from "npm:@modelcontextprotocol/ext-apps@2.0.4/app-bridge";
