/** Steps 4 to 14 of a call: who may, with what, where; and what it would do. */
import { GatewayError } from "../../core/errors.ts";
import type { Caller, Flag, Site, Tier } from "../../core/model.ts";
import type { AskedList } from "../../registry/asked_list.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { OFFERED_WRITE } from "../../registry/source.ts";
import type { Awaitable } from "../../core/async.ts";
import type { Content } from "../../core/content.ts";
import type {
  Before,
  Follower,
  Plan,
  PlannedCall,
  Raise,
  Revision,
  ToolContext,
} from "../../registry/tool.ts";
import { asOffered, asWritten, plain } from "./answer.ts";
import { lazily } from "../../core/made_once.ts";
import type { CallRecord } from "../audit/audit.ts";
import { showsOwn, underProjects } from "../consent/confirm.ts";
import { destination, hashParts, KEEPS_NOTHING, type Subject } from "../consent/consent_content.ts";
import { setbackOf } from "../changes.ts";
import { makeContext } from "./context.ts";
import type { CallParts, ContextPorts } from "./context_ports.ts";
import type { Decision } from "./decision.ts";
import { effectivePlatform } from "./deployed.ts";
import { refuseFrozen } from "./freeze.ts";
import { explain, traceless } from "./explain.ts";
import { flagStep, neededFlags } from "./flags.ts";
import { type Asks, forwardedTo, type Input, readForwarded, readInput, withDefaults } from "./input.ts";
import type { RateLimit } from "./limits.ts";
import type { Place } from "./in_flight.ts";
import { linkStep } from "./links.ts";
import { type NestedCalls, nestedCalls, type ReadyCall } from "./nested_calls.ts";
import { entryOf, forwarded, refuseTool } from "./named_tool.ts";
import { platformStep } from "./platform.ts";
import { judgeRaises } from "./raises.ts";
import { capTier, effectiveTier } from "./risk.ts";
import { tellsOfTools } from "../../registry/manifest.ts";
import { searches, toolScope } from "./scope.ts";
import { callsOnSite, findOfferingSite, findSite, siteMeant } from "./site.ts";

/** What the steps need of the rest of the gateway. */
export interface AdmitPorts extends ContextPorts {
  readonly catalog: Catalog;
  readonly siteLimit: Pick<RateLimit, "take" | "look">;
}

/** What the steps from 4 on are walked with: by a call that came through a door, and by one that another tool makes. */
export interface Asked {
  readonly args: Record<string, unknown>;
  /** What the call sets back, where it is to: the arguments are those that name it. */
  readonly kept?: Before;
  /** What is asked beside them. */
  readonly asks?: Asks;
  /** Of the body they came in. */
  readonly bytes: number;
  readonly caller: Caller;
  /** What the request left out of the tools. */
  readonly narrowed?: AskedList;
  /** Whether the tool was named to a stand-in for what only reads. */
  readonly onlyReads?: boolean;
  readonly tool: string;
  readonly deadline: number;
  /** The tools of the calls that contain it, outermost first. */
  readonly outer: readonly string[];
  readonly follower?: Follower;
  /** Of a call that came through a door: given back while it only waits for others of its token. */
  readonly place?: Pick<Place, "leave">;
  /** Whether it is planned as an item of a change set. */
  readonly inSet?: boolean;
}

/** A call that has passed steps 4 to 13, before anything is sent. */
export interface Admitted {
  readonly caller: Caller;
  readonly entry: ToolEntry;
  readonly input: Input;
  readonly site: Site | null;
  readonly others: ReadonlyMap<string, Site>;
  /** With what its arguments and its site raise it to. */
  readonly tier: Tier;
  /** What its arguments raise it by. */
  readonly raises: readonly Raise[];
  readonly parts: CallParts;
  /** Whether it must be confirmed. */
  readonly gate: boolean;
  readonly ctx: ToolContext;
  /** Made when it is first asked for. */
  readonly nested: () => NestedCalls;
  /** Whether the gateway keeps at all what a write replaces. */
  readonly keeps: boolean;
  /** What does the work. */
  readonly acts: Acts;
}

/** A tool's own work, or its way to set back what that replaced, bound to what it works on. */
interface Acts {
  readonly restores: boolean;
  plan(): Promise<Plan> | undefined;
  run(plan?: Plan): Awaitable<unknown>;
}

