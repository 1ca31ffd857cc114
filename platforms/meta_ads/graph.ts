/** The way to Meta's Graph API: signed, one request at a time for each ad account, within its quota. */
import { createHmac } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import type { AccessToken } from "../_connector/context.ts";
import type { ConnectorContext } from "../_connector/connector.ts";
import { LIMITS } from "../../core/model.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";
import { type Family, Quota } from "./quota.ts";
import { refusal, type Refused, refusedOf, throttled } from "./refusals.ts";
import type { MetaSettings } from "./routes.ts";
import { ended } from "../../core/async.ts";

export type MetaContext = ConnectorContext<MetaSettings>;

/** What is asked. */
export interface Question {
  /** Below the version, with its slash. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly family: Family;
  /** The ad account that it is about, as act_123; null for none. */
  readonly account: string | null;
  /** The caller's own arguments that it holds, for a refusal. */
  readonly given?: readonly string[];
}

/** What Meta found too much to answer at once. */
export class TooMuch extends Error {
  constructor(readonly refused: Refused) {
    super(refused.words);
  }
}

/** With this header Meta says that the version asked for is over, or soon is; what it said is kept under that name. */
export const VERSION_WARNING = "x-ad-api-version-warning";
const WARNED_MS = 60 * 60_000;

/** Tries after a passing failure, and the pause before each. */
export const PAUSES_MS = [500, 1500];
/** A thousand rows with lists of actions. */
const ANSWER_BYTES = 16 * 1024 * 1024;

/** Asks with the token of the site's bound user. */
export class Graph {
  constructor(readonly ctx: MetaContext) {}

  /** The answer as JSON. Throws the codes of a refusal, and TooMuch. */
  async ask(question: Question): Promise<object> {
    const { ctx } = this;
    const account = ctx.account!;
    let token = await account.token();
    const lane = JSON.stringify([ctx.settings.SOCIAL_ADS_API_BASE, question.account ?? token.id]);
    const taken = await inTurn(lane, ctx.deadline - ctx.now(), async () => {
      token = await account.token(); // who asked since may have found that it is dead
      const first = await this.#tried(question, token);
      if (!("kind" in first) || first.kind !== "expired") return first;
      token = await account.renewed(token); // another one only where the person connected again meanwhile
      return await this.#tried(question, token);
    });
    if (taken === null) {
      throw new GatewayError(
        "E_UPSTREAM",
        "Meta was not asked: earlier requests for the same ad account took all the time of the call; try again",
        { upstream: 504 },
      );
    }
    const answer = taken.done;
    if (!("kind" in answer)) return answer.json;
    if (answer.kind === "expired") await account.renewed(token);
    if (answer.kind === "too_much") throw new TooMuch(answer);
    throw refusal(answer, { account: question.account, given: question.given ?? [] });
  }

  /** Asks, and again after what may pass. Throws E_UPSTREAM where the quota is used up. */
  async #tried(question: Question, token: AccessToken): Promise<{ json: object } | Refused> {
    const { ctx } = this;
    const { family } = question;
    const own = question.account?.replace(/^act_/, "") ?? token.id;
    const quota = new Quota(ctx.settings.SOCIAL_ADS_API_BASE, own);
    for (let tries = 0, pause = 0;; tries++) {
      const wait = quota.wait(family, ctx.now());
      if (wait.ms > 0) throw throttled(question.account, wait);
      const answer = await this.#send(question, token, pause);
      quota.heard(answer.headers, family, ctx.now());
      const warning = answer.headers.get(VERSION_WARNING);
      if (warning !== null) ctx.cache.set(VERSION_WARNING, excerpt(warning, this.#secrets(token)), WARNED_MS);
      const refused = refusedOf(answer, this.#secrets(token), ctx.now());
      if (refused === null) return { json: answer.json() as object };
      if (refused.kind === "throttled") {
        const { headers } = answer;
        const limited = quota.refused({ headers, code: refused.code }, family, ctx.now());
        throw throttled(question.account, limited, refused.words);
      }
      if (refused.kind !== "transient" || tries >= PAUSES_MS.length) return refused;
      pause = Math.max(PAUSES_MS[tries]!, refused.wait_ms ?? 0);
      if (pause > LIMITS.UPSTREAM_BUSY_MS || ctx.now() + pause >= ctx.deadline) return refused;
    }
  }

  async #send({ path, query }: Question, token: AccessToken, pause_ms: number): Promise<Incoming> {
    const { ctx } = this;
    const at = ctx.now() + pause_ms;
    const url = new URL(`${ctx.settings.SOCIAL_ADS_API_BASE}${path}`);
    const proof = proofOf(token.access_token, ctx.settings.SOCIAL_ADS_APP_SECRET);
    for (const [name, value] of Object.entries({ ...query, appsecret_proof: proof })) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return await ctx.send({
      method: "GET",
      url: url.href,
      headers: { authorization: `Bearer ${token.access_token}` },
      effect: "read",
      turn: (now) => at - now,
      busy: () => Infinity, // what may pass is told by the body, and tried again here
      max_bytes: ANSWER_BYTES,
    });
  }

  #secrets(token: AccessToken): string[] {
    const { SOCIAL_ADS_APP_SECRET: secret } = this.ctx.settings;
    return [token.access_token, proofOf(token.access_token, secret), secret].filter((one) =>
      one !== undefined
    )
      .filter((one) => one !== null);
  }
}

/** Proves to Meta that whoever uses the token knows the app's secret; undefined without one. */
export function proofOf(access_token: string, secret: string | null): string | undefined {
  return secret === null ? undefined : createHmac("sha256", secret).update(access_token).digest("hex");
}

/** The end of the last request of each lane that is in use. */
const lanes = new Map<string, Promise<void>>();

/** Does the work once all earlier work of that lane is over; null, and nothing done, where that takes longer than the wait. */
export async function inTurn<T>(
  lane: string,
  wait_ms: number,
  work: () => Promise<T>,
): Promise<{ done: T } | null> {
  const before = lanes.get(lane) ?? Promise.resolve();
  const own = Promise.withResolvers<void>();
  const last = before.then(() => own.promise);
  lanes.set(lane, last);
  try {
    let free = false;
    await ended(before.then(() => void (free = true)), Math.max(0, wait_ms));
    return free ? { done: await work() } : null;
  } finally {
    own.resolve();
    if (lanes.get(lane) === last) lanes.delete(lane);
  }
}
