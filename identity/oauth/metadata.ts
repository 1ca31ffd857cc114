/** What clients read before they ask: which server guards the gateway, and what that server does. */
import { SCOPE } from "./clients.ts";

/** RFC 9728, of the gateway (`path` empty) or of its MCP door. */
export const resourceMetadata = (baseUrl: string, path: "" | "/mcp") => ({
  resource: `${baseUrl}${path}`,
  authorization_servers: [baseUrl],
  bearer_methods_supported: ["header"],
  scopes_supported: [SCOPE],
  resource_name: "Site operations gateway",
});

/** RFC 8414. */
export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});
