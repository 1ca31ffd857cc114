/** Every figure of Meta's ads in twenty accounts that an analyst made up, beside what brute force counts in them. */
import assert from "node:assert/strict";
import { gateway, type Kit, owned, site } from "../kit.ts";
import {
  dayThere,
  KINDS,
  type MetaTruth,
  metaWorld,
  type Node,
  OFFSETS,
  SEEDS,
  type Shown,
} from "./_meta_world.ts";
import { APP, metaServer, TOKEN } from "./_meta_world_server.ts";

type Args = Readonly<Record<string, unknown>>;
interface Money {
  readonly amount: string;
  readonly currency: string;
}
interface Change {
  readonly abs: number | null;
  readonly pct: number | null;
}
interface Row extends Args {
  readonly money?: Readonly<Record<string, Money | null>>;
  readonly conversion_counts?: Readonly<
    Record<string, { readonly count: number; readonly value?: Money | null }>
  >;
}
interface ChangedRow extends Args {
  readonly conversion_counts?: Readonly<Record<string, { readonly count: Change }>>;
}
interface Report extends Args {
  readonly period: { readonly from: string; readonly to: string; readonly time_zone: string | null };
  readonly currency: string | null;
  readonly complete: boolean;
  readonly rows: readonly Row[];
  readonly next: Args | null;
  readonly compare?: {
    readonly period: { readonly from: string; readonly to: string };
    readonly figures: { readonly rows: readonly Row[] };
    readonly change: { readonly rows: readonly ChangedRow[] } | null;
  };
}

/** One gateway at one account. */
class Client implements AsyncDisposable {
  private constructor(readonly world: MetaTruth, readonly gw: Kit, readonly asked: readonly string[]) {}

  static async open(world: MetaTruth): Promise<Client> {
    const server = metaServer(world);
    const gw = await gateway({
      start: world.now,
      fetch: server.fetch,
      settings: {
        rateLimitToken: 0,
        rateLimitSite: 0,
        upstream: { SOCIAL_ADS_APP_ID: APP.id, SOCIAL_ADS_APP_SECRET: APP.secret },
      },
      http: { lookup: () => Promise.resolve(["8.8.8.8"]) }, // public, and never reached
    });
    const { user } = await owned(gw.store, { email: "ads@agency.example" });
    await gw.store.accounts.connect(user.id, "meta_ads", {
      account: "Ada",
      access_token: TOKEN,
      expires_in: 5_000_000,
      scopes: ["ads_read"],
    });
    const linked = { social_ad_account_id: `act_${world.id}`, social_ads_user_id: user.id };
    assert.ok(await gw.store.sites.create(site("client", "cms", linked)));
    return new Client(world, gw, server.asked);
  }

  async ask<T = Report>(tool: string, args: Args = {}): Promise<T> {
    const found = await this.gw.call<T>(tool, { site_id: "client", ...args });
    assert.doesNotMatch(JSON.stringify(found), /EAAB|access_token/, "no token, and no link that holds one");
    return found;
  }

