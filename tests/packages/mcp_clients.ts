/** The Model Context Protocol's own clients, of both lines. */
export {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from "npm:@modelcontextprotocol/client@2.4.0";
export { Client as Client1 } from "npm:@modelcontextprotocol/sdk@1.32.2/client/index.js";
export {
  StreamableHTTPClientTransport as Transport1,
} from "npm:@modelcontextprotocol/sdk@1.32.2/client/streamableHttp.js";
export type { OAuthClientProvider as Provider1 } from "npm:@modelcontextprotocol/sdk@1.32.2/client/auth.js";
export { UrlElicitationRequiredError as UrlRequired1 } from "npm:@modelcontextprotocol/sdk@1.32.2/types.js";
