/** Webhooks: who is told of what happens on sites; set up, tried, and what became of what was sent. */
import type { Context, Hono } from "hono";
import { checked } from "../../core/faults.ts";
import {
  type Project,
  type Webhook,
  WEBHOOK_EVENTS,
  type WebhookDelivery,
  type WebhookEvent,
} from "../../core/model.ts";
import { Choices, Field, Form, Select, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { managesAllSites } from "../../admin/site_rights.ts";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  type MadeWebhook,
  makeWebhook,
  resendDelivery,
  rotateWebhook,
  showWebhook,
  testWebhook,
  webhookBody,
  webhookPatch,
} from "../../admin/webhooks.ts";
import { callerOfPerson, forbidden } from "../../identity/rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, asSender, type PagesParts, worded } from "./frame.tsx";
import { time } from "./words.ts";

const PATH = "/admin/webhooks";
const DONE: Readonly<Record<string, string>> = {
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
};

/** What was wrong with a form. */
type Problem = ReturnType<typeof worded>;

const callerOf = ({ user }: Person) => callerOfPerson(user);

function requireAdmin(person: Person): void {
  if (person.user.role === "admin" && managesAllSites(callerOf(person))) return;
  throw forbidden("Only an admin of all sites sets up webhooks; ask one, or use the master token");
}

/** Adds the routes under `/admin/webhooks`. */
export function webhookPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const show = (c: Context, act: (person: Person) => Promise<Response>) =>
    asPerson(parts, c, (person) => (requireAdmin(person), act(person)));
  const send = (c: Context, act: (person: Person, form: URLSearchParams) => Promise<Response>) =>
    asSender(parts, c, (person, form) => (requireAdmin(person), act(person, form)), PATH);
  const id = (c: Context) => c.req.param("id") ?? "";

  app.get(PATH, (c) => show(c, (person) => listPage(c, person, parts)));
  app.post(PATH, (c) =>
    send(c, async (person, form) => {
      try {
        const made = await makeWebhook(ports, callerOf(person), checked(webhookBody, webhookOf(form)));
        return await secretPage(c, person, made, "is set up");
      } catch (thrown) {
        return await listPage(c, person, parts, { form, problem: worded(c, thrown) });
      }
    }));
  app.get(`${PATH}/:id`, (c) => show(c, (person) => onePage(c, person, parts)));
  app.post(`${PATH}/:id`, (c) =>
    send(c, async (person, form) => {
      const { project_id: _, format: __, url, ...patch } = webhookOf(form);
      try {
        const given = { ...patch, ...url === "" ? {} : { url } };
        await changeWebhook(ports, callerOf(person), id(c), checked(webhookPatch, given));
      } catch (thrown) {
        return await onePage(c, person, parts, { problem: worded(c, thrown) });
      }
      return leadTo(c, `${PATH}/${id(c)}?done=changed`);
    }));
  app.post(`${PATH}/:id/turn`, (c) =>
    send(c, async (person, form) => {
      const on = form.get("on") === "true";
      await changeWebhook(ports, callerOf(person), id(c), { on });
      return leadTo(c, `${PATH}/${id(c)}?done=${on ? "on" : "off"}`);
    }));
  app.post(`${PATH}/:id/test`, (c) =>
    send(c, async (person) => {
      const attempt = await testWebhook(ports, callerOf(person), id(c));
      return await onePage(c, person, parts, { attempt });
    }));
  app.post(`${PATH}/:id/resend`, (c) =>
    send(c, async (person, form) => {
      const attempt = await resendDelivery(ports, callerOf(person), id(c), form.get("delivery") ?? "");
      return await onePage(c, person, parts, { attempt });
    }));
  app.post(`${PATH}/:id/rotate`, (c) =>
    send(c, async (person) => {
      const made = await rotateWebhook(ports, callerOf(person), id(c));
      return await secretPage(c, person, made, "has another secret; the one before signs on for a day");
    }));
  app.post(`${PATH}/:id/delete`, (c) =>
    send(c, async (person) => {
      await deleteWebhook(ports, callerOf(person), id(c));
      return leadTo(c, `${PATH}?done=deleted`);
    }));
}

/** A webhook as a form says it. */
function webhookOf(form: URLSearchParams) {
  return {
    name: form.get("name")?.trim() ?? "",
    url: form.get("url")?.trim() ?? "",
    project_id: form.get("project") ?? "",
    format: form.get("format") ?? "standard",
    events: form.getAll("events"),
  };
}

function Said(
  { done, problem }: { readonly done?: string | undefined; readonly problem?: Problem | undefined },
) {
  if (problem) {
    return (
      <Notice kind="problem">
        <p>{problem.message}.</p>
      </Notice>
    );
  }
  if (!done) return null;
  return (
    <Notice kind="done">
      <p>{done}</p>
    </Notice>
  );
}

