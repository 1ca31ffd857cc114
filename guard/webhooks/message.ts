/** What a webhook is sent: signed as Standard Webhooks has it, in the form that its receiver takes. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { WebhookDelivery, WebhookFormat } from "../../core/model.ts";

/** A site as an event names it. */
export interface NamedSite {
  readonly id: string;
  readonly name: string;
}

/** The body of an event (docs/WEBHOOKS.md): titles, ids, states and links; never texts, arguments or secrets. */
export interface EventBody {
  readonly type: WebhookDelivery["type"];
  /** When it arose, ISO 8601. */
  readonly timestamp: string;
  readonly data: EventData & Readonly<Record<string, unknown>>;
}

/** What the data of every event has. */
interface EventData {
  /** One sentence for a person. */
  readonly summary: string;
  /** The page of ours that says more. */
  readonly url: string;
  readonly sites: readonly NamedSite[];
}

/** The event of a stored body. */
export const eventOf = (body: string): EventBody => JSON.parse(body) as EventBody;

/** Bytes that a secret stands for: base64 behind `whsec_` (Standard Webhooks 1.0.0, "Signature scheme"). */
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice("whsec_".length), "base64");

/**
 * The three headers of Standard Webhooks 1.0.0 ("Webhook headers"): `timestamp` is that of the attempt, in seconds, and
 * there is a signature for each secret, with spaces between.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): Readonly<Record<string, string>> {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((one) =>
    `v1,${createHmac("sha256", keyOf(one)).update(content).digest("base64")}`
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

/** What is sent of an event in that form. */
export function asFormat(format: WebhookFormat, event: EventBody): unknown {
  switch (format) {
    case "standard":
      return event;
    case "slack":
      return slackMessage(event);
    case "teams":
      return teamsMessage(event);
  }
}

/** Slack reads these three as its own marks (docs.slack.dev, "Formatting message text"). */
const slackText = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** What an incoming webhook of Slack takes; the link stands by itself, so that no title can be one. */
function slackMessage({ data: { summary, url } }: EventBody): unknown {
  return {
    text: slackText(summary),
    blocks: [
      { type: "section", text: { type: "plain_text", text: summary.slice(0, 3000), emoji: false } },
      { type: "section", text: { type: "mrkdwn", text: `<${slackText(url)}|Open it>` } },
    ],
  };
}

/**
 * What a workflow of Teams takes ("Create incoming webhooks with Workflows for Microsoft Teams"): an adaptive card. The
 * words are a TextRun, which is not read as Markdown, so that no title can be a link.
 */
function teamsMessage({ data: { summary, url } }: EventBody): unknown {
  return {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [{ type: "RichTextBlock", inlines: [{ type: "TextRun", text: summary }] }],
        actions: [{ type: "Action.OpenUrl", title: "Open it", url }],
      },
    }],
  };
}

const NAMED_MAX = 5;

/** Sites as a sentence names them. */
export function namesOf(sites: readonly NamedSite[]): string {
  const named = sites.slice(0, NAMED_MAX).map(({ id, name }) => name === id ? id : `${name} (${id})`);
  const more = sites.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The same with the word that binds it to what happens there; nothing where there is none. */
export const onSites = (sites: readonly NamedSite[]): string =>
  sites.length === 0 ? "" : ` on ${namesOf(sites)}`;