/** Steps 4 to 13, which send nothing. */
export async function admit(ports: AdmitPorts, asked: Asked, record: CallRecord): Promise<Admitted> {
  const { caller, narrowed, deadline, follower, inSet, place } = asked;
  const { decision } = record;
  decision.begin("tool");
  const entry = entryOf(ports, asked); // 4
  const { manifest, handler, offer } = entry;
  decision.finds({ entry, tier: manifest.tier });
  refuseTool(entry, asked);
  const call = { caller, decision, name: entry.name };
  toolScope(call, manifest.tier, tellsOfTools(manifest) && searches(caller, narrowed)); // 5, 6
  capTier(call, manifest.tier); // 7
  decision.begin("arguments");
  const restore = asked.kept && !asked.kept.byArguments ? handler.restore : undefined;
  const given = readArguments(entry, asked, restore !== undefined, ports.now()); // 8
  decision.begin("site");
  const site = isPlaceless(entry) ? null : await siteOf(ports, asked, entry, given.siteId); // 9
  decision.finds({ site });
  const others = manifest.sites.length === 0
    ? NO_SITES
    : await otherSites(ports, caller, manifest.sites, given.args, decision);
  const reached = underProjects(ports.store.projects, allSites(site, others));
  const sites = reached instanceof Promise ? await reached : reached;
  decision.finds({ sites });
  const kind = site && await effectivePlatform(ports.store.sites, ports.connectors, manifest, site);
  const isOfferedWrite = site !== null && offer !== undefined &&
    (restore || offer.writesAt.includes(site.id));
  capTier(call, isOfferedWrite ? OFFERED_WRITE : effectiveTier(manifest, given.args, kind)); // 10
  if (offer) decision.begin("arguments");
  const input = offer && site && !restore
    ? forwardedTo({ manifest, offer }, given, site.id, { asks: asked.asks, shown: showsOwn(caller, sites) })
    : given;
  decision.begin("rate");
  for (const [at, { id }] of sites.entries()) {
    if (sites.findIndex((one) => one.id === id) === at) await ports.siteLimit.take(id);
  }
  decision.begin("platform");
  if (site) platformStep(manifest, asked.args, site); // 11
  if ((decision.tier ?? 0) > 0) await refuseFrozen(ports.store.freezes, sites);
  const needs = kind ? neededFlags(manifest, input.args, kind).map(({ flag }) => flag) : NO_FLAGS;
  decision.begin("flags", { needs });
  const grant = site && kind ? flagStep(manifest, input.args, site, kind) : undefined; // 12
  const nested = lazily(() => callsWithin(ports, asked, record)); // few tools call others
  const calls = () => nested().port;
  // deno-fmt-ignore: one object of one shape, for every call makes it
  const parts = { caller, narrowed, deadline, follower, inSet, place, record, manifest, site, others, grant, calls };
  const ctx = makeContext(ports, parts);
  decision.begin("check");
  if (handler.check && !restore) await handler.check(input.args, ctx);
  const raises = handler.raises && !restore ? await handler.raises(input.args, ctx) : [];
  parts.grant = judgeRaises(parts, raises) ?? grant;
  const tier = decision.tier ?? manifest.tier;
  decision.begin("links");
  linkStep(manifest, site, ports.connectors, ports.upstream); // 13
  const gate = tier > 0 && (!offer || restore !== undefined);
  const acts = actsOf(entry, input, ctx, restore && asked.kept);
  const keeps = ports.store.changes.days > 0;
  return { caller, entry, input, site, others, tier, raises, parts, gate, ctx, nested, keeps, acts };
}

/** Step 8. What a tool sets back by itself was kept by its own plan, so no schema refuses any of it. */
function readArguments(
  entry: ToolEntry,
  { args, asks, kept, narrowed }: Asked,
  restores: boolean,
  now: number,
): Input {
  if (restores) return readForwarded({ check: (of) => withDefaults(entry, of) }, args);
  if (entry.offer) return readForwarded(entry, args);
  const input = readInput(entry, kept ? { ...args, ...kept.values } : args, now, asks);
  return callsOnSite(input, entry.manifest, narrowed);
}

