/** A call as the MCP door hands it on to the pipeline. */
import { excessError } from "../core/body.ts";
import type { Excess } from "../core/json_extent.ts";
import type { Caller } from "../core/model.ts";
import type { Dispatch } from "../guard/pipeline/dispatch.ts";
import type { Asks } from "../guard/pipeline/input.ts";
import type { AskedList } from "../registry/asked_list.ts";
import type { Follower } from "../registry/tool.ts";

/** A call of a tool as this door hands it on. */
export interface McpCall {
  readonly caller: Caller;
  /** What its address and headers leave out of the tools. */
  readonly narrowed: AskedList;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** What the arguments have too much of; then they were left unread. */
  readonly excess: Excess | null;
  readonly bodyBytes: number;
  /** As `_meta` of the request carries it. */
  readonly idempotencyKey?: string;
  readonly asks?: Asks;
  readonly requestId: string;
  /** Set where its client wants to know how far it is. */
  readonly follower?: Follower;
  /** Aborts when the client leaves. */
  readonly left: () => AbortSignal;
}

/** Runs such calls as those of the other door are run. */
export const dispatched = (dispatch: Dispatch) => (call: McpCall): Promise<unknown> => {
  const {
    caller,
    narrowed,
    tool,
    arguments: args,
    bodyBytes,
    excess,
    idempotencyKey,
    asks,
    requestId,
    follower,
    left,
  } = call;
  return dispatch({
    door: "mcp",
    caller,
    narrowed,
    tool,
    idempotencyKey,
    asks,
    requestId,
    follower,
    left,
    parse() {
      if (excess !== null) throw excessError(excess, "arguments");
      return { args, bytes: bodyBytes };
    },
  });
};
