/** One proxied write: the read before, the write itself, the read after, arguments that it ignored, and what is said of it. */
import { GatewayError } from "../../core/errors.ts";
import type { Content, ContentProof } from "../../core/content.ts";
import type { Outcome } from "../../core/model.ts";
import { allOrThrow } from "../../core/async.ts";
import { isDoubtful } from "../_http/failures.ts";
import { filterListedTools } from "./abilities.ts";
import { assertFit, contentOf, isRefused, payloadOf, toolError, withOutcome } from "./answers.ts";
import type { LiveVerdict, LiveWatch } from "./live_verdict.ts";
import { liveWatch } from "./live_watch.ts";
import type { PageState } from "./page_state.ts";
import type { ProxyContext, ProxyPorts, Turn } from "./proxied_context.ts";
import { NO_READER, pageReadBack, type ReadBack, unproven, type Verdict } from "./read_back.ts";
import { newReadBack } from "./read_back_new.ts";
import { postReadBack, writesPost } from "./read_back_post.ts";
import { shownReadBack } from "./read_back_shown.ts";
import { locationOf, type Resolved } from "./resolved.ts";
import type { ProxiedTool, ToolServers, UpstreamResult } from "./types.ts";
import { nearest } from "../../core/nearest.ts";
import { bareName } from "../../rules/proxied/arguments.ts";

/** What reads back a write: what is said of its tool, or else what it touches. */
function readBackOf(call: Resolved, page: PageState | null) {
  const { target: { shown_by, effect }, pageId } = call;
  if (shown_by !== undefined) return shownReadBack;
  if (pageId !== null) return page?.isKnown && writesPost(call) ? postReadBack : pageReadBack;
  return effect === "new" ? newReadBack : null;
}

/** One write, from the read before to the read after. */
export class ProxiedWrite {
  readonly #back: ReadBack | null;
  readonly #live: LiveWatch;

  constructor(
    readonly tool: ProxiedTool,
    readonly call: Resolved,
    readonly ctx: ProxyContext,
    readonly ports: ProxyPorts,
    readonly servers: ToolServers,
    page: PageState | null,
  ) {
    const make = call.target.writes ? readBackOf(call, page) : null;
    this.#back = make?.(call, ctx, ports, servers, page) ?? null;
    this.#live = liveWatch(call, ctx, ports, page?.live === null ? call.pageId : null);
  }

  /** `stands` refuses where the page is not as it was when the call was planned. */
  async run(turn?: Turn, stands?: () => Promise<void>): Promise<Content> {
    const { call: { offer, args, target: { writes } } } = this;
    await allOrThrow(this.#back?.before(), this.#live.before());
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
      result = await this.servers.call(offer.ref, offer.upstream_name, args, { writes });
    } catch (thrown) {
      throw await this.#settled(thrown);
    }
    if (result.isError) throw await this.#failed(result);
    const { verdict, live } = await this.#looks(result);
    if (live.forbidden !== null) {
      throw new GatewayError("E_PUBLISH_NOT_ALLOWED", live.forbidden, { outcome: "made" });
    }
    try {
      assertFit(this.tool.name, result, locationOf(this.call, this.ctx));
    } catch (thrown) {
      throw withOutcome(thrown, "made");
    }
    return contentOf(
      filterListedTools(this.call.target, this.ctx.caller, result, this.ports),
      proofOf(judged({ ...verdict, warnings: [...verdict.warnings, ...live.warnings] }, this.call)),
    );
  }

  /** What stands now, and what of it visitors get; `result` is null where nothing came back. */
  async #looks(result: UpstreamResult | null): Promise<{ verdict: Verdict; live: LiveVerdict }> {
    const payload = result === null || result.isError ? null : payloadOf(result);
    const read = this.#look(payload);
    const [verdict, live] = await allOrThrow(read, this.#live.after(result, read));
    const changes = [...verdict.changes, ...live.changes];
    if (changes.length > 0) this.ctx.annotate({ changes });
    return { verdict, live };
  }

