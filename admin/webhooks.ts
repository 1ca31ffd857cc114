/** Webhooks: set up for a project, or for every site; tried, turned off, rotated, and what became of what was sent. */
import { hash } from "node:crypto";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { choice, closed, expected, text, yesNo } from "../core/fields.ts";
import {
  LIMITS,
  type Webhook,
  WEBHOOK_EVENTS,
  WEBHOOK_EVENTS_USUAL,
  WEBHOOK_FORMATS,
  type WebhookDelivery,
} from "../core/model.ts";
import { checked, quoted, refused } from "../core/faults.ts";
import { type AdminCaller, callerOf, forbidden } from "../identity/rights.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";
import { managesAllSites } from "./site_rights.ts";

const url = z.string({ error: expected("an https address", true) }).max(LIMITS.WEBHOOK_ADDRESS_CHARACTERS, {
  error: expected(`an address of at most ${LIMITS.WEBHOOK_ADDRESS_CHARACTERS} characters`, true),
});
const name = text("what it is called, in one line of at most 200 characters", /^[^\p{Cc}]{1,200}$/u);
const events = z.array(choice(WEBHOOK_EVENTS), { error: expected(`a list of ${WEBHOOK_EVENTS.join(", ")}`) })
  .min(1, { error: expected("at least one event") });

/** POST /admin/api/webhooks; `project_id` null is every site, and events that are left out are all of them. */
export const webhookBody = closed({
  name,
  url,
  project_id: text("the id of a project, or null for every site", SITE_ID).nullable(),
  events: events.optional(),
  format: choice(WEBHOOK_FORMATS).optional(),
});
/** PATCH /admin/api/webhooks/{id} */
export const webhookPatch = closed({
  name: name.optional(),
  url: url.optional(),
  events: events.optional(),
  on: yesNo.optional(),
});

/** A webhook with the secret that its receiver checks with, which is told this once. */
export interface MadeWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}

type Ports = Pick<AdminPorts, "store" | "webhooks" | "record" | "now">;

const unknown = (id: string) =>
  new GatewayError("E_NOT_FOUND", `There is no webhook ${quoted(id)}; webhooks list shows those there are`);

/** Whose webhooks the caller may see and set up: those of projects take all sites, those of every site the master token. */
const isOwn = (caller: AdminCaller, { project_id }: Pick<Webhook, "project_id">): boolean =>
  project_id === null ? caller.user === null : managesAllSites(caller);

function requireOwn(caller: AdminCaller, of: Pick<Webhook, "project_id">): void {
  if (isOwn(caller, of)) return;
  throw forbidden(
    of.project_id === null
      ? "project_id: a webhook for every site takes the master token"
      : "project_id: a webhook takes an admin of all sites, or the master token",
  );
}

async function findWebhook({ store }: Ports, caller: AdminCaller, id: string): Promise<Webhook> {
  const webhook = await store.webhooks.get(id);
  if (webhook === null || !isOwn(caller, webhook)) throw unknown(id);
  return webhook;
}

/** The address as it is called. Throws E_BAD_INPUT for one that may not be. */
async function addressOf({ webhooks }: Ports, given: string): Promise<string> {
  const address = URL.parse(given);
  if (address === null) throw refused(["url: expected an address such as https://hooks.example.com/x"]);
  address.hash = "";
  try {
    await webhooks.judge(address);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw refused([`url: ${thrown.message}`]);
  }
  return address.href;
}

/** What the audit says of one. */
const about = ({ id, name, project_id, origin, format, events }: Webhook) => ({
  id,
  name,
  project_id,
  origin,
  format,
  events,
});

/** Those that the caller may set up, oldest first. */
export async function listWebhooks({ store }: Ports, caller: AdminCaller): Promise<readonly Webhook[]> {
  return (await store.webhooks.list()).filter((one) => isOwn(caller, one));
}

/** Makes one. Throws E_FORBIDDEN, E_NOT_FOUND for an unknown project, E_BAD_INPUT. */
export async function makeWebhook(
  ports: Ports,
  caller: AdminCaller,
  { url, events = [...WEBHOOK_EVENTS_USUAL], format = "standard", ...given }: z.output<typeof webhookBody>,
): Promise<MadeWebhook> {
  requireOwn(caller, given);
  const { project_id } = given;
  if (project_id !== null && await ports.store.projects.get(project_id) === null) {
    throw new GatewayError("E_NOT_FOUND", `There is no project ${quoted(project_id)}`);
  }
  const listens = [...new Set(events)];
  const input = { ...given, events: listens, format, url: await addressOf(ports, url) };
  const made = await ports.store.webhooks.create(input);
  if (made === null) {
    throw refused([`name: there are ${LIMITS.WEBHOOKS_MAX} webhooks already; delete one that nobody needs`]);
  }
  await ports.record(caller.actor, "webhook.create", about(made.webhook));
  return made;
}

/** Alike for a webhook of which nobody changed in between what a form shows. */
export const webhookRevision = ({ name, events, origin }: Webhook): string =>
  hash("sha256", JSON.stringify([name, events, origin]), "base64url").slice(0, 22);

