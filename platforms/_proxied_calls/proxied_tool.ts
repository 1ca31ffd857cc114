/** How a proxied tool is called: judged before anything is sent, one writer at a time, read back, audited. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Change, Flag } from "../../core/model.ts";
import { runsAnother } from "../../rules/proxied/names.ts";
import { filterListedTools } from "./abilities.ts";
import { assertFit, contentOf, toolError } from "../tool_servers/answers.ts";
import type { HoldState } from "../_content/holds.ts";
import { liveRecord } from "./live_verdict.ts";
import { type PageState, pageState } from "./page_state.ts";
import { type DryRun, dryRunOf } from "./held_effects.ts";
import { holdState } from "./hold_state.ts";
import { HELD_LOCK, type SetbackHandler, settingBack } from "./held_setback.ts";
import { HeldWrite } from "./held_write.ts";
import type { ProxyContext, ProxyPorts, ProxyRaise } from "./proxied_context.ts";
import { locationOf, resolve, type Resolved } from "./resolved.ts";
import type { ProxiedTool, SiteOffer, ToolServers, UpstreamResult } from "../tool_servers/types.ts";
import { toldWrite } from "./told_write.ts";
import { assertOrdinary } from "./unheld.ts";
import { UnheldWrite } from "./unheld_write.ts";
import { ignoredArguments } from "./verdict.ts";

type Arguments = Record<string, unknown>;

/** What a write would do; what was read for it is in `state`. */
interface ProxyPlan {
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly revision?: Readonly<Record<string, unknown>> | null;
  readonly warnings?: readonly string[];
  /** Whether the changes say what would be sent, where the site cannot try the call. */
  readonly told?: true;
  readonly raises: readonly ProxyRaise[];
  /** Runs it on the site without keeping anything, or why the site cannot, a sentence's part. */
  readonly dryRun: (() => Promise<DryRun>) | { readonly unavailable: string };
  /** Why it cannot be taken back; of a held call only its effects tell. */
  readonly final?: string;
  readonly state?: unknown;
}

/** The flags that its calls may need, and what is done at each step of one. */
export interface ProxiedHandler {
  readonly flags: {
    flag: Flag;
    live: boolean;
    code?: "E_FORBIDDEN_OP";
  }[];
  check(args: Arguments, ctx: ProxyContext): void;
  raises(args: Arguments, ctx: ProxyContext): readonly ProxyRaise[];
  plan(args: Arguments, ctx: ProxyContext): Promise<ProxyPlan>;
  run(
    args: Arguments,
    ctx: ProxyContext,
    plan?: { readonly state?: unknown; readonly expects?: string },
  ): Promise<unknown>;
  /** Sets back what a held call of it replaced. */
  readonly restore: SetbackHandler;
}

/** The handler of a tool that sites offer. What nobody may do is refused in `check`, what the live state forbids in `plan`. */
export function proxiedTool(tool: ProxiedTool, ports: ProxyPorts): ProxiedHandler {
  // A call has one context, which every step of it is given.
  const known = new WeakMap<ProxyContext, Resolved>();
  const resolved = (args: Arguments, ctx: ProxyContext) => {
    const found = known.get(ctx) ?? resolve(tool, args, ctx, ports);
    if (!known.has(ctx) && found.target.writes && found.target.hold === undefined) {
      assertOrdinary(found, ctx.now());
    }
    known.set(ctx, found);
    return found;
  };
  return {
    flags: flagsOf(tool),
    restore: settingBack(tool.name),
    check: (args, ctx) => void resolved(args, ctx),
    raises: (args, ctx) => raisesOf(tool, resolved(args, ctx)),
    plan: async (args, ctx) => await planOf(tool, resolved(args, ctx), ctx, ports),
    async run(args, ctx, plan) {
      const call = resolved(args, ctx);
      const servers = await ports.servers(ctx);
      if (!call.writes) {
        return contentOf(
          filterListedTools(call.target, ctx.caller, await read(tool, call, ctx, servers), ports),
        );
      }
      const { page, hold } = plan?.state as Planned | undefined ?? NOTHING_PLANNED;
      const warnings = page?.warnings ?? [];
      if (hold.ready) {
        const one = heldWrite(tool, { call, ctx, ports, servers, page, ownMethod: hold.own_method });
        const expected = plan?.expects ?? null;
        return (await ctx.exclusively(HELD_LOCK, (turn) => one.run(expected, turn))).warned(warnings);
      }
      const name = lockKey(call);
      const one = new UnheldWrite(tool, call, ctx, ports, servers, page, hold.why);
      const began = ctx.now();
      const done = name === null ? await one.run() : await ctx.exclusively(name, async (turn) => {
        return await one.run(turn, async () => {
          const since = ctx.now() - began; // below 0 where the clock was set back, which says nothing
          const isOld = turn.waited || since < 0 || since > LOOK_MS;
          if (isOld && call.pageId !== null) await assertAsPlanned(ctx, call.pageId, page);
        });
      });
      return done.warned(warnings);
    },
  };
}

/** What a plan found. */
interface Planned {
  readonly page: PageState | null;
  readonly hold: HoldState;
}

const NOTHING_PLANNED: Planned = {
  page: null,
  hold: { ready: false, why: "it was not planned", may_pair: false },
};

