/** Sends what is on its way to webhooks: again with growing pauses for a day, by one instance, and no longer than it must. */
import { alarmIn } from "../../core/async.ts";
import { asGatewayError, GatewayError } from "../../core/errors.ts";
import { type DeliveryAttempt, LIMITS, WEBHOOK_TEST, type WebhookDelivery } from "../../core/model.ts";
import type { Http } from "../../platforms/_http/http.ts";
import type { Outgoing } from "../../platforms/_http/request.ts";
import { Damaged, type OpenedDelivery, type OpenedWebhook, type Store } from "../../store/store.ts";
import { adminRow, type RowSinks } from "../audit/admin_row.ts";
import { egress } from "../egress.ts";
import type { Jobs } from "../jobs.ts";
import { GATEWAY } from "../proxied/decision.ts";
import { asFormat, eventOf, signedHeaders } from "./message.ts";
import { bodyOf, type Telling } from "./tell.ts";
import { Turns } from "./turns.ts";
import { watching, type WatchPorts } from "./watch.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * The pauses after each failed attempt: those that Standard Webhooks 1.0.0 names as an example ("Deliverability and
 * reliability") as far as they are within a day, and one more that ends it.
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  6 * HOUR_MS,
] as const;
/** A pause is longer by up to this part of it, so that not all that failed together comes together again. */
const JITTER = 0.1;
/** An answer may ask for a longer pause, up to this. */
const PAUSE_MS_MAX = 10 * HOUR_MS;
/** What is due later than that is left to the clock of each minute. */
const WAKE_WITHIN_MS = MINUTE_MS;
/** Who takes longer to answer is sent no more in that turn: the clock's round does not last as long as all that waits. */
const SLOW_MS = SECOND_MS;
/** Until what was told of is committed; where it is not by then, it is looked for once more. */
const SETTLE_MS = 100;
const SETTLE_LONGER_MS = 2 * SECOND_MS;

const UNREADABLE = Symbol("unreadable");
const DAMAGED = "what was to be sent was damaged in the store";
const KEY_GONE = "what was to be sent was sealed under a key that ENCRYPTION_KEYS lacks";

/** What it depends on. */
export interface DeliveryPorts {
  readonly store: Pick<Store, "webhooks" | "leases" | "audit">;
  readonly http: Http;
  readonly baseUrl: string;
  readonly jobs: Pick<Jobs, "run">;
  /** Throws for an address that may not be called as it is written. */
  judge(url: URL): Promise<void>;
  /** Looks for what nothing tells of by itself, before anything is sent. */
  look(): Promise<void>;
  now(): number;
  newId(): string;
  /** 0 to 1. */
  random(): number;
  /** Rings once that time is over, unless what it answers is called before. */
  alarm(ms: number, ring: () => void): () => void;
  log: RowSinks["log"];
}

/** Opens what sends to webhooks, and is woken by what tells them. */
export function openDeliveries(
  { tellOrFail, wakes, ...given }:
    & Omit<DeliveryPorts, "look" | "random" | "alarm" | "store">
    & Omit<WatchPorts, "tell" | "store">
    & Pick<Telling, "tellOrFail" | "wakes">
    & { readonly store: DeliveryPorts["store"] & WatchPorts["store"] },
): Deliveries {
  const look = watching({ ...given, tell: tellOrFail });
  const deliveries = new Deliveries({ ...given, look, random: Math.random, alarm: alarmIn });
  wakes(() => deliveries.wake());
  return deliveries;
}

/** How an attempt ended, and what the receiver asked for. */
interface Attempted {
  readonly attempt: DeliveryAttempt;
  /** Seconds until it wants to be asked again. */
  readonly retry_after: number | null;
}

/** The deliveries of one gateway. */
export class Deliveries {
  readonly #sends = new Set<Promise<unknown>>();
  readonly #turns = new Turns(LIMITS.WEBHOOKS_AT_ONCE, (id) => this.#turn(id));
  #stopWake: (() => void) | null = null;
  #wakesAt = Infinity;
  #isStopping = false;

  constructor(private readonly ports: DeliveryPorts) {}

