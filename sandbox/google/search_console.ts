/** Searches of the stand-in's properties: really filtered, grouped and paged, the most clicks first. */
import { denied, invalid, type Strict } from "./refusal.ts";
import type { Holder, Search, World } from "./world.ts";

const DIMENSIONS = ["query", "page", "country", "device", "date", "searchAppearance", "hour"];
const TYPES = ["web", "image", "video", "news", "discover", "googleNews"];
const REQUEST = [
  "startDate",
  "endDate",
  "dimensions",
  "type",
  "dimensionFilterGroups",
  "aggregationType",
  "dataState",
  "rowLimit",
  "startRow",
];

type Field = "query" | "page" | "country" | "device" | "date";

function testOf(strict: Strict, given: unknown): (one: Search) => boolean {
  const { dimension, operator, expression } = strict.fields(
    given,
    ["dimension", "operator", "expression"],
    "filters",
  );
  const wanted = String(expression);
  const tests: Record<string, (found: string) => boolean> = {
    equals: (found) => found.toLowerCase() === wanted.toLowerCase(),
    notEquals: (found) => found.toLowerCase() !== wanted.toLowerCase(),
    contains: (found) => found.toLowerCase().includes(wanted.toLowerCase()),
    notContains: (found) => !found.toLowerCase().includes(wanted.toLowerCase()),
    includingRegex: (found) => regex(wanted).test(found),
    excludingRegex: (found) => !regex(wanted).test(found),
  };
  const test = tests[String(operator)];
  if (!test) return strict.breach(`operator "${operator}" is unknown`);
  if (!DIMENSIONS.includes(String(dimension))) return strict.breach(`dimension "${dimension}" is unknown`);
  return (one) => test(String(one[dimension as Field] ?? ""));
}

function regex(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch {
    throw invalid(`Invalid regular expression: ${text}`);
  }
}

/** Whether only searches that Google names can be in the rows. */
const byQuery = (dimensions: readonly string[], groups: unknown): boolean =>
  dimensions.includes("query") || JSON.stringify(groups ?? []).includes('"dimension":"query"');

/** Where people do not search: their rows have no position, and there are no queries. */
const FEEDS: readonly unknown[] = ["discover", "googleNews"];

/** Breaches the contract where a word of the request is unknown. */
function assertKnown(strict: Strict, asked: Readonly<Record<string, unknown>>): void {
  const { startDate, endDate, type = "web", aggregationType = "auto", dataState = "final" } = asked;
  for (const day of [startDate, endDate]) {
    if (!/^\d{4}-\d\d-\d\d$/.test(String(day))) strict.breach("startDate or endDate is no day");
  }
  if (!TYPES.includes(String(type))) strict.breach(`type "${type}" is unknown`);
  if (!["auto", "byPage", "byProperty"].includes(String(aggregationType))) {
    strict.breach("aggregationType is unknown");
  }
  if (!["final", "all", "hourly_all"].includes(String(dataState))) strict.breach("dataState is unknown");
}

/** What was searched for on one property. */
export function searchQuery(
  world: World,
  strict: Strict,
  holder: Holder,
  { site, body, now }: { readonly site: string; readonly body: unknown; readonly now: number },
): object {
  const found = world.searchSites.get(site);
  if (!found?.readers.has(holder.account) || found.level === "siteUnverifiedUser") {
    throw denied(`User does not have sufficient permission for site '${site}'.`);
  }
  const asked = strict.fields(body, REQUEST, "search_analytics_query_request");
  const { startDate, endDate, type = "web", aggregationType = "auto", dataState = "final" } = asked;
  assertKnown(strict, asked);
  const known = knownDays(now);
  const dimensions = strict.list(asked["dimensions"], "dimensions").map(String);
  for (const name of dimensions) {
    if (!DIMENSIONS.includes(name)) strict.breach(`dimension "${name}" is unknown`);
  }
  if (aggregationType === "byProperty" && dimensions.includes("page")) {
    throw invalid("Aggregation by property is not possible with the page dimension.");
  }
  const fed = FEEDS.includes(type);
  if (fed && dimensions.includes("query")) {
    throw invalid(`Dimension 'query' is not available for the search type '${type}'.`);
  }
  const rowLimit = Number(asked["rowLimit"] ?? 1000);
  const startRow = Number(asked["startRow"] ?? 0);
  if (!(rowLimit >= 1 && rowLimit <= 25_000) || !(startRow >= 0)) {
    strict.breach("rowLimit or startRow is out of range");
  }
  const tests = strict.list(asked["dimensionFilterGroups"], "dimensionFilterGroups").flatMap((group) => {
    const { groupType, filters } = strict.fields(group, ["groupType", "filters"], "dimensionFilterGroups");
    if (groupType !== undefined && groupType !== "and") strict.breach(`groupType "${groupType}" is unknown`);
    return strict.list(filters, "filters").map((one) => testOf(strict, one));
  });
  const named = byQuery(dimensions, asked["dimensionFilterGroups"]);
  const some = found.searches.filter((one) =>
    !(named && one.unnamed) &&
    one.date >= String(startDate) && one.date <= String(endDate) && one.type === type &&
    one.date >= known.first && (dataState !== "final" || one.date < known.incomplete) &&
    tests.every((test) => test(one))
  );
  const groups = Map.groupBy(
    some,
    (one) => JSON.stringify(dimensions.map((name) => one[name as Field] ?? "")),
  );
  const rows = [...groups].map(([key, all]) => rowOf(JSON.parse(key), all, dimensions.length > 0, fed))
    .sort((a, b) => b.clicks - a.clicks || b.impressions - a.impressions);
  const shown = rows.slice(startRow, startRow + rowLimit);
  const byPage = dimensions.includes("page") || aggregationType === "byPage";
  return {
    ...shown.length > 0 ? { rows: shown } : {},
    responseAggregationType: byPage ? "byPage" : "byProperty",
    ...dataState === "all" && dimensions.includes("date") && String(endDate) >= known.incomplete
      ? { metadata: { [world.incompleteDateName]: known.incomplete } }
      : {},
  };
}

/** Days of Pacific time: the first that is kept, and the first of which not all is counted (docs/upstreams/google.md). */
function knownDays(now: number): { readonly first: string; readonly incomplete: string } {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO("America/Los_Angeles")
    .toPlainDate();
  return {
    first: today.subtract({ months: 16 }).toString(),
    incomplete: today.subtract({ days: 2 }).toString(),
  };
}

function rowOf(keys: readonly string[], all: readonly Search[], keyed: boolean, fed: boolean) {
  const total = (read: (one: Search) => number) => all.reduce((sum, one) => sum + read(one), 0);
  const [clicks, impressions] = [total((one) => one.clicks), total((one) => one.impressions)];
  return {
    ...keyed ? { keys } : {},
    clicks,
    impressions,
    ctr: impressions === 0 ? 0 : clicks / impressions,
    ...fed ? {} : { position: total((one) => one.position * one.impressions) / Math.max(1, impressions) },
  };
}
