/** Tells webhooks of what happens: a delivery for each that listens, kept in the commit of what it tells of. */
import type { Approval, AuditRow, Webhook, WebhookEvent } from "../../core/model.ts";
import type { Beside, Store } from "../../store/store.ts";
import { seen } from "../../core/unseen.ts";
import { redactText } from "../audit/redact.ts";
import { type EventBody, type NamedSite, onSites } from "./message.ts";

/** Something that webhooks may be told of. */
export interface Happening {
  readonly type: WebhookEvent;
  /** The sites that it touches; a webhook of a project is told of those of the project alone. */
  readonly sites: readonly string[];
  /** The tool that it is about. */
  readonly tool?: string;
  /**
   * What is said of it to somebody who is told of those sites alone; holds no text, no argument and no secret. `title` is
   * what people call the tool.
   */
  data(sites: readonly NamedSite[], title: string): {
    readonly summary: string;
    /** The path of a page of ours. */
    readonly path: string;
    readonly more: Readonly<Record<string, unknown>>;
  };
}

/** What is to be committed with what is told. */
export type Tell = (happening: Happening) => Promise<readonly Beside[]>;

/** What telling depends on. */
export interface TellPorts {
  readonly store: Pick<Store, "webhooks" | "sites">;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  now(): number;
  /** What people call a tool; its name where nothing says so. */
  titleOf(tool: string): string;
  /** Something is on its way. */
  wake(): void;
  log(event: Record<string, unknown>): void;
}

const TITLE_CHARACTERS = 200;

/** As one line of which nothing is hidden: who reads it in a channel has no page of ours around it. */
const oneLine = (text: string) =>
  seen(text).replaceAll("\r\n", " ").replaceAll("\n", " ").replaceAll("\t", " ");

/** A title as it may be told: nothing that looks like a credential, not long, and on one line. */
const titled = (text: string) => oneLine(redactText(text).slice(0, TITLE_CHARACTERS));

/** The body of an event, as it is kept and sent. */
export function bodyOf(
  { baseUrl, now }: Pick<TellPorts, "baseUrl" | "now">,
  type: EventBody["type"],
  sites: readonly NamedSite[],
  { summary, path, more }: ReturnType<Happening["data"]>,
): string {
  const timestamp = new Date(now()).toISOString();
  const said = { summary: oneLine(summary), ...more, url: `${baseUrl}${path}`, sites };
  const body: EventBody = { type, timestamp, data: said };
  return JSON.stringify(body);
}

/** What tells webhooks, joined to what sends to them once there is that. */
export interface Telling {
  /** Never rejects: whatever fails, the call that is told of goes on. */
  readonly tell: Tell;
  /** The same, which rejects where the store fails: for what is looked at again. */
  readonly tellOrFail: Tell;
  /** Something is on its way: from now on that is called then. */
  wakes(by: () => void): void;
}

/** Makes what tells webhooks. */
export function telling(given: Omit<TellPorts, "wake">): Telling {
  let wake = () => {};
  const ports: TellPorts = { ...given, wake: () => wake() };
  const tellOrFail: Tell = (happening) => deliveriesOf(ports, happening);
  return {
    async tell(happening) {
      try {
        return await tellOrFail(happening);
      } catch (fault) {
        ports.log({ event: "webhook_not_told", type: happening.type, cause: String(fault) });
        return [];
      }
    },
    tellOrFail,
    wakes: (by) => void (wake = by),
  };
}

async function deliveriesOf(ports: TellPorts, happening: Happening): Promise<readonly Beside[]> {
  const { store: { webhooks } } = ports;
  const { type } = happening;
  const listening = (await webhooks.list()).filter(({ on, events }) => on && events.includes(type));
  if (listening.length === 0) return [];
  const all = await Promise.all(
    [...new Set(happening.sites)].map(async (id) => await ports.store.sites.get(id) ?? { id, name: id }),
  );
  const title = happening.tool === undefined ? "" : ports.titleOf(happening.tool);
  const beside: Beside[] = [];
  for (const webhook of listening) {
    const own = ownOf(webhook, all);
    if (own === null) continue;
    const body = bodyOf(ports, type, own, happening.data(own, title));
    beside.push(...await webhooks.queue(webhook.id, { type, sites: own.map(({ id }) => id), body }));
  }
  if (beside.length > 0) ports.wake();
  return beside;
}

