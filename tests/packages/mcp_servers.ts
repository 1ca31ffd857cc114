/** The Model Context Protocol's own servers, of both lines. */
export { createMcpHandler, Server } from "npm:@modelcontextprotocol/server@2.4.0";
export { McpServer } from "npm:@modelcontextprotocol/sdk@1.32.2/server/mcp.js";
export {
  WebStandardStreamableHTTPServerTransport,
} from "npm:@modelcontextprotocol/sdk@1.32.2/server/webStandardStreamableHttp.js";
