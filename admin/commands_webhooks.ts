/** `webhooks list|create|update|test|deliveries|resend|rotate|delete`. */
import { type Webhook, WEBHOOK_EVENTS, type WebhookDelivery } from "../core/model.ts";
import type { Call, Command, Options } from "./command.ts";
import { given } from "./commands_tokens.ts";
import { cell, CommandError, type Fields, sheet, table } from "./terminal.ts";
import type { MadeWebhook } from "./webhooks.ts";

const SUBJECT = { name: "id", help: "as webhooks list shows it" } as const;
const DELIVERY = { name: "delivery", help: "as webhooks deliveries shows it" } as const;
const EVENTS = {
  events: { value: "a,b", help: `of ${WEBHOOK_EVENTS.join(", ")}` },
} satisfies Options;

const pathOf = (call: Call, ...more: readonly string[]) =>
  ["webhooks", encodeURIComponent(call.words.subject), ...more].join("/");

/** A webhook as a row: what it is, and why it is off or what is wrong with it. */
const rowOf = (one: Webhook): Fields => ({
  id: one.id,
  name: one.name,
  project: one.project_id ?? "(every site)",
  origin: one.origin,
  format: one.format,
  events: one.events.length === WEBHOOK_EVENTS.length ? "all" : one.events,
  state: stateOf(one),
});

/** How one does, in words. */
export function stateOf(
  { off, failing_since, left_out_at }: Pick<Webhook, "off" | "failing_since" | "left_out_at">,
): string {
  if (off !== null) return `off since ${off.at}: ${off.why}`;
  const failing = failing_since === null ? [] : [`nothing has arrived since ${failing_since}`];
  const left = left_out_at === null ? [] : [`too many waited, and events were left out, at ${left_out_at}`];
  return [...failing, ...left].join("; ") || "on";
}

const COLUMNS = ["id", "name", "project", "origin", "format", "events", "state"];

const showOne = (call: Call, result: unknown) =>
  call.show(result as Webhook, (webhook) => sheet(rowOf(webhook)));

function showSecret(call: Call, result: unknown): void {
  call.show(result as MadeWebhook, ({ webhook, secret }) => sheet({ ...rowOf(webhook), secret }));
  if (!call.json) call.terminal.err("Keep the secret now; it is not shown again.\n");
}

const DELIVERY_COLUMNS = ["id", "at", "type", "state", "attempts", "status", "ms", "error", "next_at"];

const deliveryRow = ({ last, ...one }: WebhookDelivery): Fields => ({
  ...one,
  status: last?.status ?? null,
  ms: last?.ms ?? null,
  error: last?.error ?? null,
});

/** Prints what came of one attempt; the exit code says whether it arrived. */
function showAttempt(call: Call, result: unknown): number {
  const delivery = result as WebhookDelivery;
  call.show(
    delivery,
    ({ id, last }) =>
      last?.error == null
        ? `${id} arrived: ${last?.status} in ${last?.ms} ms.\n`
        : `${id} did not arrive: ${cell(last.error)}.\n`,
  );
  return delivery.last?.error == null ? 0 : 1;
}

const list: Command = {
  words: ["webhooks", "list"],
  summary: "List webhooks, and why one is off",
  options: {},
  async run({ api, show }) {
    show(
      await api.call("GET", "webhooks") as { webhooks: Webhook[] },
      ({ webhooks }) => table(webhooks.map(rowOf), COLUMNS),
    );
  },
};

const create: Command = {
  words: ["webhooks", "create"],
  summary: "Have an address told of what happens on a project's sites, and show its secret, this once",
  options: {
    name: { value: "name", required: true, help: "what it is for" },
    address: { value: "https://…", required: true, help: "where it is sent; a public https address" },
    project: { value: "id", help: "the project whose sites it is told of" },
    all: { help: "every site, those of no project too" },
    ...EVENTS,
    format: { value: "standard|slack|teams", help: "what its receiver takes (standard)" },
  },
  notes: "Without --events it is told of all of them. docs/WEBHOOKS.md says what is sent.",
  async run(call) {
    const { words, api } = call;
    const project = words.text("project");
    if ((project === undefined) !== words.on("all")) {
      throw new CommandError("--project, --all: give one of them");
    }
    const body = given({
      name: words.text("name"),
      url: words.text("address"),
      project_id: project ?? null,
      events: words.list("events"),
      format: words.text("format"),
    });
    showSecret(call, await api.call("POST", "webhooks", body));
  },
};

const update: Command = {
  words: ["webhooks", "update"],
  subject: SUBJECT,
  summary: "Change a webhook, or turn it off or on",
  options: {
    name: { value: "name", help: "what it is for" },
    address: { value: "https://…", help: "where it is sent" },
    ...EVENTS,
    on: { value: "true|false", help: "whether anything is sent to it" },
  },
  async run(call) {
    const { words, api } = call;
    const on = words.text("on");
    if (on !== undefined && on !== "true" && on !== "false") throw new CommandError("--on: true or false");
    const body = given({
      name: words.text("name"),
      url: words.text("address"),
      events: words.list("events"),
      on: on === undefined ? undefined : on === "true",
    });
    showOne(call, await api.call("PATCH", pathOf(call), body));
  },
};

const test: Command = {
  words: ["webhooks", "test"],
  subject: SUBJECT,
  summary: "Send a test to a webhook, and say what came of it",
  options: {},
  run: async (call) => showAttempt(call, await call.api.call("POST", pathOf(call, "test"), {})),
};

const deliveries: Command = {
  words: ["webhooks", "deliveries"],
  subject: SUBJECT,
  summary: "List what was sent to a webhook, newest first: what waits, and the last 50",
  options: {},
  async run(call) {
    call.show(
      await call.api.call("GET", pathOf(call, "deliveries")) as { deliveries: WebhookDelivery[] },
      (told) => table(told.deliveries.map(deliveryRow), DELIVERY_COLUMNS),
    );
  },
};

const resend: Command = {
  words: ["webhooks", "resend"],
  subject: SUBJECT,
  second: DELIVERY,
  summary: "Send a delivery again, under the same webhook-id, and say what came of it",
  options: {},
  async run(call) {
    const id = encodeURIComponent(call.words.second ?? "");
    return showAttempt(call, await call.api.call("POST", pathOf(call, "deliveries", id, "resend"), {}));
  },
};

const rotate: Command = {
  words: ["webhooks", "rotate"],
  subject: SUBJECT,
  summary: "Give a webhook another secret, and show it, this once",
  options: {},
  notes: "For a day what is sent is signed with both, so that its receiver can change over.",
  run: async (call) => showSecret(call, await call.api.call("POST", pathOf(call, "rotate"), {})),
};

const remove: Command = {
  words: ["webhooks", "delete"],
  subject: SUBJECT,
  summary: "Delete a webhook, with what was on its way to it",
  options: {},
  async run(call) {
    call.show(
      await call.api.call("POST", pathOf(call, "delete"), {}) as Webhook,
      ({ name }) => `The webhook ${cell(name)} is deleted.\n`,
    );
  },
};

/** The commands about webhooks. */
export const WEBHOOK_COMMANDS: readonly Command[] = [
  list,
  create,
  update,
  test,
  deliveries,
  resend,
  rotate,
  remove,
];
