/** A project's figures, pulled as seldom as can be: kept for hours, counted by the day, one request kept for the night. */
import { GatewayError } from "../../core/errors.ts";
import type { Allowance, Standing, Taken } from "../_connector/context.ts";
import type { DailyTake, SiteContext } from "../_connector/connector.ts";
import { merged } from "./merge.ts";
import { isEmpty, metricsOf } from "./metrics.ts";
import { type Block, readReply } from "./reply.ts";
import {
  type ClaritySettings,
  type Dimension,
  type Question,
  requestOf,
  ROWS_MAX,
  Undivided,
  unreadable,
} from "./wire.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerptOf } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";

/** What of a project's day calls leave to the nightly run. */
const RESERVE = 1;
const KEPT_MS = 3 * 60 * 60 * 1000;
/** By as much another instance's clock may be ahead; what is kept from later than that was kept under a wrong one. */
const SKEW_MS = 5 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/** A reply, its rows merged. */
export interface Reply {
  readonly blocks: readonly Block[];
  /** Whether the vendor had more rows than it gave. */
  readonly truncated: boolean;
}

/** What is kept of an answer that lacks a dimension: to ask again would cost a request, and answer the same. */
interface Lacking {
  readonly undivided: Dimension;
}

/** What was pulled, and when. */
export interface Pulled extends Reply {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly cached: boolean;
}

/** A project's quota as answers show it. */
export interface Quota extends Standing {
  /** What is kept for the nightly snapshot; it is not in `left`. */
  readonly reserved: number;
}

/** What can be asked of a site's project. Methods that pull throw E_UPSTREAM. */
export class Behavior {
  readonly project_id: string;
  readonly #allowance: Allowance;

  constructor(private readonly ctx: SiteContext<ClaritySettings>) {
    this.project_id = ctx.site.behavior_project_id ?? "";
    if (!ctx.allowance) throw new GatewayError("E_INTERNAL", "Nothing counts the requests of a project");
    this.#allowance = ctx.allowance;
  }

  /** The project's page of that name in the vendor's dashboard. */
  link(page: "dashboard" | "impressions" | "heatmaps"): string {
    return `${this.ctx.settings.BEHAVIOR_DASHBOARD_BASE}/${encodeURIComponent(this.project_id)}/${page}`;
  }

  async quota(): Promise<Quota> {
    const standing = await this.#allowance.standing(this.project_id);
    return { ...standing, left: Math.max(0, standing.left - RESERVE), reserved: RESERVE };
  }

  /** The last days, up to now or as they were kept within three hours. */
  async pull(question: Question): Promise<Pulled> {
    return await this.#pull(question, this.ctx.now() - KEPT_MS, RESERVE);
  }

  /** The last 24 hours as they were at `since` or later, for a snapshot: it may take what calls leave. */
  async day(since: number): Promise<DailyTake> {
    const { blocks, at } = await this.#pull({ num_of_days: 1, dimensions: [] }, since, 0);
    const metrics = metricsOf(blocks);
    const empty = isEmpty(metrics, blocks);
    // A day of which nobody knows how many came would be counted as one on which nobody did.
    if (!empty && metrics.sessions === null) throw unreadable("no sessions of the day");
    return { pulled_at: at, from: at - 24 * HOUR_MS, to: at, empty, metrics };
  }

  /** The last day, asked anew as a call would ask; it costs one of the day's. */
  async anew(): Promise<Pulled> {
    return await this.#pull({ num_of_days: 1, dimensions: [] }, this.ctx.now(), RESERVE);
  }

