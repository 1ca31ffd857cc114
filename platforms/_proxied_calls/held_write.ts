/** One held write: what it may do, the call itself, and what is said of what became of it. */
import type { Content, Undoing } from "../../core/content.ts";
import { canonical } from "../../core/canonical.ts";
import { GatewayError } from "../../core/errors.ts";
import { isDoubtful } from "../_http/failures.ts";
import { type HeldEffects, holdId, holds, type HoldsClient, type Receipt } from "../_content/holds.ts";
import { filterListedTools } from "./abilities.ts";
import { assertFit, contentOf, toolError, withOutcome } from "../tool_servers/answers.ts";
import { FAILED, NotHeld } from "../tool_servers/held_call.ts";
import { allowedOf, changesOf, named, overOf, refusedOver, undoingOf } from "./held_effects.ts";
import { heldBack, type LiveWatch } from "./live_verdict.ts";
import { liveWatch } from "./live_watch.ts";
import type { ProxyContext, ProxyPorts, Turn } from "./proxied_context.ts";
import { locationOf, type Resolved } from "./resolved.ts";
import type {
  HeldAnswer,
  HoldOrder,
  ProxiedTool,
  RolledBack,
  ToolServers,
  UpstreamResult,
} from "../tool_servers/types.ts";
import { judged, proofOf, unproven, type Verdict } from "./verdict.ts";

/** What a dry run showed. */
export interface Rehearsal {
  /** The dry run that a confirmed call must equal. */
  readonly id: string;
  readonly held: HeldEffects;
}

/** One write to a site that holds it. */
export class HeldWrite {
  #id = "";
  /** What the site told of a call that it answered as one of a lost session, unless it kept nothing of it. */
  #ofLostSession: Receipt | null | undefined;

  constructor(
    readonly tool: ProxiedTool,
    readonly call: Resolved,
    readonly ctx: ProxyContext,
    readonly ports: ProxyPorts,
    readonly servers: ToolServers,
    /** The page that it changes, where visitors do not see that. */
    readonly hidden: number | null,
    /** Whether a site that does not hold it any more would not run it either. */
    readonly ownMethod: boolean,
  ) {}

  /** Runs it and takes it back. Throws what the write itself would be refused with. */
  async rehearse(turn?: Turn): Promise<Rehearsal> {
    const { call, ctx } = this;
    const watch = await this.#begun(turn);
    let answer: HeldAnswer;
    try {
      answer = await this.#send(this.#order(true), true);
    } catch (thrown) {
      throw await this.#cutOff(thrown, watch);
    }
    if (answer.kind === "rolled_back") {
      if (answer.result?.isError) throw toolError(this.tool.name, answer.result, "none");
      if (answer.why !== "") throw unshown(this.tool.name, answer.why);
      const over = overOf(answer.held, call, ctx);
      if (over.length > 0) throw refusedOver({ over, held: answer.held }, call, ctx);
      return { id: answer.id, held: answer.held };
    }
    // A dry run that is not taken back was none.
    throw await this.#doubted(answer.kind === "escaped" ? ESCAPED : NOT_TOLD, watch);
  }

