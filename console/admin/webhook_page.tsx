/** The page of one webhook: how it does, what was sent to it, and what can be changed. */
import { type Problem } from "./frame.tsx";
import type { Context } from "hono";
import { type Webhook, WEBHOOK_EVENTS, type WebhookDelivery, type WebhookEvent } from "../../core/model.ts";
import { Choices, Field, Form, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { showWebhook, webhookRevision } from "../../admin/webhooks.ts";
import type { Person } from "../../identity/visitors.ts";
import type { PagesParts } from "./frame.tsx";
import { time } from "./words.ts";

/** Where the pages are. */
export const PATH = "/admin/webhooks";
/** What was done, by the word that the address has for it. */
export const DONE: Readonly<Record<string, string>> = {
  changed: "The webhook is changed.",
  on: "The webhook is on: from now on it is told.",
  off: "The webhook is off: nothing is sent to it.",
  deleted: "The webhook is deleted, with what was on its way to it.",
};

const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  "approval.requested": "somebody is to approve a change",
  "approval.decided": "such a request was approved, rejected, or ran out",
  "write.unknown": "nobody knows whether a write was carried out",
  "connection.broken": "a person must connect an account again",
  "tool.held": "a site's own tool waits for an operator",
  "set.ended": "a change set has ended",
  "audit.anchored": "how far the audit is, once a day, to be kept elsewhere",
};

/** Who acts, as the admin API knows them. */
export const callerOf = ({ caller }: Person) => caller;

/** The events to tick. */
export const eventChoices = (chosen: readonly string[]) => (
  <Choices
    name="events"
    legend="What it is told of"
    choices={WEBHOOK_EVENTS.map((value) => ({
      value,
      label: value,
      hint: EVENT_WORDS[value],
      checked: chosen.includes(value),
    }))}
  />
);

/** How one does, in words. */
export function State({ webhook: { off, failing_since, left_out_at } }: { readonly webhook: Webhook }) {
  if (off !== null) return <>{`Off since ${time(off.at)}: ${off.why}`}</>;
  const wrong = [
    failing_since === null ? [] : [`nothing has arrived since ${time(failing_since)}`],
    left_out_at === null ? [] : [`too many waited, and events were left out, at ${time(left_out_at)}`],
  ].flat();
  return <>{wrong.length === 0 ? "On" : `On; ${wrong.join("; ")}`}</>;
}

const STATE_WORDS = { waiting: "waits", delivered: "arrived", given_up: "did not arrive" } as const;

/** What became of one attempt, in words. */
const attemptWords = ({ last }: WebhookDelivery): string =>
  last === null
    ? "not tried yet"
    : last.error === null
    ? `answered ${last.status} in ${last.ms} ms`
    : `${last.error}, after ${last.ms} ms`;

const deliveryRow = (person: Person, webhook: Webhook) => (one: WebhookDelivery) => [
  time(one.at),
  one.type,
  one.next_at === null ? STATE_WORDS[one.state] : `waits; tried next at ${time(one.next_at)}`,
  `${attemptWords(one)}${one.attempts > 1 ? `; attempt ${one.attempts}` : ""}`,
  <Form visitor={person} action={`${PATH}/${webhook.id}/resend`}>
    <input type="hidden" name="delivery" value={one.id} />
    <Submit quiet label={`Send again: ${one.type} of ${time(one.at)}`}>Send again</Submit>
  </Form>,
];

interface OneSaid {
  readonly attempt?: WebhookDelivery;
  readonly problem?: Problem;
  readonly given?: GivenWebhook;
}

/** Answers the page, after an attempt or a form that was refused with what came of that. */
export async function onePage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  { attempt, problem, given }: OneSaid = {},
): Promise<Response> {
  const { webhook, deliveries } = await showWebhook(ports, callerOf(person), c.req.param("id") ?? "");
  const failed = attempt?.last?.error != null;
  return await showPage(
    c,
    {
      title: `Webhook ${webhook.name}`,
      visitor: person,
      current: PATH,
      wide: true,
      ...problem && { status: problem.status },
    },
    <>
      <Said done={attempt ? undefined : DONE[c.req.query("done") ?? ""]} problem={problem} />
      {attempt && (
        <Notice kind={failed ? "problem" : "done"}>
          <p>{`It ${failed ? "did not arrive" : "arrived"}: ${attemptWords(attempt)}.`}</p>
        </Notice>
      )}
      <p>
        <State webhook={webhook} />
        {`. Sent to ${webhook.origin}.`}
        {webhook.rotated_until !== null &&
          ` The secret before the last signs until ${time(webhook.rotated_until)}.`}
      </p>
      <Form visitor={person} action={`${PATH}/${webhook.id}/test`}>
        <Submit>Send a test</Submit>
      </Form>
      <Table
        caption="What was sent: all that waits, and the last 50"
        columns={["When", "Event", "State", "Last attempt", "Again"]}
        rows={deliveries.map(deliveryRow(person, webhook))}
        empty="Nothing was sent yet."
      />
      <Settings person={person} webhook={webhook} given={given} />
    </>,
  );
}

/** What was filled in, where it was refused. */
export interface GivenWebhook {
  readonly name: string;
  readonly events: readonly string[];
}

interface SettingsParts {
  readonly person: Person;
  readonly webhook: Webhook;
  readonly given: GivenWebhook | undefined;
}

function Settings({ person, webhook, given }: SettingsParts) {
  const { id, on } = webhook;
  return (
    <>
      <section aria-labelledby="change">
        <h2 id="change">Change it</h2>
        <Form visitor={person} action={`${PATH}/${id}`}>
          <input type="hidden" name="revision" value={webhookRevision(webhook)} />
          {given && <p>{`Set now: ${webhook.name}; told of ${webhook.events.join(", ") || "nothing"}.`}</p>}
          <Field name="name" label="Name" value={given?.name ?? webhook.name} maxlength={200} />
          <Field
            name="url"
            label="Another address"
            hint="Left empty, the address stays as it is."
            required={false}
            autocomplete="off"
            maxlength={2048}
          />
          {eventChoices(given?.events ?? webhook.events)}
          <Submit>Save</Submit>
        </Form>
      </section>
      <section aria-labelledby="more">
        <h2 id="more">Turn it {on ? "off" : "on"}, rotate its secret, delete it</h2>
        <Form visitor={person} action={`${PATH}/${id}/turn`}>
          <input type="hidden" name="on" value={String(!on)} />
          <Submit quiet>{on ? "Turn it off" : "Turn it on"}</Submit>
        </Form>
        <p>
          A new secret is shown once, and the one before signs for a day more, so that the receiver can change
          over.
        </p>
        <Form visitor={person} action={`${PATH}/${id}/rotate`}>
          <Submit quiet>Rotate the secret</Submit>
        </Form>
        <p>Deleting takes what is on its way along. It cannot be taken back.</p>
        <Form visitor={person} action={`${PATH}/${id}/delete`}>
          <Submit quiet>Delete it</Submit>
        </Form>
      </section>
    </>
  );
}