  /** One round of the clock: looks, and sends what is due. Never rejects. */
  async run(): Promise<void> {
    await this.ports.jobs.run("webhooks", async () => {
      await this.ports.look();
      await this.#send();
      return true;
    });
  }

  /** Something is on its way, and is sent soon. */
  wake(ms: number = SETTLE_MS, otherwise: number | null = SETTLE_LONGER_MS): void {
    const at = this.ports.now() + ms;
    if (this.#isStopping || at >= this.#wakesAt || ms > WAKE_WITHIN_MS) return;
    this.#stopWake?.();
    this.#wakesAt = at;
    this.#stopWake = this.ports.alarm(ms, () => {
      this.#stopWake = null;
      this.#wakesAt = Infinity;
      void this.ports.jobs.run("webhooks", async () => {
        if (await this.#send() === 0 && otherwise !== null) this.wake(otherwise, null);
        return true;
      });
    });
  }

  /** Begins no other delivery; resolves once none is under way. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#stopWake?.();
    this.#stopWake = null;
    await Promise.allSettled(this.#sends);
  }

  /** Throws for an address that may not be called as it is written; what its name resolves to is judged when it is. */
  async judge(url: URL): Promise<void> {
    await this.ports.judge(url);
  }

  /** Sends an event that says it is a test, and waits for what comes of it; it is not tried again. */
  async test(webhook_id: string): Promise<WebhookDelivery> {
    const { store: { webhooks } } = this.ports;
    const webhook = await this.#opened(webhook_id);
    const body = bodyOf(this.ports, WEBHOOK_TEST, [], {
      summary: `A test of the webhook "${webhook.name}": nothing has happened`,
      path: "/admin/webhooks",
      more: {},
    });
    const delivery = await webhooks.keep(webhook_id, { type: WEBHOOK_TEST, sites: [], body });
    return await this.#once(webhook, delivery);
  }

  /** Sends one again, under the same `webhook-id`, and waits for what comes of it. Throws E_NOT_FOUND. */
  async resend(webhook_id: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.#opened(webhook_id);
    const delivery = await this.ports.store.webhooks.delivery(webhook_id, id);
    if (delivery === null) throw notFound(`The webhook has no delivery ${JSON.stringify(id.slice(0, 64))}`);
    return await this.#once(webhook, delivery);
  }