  async #pull(asked: Question, oldest: number, reserve: number): Promise<Pulled> {
    // The order changes nothing but the request: one answer serves every order.
    const question = { ...asked, dimensions: asked.dimensions.toSorted() };
    const { export_token } = await this.ctx.secret("behavior");
    // The token alone decides whose figures come: who has another one never gets what was kept for this one.
    const name = [this.project_id, await digest(export_token), JSON.stringify(question)];
    const kept = await this.#kept(name, oldest);
    if (kept) return kept;
    return await this.#allowance.once(name, async () => {
      // Another call may have ended between that look and this turn.
      return await this.#kept(name, oldest) ?? await this.#ask(question, name, export_token, reserve);
    });
  }

  async #kept(name: readonly string[], oldest: number): Promise<Pulled | null> {
    const found = await this.#allowance.find<Reply | Lacking>(name);
    const isFresh = found !== null && found.at >= oldest && found.at <= this.ctx.now() + SKEW_MS;
    if (!isFresh) return null;
    if ("undivided" in found.value) throw new Undivided(found.value.undivided);
    return { ...found.value, at: found.at, cached: true };
  }

  async #ask(
    question: Question,
    name: readonly string[],
    token: string,
    reserve: number,
  ): Promise<Pulled> {
    const taken = await this.#allowance.take(this.project_id, reserve);
    if (taken === null) throw usedUp(await this.quota(), this.ctx.now());
    const answer = await this.ctx.send(requestOf(question, this.ctx.settings.BEHAVIOR_API_BASE, token));
    if (answer.status === 429) await this.#usedByOthers(taken);
    if (answer.status !== 200) throw refused(answer, token, this.ctx.site.id, this.ctx.now());
    const json = answer.json();
    if (json === undefined) throw unreadable("no JSON");
    const read = await this.#read(json, question, name);
    const reply = { blocks: merged(read, question.dimensions), truncated: isTruncated(read) };
    const at = this.ctx.now();
    await this.#allowance.keep(name, reply, KEPT_MS);
    return { ...reply, at, cached: false };
  }

  /** The blocks of an answer; one that lacks a dimension is kept as that, as any other is. */
  async #read(json: unknown, question: Question, name: readonly string[]): Promise<Block[]> {
    try {
      return readReply(json, question.dimensions);
    } catch (thrown) {
      const lacking = thrown instanceof Undivided ? { undivided: thrown.dimension } : null;
      if (lacking !== null) await this.#allowance.keep(name, lacking satisfies Lacking, KEPT_MS);
      throw thrown;
    }
  }

  /** The vendor counts what others ask too; until its day is over no more is sent. */
  async #usedByOthers(taken: Taken): Promise<void> {
    await this.#allowance.exhaust(this.project_id, taken);
  }
}

/** The vendor does not say whether it counts the rows of a reply together or those of each metric. */
function isTruncated(blocks: readonly Block[]): boolean {
  const counts = blocks.map(({ rows }) => rows.length);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return all === ROWS_MAX || Math.max(0, ...counts) >= ROWS_MAX;
}

/** E_UPSTREAM, in the vendor's own status, for what was not sent. */
function usedUp({ used_today, limit, exhausted, resets_at }: Quota, now: number): GatewayError {
  const why = exhausted
    ? `Clarity said today that this project's ${limit} exports of the day are used up, by others too`
    : `${used_today} of this project's ${limit} exports of the day are used up` +
      (used_today < limit ? ", and the last is kept for the nightly snapshot" : "");
  return new GatewayError(
    "E_UPSTREAM",
    `${why}; nothing was asked, it resets at ${resets_at}. behavior_get_historical_metrics reads stored days and ` +
      "costs none",
    { upstream: 429, retryAfter: Math.ceil(untilReset(now) / 1000) },
  );
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(bytes).toHex();
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** E_UPSTREAM for an answer about a site that is a refusal; `token` is taken out of what it quotes. */
export function refused(answer: Incoming, token: string, site: string, now: number): GatewayError {
  const { status } = answer;
  const wait = status === 429 ? { retryAfter: Math.ceil(untilReset(now) / 1000) } : askedWait(answer);
  return new GatewayError("E_UPSTREAM", `Clarity answered ${status}; ${nextStep(answer, site)}`, {
    upstream: status,
    ...excerptOf(answer.text(), [token]),
    ...wait,
  });
}

/** Milliseconds until the day is over by UTC, and the project's requests count anew. */
const untilReset = (now: number): number => DAY_MS - now % DAY_MS;

function nextStep(answer: Incoming, site: string): string {
  const { status } = answer;
  if (status === 401 || status === 403) {
    return "the token was rejected: make a new export token in the project under Settings, Data Export, and set it " +
      `with deno task admin site update ${site} --behavior-token-stdin`;
  }
  if (status === 429) {
    return "the project's exports of this day are used up, by others too; ask again after 00:00 UTC";
  }
  return status >= 500 ? `try again ${whenAgain(answer, "later")}` : "check the arguments";
}
