/** The write-confirm gate: what a caller sees instead of a change not yet confirmed. */
import { Buffer } from "node:buffer";
import {
  type Asking,
  type Caller,
  type Change,
  CONFIRM_POLICIES,
  type ConfirmPolicy,
  LIMITS,
  type Site,
  type Tier,
} from "../../core/model.ts";
import type { Confirmation, Plan, PlannedCall } from "../../registry/tool.ts";
import type { ProjectStore } from "../../store/store.ts";
import type { CallRecord } from "../audit/audit.ts";
import type { ApprovalLink } from "./approval.ts";
import { KEEPS_NOTHING, revisionName, TOO_LARGE } from "./consent_content.ts";
import type { ReadyCall } from "../pipeline/nested_calls.ts";
import { hiddenWarnings, shownChanges, wholeChanges } from "./preview_changes.ts";
import { shownText } from "../../core/unseen.ts";
import type { Awaitable } from "../../core/async.ts";

/** How many fields of a call within are named. */
const FIELDS_NAMED = 20;

/** What a write answers without `confirm: true`; nothing was changed. */
export interface Preview {
  readonly needs_confirmation: true;
  readonly tool: string;
  readonly site_id: string | null;
  readonly tier: Tier;
  readonly summary: string;
  readonly changes: readonly Change[];
  /** How much of the changes is left out, where any is. */
  readonly left_out?: string;
  /** Names the state that was read; null where the call touches nothing that exists. */
  readonly revision: string | null;
  readonly confirm_token: string;
  readonly expires_at: string;
  /** The request for a person's approval, where one is needed. */
  readonly approval?: ApprovalLink;
  /** How to go on. */
  readonly next: string;
  /** Whether undo_change can take the change back, and why not where it cannot. */
  readonly undoable: boolean;
  readonly undoable_reason?: string;
  /** For who decides on a request: names what this is a preview of. */
  readonly shown?: string;
  readonly warnings: readonly string[];
  /** Of a change set: its id, and what is said of each item beside its changes, in the order in which they are done. */
  readonly set_id?: string;
  readonly items?: readonly Readonly<Record<string, unknown>>[];
  /** The calls of other tools that are part of it, where there are any. */
  readonly calls?: readonly (Pick<PlannedCall, "tool" | "site_id" | "tier" | "summary"> & {
    readonly fields?: readonly string[];
  })[];
}

/** A call ready to be carried out, as far as a preview shows it. */
export interface Previewed
  extends
    Pick<ReadyCall, "tool" | "tier" | "changes" | "revision" | "warnings" | "calls" | "offered" | "dryRun"> {
  readonly plan: Pick<Plan, "summary"> & Partial<Pick<Plan, "changes" | "set">> | null;
  /** Of what a site itself has shown why it could not be taken back, null where it could; left out of any other. */
  readonly final?: string | null;
}

interface Gated {
  readonly caller: Caller;
  readonly input: { readonly confirm: boolean; readonly dryRun: boolean };
}

const skips = ({ token, superAdmin }: Caller): boolean => superAdmin && token.skip_write_confirm;

/** Whether the call asks for the write itself: it is confirmed, or its token skips the gate, and it asks for no preview. */
export const mayWrite = ({ caller, input }: Gated): boolean =>
  !input.dryRun && (input.confirm || skips(caller));

/** Whether the token or one of the sites asks that what a site's own tool would write is shown before it is sent. */
export const confirmsProxied = (
  { token }: Caller,
  sites: Iterable<Pick<Asking, "confirm_proxied">>,
): boolean =>
  token.confirm_proxied === true || [...sites].some(({ confirm_proxied }) => confirm_proxied === true);

/** Whether what a site's own tool would write is to be shown before it is sent, by the gateway where its site cannot. */
export const showsOwn = (caller: Caller, sites: readonly Asking[]): boolean =>
  confirmsProxied(caller, sites) || needsPerson(caller, sites);

/**
 * Whether a confirmed call may go on under the strictest policy of the token and of every site that the call and those
 * within it touch; `bound` where it carries the confirm token of a preview, `offered` where it is of a site's own tool.
 */
export function meetsPolicy(
  caller: Caller,
  sites: Iterable<Asking>,
  bound: boolean,
  offered = false,
): boolean {
  const all = [...sites];
  const own = offered && confirmsProxied(caller, all) ? "preview" : "flag";
  const policy = strictest([policyOf(caller, all), own]);
  return policy === "flag" || (policy === "preview" && (bound || skips(caller)));
}

/** Sites whose project asks for more than they do themselves, with that policy; one and the same for one record. */
const raised = new WeakMap<Site, Site>();

/** The sites, each with the policy of its project where that is the stricter one. */
export function underProjects(
  projects: Pick<ProjectStore, "get">,
  sites: readonly Site[],
): Awaitable<readonly Site[]> {
  if (sites.every(({ project_id }) => project_id === null)) return sites;
  return Promise.all(sites.map((site) => underProject(projects, site)));
}

async function underProject(projects: Pick<ProjectStore, "get">, site: Site): Promise<Site> {
  const project = site.project_id === null ? null : await projects.get(site.project_id);
  const confirm_policy = strictest([site.confirm_policy, project?.confirm_policy ?? "flag"]);
  if (confirm_policy === site.confirm_policy) return site;
  const known = raised.get(site);
  if (known?.confirm_policy === confirm_policy) return known;
  const made = { ...site, confirm_policy };
  raised.set(site, made);
  return made;
}

