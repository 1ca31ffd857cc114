/** The Model Context Protocol's own server, of the older line; the newer one is the sandbox's. */
export { McpServer } from "npm:@modelcontextprotocol/sdk@1.32.2/server/mcp.js";
export {
  WebStandardStreamableHTTPServerTransport,
} from "npm:@modelcontextprotocol/sdk@1.32.2/server/webStandardStreamableHttp.js";
