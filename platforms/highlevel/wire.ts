/** The way to a location: signed, paced, within the call's budget, and never another location's data. */
import { LIMITS } from "../../core/model.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { retryAfter } from "../_http/answer.ts";
import type { Incoming } from "../_http/request.ts";
import type { NoTurn, Turn } from "../../core/pace.ts";
import { namesAnotherLocation } from "../../rules/crm_location.ts";
import { Budget, SPARE_MS } from "./budget.ts";
import { type Pacer, pacerOf } from "./pacer.ts";
import { dayIsOver, foreign, refused, unreadable } from "./refusals.ts";
import { type Route, type RouteName, ROUTES } from "./routes.ts";
import { shared } from "./shared_pages.ts";

/** The settings, by their names. */
export interface CrmSettings extends Readonly<Record<string, string | null>> {
  readonly CRM_API_BASE: string;
}

/** What is asked of a route. */
export interface Question {
  readonly route: RouteName;
  /** The value of `{id}` in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** Statuses that may pass; each further try is paced and counted like any request. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const TRIES = 3;
/** The pause after each, unless the answer asks for a longer one; 429 stops everybody by the pace. */
const PAUSES_MS: readonly number[] = [500, 1500];
/** A year of appointments, or 500 contacts with all their fields. */
const ANSWER_BYTES = 16 * 1024 * 1024;
/** How deep ids of locations are nested in answers. */
const LEVELS = 5;

/** Asks for one site's location. */
export class CrmWire {
  readonly location: string;
  readonly #pacer: Pacer;

  constructor(readonly ctx: SiteContext<CrmSettings>, readonly budget: Budget = new Budget()) {
    this.location = ctx.site.crm_location_id ?? "";
    this.#pacer = pacerOf(ctx, this.location, ctx.now);
  }

  /** The same location with that many requests, for whom they are. */
  within(requests: number, who?: string): CrmWire {
    return new CrmWire(this.ctx, new Budget(requests, this.budget, who));
  }

  /**
   * What `read` makes of the answer; null where the call's requests or its time are used up. Within a minute it is asked
   * once, whichever call of the site needs it. Throws E_UPSTREAM.
   */
  async page<T>(
    question: Question,
    read: (json: unknown) => T,
    rows: (value: T) => number = () => 1,
  ): Promise<T | null> {
    const key = JSON.stringify([this.#whose(), question]);
    const page = await shared(key, this.ctx.now, async () => {
      const answer = await this.ask(question);
      return answer === null ? null : read(answer);
    }, rows);
    if (page === null) return null;
    this.budget.hasRead(page.at);
    return page.value;
  }

  /** The answer as JSON, asked anew; null where the call's requests or its time are used up. Throws E_UPSTREAM. */
  async ask(question: Question): Promise<unknown> {
    const route: Route = ROUTES[question.route];
    let first = await this.#turn(); // at once, so that what is asked at one time takes its turns at one time
    const { integration_token } = await this.ctx.secret("crm");
    for (let [tries, pause] = [1, 0]; first !== null; tries++) {
      const answer = await this.#send(question, route, integration_token, first, pause);
      if (typeof answer === "string") return this.#outOf(answer);
      const { status } = answer;
      if (status >= 200 && status < 300) return this.#own(answer);
      const ended = status === 429 && dayIsOver(answer);
      if (ended && this.budget.read > 0) {
        this.budget.stop("day");
        return null;
      }
      const asked = status === 429 ? 0 : retryAfter(answer.headers, this.ctx.now()) ?? 0;
      const again = PASSING.has(status) && tries < TRIES && !ended && asked <= LIMITS.UPSTREAM_BUSY_MS;
      pause = status === 429 ? 0 : Math.max(PAUSES_MS[tries - 1] ?? 0, asked);
      const next = again ? await this.#turn() : null;
      if (next === null) throw refused(answer, route, integration_token);
      first = next;
    }
    return null;
  }

  /** How long the location asked not to be asked, in seconds; 0 where it did not. */
  get pauseSeconds(): number {
    return Math.max(0, Math.ceil(this.#pacer.pause / 1000));
  }

  /** The next turn of the call; null where its requests or its time, or the location's day, are used up. */
  async #turn(): Promise<Turn | null> {
    if (!this.budget.take()) return null;
    const turn = await this.#pacer.take(this.#latest);
    if (typeof turn !== "string") return turn;
    return this.#outOf(turn);
  }

  /** Nothing was sent, because there was no turn. */
  #outOf(why: NoTurn): null {
    this.budget.giveBack(why === "day" ? "day" : "time");
    return null;
  }

  get #latest(): number {
    return this.ctx.deadline - SPARE_MS;
  }

  /** What pages of this site are kept under; another one after the site or its credentials changed. */
  #whose(): string {
    const { cache } = this.ctx;
    const known = cache.get<string>("pages");
    if (known !== undefined) return known;
    const made = crypto.randomUUID();
    cache.set("pages", made, Infinity);
    return made;
  }

  async #send(
    { id, query = {}, json }: Question,
    route: Route,
    token: string,
    first: Turn,
    pause: number,
  ): Promise<Incoming | NoTurn> {
    const { ctx, location } = this;
    const path = route.path.replace("{id}", encodeURIComponent(id ?? location));
    const url = new URL(`${ctx.settings.CRM_API_BASE}${path}`);
    if (route.location !== null && json === undefined) url.searchParams.set(route.location, location);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const begins = ctx.now() + pause;
    const waiting = this.#pacer.waiting(first, this.#latest);
    try {
      const answer = await ctx.send({
        method: route.method,
        url: url.href,
        headers: { accept: "application/json", authorization: `Bearer ${token}`, version: route.version },
        ...(json === undefined ? {} : { json: { locationId: location, ...json } }),
        effect: "read",
        turn: async (now) => now < begins ? begins - now : await waiting.left(),
        busy: ({ status }) => PASSING.has(status) ? Infinity : null, // it is tried again here, in its turn
        max_bytes: ANSWER_BYTES,
        deadline_ms: LIMITS.UPSTREAM_DEADLINE_MS + Math.max(0, Math.max(first.at, begins) - ctx.now()),
      });
      await this.#pacer.heard(answer);
      return answer;
    } catch (thrown) {
      if (waiting.refused === null) throw thrown;
      return waiting.refused;
    } finally {
      waiting.done();
    }
  }

  #own(answer: Incoming): unknown {
    const json = answer.json();
    if (typeof json !== "object" || json === null) throw unreadable("no JSON");
    if (namesAnotherLocation(json, this.location, LEVELS)) throw foreign();
    return json;
  }
}