/** What a webhook is told of those sites; null where that is nothing. */
function ownOf(
  { project_id }: Webhook,
  all: readonly (NamedSite & { readonly project_id?: string | null })[],
): readonly NamedSite[] | null {
  const own = project_id === null ? all : all.filter((one) => one.project_id === project_id);
  if (project_id !== null && own.length === 0) return null;
  return own.map(({ id, name }) => ({ id, name }));
}

/** Somebody is to decide on a request. */
export const approvalRequested = (approval: Approval): Happening => ({
  type: "approval.requested",
  sites: approval.sites,
  tool: approval.tool,
  data: (sites, title) => ({
    summary: `A person is asked to approve "${title}"${onSites(sites)}`,
    ...aboutApproval(approval, title),
  }),
});

const DECIDED = {
  pending: "waits on",
  approved: "was approved",
  rejected: "was rejected",
  expired: "ended without a decision",
} as const;

/** A request waits no more. */
export const approvalDecided = (approval: Approval): Happening => ({
  type: "approval.decided",
  sites: approval.sites,
  tool: approval.tool,
  data: (sites, title) => ({
    summary: `The request to approve "${title}"${onSites(sites)} ${DECIDED[approval.state]}`,
    ...aboutApproval(approval, title),
  }),
});

function aboutApproval({ id, state, tool, tier, outcome, expires_at }: Approval, title: string) {
  const decided = state === "approved" ? { outcome } : {};
  return {
    path: `/admin/approvals/${id}`,
    more: { approval: { id, state, ...decided, expires_at }, tool, title, tier },
  };
}

/** Nobody knows whether a write was carried out. */
export const writeUnknown = (
  { request_id, tool, approval_id }: Pick<AuditRow, "request_id" | "tool" | "approval_id">,
  sites: readonly string[],
): Happening => ({
  type: "write.unknown",
  sites,
  tool,
  data: (own, title) => ({
    summary: `Nobody knows whether "${title}"${onSites(own)} was carried out; look before it is tried again`,
    path: approval_id === undefined ? "/admin" : `/admin/approvals/${approval_id}`,
    more: { request_id, tool, title, outcome: "unknown" },
  }),
});

/** Of a set that has ended: each item with its site and what became of it. */
export interface EndedSet {
  readonly set_id: string;
  readonly title: string;
  readonly items: readonly { readonly site_id: string | null; readonly state: string }[];
  readonly approval_id: string | null;
}

const ITEM_STATES = ["done", "failed", "unknown", "not_begun"] as const;

/** A change set has ended. The items that are counted are those of the sites that are told of. */
export const setEnded = ({ set_id, title, items, approval_id }: EndedSet): Happening => ({
  type: "set.ended",
  sites: items.flatMap(({ site_id }) => site_id ?? []),
  data: (sites) => {
    const own = items.filter(({ site_id }) => sites.some(({ id }) => id === site_id));
    const counts = ITEM_STATES.map((state) => [state, own.filter((one) => one.state === state).length]);
    const said = counts.filter(([, count]) => count !== 0).map(([state, count]) => `${count} ${state}`);
    return {
      summary: `The change set "${titled(title)}"${onSites(sites)} has ended: ${
        said.join(", ").replace("_", " ") || "no items"
      }`,
      path: approval_id === null ? "/admin" : `/admin/approvals/${approval_id}`,
      more: { set: { id: set_id, title: titled(title), state: "ended" }, items: Object.fromEntries(counts) },
    };
  },
});
