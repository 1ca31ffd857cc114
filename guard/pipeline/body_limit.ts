/** How large a body a caller may send: more than the general limit only for a tool that it may really call. */
import { type Caller, LIMITS } from "../../core/model.ts";
import type { ToolEntry } from "../../registry/entry.ts";
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

/** Those of a list that take more than the general limit: few, and asked for at every call over MCP. */
const large = new WeakMap<readonly BodyTaker[], readonly BodyTaker[]>();

/** Bytes of body where the tool is named inside it: the most that any tool takes which the caller may really call. */
export function largestBodyLimit(tools: readonly BodyTaker[], caller: Caller): number {
  const known = large.get(tools) ?? tools.filter(({ manifest }) => manifest.body_limit > LIMITS.BODY_BYTES);
  large.set(tools, known);
  let most: number = LIMITS.BODY_BYTES;
  for (const tool of known) most = Math.max(most, bodyLimit(tool, caller));
  return most;
}
