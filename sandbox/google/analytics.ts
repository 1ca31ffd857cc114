/** Reports of the stand-in's analytics properties: really filtered, grouped, ordered and paged. */
import { denied, invalid, type Strict } from "./refusal.ts";
import type { Holder, Property, Visit, World } from "./world.ts";

type Metric = { readonly type: string; readonly of: (visits: readonly Visit[]) => number };
const sum = (read: (visit: Visit) => number) => (visits: readonly Visit[]) =>
  visits.reduce((total, one) => total + read(one), 0);
const share =
  (a: (visits: readonly Visit[]) => number, b: (visits: readonly Visit[]) => number) =>
  (visits: readonly Visit[]) => b(visits) === 0 ? 0 : a(visits) / b(visits);
const sessions = sum((one) => one.sessions);
const METRICS: Readonly<Record<string, Metric>> = {
  sessions: { type: "TYPE_INTEGER", of: sessions },
  totalUsers: { type: "TYPE_INTEGER", of: sum((one) => one.users) },
  newUsers: { type: "TYPE_INTEGER", of: sum((one) => one.newUsers) },
  screenPageViews: { type: "TYPE_INTEGER", of: sum((one) => one.views) },
  eventCount: { type: "TYPE_INTEGER", of: sum((one) => one.events) },
  keyEvents: { type: "TYPE_FLOAT", of: sum((one) => one.keyEvents) },
  engagementRate: { type: "TYPE_FLOAT", of: share(sum((one) => one.engaged), sessions) },
  averageSessionDuration: { type: "TYPE_SECONDS", of: share(sum((one) => one.seconds), sessions) },
  totalRevenue: { type: "TYPE_CURRENCY", of: sum((one) => one.revenue) },
};
const DIMENSIONS: Readonly<Record<string, (visit: Visit) => string>> = {
  date: ({ date }) => date.replaceAll("-", ""),
  sessionDefaultChannelGroup: ({ channel }) => channel,
  landingPage: ({ page }) => page,
  pagePath: ({ page }) => page,
  country: ({ country }) => country,
  deviceCategory: ({ device }) => device,
};

const REQUEST = [
  "dateRanges",
  "metrics",
  "dimensions",
  "dimensionFilter",
  "metricFilter",
  "orderBys",
  "limit",
  "offset",
  "metricAggregations",
  "keepEmptyRows",
  "returnPropertyQuota",
  "currencyCode",
];

interface Row {
  readonly dimensions: readonly string[];
  readonly metrics: readonly number[];
}
type Read = (name: string) => string | number | undefined;

/** What a filter lets pass, by the values of its fields. */
function tested(strict: Strict, given: unknown, at: string): (read: Read) => boolean {
  const expression = strict.fields(given, ["andGroup", "orGroup", "notExpression", "filter"], at);
  const [[kind, value] = ["", null], ...others] = Object.entries(expression);
  if (others.length > 0 || kind === "") strict.breach(`${at} has not exactly one part`);
  if (kind === "notExpression") {
    const inner = tested(strict, value, `${at}.notExpression`);
    return (read) => !inner(read);
  }
  if (kind !== "filter") {
    const group = strict.fields(value, ["expressions"], `${at}.${kind}`);
    const all = strict.list(group["expressions"], `${at}.${kind}`).map((one) =>
      tested(strict, one, `${at}.${kind}`)
    );
    return (read) => kind === "andGroup" ? all.every((one) => one(read)) : all.some((one) => one(read));
  }
  const kinds = ["stringFilter", "inListFilter", "numericFilter", "betweenFilter"];
  const { fieldName, ...rest } = strict.fields(value, ["fieldName", ...kinds], `${at}.filter`);
  const test = oneTest(strict, rest, `${at}.filter`);
  return (read) => {
    const found = read(String(fieldName));
    if (found === undefined) throw invalid(`Field ${fieldName} is not a valid field of this filter.`);
    return test(found);
  };
}

function numberOf(strict: Strict, value: unknown, at: string): number {
  const { int64Value, doubleValue } = strict.fields(value, ["int64Value", "doubleValue"], at);
  if (int64Value !== undefined && typeof int64Value !== "string") {
    strict.breach(`${at}.int64Value is no text`);
  }
  return Number(int64Value ?? doubleValue);
}