const eventChoices = (chosen: readonly string[]) => (
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
function State({ webhook: { off, failing_since, left_out_at } }: { readonly webhook: Webhook }) {
  if (off !== null) return <>{`Off since ${time(off.at)}: ${off.why}`}</>;
  const wrong = [
    failing_since === null ? [] : [`nothing has arrived since ${time(failing_since)}`],
    left_out_at === null ? [] : [`too many waited, and events were left out, at ${time(left_out_at)}`],
  ].flat();
  return <>{wrong.length === 0 ? "On" : `On; ${wrong.join("; ")}`}</>;
}

interface Refused {
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

async function listPage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  refused?: Refused,
): Promise<Response> {
  const [webhooks, projects] = await Promise.all([
    listWebhooks(ports, callerOf(person)),
    ports.store.projects.list(),
  ]);
  const named = new Map(projects.map(({ id, name }) => [id, name]));
  return await showPage(
    c,
    { title: "Webhooks", visitor: person, current: PATH, ...refused && { status: refused.problem.status } },
    <>
      <Said done={DONE[c.req.query("done") ?? ""]} problem={refused?.problem} />
      <p>
        A webhook is an address that is told when something happens on a project's sites: what it was, the
        names of the sites, and a link to its page here. Texts, arguments and secrets are never sent.
      </p>
      <Table
        caption="Who is told"
        columns={["Name", "Project", "Sent to", "State"]}
        rows={webhooks.map((one) => [
          <a href={`${PATH}/${one.id}`}>{one.name}</a>,
          one.project_id === null ? "every site" : named.get(one.project_id) ?? one.project_id,
          one.origin,
          <State webhook={one} />,
        ])}
        empty="Nobody is told of anything yet."
      />
      <SetUp person={person} projects={projects} given={refused && webhookOf(refused.form)} />
    </>,
  );
}

interface SetUpParts {
  readonly person: Person;
  readonly projects: readonly Project[];
  /** What was filled in, where it was refused. */
  readonly given: ReturnType<typeof webhookOf> | undefined;
}

function SetUp({ person, projects, given }: SetUpParts) {
  return (
    <section aria-labelledby="make">
      <h2 id="make">Set one up</h2>
      {projects.length === 0
        ? <p>A webhook is for the sites of a project, and there is no project yet.</p>
        : (
          <Form visitor={person} action={PATH}>
            <Field name="name" label="Name" value={given?.name ?? ""} maxlength={200} />
            <Field
              name="url"
              label="Address"
              hint="A public https address. Whoever has it can post there, so it is shown to nobody again."
              value={given?.url ?? ""}
              autocomplete="off"
              maxlength={2048}
            />
            <Select
              name="project"
              label="Project"
              value={given?.project_id ?? ""}
              options={projects.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
            />
            <Select
              name="format"
              label="What it takes"
              value={given?.format ?? "standard"}
              options={[
                { value: "standard", label: "Standard Webhooks (n8n, own programs)" },
                { value: "slack", label: "Slack" },
                { value: "teams", label: "Microsoft Teams (Workflows)" },
              ]}
            />
            {eventChoices(given?.events ?? WEBHOOK_EVENTS)}
            <Submit>Set it up</Submit>
          </Form>
        )}
    </section>
  );
}

function secretPage(
  c: Context,
  person: Person,
  { webhook, secret }: MadeWebhook,
  done: string,
): Promise<Response> {
  return showPage(
    c,
    { title: "The webhook's secret", visitor: person, current: PATH },
    <>
      <Notice kind="done">
        <p>
          {"The webhook "}
          <strong>{webhook.name}</strong>
          {` ${done}. Copy its secret now: it is shown this once. With it the receiver checks that what comes is from here.`}
        </p>
      </Notice>
      <code class="secret">{secret}</code>
      {webhook.format !== "standard" && (
        <p>Slack and Teams do not check it: there whoever has the address can post.</p>
      )}
      <p>
        <a href={`${PATH}/${webhook.id}`}>Go on, and try it</a>
      </p>
    </>,
  );
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
}

async function onePage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  { attempt, problem }: OneSaid = {},
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
      <Settings person={person} webhook={webhook} />
    </>,
  );
}

function Settings({ person, webhook }: { readonly person: Person; readonly webhook: Webhook }) {
  const { id, on } = webhook;
  return (
    <>
      <section aria-labelledby="change">
        <h2 id="change">Change it</h2>
        <Form visitor={person} action={`${PATH}/${id}`}>
          <Field name="name" label="Name" value={webhook.name} maxlength={200} />
          <Field
            name="url"
            label="Another address"
            hint="Left empty, the address stays as it is."
            required={false}
            autocomplete="off"
            maxlength={2048}
          />
          {eventChoices(webhook.events)}
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
