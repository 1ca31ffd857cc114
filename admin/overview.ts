/** What an overview shows: what needs somebody, what was called and changed lately, how far setting up has come. */
import { type AuditRow, isWorking } from "../core/model.ts";
import type { AdminCaller } from "../identity/rights.ts";
import type { DayCount } from "../store/store.ts";
import { lasts } from "../core/lasting.ts";
import { type HealthReport, healthReport } from "./health.ts";
import { isJobWrong } from "../rules/readiness.ts";
import type { AdminPorts } from "./ports.ts";
import type { Recent } from "./recent_rows.ts";
import { isOwnSite } from "./site_rights.ts";

/** Something that needs somebody. */
export interface Attention {
  readonly title: string;
  readonly count: number;
  /** What it is, and what is to be done. */
  readonly sentence: string;
  /** Where it is mended on the pages, where there is such a page; else with a command. */
  readonly page?: string;
  readonly command?: string;
  /** The sites it is about: the first few, whose pages mend it. */
  readonly sites?: readonly string[];
  /** Whether something fails by now, rather than waits. */
  readonly bad: boolean;
}

/** A change of the last, and what takes it back. */
export interface LastChange {
  readonly row: AuditRow;
  readonly undoable: boolean;
}

/** How far setting up has come. */
export interface SetUp {
  readonly person: boolean;
  readonly site: boolean;
  readonly token: boolean;
  readonly draft: boolean;
}

/** What an overview shows to who asks for it. */
export interface Overview {
  readonly attention: readonly Attention[];
  readonly figures: { readonly sites: number; readonly tokens: number; readonly people: number | null };
  /** null for a person: the audit is the master token's. */
  readonly days: readonly DayCount[] | null;
  readonly changes: readonly LastChange[];
  /** null for a member, who sets nothing up. */
  readonly setUp: SetUp | null;
}

const DAYS = 14;
const CHANGES = 8;
const NAMED = 3;

/** Reads all of it, by a bounded number of reads. */
export async function overviewOf(ports: AdminPorts, caller: AdminCaller, recent: Recent): Promise<Overview> {
  const { store } = ports;
  const { user } = caller;
  const [attention, sites, tokens, people, days, changes] = await Promise.all([
    attentionOf(ports, caller, recent),
    store.sites.list(),
    store.tokens.list(),
    user === null ? store.users.list() : null,
    user === null ? store.audit.days(DAYS) : null,
    lastChanges(ports, caller),
  ]);
  const standing = tokens.filter((one) =>
    isWorking(one, ports.now()) && (user === null || one.owner_user_id === user.id)
  );
  return {
    attention,
    figures: {
      sites: sites.filter(({ id }) => isOwnSite(caller, id)).length,
      tokens: standing.length,
      people: people?.length ?? null,
    },
    days,
    changes,
    setUp: user?.role === "member" ? null : {
      person: user !== null || people!.length > 0,
      site: sites.length > 0,
      token: standing.length > 0,
      draft: changes.length > 0,
    },
  };
}

/** Of a person those that were made in that person's name. */
async function lastChanges({ store }: AdminPorts, { user }: AdminCaller): Promise<LastChange[]> {
  const own = user === null ? {} : { owner_user_id: user.id };
  const { rows } = await store.audit.list({ outcome: "made", ...own }, { limit: CHANGES });
  return await Promise.all(rows.map(async (row) => {
    const state = row.site_id === null ? null : await store.changes.state(row.site_id, row.request_id);
    const undoable = state !== null && state.final === null && state.undone_by === null &&
      (state.left?.some((one) => one !== null) ?? false);
    return { row, undoable };
  }));
}

/** The first few of the sites. */
const sitesOf = (all: readonly { readonly site_id: string }[]): readonly string[] =>
  [...new Set(all.map(({ site_id }) => site_id))].slice(0, NAMED);

