/** Webhooks: addresses that are told of what happens on sites, and what became of telling them. */

/** What a webhook can be told of; docs/WEBHOOKS.md says when each arises. */
export const WEBHOOK_EVENTS = [
  "approval.requested",
  "approval.decided",
  "write.unknown",
  "connection.broken",
  "tool.held",
  "set.ended",
  "audit.anchored",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What one is told of that names no events: not what only machines keep. */
export const WEBHOOK_EVENTS_USUAL: readonly WebhookEvent[] = WEBHOOK_EVENTS.filter((one) =>
  one !== "audit.anchored"
);

/** The event that a person sends to try a webhook. */
export const WEBHOOK_TEST = "webhook.test";

/** The form of what is sent: Standard Webhooks' own, or what the incoming webhooks of a product take. */
export const WEBHOOK_FORMATS = ["standard", "slack", "teams"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** A webhook, without its address and its secrets. Times are ISO 8601 UTC. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  /** Whose sites it is told of; null for every site. */
  readonly project_id: string | null;
  /** Scheme, host and port of its address; what follows can be a secret. */
  readonly origin: string;
  readonly format: WebhookFormat;
  readonly events: readonly WebhookEvent[];
  readonly on: boolean;
  /** Since when it is off, and why; null while it is on. */
  readonly off: { readonly at: string; readonly why: string; readonly by: "gateway" | "person" } | null;
  /** Since when no delivery has arrived; null where the last one did. */
  readonly failing_since: string | null;
  /** When an event was last left out because too many waited; null where none was. */
  readonly left_out_at: string | null;
  readonly created_at: string;
  /** Until when the secret of before the last rotation signs as well; null where it does not. */
  readonly rotated_until: string | null;
}

/** `waiting`: to be sent, or sent again. `given_up`: it did not arrive, and is not tried again. */
export type DeliveryState = "waiting" | "delivered" | "given_up";

/** One event on its way to one webhook. Times are ISO 8601 UTC. */
export interface WebhookDelivery {
  /** The header `webhook-id`, the same however often it is sent. */
  readonly id: string;
  readonly type: WebhookEvent | typeof WEBHOOK_TEST;
  /** When the event arose. */
  readonly at: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it was first tried; null where it was not. */
  readonly first_at: string | null;
  /** When it is tried next; null where it is not. */
  readonly next_at: string | null;
  readonly last: DeliveryAttempt | null;
}

/** How one attempt ended. */
export interface DeliveryAttempt {
  readonly at: string;
  /** The status of the answer; null where none came. */
  readonly status: number | null;
  readonly ms: number;
  /** Why it counts as a failure, for a person; null where it arrived. */
  readonly error: string | null;
}
