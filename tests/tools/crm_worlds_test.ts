/** Every metric of the CRM in twenty locations that an analyst made up, beside what brute force counts in them. */
import assert from "node:assert/strict";
import { gateway, type Kit, site } from "../kit.ts";
import { DAY_MS, iso } from "./_crm_dice.ts";
import { Analyst, daysAfter, quotient, wallDay } from "./_crm_world_oracle.ts";
import { crmServer } from "./_crm_world_server.ts";
import { hygiene, idle, largest, revenue } from "./_crm_world_sums.ts";
import { type CrmTruth, crmWorld, SEEDS } from "./_crm_world.ts";

type Args = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;

/**
 * One gateway at one location. Every call has a site and a name of the location to itself, so that none waits for its pace or
 * shares pages; `shared()` is a client all of whose calls do.
 */
class Client implements AsyncDisposable {
  #calls = 0;
  #only: string | null = null;

  private constructor(
    readonly world: CrmTruth,
    readonly gw: Kit,
    readonly server: ReturnType<typeof crmServer>,
  ) {}

  static async open(world: CrmTruth): Promise<Client> {
    const server = crmServer(world);
    const gw: Kit = await gateway({
      start: world.now,
      fetch: server.fetch,
      settings: { rateLimitToken: 0, rateLimitSite: 0 },
      http: {
        lookup: () => Promise.resolve(["8.8.8.8"]), // public, and never reached
        sleep: (ms) => Promise.resolve(void (gw.clock.now += ms)),
      },
    });
    return new Client(world, gw, server);
  }

  /** The same location with one site for all calls, which wait for its pace, and share what one of them has read. */
  async shared(): Promise<Client> {
    const one = new Client(this.world, this.gw, this.server);
    one.#only = await this.#site();
    return one;
  }

  /** A location of its own, with all that the world holds. */
  async #site(): Promise<string> {
    if (this.#only !== null) return this.#only;
    const id = `client${this.#calls++}`;
    const location = `${this.world.id}${id}`;
    const credentials = { crm: { integration_token: `pit-${location}` } };
    await this.gw.store.sites.create(site(id, "crm", { crm_location_id: location, credentials }));
    return id;
  }

