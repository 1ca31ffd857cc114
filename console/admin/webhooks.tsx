/** Webhooks: who is told of what happens on sites; set up, tried, and what became of what was sent. */
import type { Context, Hono } from "hono";
import { checked, refuseAny } from "../../core/faults.ts";
import { type Project, WEBHOOK_EVENTS_USUAL } from "../../core/model.ts";
import { Field, Form, isSentAgain, Select, ShownAt, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
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
  testWebhook,
  webhookBody,
  webhookPatch,
} from "../../admin/webhooks.ts";
import { forbidden } from "../../identity/rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { PROJECTS_LISTED } from "./sites_list.tsx";
import { asPerson, asSender, type PagesParts, type Problem, worded } from "./frame.tsx";
import { callerOf, DONE, eventChoices, onePage, PATH, State } from "./webhook_page.tsx";

/** The project of a webhook that is told of every site. */
const EVERY = "*";

/** Whoever has the address can post there. */
const isAddress = (name: string) => name === "url";

function requireAdmin(person: Person): void {
  if (person.user === null || (person.user.role === "admin" && managesAllSites(person.caller))) return;
  throw forbidden("Only an admin of all sites sets up webhooks; ask one, or use the master token");
}

/** Adds the routes under `/admin/webhooks`. */
export function webhookPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const show = (c: Context, act: (person: Person) => Promise<Response>) =>
    asPerson(parts, c, (person) => (requireAdmin(person), act(person)));
  const send = (c: Context, act: (person: Person, form: URLSearchParams) => Promise<Response>) =>
    asSender(parts, c, (person, form) => (requireAdmin(person), act(person, form)), PATH, isAddress);
  const id = (c: Context) => c.req.param("id") ?? "";

  app.get(PATH, (c) => show(c, (person) => listPage(c, person, parts)));
  app.post(PATH, (c) =>
    send(c, async (person, form) => {
      try {
        const { name } = webhookOf(form);
        if (isSentAgain(form, name, await listWebhooks(ports, callerOf(person)))) refuseAny([TWICE]);
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
        const revision = form.get("revision") ?? "";
        await changeWebhook(ports, callerOf(person), id(c), checked(webhookPatch, given), revision);
      } catch (thrown) {
        return await onePage(c, person, parts, { problem: worded(c, thrown), given: patch });
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

const TWICE =
  "name: a webhook of that name was set up since this form was shown, and its secret shown once: the form was sent twice; " +
  "give that one another secret on its page, or choose another name";

/** A webhook as a form says it. */
function webhookOf(form: URLSearchParams) {
  return {
    name: form.get("name")?.trim() ?? "",
    url: form.get("url")?.trim() ?? "",
    project_id: form.get("project") === EVERY ? null : form.get("project") ?? "",
    format: form.get("format") ?? "standard",
    events: form.getAll("events"),
  };
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
      <SetUp
        person={person}
        now={ports.now()}
        places={placesOf(person, projects)}
        given={refused && webhookOf(refused.form)}
      />
    </>,
  );
}

interface SetUpParts {
  readonly person: Person;
  readonly now: number;
  /** Whose sites it may be told of. */
  readonly places: ReturnType<typeof placesOf>;
  /** What was filled in, where it was refused. */
  readonly given: ReturnType<typeof webhookOf> | undefined;
}

/** The projects that a webhook may be for, and every site where the person may hear of those. */
function placesOf(person: Person, projects: readonly Project[]) {
  const all = projects.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  return callerOf(person).user === null ? [...all, { value: EVERY, label: "every site" }] : all;
}

function SetUp({ person, now, places, given }: SetUpParts) {
  return (
    <section aria-labelledby="make">
      <h2 id="make">Set one up</h2>
      {places.length === 0
        ? (
          <p>
            A webhook is for the sites of a project, and there is no project yet.{" "}
            <a href="/admin/projects">Make a project</a>
          </p>
        )
        : (
          <Form visitor={person} action={PATH}>
            <ShownAt now={now} />
            <Field name="name" label="Name" value={given?.name ?? ""} maxlength={200} />
            <Field
              name="url"
              label="Address"
              hint="A public https address. Whoever has it can post there, so it is shown to nobody again."
              value={given?.url ?? ""}
              autocomplete="off"
              maxlength={2048}
            />
            {places.length <= PROJECTS_LISTED
              ? (
                <Select
                  name="project"
                  label="Project"
                  value={given === undefined ? "" : given.project_id ?? EVERY}
                  options={places}
                />
              )
              : (
                <Field
                  name="project"
                  label="Project (its id)"
                  hint={places.at(-1)!.value === EVERY ? "For every site write *." : ""}
                  value={given === undefined ? "" : given.project_id ?? EVERY}
                  autocomplete="off"
                />
              )}
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
            {eventChoices(given?.events ?? WEBHOOK_EVENTS_USUAL)}
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
