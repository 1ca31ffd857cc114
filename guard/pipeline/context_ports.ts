/** What contexts are made from, and what a call may ask of the store, cut to its caller's scope and its site. */
import { cancelled } from "../../core/errors.ts";
import { type Caller, LIMITS, type Site } from "../../core/model.ts";
import type { PublishGrant } from "../../platforms/_http/request.ts";
import type { AskedList } from "../../registry/asked_list.ts";
import type { Manifest } from "../../registry/manifest.ts";
import type {
  CallsPort,
  Follower,
  ManagedPort,
  PreviewsPort,
  SetsPort,
  SitesPort,
  ToolContext,
  ToolsPort,
  WaitingPort,
} from "../../registry/tool.ts";
import type { SetApproval, Store } from "../../store/store.ts";
import type { CallRecord } from "../audit/audit.ts";
import type { ConnectorPorts } from "../connector_context.ts";
import { isDeployed } from "./deployed.ts";
import type { Place } from "./in_flight.ts";
import { inScope, reachesAll } from "./scope.ts";

/** What contexts are made from; one for the whole gateway. */
export interface ContextPorts extends ConnectorPorts {
  readonly store: Pick<
    Store,
    | "sites"
    | "projects"
    | "freezes"
    | "previews"
    | "managedFiles"
    | "accounts"
    | "paces"
    | "allowances"
    | "snapshots"
    | "leases"
    | "audit"
    | "changes"
    | "consents"
    | "approvals"
    | "users"
    | "tokens"
    | "oauthGrants"
  >;
  /** Where people reach the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** Rejects as soon as the signal aborts. */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts when this gateway is told to stop: nobody is kept waiting for a person then. */
  readonly stopping: AbortSignal;
  /** The change sets of a call's own token. */
  sets(call: CallParts): SetCalls;
  /** What a call may learn of tools. */
  tools(call: Pick<CallParts, "caller" | "narrowed">): ToolsPort;
}

/** The sets of a call, and its way on with one that an equal call has begun. */
export interface SetCalls extends SetsPort {
  /** What became of a set that was consented to; goes on with one that was interrupted. */
  again(set_id: string, wait_seconds?: number, yes?: SetApproval | null): Promise<unknown>;
}

/** What one call adds. */
export interface CallParts {
  readonly caller: Caller;
  /** What the request left out of the tools. */
  readonly narrowed?: AskedList;
  readonly record: CallRecord;
  readonly manifest: Pick<Manifest, "name" | "flags">;
  readonly site: Site | null;
  /** Further sites that arguments name, by id. */
  readonly others: ReadonlyMap<string, Site>;
  /** Set anew where what a plan found gives the right to publish. */
  grant: PublishGrant | undefined;
  /** The call's way to other tools. */
  readonly calls: () => CallsPort;
  /** Milliseconds since the epoch at which the call gives up. */
  readonly deadline: number;
  /** Whether it is planned as an item of a change set. */
  readonly inSet?: boolean;
  /** Its place among the calls of its token, given back while it only waits for others of them. */
  readonly place?: Pick<Place, "leave">;
  /** Who follows the call, where somebody does. */
  readonly follower?: Follower;
}
/** The preview branch of the caller's token on its site. */
export function previewsPort(previews: Store["previews"], { caller, site }: CallParts): PreviewsPort {
  const [token, id] = [caller.token.id, site?.id ?? ""];
  return {
    get: () => previews.get(token, id),
    claim: (branch) => previews.claim(token, id, branch),
    forget: (branch) => previews.forget(token, id, branch),
  };
}

/** What was written under our mark into the repository of the call's site. */
export function managedPort(files: Store["managedFiles"], { site }: CallParts): ManagedPort {
  const { repo = null, repo_prefix = null } = site ?? {};
  const inFull = ({ path, sha }: { path: string; sha: string }) => ({
    path: repo_prefix ? `${repo_prefix}/${path}` : path,
    blob: sha,
  });
  return {
    has: async (file) => repo !== null && await files.has(repo, inFull(file)),
    add: async (all) => {
      if (repo !== null && all.length > 0) await files.add(repo, all.map(inFull));
    },
  };
}