  async #opened(id: string): Promise<OpenedWebhook> {
    const webhook = await this.ports.store.webhooks.open(id);
    if (webhook === null) throw notFound(`There is no webhook ${JSON.stringify(id.slice(0, 64))}`);
    return webhook;
  }

  /** For a person who waits: one attempt. What waits to be sent anyway waits on where it fails. */
  async #once(webhook: OpenedWebhook, delivery: OpenedDelivery): Promise<WebhookDelivery> {
    const { webhooks } = this.ports.store;
    const { attempt } = await this.#attempt(webhook, delivery);
    const next_at = attempt.error === null || delivery.next_at === null ? null : Date.parse(delivery.next_at);
    const state = attempt.error === null ? "delivered" : next_at === null ? "given_up" : "waiting";
    const told = await webhooks.tried(webhook.id, delivery.id, { state, attempt, next_at });
    if (attempt.error === null && webhook.failing_since !== null) {
      await webhooks.update(webhook.id, { failing_since: null });
    }
    await webhooks.trim(webhook.id);
    return told ?? { ...delivery, state, last: attempt };
  }

  /** Sends what is due, and answers to how many webhooks that was. */
  async #send(): Promise<number> {
    if (this.#isStopping) return 0;
    const sending = this.#due();
    this.#sends.add(sending);
    try {
      return await sending;
    } finally {
      this.#sends.delete(sending);
    }
  }

  async #due(): Promise<number> {
    const { store: { webhooks }, now } = this.ports;
    const { due, next } = await webhooks.due(now());
    if (next !== null) this.wake(Math.max(SETTLE_MS, next - now()), null);
    const ended = await Promise.allSettled([...due.keys()].map((id) => this.#turns.of(id)));
    for (const one of ended) if (one.status === "rejected") throw one.reason; // it kept no other waiting
    return due.size;
  }

  async #turn(id: string): Promise<void> {
    const { store: { webhooks, leases }, now } = this.ports;
    if (this.#isStopping) return;
    const ids = (await webhooks.due(now(), id)).due.get(id) ?? [];
    if (ids.length === 0) return;
    await leases.hold(`webhook-${id}`, LIMITS.WEBHOOK_LEASE_MS, (renew) => this.#inOrder(id, ids, renew));
  }

  /** What is due for one webhook, in its order; behind one that does not arrive, or slowly, the others wait for a next turn. */
  async #inOrder(webhook_id: string, ids: readonly string[], renew: () => Promise<boolean>): Promise<void> {
    const { webhooks } = this.ports.store;
    for (const id of ids) {
      if (this.#isStopping || !await renew()) break;
      const webhook = await webhooks.open(webhook_id);
      const delivery = webhook && await this.#readable(webhook_id, id);
      if (delivery === UNREADABLE) continue;
      // Another instance may have sent it since, and what was erased is not sent.
      if (webhook === null || delivery === null) {
        await webhooks.drop(webhook_id, id);
        continue;
      }
      if (delivery.state !== "waiting" || !webhooks.isDue(Date.parse(delivery.next_at ?? ""))) continue;
      if (!webhook.on) {
        await webhooks.tried(webhook_id, id, { state: "given_up", attempt: null, next_at: null });
        continue;
      }
      const goesOn = await this.#turns.send(async () =>
        !this.#isStopping && await renew() && await this.#try(webhook, delivery)
      );
      if (!goesOn) break;
    }
    await webhooks.trim(webhook_id);
  }

  /** The delivery; one that cannot be read is given up, and keeps none behind it waiting. */
  async #readable(webhook_id: string, id: string): Promise<OpenedDelivery | null | typeof UNREADABLE> {
    const { store: { webhooks }, now } = this.ports;
    try {
      const delivery = await webhooks.delivery(webhook_id, id);
      if (delivery !== null) eventOf(delivery.body);
      return delivery;
    } catch (thrown) {
      const error = unreadable(thrown);
      if (error === null) throw thrown;
      const attempt = { at: new Date(now()).toISOString(), status: null, ms: 0, error };
      await webhooks.tried(webhook_id, id, { state: "given_up", attempt, next_at: null });
      return UNREADABLE;
    }
  }

  /** One attempt of what waits; answers whether the next may follow at once. */
  async #try(webhook: OpenedWebhook, delivery: OpenedDelivery): Promise<boolean> {
    const { store: { webhooks }, now } = this.ports;
    const { attempt, retry_after } = await this.#attempt(webhook, delivery);
    if (attempt.error === null) {
      await webhooks.tried(webhook.id, delivery.id, { state: "delivered", attempt, next_at: null });
      if (webhook.failing_since !== null) await webhooks.update(webhook.id, { failing_since: null });
      if (attempt.ms <= SLOW_MS) return true;
      this.wake(SETTLE_MS, null);
      return false;
    }
    if (this.#isStopping) return false; // cut off by ourselves: it is sent by who comes next
    const pause = PAUSES_MS[delivery.attempts];
    const asked = Math.min(PAUSE_MS_MAX, (retry_after ?? 0) * SECOND_MS);
    const next_at = pause === undefined || attempt.status === 410
      ? null
      : now() + Math.max(asked, Math.round(pause * (1 + JITTER * this.ports.random())));
    const state = next_at === null ? "given_up" : "waiting";
    await webhooks.tried(webhook.id, delivery.id, { state, attempt, next_at });
    if (next_at !== null) this.wake(next_at - now(), null);
    await this.#judge(webhook, delivery, attempt, state === "given_up");
    return false;
  }

  /** Turns a webhook off whose receiver wants no more, or whose deliveries have failed for a day. */
  async #judge(
    webhook: OpenedWebhook,
    { first_at }: OpenedDelivery,
    { at, status, error }: DeliveryAttempt,
    isGivenUp: boolean,
  ): Promise<void> {
    const { store: { webhooks, audit }, now, newId } = this.ports;
    const failing_since = webhook.failing_since ?? at;
    const failed_for = now() - Date.parse(failing_since);
    // Only what was tried to its end tells: the gateway may have been down meanwhile, or its clock wrong.
    const hasFailed = isGivenUp &&
      (failed_for >= LIMITS.WEBHOOK_TRIED_MS || Date.parse(failing_since) <= Date.parse(first_at ?? at));
    if (status !== 410 && !hasFailed) {
      if (webhook.failing_since === null) await webhooks.update(webhook.id, { failing_since });
      return;
    }
    const why = status === 410
      ? "its receiver answered 410, which asks that nothing more is sent"
      : `nothing has arrived for a day, since ${failing_since}; the last attempt: ${error}`;
    const { id, name, project_id } = webhook;
    const row = adminRow(newId(), GATEWAY, now(), "webhook.off", { id, name, project_id, why });
    await audit.append(row); // the word to the operator comes first: it is off without one never
    await webhooks.update(id, { off: { at, why, by: "gateway" }, failing_since });
    this.ports.log({ event: "webhook_off", id, name, why });
  }

  async #attempt(webhook: OpenedWebhook, delivery: OpenedDelivery): Promise<Attempted> {
    const { http, now } = this.ports;
    const begun = now();
    const at = new Date(begun).toISOString();
    const json = asFormat(webhook.format, eventOf(delivery.body));
    const timestamp = Math.floor(begun / SECOND_MS);
    const signed = { id: delivery.id, timestamp, body: JSON.stringify(json) };
    const out: Outgoing = {
      method: "POST",
      url: webhook.url,
      headers: signedHeaders(webhook.secrets, signed),
      json,
      effect: "write",
      redirects: "answered",
      deadline_ms: LIMITS.WEBHOOK_DEADLINE_MS,
      max_bytes: LIMITS.WEBHOOK_ANSWER_BYTES,
      cut_off: true,
    };
    try {
      const deadline = begun + LIMITS.WEBHOOK_DEADLINE_MS;
      const { status, headers } = await http.send(out, {
        deadline,
        policy: (hop) => egress(rulesFor(out), hop),
      });
      const error = status >= 200 && status < 300 ? null : refusedWith(status);
      const retry_after = secondsIn(headers.get("retry-after"), now());
      return { attempt: { at, status, ms: Math.max(0, now() - begun), error }, retry_after };
    } catch (thrown) {
      // What is said of writes to a site does not fit here: it is sent again, under the same id.
      const { bareMessage, code } = asGatewayError(thrown, delivery.id);
      const error = code === "E_INTERNAL" ? "the gateway failed; its log says why" : bareMessage;
      if (code === "E_INTERNAL") {
        this.ports.log({ event: "internal", request_id: delivery.id, cause: String(thrown) });
      }
      return { attempt: { at, status: null, ms: Math.max(0, now() - begun), error }, retry_after: null };
    }
  }
}