function oneTest(
  strict: Strict,
  rest: Record<string, unknown>,
  at: string,
): (found: string | number) => boolean {
  if (rest["stringFilter"] !== undefined) {
    const given = strict.fields(rest["stringFilter"], ["matchType", "value", "caseSensitive"], at);
    const exact = given["caseSensitive"] === true;
    const folded = (text: string) => exact ? text : text.toLowerCase();
    const value = folded(String(given["value"]));
    const pattern = () => new RegExp(String(given["value"]), exact ? "u" : "iu");
    const tests: Record<string, (found: string) => boolean> = {
      EXACT: (found) => found === value,
      BEGINS_WITH: (found) => found.startsWith(value),
      ENDS_WITH: (found) => found.endsWith(value),
      CONTAINS: (found) => found.includes(value),
      FULL_REGEXP: (found) => pattern().exec(found)?.[0] === found,
      PARTIAL_REGEXP: (found) => pattern().test(found),
    };
    const test = tests[String(given["matchType"] ?? "EXACT")];
    if (!test) return strict.breach(`${at}.stringFilter.matchType is unknown`);
    return (found) => test(folded(String(found)));
  }
  if (rest["inListFilter"] !== undefined) {
    const given = strict.fields(rest["inListFilter"], ["values", "caseSensitive"], at);
    return (found) => strict.list(given["values"], at).includes(String(found));
  }
  if (rest["numericFilter"] !== undefined) {
    const given = strict.fields(rest["numericFilter"], ["operation", "value"], at);
    const value = numberOf(strict, given["value"], at);
    const tests: Record<string, (found: number) => boolean> = {
      EQUAL: (found) => found === value,
      LESS_THAN: (found) => found < value,
      LESS_THAN_OR_EQUAL: (found) => found <= value,
      GREATER_THAN: (found) => found > value,
      GREATER_THAN_OR_EQUAL: (found) => found >= value,
    };
    const test = tests[String(given["operation"])];
    if (!test) return strict.breach(`${at}.numericFilter.operation is unknown`);
    return (found) => test(Number(found));
  }
  const given = strict.fields(rest["betweenFilter"], ["fromValue", "toValue"], at);
  const [from, to] = [numberOf(strict, given["fromValue"], at), numberOf(strict, given["toValue"], at)];
  return (found) => Number(found) >= from && Number(found) <= to;
}

function named(strict: Strict, value: unknown, at: string, known: object, max: number): string[] {
  const names = strict.list(value, at).map((one) => String(strict.fields(one, ["name"], at)["name"]));
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    const guess = Object.keys(known).find((name) =>
      name.toLowerCase().startsWith(unknown.toLowerCase().slice(0, 4))
    );
    throw invalid(`Did you mean ${guess ?? "sessions"}? Field ${unknown} is not a valid ${at}.`);
  }
  if (names.length > max) throw invalid(`Requests are limited to ${max} ${at}s.`);
  return names;
}

function int64(strict: Strict, value: unknown, at: string, preset: number): number {
  if (value === undefined) return preset;
  return typeof value === "string" && /^\d+$/.test(value)
    ? Number(value)
    : strict.breach(`${at} is no int64 text`);
}

/** A report of one property. */
export function runReport(world: World, strict: Strict, holder: Holder, id: string, body: unknown): object {
  const property: Property | undefined = world.properties.get(id);
  if (!property?.readers.has(holder.account)) {
    throw denied("User does not have sufficient permissions for this property.");
  }
  const asked = strict.fields(body, REQUEST, "run_report_request");
  const metrics = named(strict, asked["metrics"], "metric", METRICS, 10);
  const dimensions = named(strict, asked["dimensions"], "dimension", DIMENSIONS, 9);
  if (metrics.length === 0 && dimensions.length === 0) {
    throw invalid("A report needs a dimension or a metric.");
  }
  const [range, ...more] = strict.list(asked["dateRanges"], "dateRanges");
  if (more.length > 0) strict.breach("the stand-in takes one range of days");
  const { startDate, endDate } = strict.fields(range, ["startDate", "endDate", "name"], "dateRanges");
  for (const day of [startDate, endDate]) {
    if (!/^\d{4}-\d\d-\d\d$/.test(String(day))) strict.breach("a day of dateRanges is none");
  }
  const passes = asked["dimensionFilter"] === undefined
    ? () => true
    : tested(strict, asked["dimensionFilter"], "dimension_filter");
  const visits = property.visits.filter((visit) =>
    visit.date >= String(startDate) && visit.date <= String(endDate) &&
    passes((name) => DIMENSIONS[name]?.(visit))
  );
  return report(property, strict, { asked, metrics, dimensions, visits });
}

