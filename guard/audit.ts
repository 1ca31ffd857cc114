/** The audit of one call: what is known of it so far, and its rows. */
import { type GatewayError } from "../errors.ts";
import type { AuditRow, AuditStatus, Caller, Door, Tier } from "../model.ts";
import type { AuditFacts } from "../registry/tool.ts";
import { redactText, shorten } from "./redact.ts";

const NAME_CHARACTERS = 128;

/** A name as a caller gave it, fit for a column of a row. */
const column = (name: string) => redactText(name.slice(0, NAME_CHARACTERS));

/** Filled in while the call walks the line; turned into the intent and the outcome row. */
export class CallRecord {
  tier: Tier | null = null;
  /** Set once the site is found; until then rows show the one the arguments name. */
  siteId: string | null = null;
  targetSiteId: string | undefined;
  /** What the door parsed, unredacted; rows hold a shortened copy. */
  arguments: unknown = null;
  /** Set when `run` of a write has begun. */
  writing = false;
  /** Set when the answer is a preview. */
  previewed = false;
  readonly facts: AuditFacts = {};
  readonly #at: number;
  readonly #call: { door: Door; requestId: string; caller: Caller; tool: string };
  #shortened: unknown;

  constructor(at: number, call: { door: Door; requestId: string; caller: Caller; tool: string }) {
    this.#at = at;
    this.#call = call;
  }

  /** The row that says a write is about to begin. */
  intent(): AuditRow {
    return this.#row("started", null, null);
  }

  /** The row that says how the call ended. */
  outcome(failure: GatewayError | null, now: number): AuditRow {
    const status = failure ? failure.audit ?? "error" : this.previewed ? "needs_confirmation" : "ok";
    return this.#row(status, failure?.code ?? null, Math.max(0, now - this.#at));
  }

  #row(status: AuditStatus, error: string | null, duration_ms: number | null): AuditRow {
    const { door, requestId, caller: { token }, tool } = this.#call;
    this.#shortened ??= shorten(this.arguments);
    return {
      id: requestId,
      at: new Date(this.#at).toISOString(),
      door,
      request_id: requestId,
      token_id: token.id,
      token_name: token.name,
      owner_user_id: token.owner_user_id,
      site_id: this.siteId ?? this.#namedSite(),
      ...(this.targetSiteId === undefined ? {} : { target_site_id: this.targetSiteId }),
      tool: column(tool),
      tier: this.tier,
      arguments: this.#shortened,
      status,
      error,
      duration_ms,
      ...this.facts,
      ...(this.facts.changes ? { changes: shorten(this.facts.changes) as AuditRow["changes"] } : {}),
    };
  }

  /** Known or not, so that a refused call is found under the site it was about. */
  #namedSite(): string | null {
    const named = (this.arguments as { site_id?: unknown } | null)?.site_id;
    return typeof named === "string" ? column(named) : null;
  }
}
