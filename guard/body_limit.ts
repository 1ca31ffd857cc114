/** How large a body a caller may send: more than the general limit only for a tool that it may really call. */
import { type Caller, LIMITS } from "../model.ts";
import type { ToolEntry } from "../registry/load.ts";
import { mayUse } from "./scope.ts";

/** A tool as far as its body is concerned. */
export type BodyTaker = Pick<ToolEntry, "name"> & {
  readonly manifest: Pick<ToolEntry["manifest"], "tier" | "body_limit">;
};

/**
 * Bytes of body that a call of this tool may have. A tool that does not exist, or that steps 5 to 7 refuse to this
 * caller, gets the general limit: its body is read for the audit alone.
 */
export function bodyLimit(tool: BodyTaker | undefined, caller: Caller): number {
  return tool && mayUse(caller, tool.name, tool.manifest.tier) ? tool.manifest.body_limit : LIMITS.BODY_BYTES;
}

/** Bytes of body where the tool is named inside it: the most that any tool takes which the caller may really call. */
export function largestBodyLimit(tools: Iterable<BodyTaker>, caller: Caller): number {
  let largest: number = LIMITS.BODY_BYTES;
  for (const tool of tools) {
    if (tool.manifest.body_limit > largest) largest = Math.max(largest, bodyLimit(tool, caller));
  }
  return largest;
}
