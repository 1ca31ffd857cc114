/** What a caller may rely on of webhooks and their deliveries; store.ts hands these on. */
import type {
  DeliveryAttempt,
  DeliveryState,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WebhookFormat,
} from "../core/model.ts";
import type { Beside } from "./consent_types.ts";

/** What is set of a webhook. */
export interface WebhookInput {
  readonly name: string;
  readonly project_id: string | null;
  readonly url: string;
  readonly format: WebhookFormat;
  readonly events: readonly WebhookEvent[];
}

/** What is changed of one. */
export interface WebhookPatch extends Partial<Pick<WebhookInput, "name" | "url" | "events">> {
  /** Null turns it on. */
  readonly off?: Webhook["off"];
  readonly failing_since?: string | null;
}

/** A webhook with what is sealed of it. */
export interface OpenedWebhook extends Webhook {
  readonly url: string;
  /** As its receiver has it, `whsec_…`: the one that stands, and the one before while that still signs. */
  readonly secrets: readonly string[];
}

/** An event for one webhook. */
export interface NewDelivery {
  readonly type: WebhookDelivery["type"];
  /** The sites that it names. */
  readonly sites: readonly string[];
  /** What is sent, as JSON. */
  readonly body: string;
}

/** A delivery with what is sent. */
export interface OpenedDelivery extends WebhookDelivery {
  readonly sites: readonly string[];
  readonly body: string;
}

/** How a delivery stands after an attempt. */
export interface DeliveryResult {
  readonly state: DeliveryState;
  readonly attempt: DeliveryAttempt | null;
  /** When it is tried next, in milliseconds since the epoch; null for one that is not. */
  readonly next_at: number | null;
}

/**
 * Webhooks, and what is on its way to them. Their addresses and secrets are sealed, and so is what is sent: an address
 * may be all that a receiver asks for.
 */
export interface WebhookStore {
  /** Makes one; the secret is told this once. Null where there are LIMITS.WEBHOOKS_MAX already. */
  create(input: WebhookInput): Promise<{ readonly webhook: Webhook; readonly secret: string } | null>;
  /** Oldest first. */
  list(): Promise<Webhook[]>;
  get(id: string): Promise<Webhook | null>;
  /** The same with its address and secrets. Throws E_MISSING_SECRET where its key is missing. */
  open(id: string): Promise<OpenedWebhook | null>;
  /** Null when there is none of that id. Nothing is changed where `judge` throws at what is there. */
  update(id: string, patch: WebhookPatch, judge?: (stored: Webhook) => void): Promise<Webhook | null>;
  /** A new secret, told this once; the one before signs for LIMITS.WEBHOOK_ROTATION_MS more. Null when there is none. */
  rotate(id: string): Promise<{ readonly webhook: Webhook; readonly secret: string } | null>;
  /** Takes it away with its deliveries; null when there is none. */
  remove(id: string): Promise<Webhook | null>;

  /** A delivery that waits, to be committed with what it tells of; where too many wait already, only that it was left out. */
  queue(webhook_id: string, delivery: NewDelivery): Promise<Beside[]>;
  /** One that is kept, and waits for nobody. */
  keep(webhook_id: string, delivery: NewDelivery): Promise<OpenedDelivery>;
  /** The ids of deliveries that are due by then, of all webhooks or one, oldest first; and when the next is due after that. */
  due(
    now: number,
    webhook_id?: string,
  ): Promise<{ readonly due: ReadonlyMap<string, readonly string[]>; readonly next: number | null }>;
  /** Whether that moment has come. One later than any pause was set by a clock that was ahead, and has come as well. */
  isDue(next_at: number): boolean;
  /** Null where there is none any more. Throws E_MISSING_SECRET, and Damaged where it does not open. */
  delivery(webhook_id: string, id: string): Promise<OpenedDelivery | null>;
  /** What became of an attempt; answers how it stands, null where it is gone. */
  tried(webhook_id: string, id: string, result: DeliveryResult): Promise<WebhookDelivery | null>;
  /** It waits no more: there is nothing to send. */
  drop(webhook_id: string, id: string): Promise<void>;
  /** Newest first. */
  deliveries(webhook_id: string): Promise<WebhookDelivery[]>;
  /** Takes away those that ended but the last LIMITS.WEBHOOK_DELIVERIES_KEPT. */
  trim(webhook_id: string): Promise<void>;

  /** What was told last of things of a kind that are looked at again and again, by their names. */
  marks(kind: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Notes that of one of them, with deliveries that tell of it; null forgets it. False, and nothing is kept, where another
   * was first.
   */
  mark(
    kind: string,
    name: readonly string[],
    value: string | null,
    beside: readonly Beside[],
  ): Promise<boolean>;
  /** Forgets all of a kind. */
  unmark(kind: string): Promise<void>;
}