  /** A dry run without an answer kept nothing where the site still holds; a site that does not any more may have run it. */
  async #cutOff(thrown: unknown, watch: LiveWatch): Promise<unknown> {
    const client = await this.#holds();
    if (thrown instanceof NotHeld && thrown.reason !== "site_ops_busy") client.forget();
    if (!(thrown instanceof GatewayError) || thrown.outcome === "none") return thrown;
    client.forget();
    const isHeld = await client.state().then(({ ready }) => ready, () => false);
    return isHeld ? withOutcome(thrown, "none") : await this.#doubted(thrown.message, watch);
  }

  /** Carries it out; `expect` is the dry run that it must equal. */
  async run(expect: string | null, turn?: Turn): Promise<Content> {
    const watch = await this.#begun(turn);
    let answer: HeldAnswer;
    try {
      answer = await this.#send(this.#order(false, expect), expect !== null);
    } catch (thrown) {
      throw await this.#settled(thrown, watch);
    }
    if (answer.kind === "rolled_back") throw this.#refused(answer);
    if (answer.kind === "escaped") throw await this.#doubted(ESCAPED, watch);
    if (answer.kind === "unsaid") return await this.#unsaid(answer.result, watch);
    return this.#done(answer.result, await this.#receipt());
  }

  /** Looks at what is public while the turn is still its own. Throws E_BUSY where it is not. */
  async #begun(turn?: Turn): Promise<LiveWatch> {
    const watch = liveWatch(this.call, this.ctx, this.ports, this.hidden);
    await watch.before();
    if (turn && !await turn.renew()) throw busy("Another call may be at work on the site by now");
    return watch;
  }

  /** What is compared with a dry run is sent byte for byte as that was, in whatever order its arguments were given. */
  #send(order: HoldOrder, isCompared: boolean): Promise<HeldAnswer> {
    const { offer: { ref, upstream_name }, args } = this.call;
    return this.servers.held(ref, upstream_name, isCompared ? JSON.parse(canonical(args)) : args, order);
  }

  #order(dry: boolean, expect: string | null = null): HoldOrder {
    const { offer, target } = this.call;
    const { labels, of } = allowedOf(this.call, this.ctx);
    const own = new Set([...offer.hold?.own ?? [], ...target.hold?.own ?? []]);
    const header = () => {
      const id = this.#id = holdId();
      const parts = [
        dry ? "dry" : "hold",
        `id=${id}`,
        ...(dry ? [] : [`allow=${labels.join(",")}`]),
        ...(dry || of === null ? [] : [`of=${of}`]),
        ...(dry || !target.hold?.files ? [] : ["files=1"]),
        ...(expect === null ? [] : [`expect=${expect}`]),
        ...(target.hold?.http === "get" ? ["http=get"] : []),
        ...(own.size === 0 ? [] : [`own=${[...own].join(",")}`]),
      ];
      return { id, value: parts.join("; ") };
    };
    const mayBeKept = async () => {
      const receipt = await this.#settle();
      if (receipt?.outcome === "none") return false;
      this.#ofLostSession = receipt;
      return true;
    };
    return { dry, own_method: this.ownMethod, header, mayBeKept };
  }

  /** The answer of what was committed, with its effects as the proof. */
  #done(result: UpstreamResult, held: HeldEffects | null): Content {
    const { call, ctx, ports, tool } = this;
    this.#annotate(held);
    assertFit(tool.name, result, locationOf(call, ctx), "made");
    const verdict = judged(this.#verdict(held), call);
    return contentOf(filterListedTools(call.target, ctx.caller, result, ports), proofOf(verdict))
      .keeping(this.#undoing(held));
  }

  /** What is kept of what was committed. */
  #undoing(held: HeldEffects | null): Undoing {
    if (held === null) return { final: UNREAD };
    return undoingOf(this.#id, held);
  }

  #verdict(held: HeldEffects | null): Verdict {
    if (held === null) return { ...unproven(UNREAD), warnings: [UNREAD] };
    const changes = changesOf(held);
    const warnings = changes.length === 0
      ? ["The tool reports success, and nothing of the site was changed"]
      : [];
    return { verified: true, warnings, changes };
  }

  #annotate(held: HeldEffects | null): void {
    if (held === null) return this.ctx.annotate({ _published: null });
    const made = held.effects.find(({ change, table, post }) =>
      change === "made" && table === "posts" && post !== null
    );
    this.ctx.annotate({
      changes: changesOf(held),
      ...(made?.post ? { result_id: made.post.id } : {}),
      ...(held.labels.includes("live") ? { _published: true } : {}),
    });
  }

  /** What was committed; null where the site does not tell. */
  async #receipt(): Promise<HeldEffects | null> {
    const receipt = await this.#settle();
    return receipt?.outcome === "committed" ? receipt : null;
  }

  async #settle(): Promise<Receipt | null> {
    try {
      return await (await this.#holds()).settle(this.#id);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return null;
      throw thrown;
    }
  }

  async #holds(): Promise<HoldsClient> {
    return await this.ctx.use(holds);
  }

  /** A success that does not say whether it was held. */
  async #unsaid(result: UpstreamResult | null, watch: LiveWatch): Promise<Content> {
    const receipt = await this.#settle();
    if (receipt?.outcome !== "committed") throw await this.#doubted(NOT_TOLD, watch);
    if (result !== null && !result.isError) return this.#done(result, receipt);
    this.#annotate(receipt);
    throw upstream(`"${this.tool.name}" was carried out, and its answer cannot be read`, "made");
  }

  /** What failed on the way: the site says whether it was committed. */
  async #settled(thrown: unknown, watch: LiveWatch): Promise<unknown> {
    if (!(thrown instanceof GatewayError)) return thrown;
    if (thrown instanceof NotHeld) {
      if (thrown.reason !== "site_ops_busy") (await this.#holds()).forget();
      return thrown;
    }
    const known = this.#ofLostSession;
    if (thrown.outcome === "none" && !isDoubtful(thrown) && known === undefined) return thrown;
    const receipt = known === undefined ? await this.#settle() : known;
    if (receipt === null) return await this.#doubted(thrown.message, watch);
    if (receipt.outcome === "none") return thrown.outcome === "made" ? thrown : withOutcome(thrown, "none");
    this.#annotate(receipt);
    return withOutcome(thrown, "made");
  }

  /** Nobody can tell what became of it: what is public is compared, and the tool is held back. */
  async #doubted(why: string, watch: LiveWatch): Promise<GatewayError> {
    const { call: { target }, ctx, ports } = this;
    const { name } = target.served;
    ports.alarm(ctx, target, why);
    const live = await watch.after(null, Promise.resolve(unproven(why)));
    if (live.changes.length > 0) ctx.annotate({ changes: live.changes });
    if (live.forbidden !== null) {
      return new GatewayError("E_PUBLISH_NOT_ALLOWED", live.forbidden, { outcome: "unknown" });
    }
    const what = "was to be held by the site, which does not say what became of the call";
    const said = await heldBack(this.call, ctx, ports, what);
    return upstream(`"${name}": ${why}; ${said}`, "unknown");
  }

  /** What the site took back. */
  #refused(back: RolledBack): GatewayError {
    const { call, ctx, tool } = this;
    const none = { outcome: "none" } as const;
    switch (back.reason) {
      case "not_allowed":
        return refusedOver(back, call, ctx);
      case "stale":
      case "no_such_preview":
        return new GatewayError(
          "E_STALE_PREVIEW",
          `${
            back.differs === null ? "The preview is too old" : "Something differs on the site"
          }: what the call would do ` +
            `now is not what the preview showed (${
              named(back.held)
            }), so nothing was changed; preview again and look at ` +
            "what is there now",
          { ...none, ...back.differs === null ? {} : { upstream: 409, excerpt: back.differs } },
        );
      case FAILED:
        return back.result === null
          ? new GatewayError("E_TOOL_ERROR", `"${tool.name}" failed, and nothing was changed`, none)
          : toolError(tool.name, back.result, "none");
      case "meanwhile":
        return busy("Somebody changed the same on the site meanwhile, which was left alone");
      default:
        return upstream(
          `The site took "${tool.name}" back for a reason of its own, and nothing was changed`,
          "none",
          back.reason,
        );
    }
  }
}

const UNREAD = "What was changed could not be read from the site";
const NOT_TOLD = "The site answered, and did not say whether it held the call";
const ESCAPED = "A part of the call may have been written past the hold";

/** A dry run that the site would not have kept either, and that can therefore not be confirmed. */
const unshown = (name: string, why: string) =>
  new GatewayError(
    "E_TOOL_ERROR",
    `"${name}" cannot be shown: the site's companion plugin says why; nothing was changed`,
    { outcome: "none", upstream: 200, excerpt: why },
  );

const busy = (why: string) =>
  new GatewayError("E_BUSY", `${why}; nothing was changed: call again`, { outcome: "none" });
const upstream = (message: string, outcome: "none" | "made" | "unknown", excerpt?: string) =>
  new GatewayError("E_UPSTREAM", message, { upstream: 502, outcome, excerpt });
