/** Looks each minute for what nothing tells of by itself: connections that broke, and tools that are held back. */
import { hash } from "node:crypto";
import type { WebhookEvent } from "../../core/model.ts";
import type { Connector } from "../../platforms/_connector/connector.ts";
import type { Connection, Store } from "../../store/store.ts";
import { onSites } from "./message.ts";
import type { Happening, Tell } from "./tell.ts";

/** A tool that is held back, as `guard/proxied/` judges it. */
interface HeldTool {
  readonly name: string;
  readonly state: string;
  readonly catalog: { readonly site_id: string };
}

/** What it depends on. */
export interface WatchPorts {
  readonly store: Pick<Store, "webhooks" | "accounts" | "sites" | "leases">;
  readonly connectors: { readonly all: readonly Pick<Connector, "account">[] };
  /** What becomes of every tool of every site's own servers. */
  judged(): Promise<readonly HeldTool[]>;
  /** Rejects where nothing can be told, so that it is looked at again. */
  readonly tell: Tell;
}

const LEASE = "webhooks-watch";
const LEASE_MS = 60_000;
/** The name of the mark that says since when it is looked. */
const BEGUN = "*";
const TOOLS_NAMED = 20;

/** Something that may have to be told: `mark` is what was seen, null where it is well. */
interface Seen {
  readonly name: readonly string[];
  readonly mark: string | null;
  /** What is told, given what was seen last; null where that is nothing. */
  happening(before: string | undefined): Happening | null;
}

/** Makes what looks; of several instances one does at a time. */
export function watching(ports: WatchPorts): () => Promise<void> {
  return async () => {
    const { webhooks, leases } = ports.store;
    const all = await webhooks.list();
    const isWanted = (kind: WebhookEvent) => all.some(({ on, events }) => on && events.includes(kind));
    const due: (readonly [WebhookEvent, See | null])[] = [];
    for (const [kind, see] of KINDS) {
      if (isWanted(kind)) due.push([kind, see]);
      else if ((await webhooks.marks(kind)).size > 0) due.push([kind, null]);
    }
    if (due.length === 0) return; // most gateways have none, and need no lease each minute
    await leases.hold(LEASE, LEASE_MS, async () => {
      for (const [kind, see] of due) await look(ports, kind, see);
    });
  };
}

type See = (ports: WatchPorts) => Promise<readonly Seen[]>;

const KINDS: readonly (readonly [WebhookEvent, See])[] = [
  ["connection.broken", brokenConnections],
  ["tool.held", heldTools],
];

/**
 * Tells what is seen now and was not before. A mark is kept in the commit of what it tells, so that nothing is told twice
 * and nothing is lost. What was so when the first webhook began to listen is no event.
 */
async function look(
  ports: WatchPorts,
  kind: WebhookEvent,
  see: See | null,
): Promise<void> {
  const { webhooks } = ports.store;
  if (see === null) return await webhooks.unmark(kind);
  const marks = await webhooks.marks(kind);
  const isFirst = !marks.has(BEGUN);
  for (const { name, mark, happening } of await see(ports)) {
    const before = marks.get(name.join(" "));
    if ((before ?? null) === mark) continue;
    const told = isFirst || mark === null ? null : happening(before);
    await webhooks.mark(kind, name, mark, told === null ? [] : await ports.tell(told));
  }
  if (isFirst) await webhooks.mark(kind, [BEGUN], "", []);
}

/** Connections that their person must make again. */
async function brokenConnections({ store, connectors }: WatchPorts): Promise<readonly Seen[]> {
  const sites = await store.sites.list();
  const boundTo = (user_id: string) =>
    sites.filter((site) => connectors.all.some(({ account }) => account?.user(site) === user_id))
      .map(({ id }) => id);
  return (await store.accounts.list()).map((connection) => ({
    name: [connection.user_id, connection.kind],
    mark: connection.state === "ok" ? null : `${connection.id} ${connection.reconnect?.reason ?? ""}`,
    happening: () => broken(connection, boundTo(connection.user_id)),
  }));
}

const broken = ({ kind, reconnect }: Connection, sites: readonly string[]): Happening => ({
  type: "connection.broken",
  sites,
  data: (own) => ({
    summary: `A connected account (${kind})${onSites(own)} must be connected again by its person`,
    path: "/admin/connections",
    more: { connection: { kind, state: "reconnect", reason: reconnect?.reason ?? null } },
  }),
});

const SHORT = 10;
const shortOf = (name: string) => hash("sha256", name).slice(0, SHORT);

/** Sites' own tools that are held back: by their site, with a short hash of each name. */
async function heldTools({ store, judged }: WatchPorts): Promise<readonly Seen[]> {
  const held = (await judged()).filter(({ state }) => state === "held");
  const bySite = Map.groupBy(held, ({ catalog }) => catalog.site_id);
  return (await store.sites.list()).map(({ id }) => {
    const names = [...new Set((bySite.get(id) ?? []).map(({ name }) => name))].sort();
    return {
      name: [id],
      mark: names.length === 0 ? null : names.map(shortOf).join(" "),
      happening: (before) => {
        const known = new Set((before ?? "").split(" "));
        const added = names.filter((name) => !known.has(shortOf(name)));
        return added.length === 0 ? null : heldNow(id, added);
      },
    };
  });
}

const heldNow = (site_id: string, names: readonly string[]): Happening => ({
  type: "tool.held",
  sites: [site_id],
  data: (sites) => ({
    summary: `${names.length === 1 ? "A tool" : `${names.length} tools`} of a site's own${
      onSites(sites)
    } wait for an operator's approval`,
    path: "/admin",
    more: { tools: names.slice(0, TOOLS_NAMED), count: names.length, state: "held" },
  }),
});