  async #look(payload: unknown): Promise<Verdict> {
    return await this.#back?.after(payload) ??
      unproven(this.call.effect === "read" ? "The tool reads, and changes nothing that is known" : NO_READER);
  }

  /** What broke off on the way there or back: a read says whether it was done. */
  async #settled(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof GatewayError)) return thrown;
    if (thrown.outcome !== "unknown" && !isDoubtful(thrown)) return thrown;
    const { verdict, live } = await this.#looks(null);
    if (live.forbidden !== null) return published(thrown, live.forbidden);
    // What has not been done by now may still be.
    return verdict.changed === true ? withOutcome(thrown, "made") : thrown;
  }

  /** What the tool itself reports as a failure: of a part that was done all the same it is not the whole. */
  async #failed(result: UpstreamResult): Promise<unknown> {
    const { verdict: { changed }, live } = await this.#looks(result);
    const outcome = this.call.target.writes ? outcomeOf(result, changed) : "none";
    if (live.forbidden !== null) return published(toolError(this.tool.name, result, outcome), live.forbidden);
    try {
      assertFit(this.tool.name, result, locationOf(this.call, this.ctx));
    } catch (unfit) {
      return withOutcome(unfit, outcome);
    }
    return toolError(this.tool.name, result, outcome);
  }
}

/** A failure of a write that made something public all the same. */
const published = (failure: GatewayError, forbidden: string): GatewayError =>
  new GatewayError("E_PUBLISH_NOT_ALLOWED", `${forbidden}. The call itself failed: ${failure.message}`, {
    cause: failure,
    outcome: "made",
  });

/** What became of a write that its tool says failed; of one told in what reports a success otherwise, a part may be done. */
function outcomeOf(result: UpstreamResult, changed: boolean | null): Outcome {
  if (changed === true) return result.soft ? "unknown" : "made";
  return changed === false || isRefused(result) ? "none" : "unknown";
}

/** A verdict as a caller is told it. */
export function proofOf({ verified, reason, warnings }: Verdict): ContentProof {
  const why = verified === null ? { verified_reason: reason ?? NO_READER } : {};
  return { verified, ...why, warnings };
}

/** Where in a request an argument goes, which callers are not shown. */
const PREFIXES = ["path_", "query_", "body_"];
const SHOWN_MAX = 5;
const NAME_CHARACTERS = 64;

/** The arguments that the tool's schema does not name; none where it leaves room for others, or names none at all. */
function unknownArguments({ target, targetArgs }: Resolved): [string, string | null][] {
  const { input_schema, shown_by } = target;
  const { properties, additionalProperties, patternProperties } = input_schema;
  const known = Object.keys(typeof properties === "object" && properties !== null ? properties : {});
  const isOpen = (additionalProperties ?? false) !== false || patternProperties !== undefined;
  if (known.length === 0 || isOpen) return [];
  const served = known.map((name) => bareName(name, PREFIXES));
  const isKnown = (name: string) =>
    known.includes(name) || (shown_by !== undefined && bareName(name, PREFIXES) === shown_by.id);
  return Object.keys(targetArgs).filter((name) => !isKnown(name))
    .map((name) => [name, nearest(name, served)]);
}

/** What was found of a write, with what of it nobody can have done. */
export function judged(verdict: Verdict, call: Resolved): Verdict {
  const unknown = unknownArguments(call);
  if (unknown.length === 0) return verdict;
  const warnings = unknown.slice(0, SHOWN_MAX).map(([name, near]) =>
    `${name.slice(0, NAME_CHARACTERS)}: the site's own tool names no such argument, and may have ignored it` +
    (near === null ? "" : `; did you mean ${near}`)
  );
  const proof = verdict.verified === true
    ? { verified: null, reason: "Not all arguments are ones that the site's own tool names" }
    : {};
  return { ...verdict, ...proof, warnings: [...verdict.warnings, ...warnings] };
}
