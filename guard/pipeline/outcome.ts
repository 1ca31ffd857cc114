/** What a caller is told of the change after a failure: what is known of it, and where to look before trying again. */
import { GatewayError } from "../../core/errors.ts";
import type { Outcome } from "../../core/model.ts";
import { type Manifest, writes } from "../../registry/manifest.ts";
import type { CallRecord } from "../audit/audit.ts";

type Described = Pick<Manifest, "name" | "tier" | "raise" | "read_with" | "read_in">;

/** A call that failed: what was judged of it, what it sent, what it made. */
type Failed = Pick<CallRecord, "writes" | "allMade"> & {
  readonly decision: Pick<CallRecord["decision"], "tier" | "writing">;
};

/**
 * The failure of a call that could write, with its outcome: `none` where it was refused before it ran. Of any other call
 * the failure itself.
 */
export function withOutcome(
  failure: GatewayError,
  record: Failed,
  manifest: Described | undefined,
): GatewayError {
  const { tier, writing } = record.decision;
  const couldWrite = (tier ?? 0) > 0 || (manifest !== undefined && writes(manifest));
  if (!couldWrite) return failure;
  const {
    code,
    upstream,
    excerpt,
    retryAfter,
    counted,
    replayed,
    audit,
    cause,
    published,
    approval,
    faults,
  } = failure;
  // The answer of an earlier, equal call is repeated unchanged.
  if (!writing && failure.outcome !== undefined) return failure;
  const outcome = writing ? record.writes.outcomeOf(failure) : "none";
  return new GatewayError(code, told(failure, outcome, record, manifest), {
    cause,
    upstream,
    excerpt,
    counted,
    replayed,
    audit,
    outcome,
    published,
    approval,
    // a write that may have been made is not to be sent again after a while
    ...(outcome === "none" ? { retryAfter, faults } : {}),
  });
}

/** "look at the site", and with which tool or where the change of a call shows there. */
export function inspectionHint(manifest: Omit<Described, "raise"> | undefined): string {
  const { name, tier = 0, read_with: tool, read_in: place } = manifest ?? {};
  if (tool !== undefined) {
    return `look at the site with ${tool === name && tier > 0 ? "a preview of " : ""}"${tool}"`;
  }
  return place === undefined ? "look at the site" : `look at the site in ${place}`;
}

function told(
  { code, message, bareMessage: said, outcome: known }: GatewayError,
  outcome: Outcome,
  { writes, allMade }: Pick<CallRecord, "writes" | "allMade">,
  manifest: Described | undefined,
): string {
  if (outcome === "none") return message;
  // Who says of the one write that nobody knows, such as of a site's own tool that failed, speaks of its answer.
  const isOpen = known === "unknown" && (code === "E_TOOL_ERROR" || writes.isOne);
  const done = isOpen ? [] : writes.carriedOut;
  // What was made is named better by what it is than by the request that made it.
  const which = done.length === 0 || allMade.length > 0 ? "" : ` (${done.join(", ")})`;
  const look = `${inspectionHint(manifest)} before trying again`;
  if (outcome === "made") return `${said}; the change was made${which}: ${look}`;
  return done.length === 0
    ? `${said}; the outcome is unknown: ${look}`
    : `${said}; a part of the change was made${which}, the outcome is unknown: ${look}`;
}
