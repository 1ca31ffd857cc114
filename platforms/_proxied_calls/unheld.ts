/** What a write may be that no site holds: arguments of the listed types, content that stays a draft. Sends nothing. */
import { clipped, GatewayError } from "../../core/errors.ts";
import { bareName } from "../../rules/proxied/arguments.ts";
import { assertUnpublished, stateFault, typeFault } from "../../rules/proxied/typed.ts";
import type { Resolved, RunTool } from "./resolved.ts";

/** Where in a request an argument goes, which callers are not shown. */
const PREFIXES = ["path_", "query_", "body_"];

/** The name of an argument as callers know it. */
export const shownName = (name: string): string => bareName(name, PREFIXES);

/**
 * Refuses arguments that the tool's server does not list, or lists as another type, and states of content other
 * than "draft" and "pending". Throws E_BAD_INPUT, E_FORBIDDEN_OP.
 */
export function assertOrdinary({ runners, target, targetArgs }: Resolved, now: number): void {
  for (const one of runners) assertTyped(one);
  const { typing: { states, moment } } = target;
  const state = stateFault(targetArgs, states);
  if (state !== null) throw new GatewayError("E_FORBIDDEN_OP", `${state.field}: ${state.because}`);
  if (moment !== undefined) assertUnpublished(bareArguments(targetArgs), moment, now);
  assertTyped({ offer: target, args: targetArgs });
}

function assertTyped({ offer: { typing: { values }, input_schema: schema, shown_by }, args }: RunTool): void {
  const fault = typeFault(args, { schema, values, also: shown_by?.id, shown: shownName });
  if (fault !== null) throw new GatewayError("E_BAD_INPUT", `${clipped(fault.field)}: ${fault.because}`);
}

/** The arguments by the names that callers know, each of which is given once: what is judged is all that is sent. */
function bareArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bare = new Map<string, unknown>();
  for (const [name, value] of Object.entries(args)) {
    const shown = shownName(name);
    if (bare.has(shown)) throw new GatewayError("E_BAD_INPUT", `${clipped(shown)}: is given twice`);
    bare.set(shown, value);
  }
  return Object.fromEntries(bare);
}
