/** Written by `deno task gen` from the connectors; not edited by hand. */

/** The codes that connectors bring, beside the gateway's own. */
export const CONNECTOR_CODES = {} as const;
