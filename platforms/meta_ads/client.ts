/** A site's ad account at Meta, only read: its campaigns, ad sets, ads, and reports of what they did. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { dayOf } from "../../core/zoned_day.ts";
import type { DayRange } from "../../rules/comparison.ts";
import type { Period } from "../../rules/data_head.ts";
import type { Linkable } from "../_connector/operator.ts";
import { Graph, type MetaContext, type Question, TooMuch } from "./graph.ts";
import { countedUntil, daysOfPreset, monthsBefore, unsettledSince } from "./days.ts";
import { foreign, refusal, unreadable } from "./refusals.ts";
import {
  ALWAYS,
  DEFAULT_PRESET,
  fieldsOf,
  REACH_FIELDS,
  REACH_MONTHS_BACK,
  type ReportArgs,
  reportQuery,
} from "./report.ts";
import { conversionsOf } from "./conversions.ts";
import { reportMoney, withMoney } from "./currencies.ts";
import { emptyReport, isSilencing, offMetaNotes, otherDays, timeNotes } from "./notes.ts";
import { numberOf } from "./routes.ts";
import * as rows from "./rows.ts";

const FACT_MS = 60 * 60_000;
const LISTED_AT_ONCE = 100;

/** Which part of a list. */
export interface Paged {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** A page of a report, and what a reader has to know of it. */
export interface Report {
  readonly account_id: string;
  readonly level: ReportArgs["level"];
  readonly date_preset?: string;
  readonly time_range?: ReportArgs["time_range"];
  readonly rows: readonly rows.Row[];
  readonly paging: { readonly after: string | null };
  readonly period: Period;
  readonly currency: string | null;
  /** Whether Meta changes these figures no more. */
  readonly settled: boolean;
  /** Whether it has no rows for a reason that is not that nothing was shown. */
  readonly silenced: boolean;
  readonly fresh_until: string;
  readonly notes: readonly string[];
}

/** A list of what an ad account has, and what of it. */
export interface Listing extends Paged {
  readonly effective_status?: readonly string[] | undefined;
  readonly campaign_id?: string | undefined;
  readonly adset_id?: string | undefined;
}

/** One page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly paging: { readonly after: string | null };
}

interface Asked extends Omit<Question, "query"> {
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly paged: Paged;
}

/**
 * What can be asked. Methods throw E_SOCIAL_ADS_NOT_LINKED, E_SOCIAL_ADS_TOKEN_EXPIRED, E_SOCIAL_ADS_AUTH, E_UPSTREAM,
 * and E_BAD_INPUT for an argument that Meta refuses.
 */
export class MetaAds {
  readonly #graph: Graph;

  constructor(private readonly ctx: MetaContext) {
    this.#graph = new Graph(ctx);
  }

