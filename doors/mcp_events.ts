/** Events of the MCP door: the headers of a stream of them, and how a message is written as one. */
import { JSON_HEADERS } from "./mcp_response.ts";

/** The headers of an answer that is a stream of events. */
export const EVENT_HEADERS = {
  ...JSON_HEADERS,
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** A message, as JSON text, as one event. */
export const eventOf = (message: string): string => `event: message\ndata: ${message}\n\n`;
/** What clients skip; it keeps a connection from being taken for idle. */
export const KEEP_ALIVE = ": keep-alive\n\n";