function actsOf({ handler }: ToolEntry, { args }: Input, ctx: ToolContext, kept: Before | undefined): Acts {
  const { restore } = handler;
  if (kept && restore) {
    return {
      restores: true,
      plan: () => restore.plan(kept, ctx),
      run: (plan) => restore.run(kept, ctx, plan),
    };
  }
  return {
    restores: false,
    plan: () => handler.plan?.(args, ctx),
    run: (plan) => handler.run(args, ctx, plan),
  };
}

/** Stands for the id of what a call is about to make; nothing is ever sent with it. */
const NOT_MADE_YET = 1;

/** The way of a call to other tools. */
function callsWithin(ports: AdmitPorts, asked: Asked, record: CallRecord): NestedCalls {
  const { caller, deadline, follower } = asked;
  const tools = [...asked.outer, asked.tool];
  // How far a call within this one is says nothing of the whole.
  const quiet = follower && { signal: follower.signal, progress: () => {} };
  const shared = { caller, bytes: 0, deadline, outer: tools, follower: quiet };
  return nestedCalls({
    record,
    tools,
    async prepare(tool, args, inner, kept) {
      await ports.catalog.fresh(tool);
      return await planned(await admit(ports, { ...shared, tool, args, kept }, inner), inner);
    },
    async foresee(tool, args, at, inner) {
      await ports.catalog.fresh(tool);
      const placed = { ...args, [at]: NOT_MADE_YET };
      const admitted = await admit(ports, { ...shared, tool, args: placed }, inner);
      const { entry, input, ctx, tier, gate, raises } = admitted;
      const warnings = raises.map(({ because }) => because);
      const planFor = async (id: string | number) => {
        const made = { ...input, args: { ...input.args, [at]: id } };
        const ready = await planned(
          { ...admitted, input: made, acts: actsOf(entry, made, ctx, undefined) },
          inner,
        );
        inner.setback = null; // it replaces nothing of anybody's: the call has made the thing itself
        return ready;
      };
      return { siteId: inner.siteId, tier, gate, warnings, planFor };
    },
    async explain(tool, args) {
      await ports.catalog.fresh(tool);
      const called = forwarded(ports.catalog, caller, { tool, args });
      const alone = { ...shared, ...called, outer: [] };
      const takeSteps = (apart: CallRecord) => admit(traceless(ports), alone, apart);
      return await explain(caller, record.apart(called.tool, called.args), takeSteps);
    },
  });
}

/** Whether a raise of a site's own tool says more than that the tool writes, which its preview shows. */
const isNews = ({ flags = [], published }: Raise) => flags.length > 0 || published === true;

/** How long the answer is waited for says nothing of what is done. */
const withoutWait = ({ wait_seconds: _, ...args }: Record<string, unknown>) => args;

/** What a call is of, as consent binds it. */
export const subjectOf = ({ caller, entry, site, others, input, tier }: Admitted): Subject => ({
  grant: caller.token.id,
  tool: entry.name,
  sites: allSites(site, others),
  args: entry.offer ? input.args : withoutWait(input.args),
  tier,
});

/** Step 14, which sends reads only, and of 14a what the plan found: ceiling and flags. */
export async function planned(
  { entry: { name, offer }, input, tier, raises, parts, gate, ctx, nested, keeps, acts }: Admitted,
  record: CallRecord,
): Promise<ReadyCall> {
  record.decision.begin("plan");
  const plan = tier > 0 ? await acts.plan() ?? null : null;
  if (gate && !plan) throw new GatewayError("E_INTERNAL", `"${name}" can write and has no plan`);
  record.final = plan?.final ?? null;
  record.paths = plan?.paths ?? [];
  if (plan?.before !== undefined && parts.site !== null) {
    record.setback = setbackOf(name, parts.site, plan.before, plan.revision ?? null);
  }
  if (plan?.set !== undefined) {
    record.set = { set_id: plan.set.id };
    record.decision.finds({ sites: plan.set.sites });
  }
  const found = plan?.raises ?? [];
  parts.grant = judgeRaises(parts, found) ?? parts.grant;
  const within = nested();
  const calls = [...within.planned];
  const whole = record.decision.tier ?? tier;
  return {
    tool: name,
    siteId: record.siteId,
    tier: whole,
    args: input.args,
    confirm: input.confirm,
    gate,
    offered: offer !== undefined,
    dryRun: input.dryRun,
    restores: acts.restores,
    plan,
    changes: [...(plan?.changes ?? []), ...calls.flatMap((one) => one.changes)],
    shown: async () => [...await plan?.shows?.() ?? [], ...await within.shown()],
    revision: wholeRevision(plan?.revision ?? null, calls, record),
    warnings: [
      ...[...raises, ...found].filter((one) => !offer || isNews(one)).map(({ because }) => because),
      ...(plan?.warnings ?? []),
      ...calls.flatMap((one) => one.warnings),
    ],
    calls,
    run: async (expects) => {
      const answer = await acts.run(plan ? { ...plan, expects } : undefined);
      if (offer && !acts.restores) return keepOffered(asOffered(answer), plan, parts, { record, keeps });
      if (!(whole > 0 && gate)) return plain(answer);
      const written = asWritten(answer);
      if (written.left !== undefined) record.left = hashParts(written.left);
      if (written.before !== undefined && parts.site !== null) {
        record.setback = setbackOf(name, parts.site, written.before, plan?.revision ?? null);
        record.toldLate = true;
      }
      if (written.published === null) ctx.annotate({ _published: null });
      return written;
    },
  };
}