/** Whether a person must approve what the call writes. */
export const needsPerson = (caller: Caller, sites: Iterable<Pick<Site, "confirm_policy">>): boolean =>
  policyOf(caller, sites) === "human";

/** How a call is confirmed that touches those sites, as far as is known before its plan. */
export function confirmation(
  caller: Caller,
  { tier, gate }: { readonly tier: Tier; readonly gate: boolean },
  sites: readonly Asking[],
): Confirmation {
  if (tier === 0) return { needed: false };
  const policy = policyOf(caller, sites);
  if (gate) return { needed: !skips(caller), policy };
  if (meetsPolicy(caller, sites, false, true)) return { needed: false, policy };
  const always = policy === "human" || confirmsProxied(caller, sites);
  // Whether the site can show what its own tool would do, only the site tells.
  return { needed: always ? true : "depends on the live state", policy };
}

const policyOf = ({ token }: Caller, sites: Iterable<Pick<Site, "confirm_policy">>): ConfirmPolicy =>
  strictest([token, ...sites].map(({ confirm_policy }) => confirm_policy));

const strictest = (policies: readonly ConfirmPolicy[]): ConfirmPolicy =>
  CONFIRM_POLICIES[Math.max(...policies.map((one) => CONFIRM_POLICIES.indexOf(one)))] ?? "human";

const NOT_KEPT = "Nothing is kept that would set it back; the values under from are the old values";
const IN_PART =
  "What would set it back is kept of a part of it alone; the values under from are the old values";

/** Whether what a call is about to write is kept, so that it can be taken back. */
function undoable(
  { plan, calls, final }: Previewed,
  { setbacks, allFinal }: Pick<CallRecord, "setbacks" | "allFinal">,
  isKept: boolean,
): Pick<Preview, "undoable" | "undoable_reason"> {
  const not = (undoable_reason: string) => ({ undoable: false, undoable_reason });
  const set = plan?.set;
  if (set !== undefined) return set.final === null ? { undoable: true } : not(set.final);
  const why = final ?? allFinal;
  if (!isKept && why === null) return not(KEEPS_NOTHING);
  if (final !== undefined) return final === null ? { undoable: true } : not(final);
  if (allFinal !== null) return not(allFinal);
  if (setbacks.length === 0) return not(NOT_KEPT);
  const own = (plan?.changes?.length ?? 0) > 0 ? 1 : 0;
  if (setbacks.length < own + calls.filter(({ tier }) => tier > 0).length) return not(IN_PART);
  const bytes = Buffer.byteLength(JSON.stringify(setbacks.map(({ setback }) => setback)));
  return bytes > LIMITS.BEFORE_IMAGE_BYTES ? not(TOO_LARGE) : { undoable: true };
}

/** How the call is sent again, and what becomes of it then. */
function nextStep(
  { offered, dryRun }: Pick<Previewed, "offered" | "dryRun">,
  expires: string,
  approval?: ApprovalLink,
): string {
  if (approval !== undefined) {
    return `Nothing was changed; a person must approve this before ${expires}. Give this link to somebody who may: ` +
      `${approval.url}; get_approval with this approval_id and wait_seconds tells what was decided, and what was done`;
  }
  const again =
    "Nothing was changed; to do it send the same call with confirm: true and this confirm_token before it expires";
  if (offered) return `${again}, without dry_run; its changes are kept only if they are those shown here`;
  return dryRun ? `${again}, and without asking for a dry run` : again;
}

/** The preview of a planned write, with what the calls it planned would change; secrets and long texts shortened. */
export function preview(
  call: Previewed,
  record: Pick<CallRecord, "site" | "highestTier" | "setbacks" | "allFinal">,
  { token, expires_at, approval, isKept, bytes, isWhole = false }: {
    readonly token: string;
    readonly expires_at: number;
    readonly approval?: ApprovalLink | undefined;
    /** Whether the gateway keeps at all what a write replaces. */
    readonly isKept: boolean;
    /** How much of the changes is shown; LIMITS.PREVIEW_BYTES where it is left out, of whole texts APPROVAL_SHOWN_BYTES. */
    readonly bytes?: number;
    /** Whether texts are shown whole. */
    readonly isWhole?: boolean | undefined;
  },
): Preview {
  const expires = new Date(expires_at).toISOString();
  return {
    needs_confirmation: true,
    tool: call.tool,
    site_id: record.site,
    tier: record.highestTier ?? call.tier,
    summary: shownText(call.plan?.summary ?? ""),
    ...call.plan?.set
      ? { set_id: call.plan.set.id, changes: call.changes, items: call.plan.set.items }
      : isWhole
      ? wholeChanges(call.changes, bytes)
      : shownChanges(call.changes, bytes),
    revision: revisionName(call.revision),
    confirm_token: token,
    expires_at: expires,
    ...approval === undefined ? {} : { approval },
    next: nextStep(call, expires, approval),
    ...undoable(call, record, isKept),
    warnings: [...call.warnings, ...call.plan?.set ? [] : hiddenWarnings(call.changes)].map(shownText),
    ...(call.calls.length ? { calls: call.calls.map(nested) } : {}),
  };
}

/** A call within; of several each names its fields, for the changes of all stand in one list, in this order. */
const nested = (
  { tool, site_id, tier, summary, changes }: PlannedCall,
  _: number,
  all: readonly unknown[],
) => ({
  tool,
  site_id,
  tier,
  summary: shownText(summary),
  ...all.length < 2 ? {} : { fields: changes.slice(0, FIELDS_NAMED).map(({ field }) => shownText(field)) },
});