  async ask(tool: string, args: Args = {}): Promise<Answer> {
    this.gw.clock.now = this.#only === null ? this.world.now : this.gw.clock.now + 10_000;
    return await this.gw.call<Answer>(tool, { site_id: await this.#site(), ...args });
  }

  async refused(tool: string, args: Args, says: string): Promise<void> {
    const ending = await this.gw.end(tool, { site_id: await this.#site(), ...args });
    assert.ok(
      "code" in ending && ending.code === "E_UPSTREAM" && ending.message.includes(says),
      JSON.stringify(ending),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
  }
}

/** Objects of which every name is held, for a count under another name is wrong. */
const HELD = ["by_status", "unmapped", "signals", "by_currency", "delta"];

/** The part of an answer that an expectation has, within objects and lists too. */
function like(found: unknown, expected: unknown, name = ""): unknown {
  if (Array.isArray(expected)) {
    return Array.isArray(found) ? found.map((one, at) => like(one, expected[at])) : found;
  }
  if (typeof expected !== "object" || expected === null || typeof found !== "object" || found === null) {
    return found;
  }
  const names = Object.keys(HELD.includes(name) ? found : expected);
  return Object.fromEntries(
    names.map((key) => [key, like((found as Answer)[key], (expected as Answer)[key], key)]),
  );
}

/** Days that a call asks for, and how. */
interface Window {
  readonly args: Args;
  readonly first: string;
  readonly last: string;
}

const wholeDays = (first: string, last: string): Window => ({
  args: { start_at: first, end_at: last },
  first,
  last,
});

function windowsOf(world: CrmTruth): readonly Window[] {
  const today = wallDay(world.now, world.timezone ?? "UTC");
  const back = (days: number) => daysAfter(today, -days);
  return [
    { args: { days: 30 }, first: back(29), last: today },
    { args: { days: 1 }, first: today, last: today },
    wholeDays(back(45), back(20)), // with a change of the clocks in most of these places
    wholeDays(back(7), back(7)),
    // So long that calendars are asked twice: with 43 of them a call has too few requests for it.
    ...world.calendars.length < 40 ? [wholeDays(back(100), back(0))] : [],
  ];
}

/** Asks and compares; what differs is told with its tool and arguments. */
async function holds(at: Client, tool: string, args: Args, expected: object): Promise<Answer> {
  const found = await at.ask(tool, args);
  assert.deepEqual(like(found, expected), expected, `seed ${at.world.seed}: ${tool} ${JSON.stringify(args)}`);
  return found;
}

/** Whether the days of an answer are those that were asked for: the first moment of one, and the last of another. */
function holdsWindow(world: CrmTruth, { window }: Answer, { first, last }: Window): void {
  const zone = world.timezone ?? "UTC";
  const { start_at, end_at, days } = window as Readonly<Record<string, string>>;
  const [from, to] = [Date.parse(start_at!), Date.parse(end_at!)];
  const shown = [from - 1, from, to, to + 1].map((at) => wallDay(at, zone));
  assert.deepEqual(shown, [daysAfter(first, -1), first, last, daysAfter(last, 1)], `seed ${world.seed}`);
  assert.equal(Number(days), (Date.parse(last) - Date.parse(first)) / DAY_MS + 1);
}

async function holdsForms(at: Client, { args, first, last }: Window): Promise<void> {
  const { world } = at;
  if (world.ways.lacks.includes("forms.readonly")) {
    await at.refused("crm_compute_opt_in_rate", args, "forms.readonly");
    return await at.refused("forms_get-submissions", { start_at: first, end_at: last }, "forms.readonly");
  }
  const analyst = new Analyst(world, { first, last });
  const rows = analyst.submissions();
  await holds(at, "crm_compute_opt_in_rate", args, {
    overall: { total_opt_ins: rows.length, total_views: null, opt_in_rate: null },
    funnels: world.funnels.map(({ _id: id, name }) => ({ id, name, opt_ins: null })),
  });
  const days = { start_at: first, end_at: last };
  const ids = (some: readonly Answer[]) => some.map(({ id }) => ({ id }));
  await holds(at, "forms_get-submissions", days, {
    total: rows.length,
    submissions: ids(rows.slice(0, 20)),
    next_page: rows.length > 20 ? 2 : null,
  });
  const form = String(world.submissions[0]!["formId"]);
  const own = analyst.submissions(form);
  await holds(at, "forms_get-submissions", { ...days, form_id: form, limit: 7, page: 2 }, {
    total: own.length,
    submissions: ids(own.slice(7, 14)),
    next_page: own.length > 14 ? 3 : null,
  });
  // From one moment to another, of which the last one counts.
  const [from, to] = [world.now - 20 * DAY_MS, world.now - DAY_MS / 3];
  const some = new Analyst(world, { from, to: to + 1 }).submissions();
  const moments = [{ start_at: from, end_at: to }, { start_at: iso(from), end_at: iso(to) }];
  for (const args of moments) await holds(at, "forms_get-submissions", args, { total: some.length });
}

async function holdsRevenue(at: Client, { args, first, last }: Window): Promise<void> {
  const { world } = at;
  const tool = "crm_compute_revenue_stats";
  if (world.ways.lacks.includes("invoices.readonly")) {
    return await at.refused(tool, args, "invoices.readonly");
  }
  const found = await holds(at, tool, args, { ...revenue(world, first, last), truncated: false });
  assert.equal(
    found["collected_reason"] === null,
    !world.ways.lacks.includes("payments/transactions.readonly"),
  );
  const blocks = found["by_currency"] as Readonly<Record<string, Answer>> | undefined;
  for (const [currency, block] of Object.entries(blocks ?? { [String(found["currency"])]: found })) {
    const tops = block["top_invoices"] as readonly Answer[];
    const all = largest(world, first, last).filter((row) => row["currency"] === currency);
    const shown = tops.map((row) => [row["total"], String(row["issue_date"]).slice(0, 10)]);
    const expected = all.slice(0, 5).map((row) => [row["total"], String(row["issueDate"]).slice(0, 10)]);
    assert.deepEqual(shown, expected, `seed ${world.seed}: top invoices`);
    const known = new Set(all.map((row) => row["_id"]));
    assert.ok(tops.every(({ id }) => known.has(id)), `seed ${world.seed}: top invoices`);
  }
}

/** Calls are read by the export alone: where it is closed to a token, nobody can tell. */
async function holdsCalls(at: Client, args: Args, analyst: Analyst): Promise<void> {
  const tool = "crm_compute_missed_call_textback";
  if (at.world.ways.exports !== "open") return await at.refused(tool, args, "The CRM answered 40");
  await holds(at, tool, args, { ...analyst.calls(5), truncated: false });
  await holds(at, tool, { ...args, window_minutes: 180 }, { ...analyst.calls(180), truncated: false });
}

async function holdsWindowed(at: Client, window: Window): Promise<void> {
  const { world } = at;
  const { args, first, last } = window;
  const analyst = new Analyst(world, { first, last });
  const whole = { truncated: false };
  const funnel = await holds(at, "crm_compute_pipeline_funnel", args, { ...analyst.funnel(), ...whole });
  holdsWindow(world, funnel, window);
  await holds(at, "crm_compute_no_show_rate", args, { ...analyst.visits(), ...whole });
  await holds(at, "crm_compute_sms_stats", args, analyst.sms());
  await holdsCalls(at, args, analyst);
  await holds(at, "crm_compute_form_submission_rate", args, analyst.byForm());
  await holds(at, "crm_compute_lead_to_book", args, { ...analyst.booking(), ...whole });
  await holdsForms(at, window);
  await holdsRevenue(at, window);
}

async function holdsCompared(at: Client, days: number): Promise<void> {
  const { world } = at;
  const side = (to: number) => new Analyst(world, { from: to - days * DAY_MS, to }).side();
  const [current, prior] = [side(world.now), side(world.now - days * DAY_MS)];
  const delta = Object.fromEntries(
    Object.entries(current).filter(([name]) => name !== "incomplete").map(([name, to]) => {
      const from = prior[name as keyof typeof prior] as number | null;
      if (to === null || from === null) return [name, { abs: null, pct: null }];
      const [more, before] = [Math.round((Number(to) - from) * 10_000), Math.round(from * 10_000)];
      return [name, { abs: more / 10_000, pct: quotient(more, before) }];
    }),
  );
  await holds(at, "crm_compute_window_compare", { window_days: days }, {
    current,
    prior,
    delta,
    truncated: false,
  });
}

async function holdsLists(at: Client): Promise<void> {
  const { world } = at;
  const { workflows, campaigns, funnels, pages } = world;
  await holds(at, "crm_list_workflows", {}, {
    workflows: workflows.map(({ id, name, status, version, updatedAt }) => ({
      ...{ id, name, status, version },
      updated_at: updatedAt,
    })),
  });
  await holds(at, "crm_get_campaign_a2p_stats", {}, {
    campaigns: campaigns.map(({ id, name, status }) => ({ id, name, status })),
  });
  await holds(at, "crm_get_funnel_stats", {}, {
    funnels: funnels.map(({ _id: id, name }) => ({
      id,
      name,
      pages: pages.filter(({ funnelId, deleted }) => funnelId === id && deleted !== true).map((
        { _id: id, name },
      ) => ({
        id,
        name,
        views: null,
      })),
    })),
  });
  const flow = String(workflows[0]!["id"]);
  const { active, finished } = world.enrolled.get(flow)!;
  await holds(at, "crm_get_workflow_executions", { workflow_id: flow }, {
    groups: { success: null, failed: null, error: null },
    enrolment: { active: active.size, finished: finished.size },
  });
}

async function holdsTags(at: Client, threshold: number): Promise<void> {
  const { underused, unused, tags_total } = hygiene(at.world, threshold);
  const found: Answer[] = [];
  let unusedFound = 0;
  // A call counts 50 tags; which come first is the tool's own choice.
  for (let offset: number | null = 0; offset !== null;) {
    const part = await holds(at, "crm_compute_tag_hygiene", { threshold, offset }, { threshold, tags_total });
    const rows = part["underused"] as readonly Answer[];
    const uses = rows.map(({ uses }) => Number(uses));
    assert.deepEqual(uses, uses.toSorted((a, b) => a - b), "the least used first");
    found.push(...rows);
    unusedFound += Number(part["unused"]);
    offset = part["next_offset"] as number | null;
  }
  const byId = (rows: readonly Answer[]) =>
    rows.toSorted((a, b) => String(a["id"]) < String(b["id"]) ? -1 : 1);
  assert.deepEqual(byId(found), byId(underused), `seed ${at.world.seed}: tags`);
  assert.equal(unusedFound, unused, `seed ${at.world.seed}: tags`);
}

async function holdsIdle(
  at: Client,
  args: { idle_days: number; tag?: string; limit?: number },
): Promise<void> {
  const { world } = at;
  const all = idle(world, world.now, args.idle_days, args.tag);
  const found = await holds(at, "crm_compute_reactivation_candidates", args, { total: all.length });
  const rows = found["contacts"] as readonly Answer[];
  const shown = rows.map(({ id, tags, date_updated, idle_days }) => ({ id, tags, date_updated, idle_days }));
  const dates = (some: readonly Answer[]) => some.map(({ date_updated }) => date_updated);
  assert.deepEqual(dates(shown), dates(all).slice(0, args.limit ?? 50), `seed ${world.seed}: idle`);
  for (const one of shown) {
    assert.deepEqual(
      one,
      all.find(({ id }) => id === one.id),
      `seed ${world.seed}: idle`,
    );
  }
}

/** The parts that a caller may ask for: one pipeline, one calendar, some of the newest contacts, pages of invoices. */
async function holdsParts(at: Client, { args, first, last }: Window): Promise<void> {
  const { world } = at;
  const analyst = new Analyst(world, { first, last });
  for (const { id } of world.pipelines) {
    await holds(at, "crm_compute_pipeline_funnel", { ...args, pipeline_id: id }, analyst.funnel(id));
  }
  const calendar = world.calendars.find(({ id }) => id !== world.ways.gone?.calendar)!;
  const { calendars_left_out: _, ...visits } = analyst.visits(String(calendar["id"]));
  await holds(at, "crm_compute_no_show_rate", { ...args, calendar_id: calendar["id"] }, visits);
  for (const status of ["draft", "published"]) {
    const campaigns = world.campaigns.filter((one) => one["status"] === status).map(({ id }) => ({ id }));
    await holds(at, "crm_get_campaign_a2p_stats", { status }, { campaigns });
  }
  // The newest so many; of two that were added at one moment either may be the last of them.
  const most = 10;
  const newest = analyst.byForm(most);
  if (analyst.isDefinite(most)) {
    const sampled = { ...args, max_contacts: most };
    await holds(at, "crm_compute_form_submission_rate", sampled, newest);
  }
  if (world.ways.lacks.length > 0 || world.ways.moving) return;
  const some = world.invoices.filter((row) => row["status"] === "paid");
  const found = await at.ask("crm_list_invoices", { status: "paid", limit: 7, offset: 7 });
  assert.deepEqual([found["total"], found["next_offset"]], [some.length, some.length > 14 ? 14 : null]);
  const shown = (found["invoices"] as readonly Answer[]).map((
    one,
  ) => [one["id"], one["total"], one["amount_due"]]);
  assert.deepEqual(shown, some.slice(7, 14).map((row) => [row["_id"], row["total"], row["amountDue"]]));
}

/** The parts of the report, and the figures that each has to have in its text. */
async function holdsBaseline(at: Client, { first, last }: Window): Promise<void> {
  const { world } = at;
  const analyst = new Analyst(world, { first, last });
  const found = await at.ask("crm_bootstrap_baseline");
  const parts = String(found["markdown"]).split("\n## ");
  const money = (value: unknown) =>
    Number(value).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const { totals } = analyst.funnel();
  const { outbound, inbound } = analyst.sms();
  const expected: [part: string, figures: unknown[]][] = [
    ["Pipeline", [totals.opportunities, money(totals.value)]],
    ["Appointments", [analyst.visits().total]],
    ["SMS", [outbound, inbound]],
  ];
  if (!world.ways.lacks.includes("forms.readonly")) expected.push(["Forms", [analyst.submissions().length]]);
  if (!world.ways.lacks.includes("invoices.readonly")) {
    const { by_currency, ...all } = revenue(world, first, last);
    const figures = Object.values(by_currency ?? { all }).flatMap(({ collected, refunded, invoiced }) =>
      [invoiced, ...collected === null ? [] : [collected, refunded]].map(money)
    );
    expected.push(["Revenue", [all.invoices, ...figures]]);
  }
  for (const [name, figures] of expected) {
    const text = parts.find((part) => part.startsWith(`${name}\n`)) ?? "";
    const words = new Set(text.split(/[\s|()]+/).map((word) => word.replace(/[.,;:]+$/, "")));
    for (const figure of figures) {
      assert.ok(words.has(String(figure)), `seed ${world.seed}: ${name} has no ${figure}: ${text}`);
    }
  }
}

for (const seed of SEEDS) {
  const world = crmWorld(seed);
  Deno.test(`every metric of the CRM is true in the made-up location ${seed}, ${world.timezone ?? "without a zone"}`, async () => {
    await using at = await Client.open(world);
    for (const window of windowsOf(world)) await holdsWindowed(at, window);
    for (const days of [14, 7, 28]) await holdsCompared(at, days);
    await holdsLists(at);
    for (const threshold of [5, 12]) await holdsTags(at, threshold);
    for (
      const args of [{ idle_days: 30 }, { idle_days: 90, limit: 5 }, {
        idle_days: 7,
        tag: "form",
        limit: 500,
      }]
    ) {
      await holdsIdle(at, args);
    }
    const [month, , earlier] = windowsOf(world);
    await holdsParts(at, month!);
    await holdsBaseline(at, month!);
    await holdsWindowed(await at.shared(), earlier!);
    assert.deepEqual(at.server.faults, []);
  });
}