/** Changes one, or turns it off or on. Throws E_NOT_FOUND, E_BAD_INPUT. */
export async function changeWebhook(
  ports: Ports,
  caller: AdminCaller,
  id: string,
  { url, on, events, ...patch }: z.output<typeof webhookPatch>,
  revision?: string,
): Promise<Webhook> {
  const before = await findWebhook(ports, caller, id);
  const off = on === undefined || on === before.on ? {} : {
    off: on ? null : { at: new Date(ports.now()).toISOString(), why: OFF_BY_HAND, by: "person" as const },
  };
  const given = {
    ...patch,
    ...off,
    ...events === undefined ? {} : { events: [...new Set(events)] },
    ...url === undefined ? {} : { url: await addressOf(ports, url) },
  };
  const changed = await ports.store.webhooks.update(id, given, (stored) => {
    if (revision === undefined || revision === webhookRevision(stored)) return;
    throw new GatewayError(
      "E_STALE_PREVIEW",
      "Somebody else changed this webhook while the form was open, so nothing was saved; look at what stands now, and save again",
    );
  });
  if (changed === null) throw unknown(id);
  await ports.record(caller.actor, "webhook.update", { ...about(changed), on: changed.on });
  return changed;
}

const OFF_BY_HAND = "somebody turned it off";

/** Gives it another secret; the one before signs for a day more. Throws E_NOT_FOUND. */
export async function rotateWebhook(ports: Ports, caller: AdminCaller, id: string): Promise<MadeWebhook> {
  await findWebhook(ports, caller, id);
  const made = await ports.store.webhooks.rotate(id);
  if (made === null) throw unknown(id);
  await ports.record(caller.actor, "webhook.rotate", about(made.webhook));
  return made;
}

/** Takes it away, with what was on its way to it. Throws E_NOT_FOUND. */
export async function deleteWebhook(ports: Ports, caller: AdminCaller, id: string): Promise<Webhook> {
  await findWebhook(ports, caller, id);
  const removed = await ports.store.webhooks.remove(id);
  if (removed === null) throw unknown(id);
  await ports.record(caller.actor, "webhook.delete", about(removed));
  return removed;
}

/** One with what was sent to it, newest first. Throws E_NOT_FOUND. */
export async function showWebhook(ports: Ports, caller: AdminCaller, id: string) {
  const webhook = await findWebhook(ports, caller, id);
  return { webhook, deliveries: await ports.store.webhooks.deliveries(id) };
}

/** Sends a test; answers what came of it. Throws E_NOT_FOUND. */
export async function testWebhook(ports: Ports, caller: AdminCaller, id: string): Promise<WebhookDelivery> {
  const webhook = await findWebhook(ports, caller, id);
  await ports.record(caller.actor, "webhook.test", about(webhook));
  return await ports.webhooks.test(id);
}

/** Sends one delivery again; answers what came of it. Throws E_NOT_FOUND. */
export async function resendDelivery(
  ports: Ports,
  caller: AdminCaller,
  id: string,
  delivery: string,
): Promise<WebhookDelivery> {
  const webhook = await findWebhook(ports, caller, id);
  if (await ports.store.webhooks.delivery(id, delivery) === null) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `The webhook has no delivery ${quoted(delivery)}; list its deliveries`,
    );
  }
  await ports.record(caller.actor, "webhook.resend", { ...about(webhook), delivery });
  return await ports.webhooks.resend(id, delivery);
}

/** Adds the routes under /admin/api/webhooks. */
export function webhookRoutes(app: Hono, ports: AdminPorts): void {
  const id = (c: Context) => c.req.param("id") ?? "";
  app.get("/admin/api/webhooks", async (c) => {
    return answer(c, { webhooks: await listWebhooks(ports, callerOf(c)) });
  });
  app.post("/admin/api/webhooks", async (c) => {
    return answer(
      c,
      await makeWebhook(ports, callerOf(c), checked(webhookBody, await jsonObject(c.req.raw))),
    );
  });
  app.patch("/admin/api/webhooks/:id", async (c) => {
    const patch = checked(webhookPatch, await jsonObject(c.req.raw));
    return answer(c, await changeWebhook(ports, callerOf(c), id(c), patch));
  });
  app.post("/admin/api/webhooks/:id/delete", async (c) => {
    return answer(c, await deleteWebhook(ports, callerOf(c), id(c)));
  });
  app.get("/admin/api/webhooks/:id/deliveries", async (c) => {
    return answer(c, await showWebhook(ports, callerOf(c), id(c)));
  });
  app.post("/admin/api/webhooks/:id/test", async (c) => {
    return answer(c, await testWebhook(ports, callerOf(c), id(c)));
  });
  app.post("/admin/api/webhooks/:id/rotate", async (c) => {
    return answer(c, await rotateWebhook(ports, callerOf(c), id(c)));
  });
  app.post("/admin/api/webhooks/:id/deliveries/:delivery/resend", async (c) => {
    return answer(c, await resendDelivery(ports, callerOf(c), id(c), c.req.param("delivery")));
  });
}