/** The answer of a site's own tool, with what is known only now of how its write is taken back, or why it cannot be. */
function keepOffered(
  answer: Content,
  plan: Plan | null,
  { site, manifest }: Pick<CallParts, "site" | "manifest">,
  { record, keeps }: { readonly record: CallRecord; readonly keeps: boolean },
): Content {
  const { undoing } = answer;
  if (undoing !== undefined && "before" in undoing && !keeps) return answer.keeping({ final: KEEPS_NOTHING });
  if (undoing === undefined) {
    return plan?.final === undefined ? answer : answer.keeping({ final: plan.final });
  }
  record.toldLate = true;
  if ("final" in undoing) record.final = undoing.final;
  else if (site !== null) {
    record.setback = setbackOf(manifest.name, site, undoing.before, plan?.revision ?? null);
    record.left = hashParts(undoing.left);
  }
  return answer;
}

/**
 * The parts of a call, and those of the calls of other tools that it planned; of the whole call also where the sites of
 * those lead to, which no confirm token names.
 */
function wholeRevision(
  own: Revision | null,
  calls: readonly PlannedCall[],
  record: CallRecord,
): Revision | null {
  const inner: (readonly [string, unknown])[] = calls.flatMap(({ tool, revision }, at) =>
    Object.entries(revision ?? {}).map(([part, value]) => [`${tool} ${at + 1}: ${part}`, value] as const)
  );
  const named = record.decision.latest("sites") ?? [];
  const further = record === record.root ? record.allSites.filter((one) => !named.includes(one)) : [];
  if (calls.some(({ tier }) => tier > 0)) {
    for (const site of further) inner.push([`site ${site.id}`, destination(site)]);
  }
  if (own === null && inner.length === 0) return null;
  return { ...own, ...Object.fromEntries(inner) };
}

const NO_SITES: ReadonlyMap<string, Site> = new Map();
const NO_FLAGS: readonly Flag[] = [];
const NONE: readonly Site[] = [];

function allSites(site: Site | null, others: ReadonlyMap<string, Site>): readonly Site[] {
  if (site === null && others.size === 0) return NONE;
  return [...(site ? [site] : []), ...others.values()];
}

/** Whether it is a tool of the gateway's own that has no site. */
const isPlaceless = ({ offer, manifest }: ToolEntry) => !offer && manifest.site === "none";

/** Step 9: the call's site. */
async function siteOf(
  { store }: AdmitPorts,
  { caller, narrowed }: Asked,
  entry: ToolEntry,
  given: string | undefined,
): Promise<Site> {
  const id = siteMeant(narrowed, given);
  if (entry.offer) return await findOfferingSite(store.sites, caller, entry, id);
  return await findSite(store.sites, caller, id);
}

/** The sites that further arguments name, found and judged as the call's own. */
async function otherSites(
  ports: AdmitPorts,
  caller: Caller,
  names: readonly string[],
  args: Record<string, unknown>,
  decision: Decision,
): Promise<ReadonlyMap<string, Site>> {
  const others = new Map<string, Site>();
  for (const name of names) {
    const id = args[name];
    if (typeof id !== "string") continue;
    decision.finds({ target: id }); // known or not, so that a refused call is found under the site it was about
    others.set(id, await findSite(ports.store.sites, caller, id, name));
  }
  return others;
}
