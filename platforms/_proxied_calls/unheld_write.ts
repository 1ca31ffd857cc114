/** One proxied write that no site holds: what is public is compared around it, and its record is read where one is shown. */
import { GatewayError } from "../../core/errors.ts";
import type { Content } from "../../core/content.ts";
import type { Outcome } from "../../core/model.ts";
import { allOrThrow } from "../../core/async.ts";
import { filterListedTools } from "./abilities.ts";
import { isDoubtful } from "../_http/failures.ts";
import { assertFit, contentOf, isRefused, payloadOf, toolError } from "../tool_servers/answers.ts";
import type { LiveVerdict, LiveWatch } from "./live_verdict.ts";
import { liveWatch } from "./live_watch.ts";
import type { PageState } from "./page_state.ts";
import type { ProxyContext, ProxyPorts, Turn } from "./proxied_context.ts";
import { type ReadRecord, recordReadBack } from "./record_read_back.ts";
import { locationOf, type Resolved } from "./resolved.ts";
import type { ProxiedTool, ToolServers, UpstreamResult } from "../tool_servers/types.ts";
import { NO_READER, proofOf, unproven, type Verdict } from "./verdict.ts";

/** One write, from the look before to the look after. */
export class UnheldWrite {
  readonly #read: ReadRecord | null;
  readonly #live: LiveWatch;

  constructor(
    readonly tool: ProxiedTool,
    readonly call: Resolved,
    readonly ctx: ProxyContext,
    readonly ports: ProxyPorts,
    readonly servers: ToolServers,
    page: PageState | null,
    /** Why the site does not hold the write, a sentence's part. */
    readonly why: string,
  ) {
    this.#read = call.target.writes ? recordReadBack(call, ctx, ports, servers) : null;
    this.#live = liveWatch(call, ctx, ports, page?.live === null ? call.pageId : null);
  }

  /** `assertPlanned` refuses where the page is not as it was when the call was planned. */
  async run(turn?: Turn, assertPlanned?: () => Promise<void>): Promise<Content> {
    const { call: { offer, args, target: { writes } } } = this;
    await this.#live.before();
    await assertPlanned?.();
    if (turn && !await turn.renew()) {
      const message = "Another call may be changing the same thing by now, so nothing was sent; call again";
      throw new GatewayError("E_BUSY", message, { outcome: "none" });
    }
    let result: UpstreamResult;
    try {
      result = await this.servers.call(offer.ref, offer.upstream_name, args, { writes });
    } catch (thrown) {
      throw await this.#settled(thrown);
    }
    if (result.isError) throw await this.#failed(result);
    const { verdict, live } = await this.#looks(result);
    if (live.forbidden !== null) {
      throw new GatewayError("E_PUBLISH_NOT_ALLOWED", live.forbidden, { outcome: "made" });
    }
    assertFit(this.tool.name, result, locationOf(this.call, this.ctx), "made");
    return contentOf(
      filterListedTools(this.call.target, this.ctx.caller, result, this.ports),
      proofOf({ ...verdict, warnings: [...verdict.warnings, ...live.warnings] }),
    );
  }

  /** The record now, and what of the site visitors see otherwise; `result` is null where nothing came back. */
  async #looks(result: UpstreamResult | null): Promise<{ verdict: Verdict; live: LiveVerdict }> {
    const payload = result === null || result.isError ? null : payloadOf(result);
    const read = this.#look(payload);
    const [verdict, live] = await allOrThrow(read, this.#live.after(result, read));
    const changes = [...verdict.changes, ...live.changes];
    if (changes.length > 0) this.ctx.annotate({ changes });
    return { verdict, live };
  }

  async #look(payload: unknown): Promise<Verdict> {
    const { call: { effect, target }, ctx } = this;
    if (this.#read !== null) return await this.#read(payload);
    if (effect === "read") return unproven("The tool reads, and changes nothing that is known");
    if (target.ref.source !== "cms") return unproven(NO_READER);
    const id = effect === "new" ? madeId(payload) : null;
    if (id !== null) ctx.annotate({ result_id: id });
    return unproven(`The site does not hold this write (${this.why}), so only what is public was compared`);
  }

  /** What broke off on the way: nobody can tell whether it was done, or still will be. */
  async #settled(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof GatewayError)) return thrown;
    if (thrown.outcome !== "unknown" && !isDoubtful(thrown)) return thrown;
    const { live } = await this.#looks(null);
    return live.forbidden === null ? thrown : published(thrown, live.forbidden);
  }

  /** What the tool itself reports as a failure; a part of it may be done all the same. */
  async #failed(result: UpstreamResult): Promise<unknown> {
    const { live } = await this.#looks(result);
    const outcome: Outcome = !this.call.target.writes || isRefused(result) ? "none" : "unknown";
    if (live.forbidden !== null) return published(toolError(this.tool.name, result, outcome), live.forbidden);
    assertFit(this.tool.name, result, locationOf(this.call, this.ctx), outcome);
    return toolError(this.tool.name, result, outcome);
  }
}

/** A failure of a write that made something public all the same. */
const published = (failure: GatewayError, forbidden: string): GatewayError =>
  new GatewayError("E_PUBLISH_NOT_ALLOWED", `${forbidden}. The call itself failed: ${failure.message}`, {
    cause: failure,
    outcome: "made",
  });

/** The id of what the tool says it made; what is no plain number would be another id to other readers. */
function madeId(payload: unknown): number | null {
  if (typeof payload !== "object" || payload === null) return null;
  const { post_id, page_id, attachment_id, id } = payload as Readonly<Record<string, unknown>>;
  const named = post_id ?? page_id ?? attachment_id ?? id;
  return /^[1-9]\d{0,14}$/.test(String(named)) ? Number(named) : null;
}