/** Whether the site holds the write, how its page is, and what follows from both. Reads only. */
async function planOf(
  tool: ProxiedTool,
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
): Promise<ProxyPlan> {
  const [hold, page] = await allOrThrow(
    holdState(call, ctx, ports),
    call.pageId === null ? null : pageState(ctx, call.pageId),
  );
  const { target } = call;
  if (!hold.ready && target.writes && target.hold !== undefined) assertOrdinary(call, ctx.now());
  const isJudgedThere = hold.ready && page?.isKnown !== true; // by its effects
  const live = isJudgedThere ? null : page === null ? await liveRecord(call, ctx, ports) : page.live;
  const raises: ProxyRaise[] = [
    ...(live ? [liveRaise(live)] : []),
    ...(hold.ready ? [] : unknownRaises(call, hold.why)),
  ];
  const state: Planned = { page, hold };
  const dryRun = hold.ready
    ? async () => {
      const servers = await ports.servers(ctx);
      const one = heldWrite(tool, { call, ctx, ports, servers, page, ownMethod: hold.own_method });
      const shown = dryRunOf(await ctx.exclusively(HELD_LOCK, (turn) => one.rehearse(turn)));
      return { ...shown, warnings: [...shown.warnings, ...ignoredArguments(call)] };
    }
    : { unavailable: hold.why };
  const isTold = ctx.showsOwn && !hold.ready && call.writes && target.ref.source === "crm";
  const told = isTold ? { ...await toldWrite(call, ctx, ports), told: true as const } : null;
  const summary = `Run ${tool.name} on ${ctx.site.id}`;
  const final = call.writes && !hold.ready ? { final: notHeld(hold.why) } : {};
  return { summary, changes: [], ...told, raises, dryRun, ...final, state };
}

const notHeld = (why: string) =>
  `What a site's own tool replaces is known only where the site holds the call (${why})`;

/** A tool that only an operator knows may change anything, where nothing but the site could tell. */
function unknownRaises({ target: { known, writes, served, ref } }: Resolved, why: string): ProxyRaise[] {
  if (known || !writes || ref.source !== "cms") return [];
  return [
    liveRaise(
      `the site does not hold what "${served.name}" writes (${why}), so it may change what visitors see`,
    ),
  ];
}

/** What a held write is made of. */
interface Held {
  readonly call: Resolved;
  readonly ctx: ProxyContext;
  readonly ports: ProxyPorts;
  readonly servers: ToolServers;
  readonly page: PageState | null;
  readonly ownMethod: boolean;
}

function heldWrite(tool: ProxiedTool, { call, ctx, ports, servers, page, ownMethod }: Held): HeldWrite {
  const hidden = page?.live === null ? call.pageId : null;
  return new HeldWrite(tool, call, ctx, ports, servers, hidden, ownMethod);
}

/** What two calls must not change at once; null where nothing is known of it. */
function lockKey({ pageId, effect }: Resolved): string | null {
  if (pageId !== null) return `proxied page ${pageId}`;
  return effect === "site" ? "proxied site" : null;
}

const liveRaise = (because: string): ProxyRaise => ({ flags: ["allow_publish"], published: true, because });

/** What was read of a page so long ago is read again right before it is changed. */
const LOOK_MS = 1000;

/** While another call or a slow site was waited for, somebody may have published the page. */
async function assertAsPlanned(ctx: ProxyContext, id: number, planned: PageState | null): Promise<void> {
  const { live } = await pageState(ctx, id);
  if (live === null || (planned !== null && planned.live !== null)) return;
  const message = `${live}, which it was not when the call began; nothing was sent`;
  throw new GatewayError("E_STALE_PREVIEW", message, { outcome: "none" });
}

/** Flags that every call needs have their own code; those that only some calls need are judged by their arguments. */
function flagsOf({ offers }: ProxiedTool): ProxiedHandler["flags"] {
  const all = [...offers.values()];
  const every = (does: (one: SiteOffer) => boolean) => all.length > 0 && all.every(does);
  const hosted = all.some(({ ref }) => ref.source === "crm");
  const names = [...new Set(all.map(({ upstream_name }) => upstream_name))];
  return [
    ...(hosted && every(({ writes }) => writes) ? [{ flag: "allow_crm_write", live: false } as const] : []),
    ...(hosted ? [{ flag: "allow_crm_write", live: true } as const] : []),
    ...(every(({ effect }) => effect === "site") && !names.some(runsAnother)
      ? [{ flag: "allow_publish", live: false } as const]
      : []),
    { flag: "allow_publish", live: true, code: "E_FORBIDDEN_OP" },
  ];
}

function raisesOf({ name }: ProxiedTool, { offer, target, writes, effect }: Resolved): ProxyRaise[] {
  if (!writes) return [];
  const named = target === offer ? `"${name}"` : `"${target.upstream_name}", which it runs,`;
  return [
    { tier: 2, because: `${named} writes` },
    ...(target.ref.source === "crm"
      ? [{ flags: ["allow_crm_write" as const], because: `${named} writes records of the CRM` }]
      : []),
    ...(effect === "site"
      ? [{
        ...liveRaise(`${named} changes the whole site, which visitors see at once`),
        ...(target === offer ? { code: "E_PUBLISH_NOT_ALLOWED" as const } : {}),
      }]
      : []),
  ];
}

async function read(
  tool: ProxiedTool,
  call: Resolved,
  ctx: ProxyContext,
  servers: ToolServers,
): Promise<UpstreamResult> {
  const { ref, upstream_name } = call.offer;
  const result = await servers.call(ref, upstream_name, call.args, { writes: false });
  assertFit(tool.name, result, locationOf(call, ctx));
  if (result.isError) throw toolError(tool.name, result);
  return result;
}