  /** All pages of a tool, so many rows each, in one list. */
  async all<T>(tool: string, name: string, args: Args, limit: number): Promise<T[]> {
    const rows: T[] = [];
    for (let next: Args = {};;) {
      const page = await this.ask<Args & { next: Args | null; truncated: boolean }>(tool, {
        ...args,
        limit,
        ...next,
      });
      rows.push(...page[name] as T[]);
      assert.equal(page.truncated, page.next !== null, "cut off exactly where there is a next page");
      if (page.next === null) return rows;
      next = page.next;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    assert.ok(this.asked.every((one) => !one.includes(TOKEN)), "no address held the token");
  }
}

/** In the worlds of all seeds, one after the other. */
function worlds(name: string, check: (client: Client, world: MetaTruth) => Promise<void>): void {
  Deno.test(name, async () => {
    for (const seed of SEEDS) {
      const world = metaWorld(seed);
      await using client = await Client.open(world);
      try {
        await check(client, world);
      } catch (thrown) {
        throw new Error(`in the world of seed ${seed} (${world.currency}, ${world.zone}, ${world.names})`, {
          cause: thrown,
        });
      }
    }
  });
}

/** So many parts of a currency in whole units, as a person would write it: no traces of a calculation, no cent lost. */
function written(parts: number, currency: string): Money {
  if (OFFSETS[currency] === 1) return { amount: String(parts), currency };
  const [whole, rest] = [Math.floor(parts / 100), parts % 100];
  return { amount: rest === 0 ? String(whole) : `${whole}.${String(rest).padStart(2, "0")}`, currency };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
/** Whether two numbers are the same, but for what rounding to four places makes of it. */
const near = (a: unknown, b: number, what: string) =>
  assert.ok(
    typeof a === "number" && Math.abs(a - b) < 0.0001,
    `${what}: ${a} is answered where ${b} is true`,
  );

/** What some views come to. */
class Truth {
  constructor(readonly rows: readonly Shown[], readonly world: MetaTruth) {}

  within({ from, to }: { from: string; to: string }): Truth {
    return new Truth(this.rows.filter(({ day }) => day >= from && day <= to), this.world);
  }

  get impressions(): number {
    return sum(this.rows.map(({ people }) => people.length));
  }
  get clicks(): number {
    return sum(this.rows.map(({ clicks }) => clicks));
  }
  get reach(): number {
    return new Set(this.rows.flatMap(({ people }) => people)).size;
  }
  get parts(): number {
    return sum(this.rows.map(({ spent }) => spent));
  }
  /** In whole units, as a report has it. */
  get spend(): number {
    return this.parts / OFFSETS[this.world.currency]!;
  }
  happened(kind: string) {
    return this.rows.flatMap((one) => one.happened).filter((one) => one.kind === kind);
  }
}

/** Holds a row to what its views come to. */
function assertRow(row: Row, truth: Truth): void {
  const { currency } = truth.world;
  assert.equal(row["impressions"], truth.impressions);
  assert.equal(row["clicks"], truth.clicks);
  assert.equal(row["reach"], truth.reach);
  near(row["spend"], truth.spend, "spend");
  assert.deepEqual(row.money!["spend"], written(truth.parts, currency));
  near(row["ctr"], truth.clicks / truth.impressions * 100, "ctr");
  if (truth.clicks > 0) near(row["cpc"], truth.spend / truth.clicks, "cpc");
  else assert.ok(!("cpc" in row), "no price of no clicks");
  const counts = row.conversion_counts!;
  for (const kind of KINDS) {
    const happened = truth.happened(kind);
    assert.equal(counts[kind]?.count ?? 0, happened.length, `${kind} is counted once`);
    if (happened.length === 0) continue;
    assert.deepEqual(
      counts[kind]!.value,
      written(sum(happened.map(({ worth }) => worth)), currency),
      `what ${kind} is worth`,
    );
  }
  assert.ok(Object.keys(counts).every((kind) => KINDS.includes(kind)), "and nothing else is counted");
}

const FIELDS = ["impressions", "reach", "clicks", "spend", "cpc", "ctr", "actions", "action_values"];
const REPORT = "get_social_ads_insights";

/** The campaign, ad set or ad that a view belongs to. */
function ownerOf(world: MetaTruth, one: Shown, level: string): Node {
  const ad = world.ads.find(({ id }) => id === one.ad)!;
  const set = world.adsets.find(({ id }) => id === ad.parent)!;
  return level === "ad" ? ad : level === "adset" ? set : world.campaigns.find(({ id }) => id === set.parent)!;
}

worlds("amounts of accounts and budgets are whole units by the vendor's table", async (client, world) => {
  const account = await client.ask<Row & { currency: string }>("get_social_ad_account");
  const { currency } = world;
  assert.equal(account.currency, currency);
  assert.deepEqual([account["amount_spent"], account["balance"]], [world.amount_spent, world.balance]);
  assert.deepEqual(account.money, {
    amount_spent: written(world.amount_spent, currency),
    balance: written(world.balance, currency),
    spend_cap: world.spend_cap === 0 ? null : written(world.spend_cap, currency),
  });
  for (
    const [tool, name, nodes] of [["list_social_campaigns", "campaigns", world.campaigns], [
      "list_social_adsets",
      "adsets",
      world.adsets,
    ]] as const
  ) {
    const listed = await client.all<Row & { id: string; name: string }>(tool, name, {}, 2);
    assert.deepEqual(
      listed.map(({ id, name }) => [id, name]),
      nodes.map(({ id, name }) => [id, name]),
      "each once, in order",
    );
    for (const one of listed) {
      const node = nodes.find(({ id }) => id === one.id)!;
      for (const budget of ["daily_budget", "lifetime_budget"] as const) {
        const expected = node[budget] === 0 ? null : node[budget];
        assert.equal(one[budget], expected);
        assert.deepEqual(one.money![budget], expected === null ? null : written(expected, currency));
      }
    }
  }
});

worlds("lists hold what belongs to what was named, in the states that were named", async (client, world) => {
  for (const campaign of world.campaigns) {
    const found = await client.all<{ id: string }>("list_social_adsets", "adsets", {
      campaign_id: campaign.id,
      effective_status: ["PAUSED"],
    }, 3);
    const expected = world.adsets.filter(({ parent, status }) =>
      parent === campaign.id && status === "PAUSED"
    );
    assert.deepEqual(found.map(({ id }) => id), expected.map(({ id }) => id));
  }
  for (const set of world.adsets) {
    const found = await client.all<{ id: string }>("list_social_ads", "ads", { adset_id: set.id }, 3);
    assert.deepEqual(
      found.map(({ id }) => id),
      world.ads.filter(({ parent }) => parent === set.id).map(({ id }) => id),
    );
  }
});

worlds(
  "a report's rows are what was shown, whatever they are about and however they are paged",
  async (client, world) => {
    const days = { from: dayThere(world.now, world.zone, -60), to: dayThere(world.now, world.zone, -2) };
    const all = new Truth(world.shown, world).within(days);
    const range = { fields: FIELDS, time_range: { since: days.from, until: days.to } };
    const whole = await client.ask(REPORT, range);
    assert.deepEqual([whole.period.from, whole.period.to], [days.from, days.to]);
    assert.equal(whole.rows.length, all.rows.length > 0 ? 1 : 0);
    for (const row of whole.rows) assertRow(row, all);
    assert.equal(whole.complete, false, "Meta still changes the last 28 days");
    for (const level of ["campaign", "adset", "ad"] as const) {
      const rows = await client.all<Row>(REPORT, "rows", { ...range, level, sort: ["spend_descending"] }, 2);
      const groups = Map.groupBy(all.rows, (one) => ownerOf(world, one, level).id);
      assert.deepEqual(rows.map((row) => row[`${level}_id`]).toSorted(), [...groups.keys()].toSorted());
      for (const row of rows) assertRow(row, new Truth(groups.get(String(row[`${level}_id`]))!, world));
    }
    const people = await client.all<Row>(REPORT, "rows", { ...range, breakdowns: ["age", "gender"] }, 4);
    assert.equal(sum(people.map((row) => Number(row["impressions"]))), all.impressions);
    for (const row of people) {
      assertRow(
        row,
        new Truth(all.rows.filter((one) => one.age === row["age"] && one.gender === row["gender"]), world),
      );
    }
  },
);

worlds("the steps of a time are its days, and add up to it", async (client, world) => {
  const days = { from: dayThere(world.now, world.zone, -45), to: dayThere(world.now, world.zone) };
  const all = new Truth(world.shown, world).within(days);
  for (const time_increment of [1, 7, "monthly"]) {
    const range = { fields: FIELDS, time_range: { since: days.from, until: days.to }, time_increment };
    const rows = await client.all<Row>(REPORT, "rows", range, 10);
    assert.equal(sum(rows.map((row) => Number(row["clicks"]))), all.clicks);
    for (const row of rows) {
      assertRow(row, all.within({ from: String(row["date_start"]), to: String(row["date_stop"]) }));
    }
  }
});

worlds("a named time is the account's days, and the answer says which", async (client, world) => {
  for (
    const date_preset of [
      "today",
      "yesterday",
      "last_7d",
      "last_30d",
      "this_month",
      "last_month",
      "last_week_mon_sun",
      "last_week_sun_sat",
    ]
  ) {
    for (const time_increment of ["all_days", 1]) {
      const found = await client.ask(REPORT, { fields: FIELDS, date_preset, time_increment, limit: 500 });
      const truth = new Truth(world.shown, world).within(found.period);
      assert.equal(
        sum(found.rows.map((row) => Number(row["impressions"]))),
        truth.impressions,
        `${date_preset}: ${JSON.stringify(found.period)}`,
      );
      if (time_increment === "all_days") { for (const row of found.rows) assertRow(row, truth); }
    }
  }
});

/** The other days, as a calendar has them. */
function otherDays(compare: unknown, { from, to }: { from: string; to: string }) {
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  if (typeof compare === "object") return compare as { from: string; to: string };
  if (compare === "previous_year") {
    return { from: first.subtract({ years: 1 }).toString(), to: last.subtract({ years: 1 }).toString() };
  }
  const count = first.until(last).days + 1;
  return { from: first.subtract({ days: count }).toString(), to: first.subtract({ days: 1 }).toString() };
}

/** Holds how a row changed to what both times come to. */
function assertChange(row: ChangedRow, now: Truth, before: Truth): void {
  const changes: readonly [string, number, number][] = [
    ["impressions", now.impressions, before.impressions],
    ["clicks", now.clicks, before.clicks],
    ["reach", now.reach, before.reach],
    ["spend", now.spend, before.spend],
  ];
  for (const [name, to, from] of changes) {
    const change = row[name] as Change;
    near(change.abs, to - from, `how ${name} changed`);
    if (from === 0) assert.equal(change.pct, null, `${name}: no share of nothing`);
    else near(change.pct, (to - from) / from, `by which share ${name} changed`);
  }
  for (const kind of KINDS) {
    const [to, from] = [now.happened(kind).length, before.happened(kind).length];
    const change = row.conversion_counts?.[kind]?.count;
    if (to === 0 && from === 0) assert.ok(change === undefined || change.abs === 0);
    else assert.equal(change?.abs, to - from, `how ${kind} changed`);
  }
  if (now.rows.length === 0 || before.rows.length === 0) {
    const ctr = row["ctr"] as Change | undefined;
    assert.ok(ctr === undefined || ctr.abs === null, "a rate of what was not shown is not known");
  }
}

worlds(
  "each change is that of what both times hold, of what only one of them has too",
  async (client, world) => {
    const days = { from: dayThere(world.now, world.zone, -30), to: dayThere(world.now, world.zone, -1) };
    const apart = { from: dayThere(world.now, world.zone, -75), to: dayThere(world.now, world.zone, -40) };
    for (const compare of ["previous_period", "previous_year", apart]) {
      const other = otherDays(compare, days);
      const [now, before] = [days, other].map((one) => new Truth(world.shown, world).within(one)) as [
        Truth,
        Truth,
      ];
      const args = { fields: FIELDS, time_range: { since: days.from, until: days.to }, compare, limit: 1000 };
      for (const level of ["account", "campaign", "ad"]) {
        const found = await client.ask(REPORT, { ...args, level });
        assert.deepEqual([found.compare!.period.from, found.compare!.period.to], [other.from, other.to]);
        const keyOf = (one: Shown) => level === "account" ? world.id : ownerOf(world, one, level).id;
        const [own, theirs] = [now, before].map(({ rows }) => Map.groupBy(rows, keyOf)) as [
          Map<string, Shown[]>,
          Map<string, Shown[]>,
        ];
        const rows = found.compare!.change!.rows;
        const name = (row: Args) => level === "account" ? world.id : String(row[`${level}_id`]);
        assert.deepEqual(
          rows.map(name).toSorted(),
          [...new Set([...own.keys(), ...theirs.keys()])].toSorted(),
          "each once",
        );
        for (const row of rows) {
          const of = (rows: ReadonlyMap<string, Shown[]>) => new Truth(rows.get(name(row)) ?? [], world);
          assertChange(row, of(own), of(theirs));
        }
        assert.equal(
          sum(found.compare!.figures.rows.map((row) => Number(row["impressions"]))),
          before.impressions,
        );
      }
    }
  },
);