/** Sites of which the newest call that asked whether they answer has failed, and those whose tool servers did. */
async function unansweredOf(
  ports: AdminPorts,
  { pings }: Recent,
): Promise<{ site_id: string; because: string }[]> {
  const [newest, servers, sites] = await Promise.all([
    pings.newest(({ site_id }) => site_id),
    ports.proxiedTools().then((tools) => tools.unanswered()),
    ports.store.sites.list(),
  ]);
  const there = new Set(sites.map(({ id }) => id));
  const failed = [...newest].filter(([id, { status }]) => status === "error" && there.has(id));
  return [
    ...new Map([
      ...servers.map(({ site_id, because }) => [site_id, because] as const),
      ...failed.map(([id, { error }]) => [id, error ?? "failed"] as const),
    ]),
  ].map(([site_id, because]) => ({ site_id, because }));
}

/** The first few, and how many more there are. */
function named(all: readonly string[]): string {
  const first = [...new Set(all)];
  const more = first.length - NAMED;
  return `${first.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

async function attentionOf(ports: AdminPorts, caller: AdminCaller, recent: Recent): Promise<Attention[]> {
  const { user } = caller;
  const [yours, connections, gateway] = await Promise.all([
    ports.approvals.waiting(),
    ports.connections().then((port) => port.list(user?.id)),
    user === null ? ofGateway(ports, recent) : [],
  ]);
  const waiting = yours(caller).length;
  const broken = connections.filter(({ health }) => health === "needs_reconnect");
  const frozen = user?.role === "admin" ? frozenOf(await ports.store.freezes.list()) : [];
  return [
    {
      title: "Approvals",
      count: waiting,
      sentence: "Agents wait for a decision of yours before they change anything.",
      page: "/admin/approvals",
      bad: false,
    },
    {
      title: "Connected accounts",
      count: broken.length,
      sentence: user === null
        ? `Calls that use these accounts fail until their person connects them again: ${
          named(broken.map(({ email, account }) => email ?? account))
        }.`
        : `Sites that use these accounts cannot until you connect them again: ${
          named(broken.map(({ account }) => account))
        }.`,
      page: "/admin/connections",
      bad: true,
    },
    ...frozen,
    ...gateway,
  ].filter(({ count }) => count > 0);
}

/** Every record is read for it, so a page that is opened often looks so often and no more. */
const FOREIGN_LOOKED_FOR_MS = 60_000;
const LOOKS = new WeakMap<
  AdminPorts,
  { readonly until: number; readonly found: Promise<readonly string[]> }
>();

/** Records that the gateway did not write, as they were found within the last minute. */
function lastForeign(ports: AdminPorts): Promise<readonly string[]> {
  const now = ports.now();
  const last = LOOKS.get(ports);
  if (last !== undefined && lasts(last.until, FOREIGN_LOOKED_FOR_MS, now)) return last.found;
  const found = ports.store.foreignRecords();
  LOOKS.set(ports, { until: now + FOREIGN_LOOKED_FOR_MS, found });
  found.catch(() => LOOKS.delete(ports));
  return found;
}

/** What only who operates the gateway is told of. */
async function ofGateway(ports: AdminPorts, recent: Recent): Promise<Attention[]> {
  const [health, doubts, unanswered, waiting] = await Promise.all([
    healthReport(ports, () => lastForeign(ports)),
    ports.store.audit.doubts(),
    unansweredOf(ports, recent),
    ports.proxiedTools().then((tools) => tools.waiting()),
  ]);
  return [
    {
      title: "Writes in doubt",
      count: doubts.unknown,
      sentence: "Nobody knows whether these changes were made. Look at the site, and say what you found.",
      page: "/admin/audit?outcome=unknown",
      command: "audit tail --unknown",
      bad: true,
    },
    {
      title: "Sites that do not answer",
      count: unanswered.length,
      sentence: `They, or their tool servers, failed when they were last asked: ${
        named(unanswered.map(({ site_id, because }) => `${site_id} (${because})`))
      }.`,
      sites: sitesOf(unanswered),
      command: "tool-server list",
      bad: true,
    },
    ...ofTools(health),
    {
      title: "Tools nobody has looked at",
      count: waiting.length,
      sentence:
        `Sites' own tools that no agent can call yet, for they are new or their site has changed them: on ${
          named(waiting.map(({ site_id }) => site_id))
        }. Look at those you want, and let them on.`,
      sites: sitesOf(waiting),
      command: "tool-server list --state held",
      bad: false,
    },
    ...frozenOf(health.freezes),
    webhooksOf(health),
    foreignOf(health),
    ...ofUpkeep(health),
  ];
}

const frozenOf = (freezes: HealthReport["freezes"]): Attention[] => [{
  title: "Freezes",
  count: freezes.length,
  sentence: "Nothing is written there until somebody lifts the freeze.",
  page: "/admin/freezes",
  bad: false,
}];

function ofTools({ held_tools, unheld, unpreviewed }: HealthReport): Attention[] {
  return [
    {
      title: "Tools held back",
      count: held_tools.length,
      sentence: `A call of them did what it should not have: ${
        named(held_tools.map(({ name, site_id }) => `${name} on ${site_id}`))
      }. Look at them, and approve or withdraw them.`,
      sites: sitesOf(held_tools),
      command: "tool-server list --state held",
      bad: true,
    },
    {
      title: "Companion plugins",
      count: unheld.length,
      sentence: `These sites do not hold what their own tools write: ${
        named(unheld.map(({ site_id, because }) => `${site_id} (${because})`))
      }.`,
      sites: sitesOf(unheld),
      command: "tool-server list",
      bad: false,
    },
    {
      title: "Changes without a preview",
      count: unpreviewed.length,
      sentence: `One call can change what visitors get, for their confirm policy is "flag": ${
        named(unpreviewed.map(({ site_id }) => site_id))
      }.`,
      sites: sitesOf(unpreviewed),
      command: `site update ${unpreviewed[0]?.site_id ?? ""} --confirm-policy preview`,
      bad: false,
    },
  ];
}

const webhooksOf = ({ webhooks }: HealthReport): Attention => ({
  title: "Webhooks",
  count: webhooks.length,
  sentence: `What is sent there does not arrive, or not all of it: ${
    named(webhooks.map(({ name, off }) => `${name} (${off === null ? "failing" : "turned off"})`))
  }.`,
  page: "/admin/webhooks",
  bad: webhooks.some(({ off }) => off !== null),
});

const foreignOf = ({ foreign }: HealthReport): Attention => ({
  title: "Records of somebody else",
  count: foreign.length,
  sentence: `Calls that need them are refused: ${named(foreign)}. Find out who wrote into the store.`,
  command: "gateway health",
  bad: true,
});

function ofUpkeep(
  { versions, sealed, jobs, clock, proxies, retention, kept_changes }: HealthReport,
): Attention[] {
  const ending = versions.filter(({ sites }) => sites > 0);
  const wrong = jobs.filter((job) => isJobWrong(job, Date.parse(clock)));
  const health = { command: "gateway health" };
  return [
    {
      title: "Versions that end",
      count: ending.length,
      sentence: `${ending[0]?.message ?? ""}.`,
      ...health,
      bad: ending.some(({ days_left }) => days_left <= 0),
    },
    {
      title: "Missing keys",
      count: sealed.length,
      sentence:
        "ENCRYPTION_KEYS lacks a key under which these secrets are sealed: add it, or set them again.",
      ...health,
      bad: true,
    },
    {
      title: "Jobs that fail",
      count: wrong.length,
      sentence: `The log says why: ${named(wrong.map(({ name }) => name))}.`,
      ...health,
      bad: true,
    },
    {
      title: "Room for undo",
      count: kept_changes.near_quota.length,
      sentence: `The oldest changes can soon not be taken back any more: ${
        named(kept_changes.near_quota.map(({ site_id }) => site_id))
      }.`,
      ...health,
      bad: false,
    },
    {
      title: "Proxies",
      count: proxies.length,
      sentence: `${proxies[0]?.message ?? ""}.`,
      ...health,
      bad: false,
    },
    {
      title: "The audit's retention",
      count: retention.waiting === null ? 0 : 1,
      sentence: `It waits for you: ${retention.waiting?.message ?? ""}.`,
      command: "audit retain",
      bad: false,
    },
  ];
}
