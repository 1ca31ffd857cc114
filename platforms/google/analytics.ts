/** Reports of the site's Google Analytics property (docs/upstreams/google.md). */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { DECIMALS, type Money, moneyOf } from "../../core/money.ts";
import { amongFew, REPORTS_AT_ONCE } from "./at_once.ts";
import { foreign, unreadable } from "./errors.ts";
import type { Conditions } from "./filters.ts";
import { propertyOf } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** What a report is asked for. */
export interface ReportQuery extends Conditions {
  readonly start_date: string;
  readonly end_date: string;
  readonly metrics: readonly string[];
  readonly dimensions?: readonly string[] | undefined;
  readonly limit?: number;
  readonly offset?: number;
}

/** The value of one cell: a metric is a number, null where it is none. */
export type Cell = string | number | null;
/** A row's cells by their names, and beside them those in the property's currency as money. */
export type ReportRow = Readonly<Record<string, Cell | Readonly<Record<string, Money | null>>>>;

/** A report as answers show it. */
export interface Report {
  readonly property_id: string;
  readonly rows: readonly ReportRow[];
  /** How many rows there are, whatever the limit. */
  readonly row_count: number;
  /** The metrics over all rows, where there are dimensions. */
  readonly totals?: ReportRow;
  readonly metadata: {
    readonly currency_code: string | null;
    readonly time_zone: string | null;
    /** Rows were left out so that no visitor can be recognised. */
    readonly thresholded: boolean;
    /** Rows were put together as "(other)". */
    readonly other_row: boolean;
    /** The figures are estimated from a part of the data. */
    readonly sampled: boolean;
    /** Days that are no longer kept were left out: those before each date, null where Google names none. */
    readonly cut_off: readonly (string | null)[];
    /** Metrics that the connected account may not see: Google answers nought for them, so they are null. */
    readonly restricted: readonly string[];
    readonly empty_reason: string | null;
  };
}

const text = z.string().nullish();
const ROW = z.object({
  dimensionValues: z.array(z.object({ value: text })).nullish(),
  metricValues: z.array(z.object({ value: text })).nullish(),
});
/** A reply; what is not named here is dropped. */
export const REPORT_REPLY = z.object({
  dimensionHeaders: z.array(z.object({ name: text })).nullish(),
  metricHeaders: z.array(z.object({ name: text, type: text })).nullish(),
  rows: z.array(ROW).nullish(),
  totals: z.array(ROW).nullish(),
  rowCount: z.number().nullish(),
  metadata: z.object({
    currencyCode: text,
    timeZone: text,
    emptyReason: text,
    subjectToThresholding: z.boolean().nullish(),
    dataLossFromOtherRow: z.boolean().nullish(),
    schemaRestrictionResponse: z.object({
      activeMetricRestrictions: z.array(z.object({ metricName: text })).nullish(),
    }).nullish(),
    dataTruncationReasons: z.array(z.object({ dataTruncationDate: text })).nullish(),
    samplingMetadatas: z.array(z.object({ samplesReadCount: z.union([z.string(), z.number()]).nullish() }))
      .nullish(),
  }).nullish(),
});
type Reply = z.output<typeof REPORT_REPLY>;
type Row = z.output<typeof ROW>;

/** The body of a report's request. */
export function reportRequest(query: ReportQuery) {
  const { start_date, end_date, metrics, dimensions = [], limit, offset } = query;
  return {
    dateRanges: [{ startDate: start_date, endDate: end_date }],
    metrics: metrics.map((name) => ({ name })),
    ...(dimensions.length > 0
      ? { dimensions: dimensions.map((name) => ({ name })), metricAggregations: ["TOTAL"] }
      : {}),
    ...(query.dimension_filter ? { dimensionFilter: query.dimension_filter } : {}),
    ...(query.metric_filter ? { metricFilter: query.metric_filter } : {}),
    ...(query.order_bys?.length ? { orderBys: [...query.order_bys] } : {}),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(offset ? { offset: String(offset) } : {}),
  };
}

/** What is kept while a property's quota is used up: until when it is not asked. */
const QUOTA = "analytics quota";
/** Tokens of an hour come back bit by bit; until then each request would only be refused. */
const QUOTA_PAUSE_MS = 5 * 60_000;

/** Whether Google refused for the tokens of an hour or a day, which no short wait brings back. */
const isQuotaOver = (thrown: unknown): boolean =>
  thrown instanceof GatewayError && thrown.upstream === 429 &&
  [" per hour", " per day"].some((span) => thrown.excerpt?.includes(span));

/** The property of one site. */
export class Analytics {
  constructor(private readonly wire: GoogleWire) {}

  /** A report. Throws E_UPSTREAM, E_ANALYTICS_ACCOUNT_NOT_LINKED, E_ANALYTICS_NOT_LINKED. */
  async report(query: ReportQuery): Promise<Report> {
    const { site, settings } = this.wire.ctx;
    const property = propertyOf(site);
    const asked: Asked = {
      method: "POST",
      url: `${settings.ANALYTICS_API_BASE}/properties/${property}:runReport`,
      json: reportRequest(query),
      effect: "read",
      max_bytes: LIMITS.REPORT_BYTES,
    };
    const reply = await this.#read(asked);
    // Without rows a report has its columns still, or says of what currency and time zone it is.
    if ([reply.rows, reply.metricHeaders, reply.metadata].every((one) => one === undefined || one === null)) {
      throw unreadable(this.wire.service, asked, "it has neither rows nor columns");
    }
    return this.#reportOf(reply, query, property, asked);
  }

