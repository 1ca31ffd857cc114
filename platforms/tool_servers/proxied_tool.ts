/** How a proxied tool is called: judged before anything is sent, one writer at a time, read back, audited. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Change, Flag, Tier } from "../../core/model.ts";
import { runsAnother } from "../../rules/proxied/names.ts";
import { filterListedTools } from "./abilities.ts";
import { assertFit, contentOf, toolError } from "./answers.ts";
import { liveRecord } from "./live_verdict.ts";
import { type PageState, pageState } from "./page_state.ts";
import { canHold } from "./hold_state.ts";
import { HeldWrite } from "./held_write.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { ProxiedWrite } from "./proxied_write.ts";
import { assertShown } from "./read_back.ts";
import { locationOf, resolve, type Resolved } from "./resolved.ts";
import type { ProxiedTool, SiteOffer, ToolServers, UpstreamResult } from "./types.ts";

type Arguments = Record<string, unknown>;

/** Why a call counts for more than its tool says. */
interface ProxyRaise {
  readonly tier?: Tier;
  readonly flags?: readonly Flag[];
  readonly code?: "E_PUBLISH_NOT_ALLOWED";
  readonly published?: boolean;
  readonly because: string;
}

/** What a write would do; what was read for it is in `state`. */
interface ProxyPlan {
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly raises: readonly ProxyRaise[];
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
  run(args: Arguments, ctx: ProxyContext, plan?: { readonly state?: unknown }): Promise<unknown>;
}

/** The handler of a tool that sites offer. What nobody may do is refused in `check`, what the live state forbids in `plan`. */
export function proxiedTool(tool: ProxiedTool, ports: ProxyPorts): ProxiedHandler {
  // A call has one context, which every step of it is given.
  const known = new WeakMap<ProxyContext, Resolved>();
  const resolved = (args: Arguments, ctx: ProxyContext) => {
    const found = known.get(ctx) ?? resolve(tool, args, ctx, ports);
    known.set(ctx, found);
    return found;
  };
  return {
    flags: flagsOf(tool),
    check: (args, ctx) => void resolved(args, ctx),
    raises: (args, ctx) => raisesOf(tool, resolved(args, ctx)),
    async plan(args, ctx) {
      const call = resolved(args, ctx);
      const [isHeld, page] = await allOrThrow(
        canHold(call, ctx, ports),
        call.pageId === null ? null : pageState(ctx, call.pageId),
      );
      if (!isHeld && page?.isKnown === false) await assertShown(call, ctx, ports);
      const live = page === null ? isHeld ? null : await liveRecord(call, ctx, ports) : page.live;
      const raises: ProxyRaise[] = live ? [liveRaise(live)] : [];
      const state: Planned = { page, isHeld };
      return { summary: `Run ${tool.name} on ${ctx.site.id}`, changes: [], raises, state };
    },
    async run(args, ctx, plan) {
      const call = resolved(args, ctx);
      const servers = await ports.servers(ctx);
      if (!call.writes) {
        return contentOf(
          filterListedTools(call.target, ctx.caller, await read(tool, call, ctx, servers), ports),
        );
      }
      const { page: state, isHeld } = plan?.state as Planned | undefined ?? { page: null, isHeld: false };
      const warnings = state?.warnings ?? [];
      if (isHeld) {
        const hidden = state?.live === null ? call.pageId : null;
        const one = new HeldWrite(tool, call, ctx, ports, servers, hidden);
        return (await ctx.exclusively(HELD_LOCK, (turn) => one.run(null, turn))).warned(warnings);
      }
      const name = lockKey(call);
      const one = new ProxiedWrite(tool, call, ctx, ports, servers, state);
      const began = ctx.now();
      const done = name === null ? await one.run() : await ctx.exclusively(name, async (turn) => {
        return await one.run(turn, async () => {
          const since = ctx.now() - began; // below 0 where the clock was set back, which says nothing
          const isOld = turn.waited || since < 0 || since > LOOK_MS;
          if (isOld && call.pageId !== null) await assertAsPlanned(ctx, call.pageId, state);
        });
      });
      return done.warned(warnings);
    },
  };
}

/** What a plan found. */
interface Planned {
  readonly page: PageState | null;
  /** Whether the site holds the write. */
  readonly isHeld: boolean;
}

/** A site holds one call at a time: the others wait here, and not at the site, which refuses them after some seconds. */
const HELD_LOCK = "held call";

/** What two calls must not change at once; null where nothing is known of it. */
function lockKey({ pageId, effect }: Resolved): string | null {
  if (pageId !== null) return `proxied page ${pageId}`;
  return effect === "site" ? "proxied site" : null;
}

const liveRaise = (because: string): ProxyRaise => ({ flags: ["allow_publish"], published: true, because });

/** What was read of a page so long ago is read again right before it is changed. */
const LOOK_MS = 1000;

/** While another call or a slow site was waited for, somebody may have published the page, or given it to another editor. */
async function assertAsPlanned(ctx: ProxyContext, id: number, planned: PageState | null): Promise<void> {
  const { live, builder } = await pageState(ctx, id);
  const refuse = (what: string) => {
    const message = `${what}, which it was not when the call began; nothing was sent`;
    throw new GatewayError("E_STALE_PREVIEW", message, { outcome: "none" });
  };
  if (live !== null && (planned === null || planned.live === null)) refuse(live);
  if (planned !== null && planned.builder !== builder) refuse(`page ${id} is shown by another editor`);
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
