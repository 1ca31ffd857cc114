/** How a proxied tool is called: judged before anything is sent, one writer at a time, read back, audited. */
import { GatewayError } from "../../errors.ts";
import type { Content, ContentProof } from "../../lib/content.ts";
import type { Change, Flag, Outcome, Tier } from "../../model.ts";
import { runsAnother } from "../../rules/proxied_names.ts";
import { isDoubtful } from "../failures.ts";
import { handedOn } from "./abilities.ts";
import { assertFit, contentOf, isRefused, payloadOf, toolError, withOutcome } from "./answers.ts";
import { type PageState, pageState } from "./page_state.ts";
import type { ProxyContext, ProxyPorts, Turn } from "./proxied_context.ts";
import { assertShown, NO_READER, pageReadBack, type ReadBack, unproven, type Verdict } from "./read_back.ts";
import { newReadBack } from "./read_back_new.ts";
import { shownReadBack } from "./read_back_shown.ts";
import { resolve, type Resolved } from "./resolved.ts";
import type { ProxiedTool, SiteOffer, ToolServers, UpstreamResult } from "./types.ts";
import { judged } from "./unknown_arguments.ts";

type Arguments = Record<string, unknown>;

/** Why a call counts for more than its tool says. */
interface ProxyRaise {
  readonly tier?: Tier;
  readonly flags?: readonly Flag[];
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
      const state = call.pageId === null ? null : await pageState(ctx, call.pageId);
      if (state?.isKnown === false) await assertShown(call, ctx, ports);
      const raises: ProxyRaise[] = state?.live ? [liveRaise(state.live)] : [];
      return { summary: `Run ${tool.name} on ${ctx.site.id}`, changes: [], raises, state };
    },
    async run(args, ctx, plan) {
      const call = resolved(args, ctx);
      const servers = await ports.servers(ctx);
      if (!call.writes) {
        return contentOf(handedOn(call.target, ctx.caller, await read(tool, call, ctx, servers), ports));
      }
      const one = new ProxiedWrite(tool, call, ctx, ports, servers);
      const name = turnOf(call);
      const state = plan?.state as PageState | null | undefined;
      const began = ctx.now();
      const done = name === null ? await one.run() : await ctx.exclusively(name, async (turn) => {
        return await one.run(turn, async () => {
          const since = ctx.now() - began; // below 0 where the clock was set back, which says nothing
          const isOld = turn.waited || since < 0 || since > LOOK_MS;
          if (isOld && call.pageId !== null) await assertAsPlanned(ctx, call.pageId, state ?? null);
        });
      });
      return done.warned(state?.warnings ?? []);
    },
  };
}

/** What two calls must not change at once; null where nothing is known of it. */
function turnOf({ pageId, effect }: Resolved): string | null {
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
  throw new GatewayError(
    "E_STALE_PREVIEW",
    `${live}, which it was not when the call began; nothing was sent`,
    {
      outcome: "none",
    },
  );
}

/** Flags that every call needs have their own code; those that only some calls need are judged by their arguments. */
function flagsOf({ offers }: ProxiedTool): ProxiedHandler["flags"] {
  const all = [...offers.values()];
  const every = (does: (one: SiteOffer) => boolean) => all.length > 0 && all.every(does);
  const hosted = all.some(({ ref }) => ref.source === "crm");
  return [
    ...(hosted && every(({ writes }) => writes) ? [{ flag: "allow_crm_write", live: false } as const] : []),
    ...(hosted ? [{ flag: "allow_crm_write", live: true } as const] : []),
    ...(every((one) => one.effect === "site" && !runsAnother(one.upstream_name))
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
    ...(effect === "site" ? [liveRaise(`${named} changes the whole site, which visitors see at once`)] : []),
  ];
}

/** The location that answers may be of; null for any other source. */
const locationOf = ({ offer }: Resolved, { site }: ProxyContext) =>
  offer.ref.source === "crm" ? site.crm_location_id : null;

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

/** What reads back a write: what is said of its tool, or else what it touches. */
function readBackOf({ target: { shown_by, effect }, pageId }: Resolved) {
  if (shown_by !== undefined) return shownReadBack;
  if (pageId !== null) return pageReadBack;
  return effect === "new" ? newReadBack : null;
}

/** One write, from the look before to the look after. */
class ProxiedWrite {
  readonly #back: ReadBack | null;

  constructor(
    readonly tool: ProxiedTool,
    readonly call: Resolved,
    readonly ctx: ProxyContext,
    readonly ports: ProxyPorts,
    readonly servers: ToolServers,
  ) {
    const make = call.target.writes ? readBackOf(call) : null;
    this.#back = make?.(call, ctx, ports, servers) ?? null;
  }

  /** `stands` refuses where the page is not as it was when the call was planned. */
  async run(turn?: Turn, stands?: () => Promise<void>): Promise<Content> {
    const { call: { offer, args } } = this;
    await this.#back?.before();
    await stands?.();
    if (turn && !await turn.renew()) {
      throw new GatewayError(
        "E_BUSY",
        "Another call may be changing the same thing by now, so nothing was sent; call again",
        {
          outcome: "none",
        },
      );
    }
    let result: UpstreamResult;
    try {
      result = await this.servers.call(offer.ref, offer.upstream_name, args, { writes: true });
    } catch (thrown) {
      throw await this.#settled(thrown);
    }
    if (result.isError) throw await this.#failed(result);
    const verdict = await this.#look(payloadOf(result));
    try {
      assertFit(this.tool.name, result, locationOf(this.call, this.ctx));
    } catch (thrown) {
      throw withOutcome(thrown, "made");
    }
    return contentOf(
      handedOn(this.call.target, this.ctx.caller, result, this.ports),
      proofOf(judged(verdict, this.call)),
    );
  }

  async #look(payload: unknown): Promise<Verdict> {
    const verdict = await this.#back?.after(payload) ??
      unproven(this.call.effect === "read" ? "The tool reads, and changes nothing that is known" : NO_READER);
    if (verdict.changes.length > 0) this.ctx.note({ changes: verdict.changes });
    return verdict;
  }

  /** What broke off on the way there or back: a look says whether it was done. */
  async #settled(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof GatewayError)) return thrown;
    if (thrown.outcome !== "unknown" && !isDoubtful(thrown)) return thrown;
    // What has not been done by now may still be.
    return (await this.#look(null)).changed === true ? withOutcome(thrown, "made") : thrown;
  }

  /** What the tool itself reports as a failure: of a part that was done all the same it is not the whole. */
  async #failed(result: UpstreamResult): Promise<unknown> {
    const { changed } = await this.#look(null);
    const outcome = outcomeOf(result, changed);
    try {
      assertFit(this.tool.name, result, locationOf(this.call, this.ctx));
    } catch (unfit) {
      return withOutcome(unfit, outcome);
    }
    return toolError(this.tool.name, result, outcome);
  }
}

/** What became of a write that its tool says failed; of one told in what reports a success otherwise, a part may be done. */
function outcomeOf(result: UpstreamResult, changed: boolean | null): Outcome {
  if (changed === true) return result.soft ? "unknown" : "made";
  return changed === false || isRefused(result) ? "none" : "unknown";
}

function proofOf({ verified, reason, warnings }: Verdict): ContentProof {
  const why = verified === null ? { verified_reason: reason ?? NO_READER } : {};
  return { verified, ...why, warnings };
}
