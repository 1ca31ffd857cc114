/** A reply as rows of numbers under names of our own: the vendor spells both in several ways (docs/upstreams/clarity.md). */
import { z } from "zod";
import { cut, isFields } from "../../core/values.ts";
import { type Dimension, DIMENSIONS, Undivided, unreadable } from "./wire.ts";

/** A value of a row: a number, a name, or null for none. */
export type Cell = string | number | null;
/** A row: its dimensions, then its numbers. */
export type Row = Readonly<Record<string, Cell>>;

/** One metric of a reply. */
export interface Block {
  readonly name: string;
  readonly rows: readonly Row[];
}

const plain = (name: string) => name.replace(/\s+/g, "").toLowerCase();

interface Known {
  readonly name: string;
  /** The vendor's word, in lower case without blanks → ours. What it has beside these is left out. */
  readonly fields: Readonly<Record<string, string>>;
}

const EVENTS = {
  sessionscount: "sessions",
  sessionswithmetricpercentage: "sessions_pct",
  pagesviews: "page_views",
  subtotal: "events",
} as const;
const LIST = { name: "name", sessionscount: "sessions" } as const;

/** The metrics by the vendor's word, in lower case without blanks. */
const KNOWN: Readonly<Record<string, Known>> = {
  traffic: {
    name: "traffic",
    fields: {
      totalsessioncount: "sessions",
      totalbotsessioncount: "bot_sessions",
      distinctusercount: "distinct_users",
      distantusercount: "distinct_users",
      pagespersessionpercentage: "pages_per_session",
    },
  },
  engagementtime: {
    name: "engagement_time",
    fields: { totaltime: "avg_total_time_s", activetime: "avg_active_time_s" },
  },
  scrolldepth: { name: "scroll_depth", fields: { averagescrolldepth: "avg_scroll_depth" } },
  deadclickcount: { name: "dead_clicks", fields: EVENTS },
  rageclickcount: { name: "rage_clicks", fields: EVENTS },
  excessivescroll: { name: "excessive_scroll", fields: EVENTS },
  quickbackclick: { name: "quickbacks", fields: EVENTS },
  scripterrorcount: { name: "script_errors", fields: EVENTS },
  errorclickcount: { name: "error_clicks", fields: EVENTS },
  browser: { name: "browsers", fields: LIST },
  device: { name: "devices", fields: LIST },
  os: { name: "os", fields: LIST },
  country: { name: "countries", fields: LIST },
  pagetitle: { name: "titles", fields: LIST },
  referrerurl: { name: "referrers", fields: LIST },
  popularpages: { name: "pages", fields: { url: "name", visitscount: "sessions" } },
};

const cell = z.union([z.string(), z.number()]).nullish();
/** A reply in order (`ordered`): the metrics that are known, and what is read of their rows. */
export const REPLY = z.object(
  Object.fromEntries(
    Object.entries(KNOWN).map(([metric, { fields }]) => [
      metric,
      z.array(z.object(Object.fromEntries(Object.keys(fields).map((name) => [name, cell])))).optional(),
    ]),
  ),
);

/**
 * A reply as an object of its metrics, every name in lower case without blanks, for the vendor spells them in several ways;
 * what is no reply stays as it is.
 */
export function ordered(json: unknown): unknown {
  if (!Array.isArray(json)) return json;
  const metrics = json.filter(isFields).map(({ metricName, information }) => {
    const rows = Array.isArray(information) ? information : [];
    const named = rows.map((row) =>
      isFields(row) ? Object.fromEntries(Object.entries(row).map(([key, value]) => [plain(key), value])) : row
    );
    return [plain(String(metricName)), named] as const;
  });
  return Object.fromEntries(metrics);
}

/** What the events of a page or a project are called. */
export const EVENT_METRICS = [
  "dead_clicks",
  "rage_clicks",
  "excessive_scroll",
  "quickbacks",
  "script_errors",
  "error_clicks",
] as const;
/** The lists of what came most often; only without dimensions. */
export const TOP_LISTS = ["devices", "browsers", "os", "countries", "pages", "titles", "referrers"] as const;
/** Lists whose names are addresses. */
const ADDRESSES: ReadonlySet<string> = new Set(["pages", "referrers"]);

const NAME_CHARACTERS = 200;