/** The sites and projects that the caller reaches. */
export function sitesPort({ store, connectors }: ContextPorts, { caller, site }: CallParts): SitesPort {
  const list = () => {
    const all = store.sites.list();
    return all instanceof Promise ? all.then((sites) => inScope(sites, caller)) : inScope(all, caller);
  };
  return {
    list,
    async projects() {
      const reached = new Set((await list()).map((site) => site.project_id));
      const all = await store.projects.list();
      return reachesAll(caller) ? all : all.filter((project) => reached.has(project.id));
    },
    freeze: (one) => store.freezes.of(one),
    integrations: (one) => connectors.integrations(one),
    deployedFrom: async (branch, isDefault) =>
      site !== null && await isDeployed(store.sites, connectors, site, branch, isDefault),
  };
}

/** What is kept of the call's site for each day. */
export const snapshotsPort = ({ store }: ContextPorts, { site }: CallParts): ToolContext["snapshots"] => ({
  list: async ({ name }, first, last) => site ? await store.snapshots.list(name, site.id, first, last) : [],
});

/** What answers one call's questions of tools. */
export interface Guide {
  port(call: Pick<CallParts, "caller" | "narrowed">): ToolsPort;
}

/** What a call may learn of tools; nothing of it is loaded before the call asks. */
export const guideOnDemand =
  (load: () => Promise<Guide>) => (call: Pick<CallParts, "caller" | "narrowed">): ToolsPort => {
    const port = async () => (await load()).port(call);
    return {
      find: async (words, where) => await (await port()).find(words, where),
      describe: async (name) => await (await port()).describe(name),
      types: async (name) => await (await port()).types(name),
    };
  };

/** What answers the change sets of one call. */
export interface SetsOfCalls {
  port(call: CallParts): SetCalls;
}

/** The change sets of a call; nothing of them is loaded before the call asks for something. */
export const setsOnDemand = (load: () => Promise<SetsOfCalls>) => (call: CallParts): SetCalls => {
  const port = async () => (await load()).port(call);
  return {
    plan: async (make) => await (await port()).plan(make),
    run: async (set, wait_seconds) => await (await port()).run(set, wait_seconds),
    show: async (set_id, wait_seconds) => await (await port()).show(set_id, wait_seconds),
    cancel: async (set_id) => await (await port()).cancel(set_id),
    again: async (set_id, wait_seconds, yes) => await (await port()).again(set_id, wait_seconds, yes),
  };
};

/**
 * Waiting within a call for what an upstream is doing: a look every few seconds, each reported to who follows the call, for
 * as long as somebody waits.
 */
export function waitingPort(
  { now, delay, stopping }: Pick<ContextPorts, "now" | "delay" | "stopping">,
  { deadline, follower }: Pick<CallParts, "deadline" | "follower">,
): WaitingPort["waitFor"] {
  return async ({ seconds, found: first, look, isOver }) => {
    let found = first;
    const most = Math.min(seconds, LIMITS.UPSTREAM_WAIT_SECONDS) * 1000;
    // The last look must still have its time.
    const end = deadline - LIMITS.UPSTREAM_DEADLINE_MS;
    for (let left = most; left > 0 && !isOver(found);) {
      const wait = Math.min(LIMITS.UPSTREAM_LOOK_MS, left);
      if (now() + wait > end) break;
      const signal = follower ? AbortSignal.any([stopping, follower.signal]) : stopping;
      await delay(wait, signal).catch(() => {});
      if (follower?.signal.aborted) throw cancelled();
      if (stopping.aborted) break; // who waits is answered while there is still somebody to answer
      left -= wait;
      found = await look();
      follower?.progress((most - left) / 1000, most / 1000, "seconds are waited");
    }
    return found;
  };
}