/** The egress policy, as for any upstream: to its own origin alone. Which addresses are public, the way out judges. */
const rulesFor = ({ url }: Pick<Outgoing, "url">) => ({
  connector: { name: "the webhook", policy: () => null },
  origins: [new URL(url).origin],
  ctx: { settings: {}, now: 0 },
  granted: () => false,
});

/** Why what is kept of a delivery cannot be read, in words; null where something else failed. */
function unreadable(thrown: unknown): string | null {
  if (thrown instanceof SyntaxError || thrown instanceof Damaged) return DAMAGED;
  return thrown instanceof GatewayError && thrown.code === "E_MISSING_SECRET" ? KEY_GONE : null;
}

const notFound = (what: string) =>
  new GatewayError("E_NOT_FOUND", `${what}; webhooks list shows what there is`);

/** What an answer that is none of success says, in words. */
function refusedWith(status: number): string {
  if (status === 410) return "its receiver answered 410, which asks that nothing more is sent";
  if (status >= 300 && status < 400) {
    return `its receiver answered ${status}, a redirect, which is not followed; set the webhook's address to the new one`;
  }
  return `its receiver answered ${status}`;
}

/** The seconds that `Retry-After` asks for, in either of its forms (RFC 9110, 10.2.3); null where it asks for none. */
function secondsIn(text: string | null, now: number): number | null {
  if (text === null) return null;
  const seconds = Number.isFinite(Number(text)) ? Number(text) : (Date.parse(text) - now) / SECOND_MS;
  return seconds > 0 ? seconds : null;
}