/** Reads a reply to a question by those dimensions; addresses among these are still whole. Throws E_UPSTREAM where it is none, Undivided where rows lack a dimension. */
export function readReply(json: unknown, dimensions: readonly Dimension[]): Block[] {
  // Of a project without visitors each metric is there, without rows or with noughts.
  if (!Array.isArray(json) || json.length === 0) throw unreadable("no list of metrics");
  const all = json.map((one) => {
    if (!isFields(one) || typeof one.metricName !== "string") throw unreadable("a metric without a name");
    const rows = one.information ?? [];
    if (!Array.isArray(rows)) throw unreadable("a metric without rows");
    return { metric: one.metricName, rows: rows.filter(isFields) };
  });
  const blocks = all.map(({ metric, rows }) => readBlock(metric, rows, dimensions));
  // Rows of a project without visitors say nothing of anybody, and may lack what they would be divided by.
  const visited = blocks.some(({ name, rows }) => name === "traffic" && rows.some((row) => row["sessions"]));
  const present = new Set(all.flatMap(({ rows }) => rows.flatMap((row) => Object.keys(row).map(plain))));
  const lacking = dimensions.find((one) => !DIMENSIONS[one].keys.some((key) => present.has(key)));
  if (visited && lacking !== undefined) throw new Undivided(lacking);
  return blocks;
}

function readBlock(
  metric: string,
  rows: readonly Record<string, unknown>[],
  dimensions: readonly Dimension[],
): Block {
  const known = Object.hasOwn(KNOWN, plain(metric)) ? KNOWN[plain(metric)] : undefined;
  const name = known?.name ?? snake(metric);
  const keys: ReadonlySet<string> = new Set(dimensions.flatMap((one) => DIMENSIONS[one].keys));
  return {
    name,
    rows: rows.map((row) => {
      const values = new Map(Object.entries(row).map(([key, value]) => [plain(key), value]));
      const split = dimensions.map((one) => [one, dimensionOf(values, one)] as const);
      const rest = Object.entries(row).filter(([key]) => !keys.has(plain(key)));
      return Object.fromEntries([...split, ...(known ? fields(known, rest) : strange(rest))]);
    }),
  };
}

function dimensionOf(values: ReadonlyMap<string, unknown>, one: Dimension): Cell {
  return nameOf(DIMENSIONS[one].keys.map((key) => values.get(key)).find((value) => value !== undefined));
}

/** The fields of ours; those that the row lacks are null, so that rows of a metric look alike. */
function fields(known: Known, row: readonly [string, unknown][]): [string, Cell][] {
  const found = new Map(row.map(([key, value]) => [plain(key), value]));
  const ours = new Map<string, Cell>();
  for (const [theirs, name] of Object.entries(known.fields)) {
    const value = found.get(theirs);
    if (name !== "name") ours.set(name, ours.get(name) ?? rounded(numberOf(value)));
    else ours.set(name, ADDRESSES.has(known.name) ? withoutQuery(nameOf(value)) : nameOf(value));
  }
  return [...ours];
}

/** What a metric that nobody knows says, as it is: numbers as numbers, and of addresses only what names the page. */
function strange(row: readonly [string, unknown][]): [string, Cell][] {
  return row.map(([key, value]) => {
    const text = nameOf(value);
    return [snake(key), rounded(numberOf(value)) ?? (text?.includes("://") ? withoutQuery(text) : text)];
  });
}

/** A number as the vendor may write it: integers come as text. null for anything else. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const text = value.trim().replace(/(\d),(?=\d{3}(\D|$))/g, "$1").replace(/(?<!\s)\s*%$/, "");
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}

/** More digits say nothing more. */
export function rounded<Value extends number | null>(value: Value): Value {
  return value === null ? value : Math.round(value * 10_000) / 10_000 as Value;
}

function nameOf(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  return cut(String(value), NAME_CHARACTERS);
}

/** An address without query and fragment, which may hold visitors' data; null for none. */
export function withoutQuery(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  return url && url.origin !== "null" ? `${url.origin}${url.pathname}` : text.replace(/[?#].*$/s, "");
}

/** `DeadTapCount` as `dead_tap_count`. */
const snake = (name: string) =>
  name.trim().replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_").toLowerCase()
    .slice(0, NAME_CHARACTERS);
