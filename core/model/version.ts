/** The gateway's version. */

/** As MCP clients, the OpenAPI document and the store show it. */
export const VERSION = "0.2.0";