  /** The ad accounts that the bound user can see, whichever of them the site uses. */
  async accounts(paged: Paged) {
    const { items, paging } = await this.#page({
      path: "/me/adaccounts",
      query: { fields: rows.FIELDS_OF.accounts },
      family: "ads_management",
      account: null,
      paged,
    });
    const accounts = items.map((row) => rows.read(rows.LISTED_ACCOUNT, row));
    return { items: accounts.map((one) => withMoney(one, ["amount_spent"], one.currency)), paging };
  }

  /** The same, page by page to the end, for who links the site. */
  async *linkable(): AsyncGenerator<readonly Linkable[]> {
    let after: string | undefined;
    do {
      const { items, paging } = await this.accounts({ limit: LISTED_AT_ONCE, after });
      after = paging.after ?? undefined;
      yield items.map(({ id, name, account_status_label: status }) => ({
        id,
        name,
        ...status === "ACTIVE" ? {} : { note: `its status is ${status}` },
      }));
    } while (after !== undefined);
  }

  /** The site's ad account. */
  async account() {
    const node = await this.#node(rows.FIELDS_OF.account);
    const found = rows.read(rows.ACCOUNT, node);
    this.ctx.cache.set("facts", rows.read(rows.FACTS, node), FACT_MS);
    const shown = withMoney(found, ["amount_spent", "spend_cap", "balance"], found.currency);
    // A cap of 0 is none.
    return found.spend_cap === 0 ? { ...shown, money: { ...shown.money, spend_cap: null } } : shown;
  }

  /** What the account's figures are to be read by, known for an hour. */
  async facts(): Promise<rows.AccountFacts> {
    return await this.ctx.cache.once(
      "facts",
      FACT_MS,
      async () => rows.read(rows.FACTS, await this.#node(rows.FIELDS_OF.facts)),
    );
  }

  /** The currency that the account's amounts are in. */
  async currency(): Promise<string | null> {
    return (await this.facts()).currency;
  }

  /** Campaigns, with their budgets as money of that currency too. */
  async campaigns(listing: Listing, currency: string | null) {
    const { items, paging } = await this.#list("campaigns", rows.CAMPAIGN, listing);
    const names = ["daily_budget", "lifetime_budget", "budget_remaining"] as const;
    return { items: items.map((one) => withMoney(one, names, currency)), paging };
  }

  /** Ad sets, with their budgets as money of that currency too. */
  async adsets(listing: Listing, currency: string | null) {
    const { items, paging } = await this.#list("adsets", rows.ADSET, listing);
    const names = ["daily_budget", "lifetime_budget"] as const;
    return { items: items.map((one) => withMoney(one, names, currency)), paging };
  }

  ads = (listing: Listing) => this.#list("ads", rows.AD, listing);

  /** A page of a report, with what a reader has to know of it. */
  async report(args: ReportArgs & Paged): Promise<Report> {
    const { level, breakdowns = [], date_preset = DEFAULT_PRESET, time_range } = args;
    const { asked, left_out } = fieldsOf(args);
    const { items, paging } = await this.#page({
      path: `/${this.#account()}/insights`,
      query: reportQuery(args, asked),
      family: "ads_insights",
      account: this.#account(),
      paged: args,
      given: Object.keys(args),
    });
    this.#own(items);
    const isEmpty = items.length === 0 && args.after === undefined;
    const { period, facts, notes } = await this.#period(args, items);
    const currencies = new Set(items.map(rows.currencyOf));
    return {
      account_id: this.#account(),
      level,
      ...(time_range === undefined ? { date_preset } : { time_range }),
      rows: items.map((row) => readable(row, asked, args)),
      paging,
      period,
      currency: currencies.size > 1 ? null : [...currencies][0] ?? facts?.currency ?? null,
      settled: period.to < unsettledSince(period.time_zone, this.ctx.now()),
      silenced: isEmpty && paging.after === null && breakdowns.some(isSilencing),
      fresh_until: countedUntil(this.ctx.now()),
      notes: [
        ...left_out.length > 0
          ? [`${left_out.join(", ")}: not counted with these breakdowns, so left out`]
          : [],
        ...this.#reachNotes(args, asked, items),
        ...offMetaNotes(args, asked),
        ...isEmpty ? [emptyReport(args, paging.after)] : [],
        ...notes,
        ...timeNotes(period, facts, this.ctx.now()),
      ],
    };
  }

  /**
   * The days of a report, and what is known of its account. The account is asked only where neither the caller nor the
   * rows say which days they are.
   */
  async #period(args: ReportArgs, items: readonly rows.Row[]) {
    const { date_preset = DEFAULT_PRESET, time_range, time_increment = "all_days" } = args;
    const known = this.ctx.cache.get<rows.AccountFacts>("facts") ?? null;
    const found = (days: DayRange, facts = known, notes: string[] = []) => ({
      period: { ...days, time_zone: facts?.time_zone ?? null },
      facts,
      notes,
    });
    const said = time_increment === "all_days" ? rows.daysOf(items[0]) : null;
    if (time_range !== undefined) {
      const asked = { from: time_range.since, to: time_range.until };
      return found(asked, known, said === null ? [] : otherDays(said, asked));
    }
    if (said !== null) return found(said);
    // Lists have a quota of their own: that it is used up takes nothing from the report.
    const facts = known ?? await this.facts().catch((thrown) => {
      if (thrown instanceof GatewayError && thrown.code === "E_UPSTREAM") return null;
      throw thrown;
    });
    const zone = facts?.time_zone ?? null;
    const days = daysOfPreset(date_preset, dayOf(this.ctx.now(), zone ?? "UTC"));
    return found(
      days,
      facts,
      zone === null ? ["The ad account's time zone could not be read: the period is worked out by UTC"] : [],
    );
  }

  /** Meta leaves the audience out, without a word, of what is broken down and begins too long ago. */
  #reachNotes(
    { breakdowns = [] }: ReportArgs,
    asked: readonly string[],
    items: readonly rows.Row[],
  ): string[] {
    const earliest = monthsBefore(this.ctx.now(), REACH_MONTHS_BACK);
    const old = items.some((row) => String(row["date_start"]) < earliest);
    const lacking = asked.filter((name) =>
      REACH_FIELDS.includes(name) && items.every((row) => !(name in row))
    );
    if (breakdowns.length === 0 || !old || lacking.length === 0) return [];
    return [
      `${
        lacking.join(", ")
      }: with breakdowns Meta knows this of the last ${REACH_MONTHS_BACK} months alone; ` +
      `begin at ${earliest} or later, or ask without breakdowns`,
    ];
  }

  async #list<T>(
    edge: "campaigns" | "adsets" | "ads",
    shape: z.ZodType<T>,
    { effective_status, campaign_id, adset_id, ...paged }: Listing,
  ): Promise<Page<T>> {
    const account = this.#account();
    const filters = Object.entries({ "campaign.id": campaign_id, "adset.id": adset_id }).flatMap(
      ([field, value]) => value === undefined ? [] : [{ field, operator: "EQUAL", value }],
    );
    const given = Object.entries({ effective_status, campaign_id, adset_id, ...paged })
      .flatMap(([name, value]) => value === undefined ? [] : [name]);
    const { items, paging } = await this.#page({
      path: `/${account}/${edge}`,
      query: {
        fields: rows.FIELDS_OF[edge],
        effective_status: effective_status?.length
          ? JSON.stringify([...new Set(effective_status)])
          : undefined,
        filtering: filters.length > 0 ? JSON.stringify(filters) : undefined,
      },
      family: "ads_management",
      account,
      paged,
      given,
    });
    this.#own(items);
    return { items: items.map((row) => rows.read(shape, row)), paging };
  }

  /** One page; once with half as many rows where Meta finds it too much. */
  async #page({ paged: { limit, after }, query, ...asked }: Asked): Promise<Page<rows.Row>> {
    const ask = (rowsMax: number) =>
      this.#graph.ask({ ...asked, query: { ...query, limit: rowsMax, after } });
    const whole = { account: asked.account, given: asked.given ?? [] };
    const json = await ask(limit).catch(async (thrown) => {
      if (!(thrown instanceof TooMuch) || limit === 1) throw thrown;
      return await ask(Math.floor(limit / 2));
    }).catch((thrown) => {
      throw thrown instanceof TooMuch ? refusal(thrown.refused, whole) : thrown;
    });
    const { rows: items, after: next } = rows.pageOf(json);
    if (next !== null && next === after) throw unreadable("the next page is the one that was asked for");
    return { items, paging: { after: next } };
  }

  /** The site's ad account with those fields. */
  async #node(fields: string): Promise<rows.Row> {
    const account = this.#account();
    try {
      const question = { path: `/${account}`, query: { fields }, account, family: "ads_management" } as const;
      const json = await this.#graph.ask(question) as rows.Row;
      if (json["account_id"] === undefined) throw unreadable("account_id is missing");
      this.#own([json]);
      return json;
    } catch (thrown) {
      throw thrown instanceof TooMuch ? refusal(thrown.refused, { account, given: [] }) : thrown;
    }
  }

  /** Throws E_UPSTREAM where a row is not the site's ad account's. */
  #own(items: readonly rows.Row[]): void {
    const own = numberOf(this.#account());
    if (items.some(({ account_id }) => account_id !== own)) throw foreign(this.#account());
  }

  /** As act_123. Throws E_SOCIAL_ADS_NOT_LINKED. */
  #account(): string {
    const { site } = this.ctx;
    if (site?.social_ad_account_id) return `act_${numberOf(site.social_ad_account_id)}`;
    throw new GatewayError("E_SOCIAL_ADS_NOT_LINKED", `Site "${site?.id}" has no social_ad_account_id`);
  }
}

const isAlways = (name: string) => ALWAYS.some((one) => one === name);

/** A row as it is answered: what was asked for, numbers as numbers, its money and what its conversions come to. */
function readable(row: rows.Row, asked: readonly string[], args: ReportArgs): rows.Row {
  const shown = Object.entries(row).filter(([name]) => asked.includes(name) || !isAlways(name));
  const currency = rows.currencyOf(row);
  const read = rows.reported(Object.fromEntries(shown), args.breakdowns ?? []);
  const money = reportMoney(read, currency);
  const counts = conversionsOf(read, { ...args, fields: asked }, currency);
  return {
    ...read,
    ...(Object.keys(money).length === 0 ? {} : { money }),
    ...(counts === null ? {} : { conversion_counts: counts }),
  };
}