/** What a report is of. */
interface Reported {
  readonly asked: Readonly<Record<string, unknown>>;
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly visits: Property["visits"];
}

function report(
  property: Property,
  strict: Strict,
  { asked, metrics, dimensions, visits }: Reported,
): object {
  const groups = Map.groupBy(
    visits,
    (visit) => JSON.stringify(dimensions.map((name) => DIMENSIONS[name]!(visit))),
  );
  const { restricted = [] } = property;
  const figures = (some: Property["visits"]) =>
    metrics.map((name) => restricted.includes(name) ? 0 : METRICS[name]!.of(some));
  let rows = [...groups].map(([key, some]): Row => ({ dimensions: JSON.parse(key), metrics: figures(some) }));
  if (asked["metricFilter"] !== undefined) {
    const test = tested(strict, asked["metricFilter"], "metric_filter");
    rows = rows.filter((row) => test((name) => row.metrics[metrics.indexOf(name)]));
  }
  rows.sort(order(strict, asked["orderBys"], dimensions, metrics));
  const limit = int64(strict, asked["limit"], "limit", 10_000);
  if (limit > 250_000 || limit < 1) throw invalid("The limit is from 1 to 250000.");
  const offset = int64(strict, asked["offset"], "offset", 0);
  const shown = rows.slice(offset, offset + limit);
  const totals = strict.list(asked["metricAggregations"], "metricAggregations").includes("TOTAL");
  const cell = (value: string | number) => ({ value: String(value) });
  const view = (row: Row) => ({
    ...dimensions.length > 0 ? { dimensionValues: row.dimensions.map(cell) } : {},
    metricValues: row.metrics.map(cell),
  });
  return {
    ...dimensions.length > 0 ? { dimensionHeaders: dimensions.map((name) => ({ name })) } : {},
    metricHeaders: metrics.map((name) => ({ name, type: METRICS[name]!.type })),
    ...shown.length > 0 ? { rows: shown.map(view) } : {},
    ...totals && rows.length > 0
      ? {
        totals: [view({
          dimensions: dimensions.map(() => "RESERVED_TOTAL"),
          metrics: figures(visits),
        })],
      }
      : {},
    ...rows.length > 0 ? { rowCount: rows.length } : {},
    metadata: {
      schemaRestrictionResponse: restrictionsOf(metrics.filter((name) => restricted.includes(name))),
      currencyCode: property.currency,
      timeZone: property.timeZone,
      ...property.metadata?.[dimensions.length > 0 ? "parts" : "whole"],
    },
    kind: "analyticsData#runReport",
  };
}

/** Empty where nothing is kept from the account, as in answers that others published (docs/upstreams/google.md). */
function restrictionsOf(names: readonly string[]): object {
  const type = (name: string) => name.endsWith("Revenue") ? "REVENUE_DATA" : "COST_DATA";
  return names.length === 0 ? {} : {
    activeMetricRestrictions: names.map((name) => ({
      metricName: name,
      restrictedMetricTypes: [type(name)],
    })),
  };
}

function order(strict: Strict, given: unknown, dimensions: readonly string[], metrics: readonly string[]) {
  const keys = strict.list(given, "orderBys").map((one) => {
    const { metric, dimension, desc } = strict.fields(one, ["metric", "dimension", "desc"], "orderBys");
    const sign = desc === true ? -1 : 1;
    if (metric !== undefined) {
      const name = String(strict.fields(metric, ["metricName"], "orderBys.metric")["metricName"]);
      const at = metrics.indexOf(name);
      if (at < 0) throw invalid(`Metric ${name} of order_bys is not in the request.`);
      return (a: Row, b: Row) => sign * (a.metrics[at]! - b.metrics[at]!);
    }
    const by = strict.fields(dimension, ["dimensionName", "orderType"], "orderBys.dimension");
    const at = dimensions.indexOf(String(by["dimensionName"]));
    if (at < 0) throw invalid(`Dimension ${by["dimensionName"]} of order_bys is not in the request.`);
    return (a: Row, b: Row) => sign * (a.dimensions[at]! < b.dimensions[at]! ? -1 : 1);
  });
  const first = (a: Row, b: Row) => (b.metrics[0] ?? 0) - (a.metrics[0] ?? 0);
  return (a: Row, b: Row) => {
    for (const key of keys.length > 0 ? keys : [first]) {
      const found = key(a, b);
      if (found !== 0) return found;
    }
    return JSON.stringify(a.dimensions) < JSON.stringify(b.dimensions) ? -1 : 1;
  };
}