  /** The reply, asked for when there is a place among the property's requests. Throws E_UPSTREAM. */
  async #read(asked: Asked): Promise<Reply> {
    const { ctx } = this.wire;
    const read = async () => {
      this.#assertQuota();
      try {
        return await this.wire.read(REPORT_REPLY, asked);
      } catch (thrown) {
        if (isQuotaOver(thrown)) ctx.cache.set(QUOTA, ctx.now() + QUOTA_PAUSE_MS, QUOTA_PAUSE_MS);
        throw thrown;
      }
    };
    const found = await amongFew(asked.url, REPORTS_AT_ONCE, ctx.deadline - ctx.now(), read);
    if (found !== null) return found.done;
    throw new GatewayError(
      "E_UPSTREAM",
      `${this.wire.service.name} was not asked: earlier reports of the same property took all the time of the call; try again`,
      { upstream: 504 },
    );
  }

  /** Throws E_UPSTREAM where Google said a moment ago that the property's quota of the hour or the day is used up. */
  #assertQuota(): void {
    const { ctx } = this.wire;
    const left = (ctx.cache.get<number>(QUOTA) ?? 0) - ctx.now();
    if (left <= 0 || left > QUOTA_PAUSE_MS) return;
    const seconds = Math.ceil(left / 1000);
    throw new GatewayError(
      "E_UPSTREAM",
      `${this.wire.service.name} was not asked: it said that the property's quota is used up; try again in ${seconds} s`,
      { upstream: 429, retryAfter: seconds },
    );
  }

  #reportOf(reply: Reply, query: ReportQuery, property_id: string, asked: Asked): Report {
    const { metrics, dimensions = [] } = query;
    const rows = reply.rows ?? [];
    const given = [reply.dimensionHeaders, reply.metricHeaders]
      .map((headers) => (headers ?? []).map(({ name }) => name ?? ""));
    // Of a report without rows the headers may be left out as well.
    if (rows.length > 0 && String(given) !== String([dimensions, metrics])) {
      throw foreign(this.wire.service, `other columns than were asked for (${given.flat().join(", ")})`);
    }
    const types = (reply.metricHeaders ?? []).map(({ type }) => type ?? "");
    const totals = reply.totals?.[0];
    const metadata = metadataOf(reply);
    const { currency_code: currency, restricted } = metadata;
    const counted = (row: Row) => {
      const values = named(
        metrics,
        row.metricValues ?? [],
        (value, at) => restricted.includes(metrics[at]!) ? null : metric(value, types[at]),
      );
      const money = metrics.filter((_, at) => types[at] === "TYPE_CURRENCY")
        .map((name) => [name, moneyOf(values[name], DECIMALS.whole, currency)] as const);
      return money.length === 0 ? values : { ...values, money: Object.fromEntries(money) };
    };
    const cells = (row: Row) => ({
      ...named(dimensions, row.dimensionValues ?? [], (value) => value),
      ...counted(row),
    });
    if (rows.some((row) => (row.metricValues ?? []).length !== metrics.length)) {
      throw unreadable(this.wire.service, asked, "a row has not as many values as there are metrics");
    }
    return {
      property_id,
      rows: rows.map(cells),
      row_count: reply.rowCount ?? rows.length,
      ...(totals && dimensions.length > 0 ? { totals: counted(totals) } : {}),
      metadata,
    };
  }
}

function named(
  names: readonly string[],
  values: readonly { value?: string | null | undefined }[],
  read: (value: string | null, at: number) => Cell,
): Record<string, Cell> {
  return Object.fromEntries(names.map((name, at) => [name, read(values[at]?.value ?? null, at)]));
}

/** Every type of metric is a number; one that is none, or whose header names no type, stays as it is. */
function metric(value: string | null, type: string | undefined): Cell {
  if (value === null || value.trim() === "") return null;
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  return type?.startsWith("TYPE_") ? null : value;
}

function metadataOf({ metadata }: Reply): Report["metadata"] {
  return {
    currency_code: metadata?.currencyCode ?? null,
    time_zone: metadata?.timeZone ?? null,
    thresholded: metadata?.subjectToThresholding ?? false,
    other_row: metadata?.dataLossFromOtherRow ?? false,
    sampled: (metadata?.samplingMetadatas ?? []).length > 0,
    cut_off: (metadata?.dataTruncationReasons ?? []).map(({ dataTruncationDate }) =>
      dataTruncationDate || null
    ),
    restricted: (metadata?.schemaRestrictionResponse?.activeMetricRestrictions ?? []).flatMap((
      { metricName },
    ) => metricName || []),
    empty_reason: metadata?.emptyReason ?? null,
  };
}
