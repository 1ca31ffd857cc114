/** The body of a request to the MCP door: read as a message, in room that is held until it was answered. */
import type { HeldBody } from "../guard/pipeline/in_flight.ts";
import { bodyError, type BodyFault, type ParsedBody, readJson } from "../core/body.ts";
import { FrameFault, RPC } from "./mcp_frame.ts";
import { fault, refused } from "./mcp_response.ts";

/** The place of a call's arguments in its message. */
const ARGUMENTS = ["params", "arguments"] as const;

/** Whether a type of content is JSON. */
export function isJson(contentType: string | null): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** The message in a body; the arguments of a call that hold too much are left out of it. Throws E_BUSY. */
export const readMessage = (
  request: Request,
  cap: number,
  held: HeldBody,
): Promise<ParsedBody | BodyFault> => readJson(request, cap, held, ARGUMENTS);

/** The answer to a body that is no message. */
export function noMessage(body: BodyFault, cap: number): Response {
  const { code, message } = bodyError(body, cap);
  if (code === "E_PAYLOAD_TOO_LARGE") return refused(413, `${code}: ${message}`);
  const isExcess = body.fault === "nodes" || body.fault === "depth";
  const why = isExcess ? message : `the body is ${body.fault}`;
  return fault(new FrameFault(400, RPC.PARSE, `Parse error: ${why}`));
}

/** The room that a body takes until its message was answered, which can be after the first of a stream was. */
export class Held {
  body: HeldBody | null = null;
  #isKept = false;

  release(): void {
    if (!this.#isKept) this.body?.release();
  }

  /** Until that work has ended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isKept = true;
    try {
      return await work();
    } finally {
      this.#isKept = false;
      this.release();
    }
  }
}
