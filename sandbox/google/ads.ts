/** Queries of the stand-in's ads customers: a small part of the query language, answered in batches. */
import { Refusal, type Strict } from "./refusal.ts";
import type { Holder, World } from "./world.ts";

const VERSION = "v26";

/** A failure as Google Ads words it. */
function failed(status: number, word: string, kind: string, code: string, message: string): Refusal {
  const type = `type.googleapis.com/google.ads.googleads.${VERSION}.errors.GoogleAdsFailure`;
  const details = [{
    "@type": type,
    errors: [{ errorCode: { [kind]: code }, message }],
    requestId: "request-1",
  }];
  return new Refusal(status, word, "Request contains an invalid argument.", { details });
}
const wrong = (code: string, message: string) => failed(400, "INVALID_ARGUMENT", "queryError", code, message);

type Row = Readonly<Record<string, unknown>>;
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The value of a field such as `metrics.cost_micros`; undefined where there is none. */
function valueOf(row: Row, field: string): unknown {
  return field.split(".").reduce<unknown>(
    (at, part) => (at as Record<string, unknown> | undefined)?.[camel(part)],
    row,
  );
}

const CONDITION = /^([\w.]+)\s*(!=|>=|<=|=|>|<|\bIN\b|\bNOT IN\b|\bLIKE\b|\bDURING\b|\bBETWEEN\b)\s*(.+)$/is;
const QUERY =
  /^\s*SELECT\s+(?<fields>.+?)\s+FROM\s+(?<resource>\w+)(?:\s+WHERE\s+(?<where>.+?))?(?:\s+ORDER\s+BY\s+(?<order>.+?))?(?:\s+LIMIT\s+(?<limit>\d+))?(?:\s+PARAMETERS\s+.+)?\s*$/is;
const literal = (text: string) => text.trim().replace(/^(['"])(.*)\1$/s, "$2");

/** The days of a word (https://developers.google.com/google-ads/api/docs/query/date-ranges); of weeks only those to yesterday. */
function during(word: string, now: number): [string, string] {
  const today = new Date(now).toISOString().slice(0, 10);
  const day = (back: number) => new Date(now - back * 86_400_000).toISOString().slice(0, 10);
  const month = today.slice(0, 8) + "01";
  const before = new Date(Date.parse(month) - 86_400_000).toISOString().slice(0, 10);
  switch (word.trim().toUpperCase()) {
    case "TODAY":
      return [today, today];
    case "YESTERDAY":
      return [day(1), day(1)];
    case "LAST_7_DAYS":
      return [day(7), day(1)];
    case "LAST_14_DAYS":
      return [day(14), day(1)];
    case "LAST_30_DAYS":
      return [day(30), day(1)];
    case "THIS_MONTH":
      return [month, today];
    case "LAST_MONTH":
      return [before.slice(0, 8) + "01", before];
    default:
      throw wrong("INVALID_VALUE_WITH_DURING_OPERATOR", `Invalid date literal '${word}'.`);
  }
}

function testOf(text: string, now: number): (row: Row) => boolean {
  const [, field, operator, rest] = CONDITION.exec(text.trim()) ?? [];
  if (!field || !operator || !rest) throw wrong("BAD_OPERATOR", `Error in WHERE clause: '${text}'.`);
  const compare = (row: Row, to: string) => {
    const value = valueOf(row, field);
    if (value === undefined) {
      throw wrong("UNRECOGNIZED_FIELD", `Unrecognized field in the query: '${field}'.`);
    }
    return /^-?\d/.test(to) && !to.includes("-", 1)
      ? Number(value) - Number(to)
      : String(value) < to
      ? -1
      : String(value) > to
      ? 1
      : 0;
  };
  const one = literal(rest);
  switch (operator.toUpperCase()) {
    case "=":
      return (row) => compare(row, one) === 0;
    case "!=":
      return (row) => compare(row, one) !== 0;
    case ">":
      return (row) => compare(row, one) > 0;
    case "<":
      return (row) => compare(row, one) < 0;
    case ">=":
      return (row) => compare(row, one) >= 0;
    case "<=":
      return (row) => compare(row, one) <= 0;
    case "IN":
    case "NOT IN": {
      const all = rest.replace(/^\(|\)$/g, "").split(",").map(literal);
      const within = operator.toUpperCase() === "IN";
      return (row) => all.some((value) => compare(row, value) === 0) === within;
    }
    case "LIKE": {
      const pattern = new RegExp(`^${one.split("%").map(RegExp.escape).join(".*")}$`, "is");
      return (row) => pattern.test(String(valueOf(row, field)));
    }
    case "DURING": {
      const [from, to] = during(one, now);
      return (row) => compare(row, from) >= 0 && compare(row, to) <= 0;
    }
    default: {
      const [from = "", to = ""] = rest.split(/\s+AND\s+/i).map(literal);
      return (row) => compare(row, from) >= 0 && compare(row, to) <= 0;
    }
  }
}

/** Conditions joined by AND; the AND of a BETWEEN joins none. */
function conditions(text: string): string[] {
  const parts = text.split(/\s+AND\s+/i);
  return parts.reduce<string[]>((all, part) => {
    const last = all.at(-1);
    const open = last !== undefined && /\bBETWEEN\s+\S+$/i.test(last);
    return open ? [...all.slice(0, -1), `${last} AND ${part}`] : [...all, part];
  }, []);
}

/** Only what was selected, nested as before, and what names the resource. */
function selected(row: Row, fields: readonly string[], resource: string): Row {
  const result: Record<string, Record<string, unknown>> = {};
  for (const field of fields) {
    const [head = "", ...rest] = field.split(".").map(camel);
    const value = valueOf(row, field);
    if (value === undefined) {
      throw wrong("UNRECOGNIZED_FIELD", `Unrecognized field in the query: '${field}'.`);
    }
    (result[head] ??= {})[rest.join(".")] = value;
  }
  const own = (row[camel(resource)] as Record<string, unknown> | undefined)?.["resourceName"];
  if (own !== undefined) (result[camel(resource)] ??= {})["resourceName"] = own;
  return result;
}

/**
 * A row for each of the resource and of the segments that are selected, metrics added up over all others
 * (https://developers.google.com/google-ads/api/docs/reporting/segmentation).
 */
function addedUp(rows: readonly Row[], fields: readonly string[], resource: string): Row[] {
  const about = fields.filter((field) => !field.startsWith("metrics."));
  const groups = Map.groupBy(rows, (row) => {
    const own = (row[camel(resource)] as Record<string, unknown> | undefined)?.["resourceName"];
    return JSON.stringify([own ?? null, ...about.map((field) => valueOf(row, field) ?? null)]);
  });
  return [...groups.values()].map((all) => {
    const metrics = all.flatMap((row) => row["metrics"] === undefined ? [] : [row["metrics"] as Row]);
    if (metrics.length < 2) return all[0]!;
    const sum = (name: string) => metrics.reduce((total, one) => total + Number(one[name]), 0);
    const sums = Object.entries(metrics[0]!).map(([name, value]) =>
      // Whole numbers are texts; what is a number is a share, alike in all rows of the stand-in's own customers.
      [name, typeof value === "string" ? String(sum(name)) : sum(name) / metrics.length] as const
    );
    return { ...all[0]!, metrics: Object.fromEntries(sums) };
  });
}

/** What a query finds of one customer, in batches of that many rows. */
export function searchStream(
  world: World,
  strict: Strict,
  holder: Holder,
  { id, body, headers, now, batch }: {
    readonly id: string;
    readonly body: unknown;
    readonly headers: Headers;
    readonly now: number;
    readonly batch: number;
  },
): object[] {
  if (!/^\d{10}$/.test(id)) strict.breach("a customer has ten digits");
  const login = headers.get("login-customer-id");
  if (login !== null && !/^\d{10}$/.test(login)) strict.breach("login-customer-id has ten digits");
  const { query } = strict.fields(body, ["query", "summaryRowSetting"], "search_google_ads_stream_request");
  const customer = world.customers.get(id);
  const reachable = customer?.readers.has(holder.account) &&
    (customer.manager === null || customer.manager === login);
  if (!customer || !reachable) {
    throw failed(
      403,
      "PERMISSION_DENIED",
      "authorizationError",
      "USER_PERMISSION_DENIED",
      "User doesn't have permission to access customer. Note: If you're accessing a client customer, the manager's " +
        "customer id must be set in the 'login-customer-id' header.",
    );
  }
  const parts = QUERY.exec(String(query))?.groups;
  if (!parts) throw wrong("EXPECTED_FROM", "Error in query: unexpected input.");
  const { resource = "", where, order, limit } = parts;
  const source = customer.rows[resource];
  if (!source) {
    throw wrong("BAD_RESOURCE_TYPE_IN_FROM_CLAUSE", `Error in FROM clause: '${resource}' is unknown.`);
  }
  const fields = (parts["fields"] ?? "").split(",").map((one) => one.trim());
  const tests = (where === undefined ? [] : conditions(where)).map((one) => testOf(one, now));
  let rows = addedUp(source.filter((row) => tests.every((test) => test(row))), fields, resource);
  for (const part of (order ?? "").split(",").map((one) => one.trim()).filter(Boolean).reverse()) {
    const [field = "", way = "ASC"] = part.split(/\s+/);
    const sign = way.toUpperCase() === "DESC" ? -1 : 1;
    rows = rows.toSorted((a, b) => {
      const [one, other] = [valueOf(a, field), valueOf(b, field)].map((value) =>
        Number.isFinite(Number(value)) ? Number(value) : String(value)
      ) as [number, number];
      return one === other ? 0 : one < other ? -sign : sign;
    });
  }
  const found = rows.slice(0, limit === undefined ? undefined : Number(limit))
    .map((row) => selected(row, fields, resource));
  const fieldMask = fields.map(camel).join(",");
  if (found.length === 0) return [{ fieldMask, requestId: "request-1" }];
  return Array.from({ length: Math.ceil(found.length / batch) }, (_, at) => ({
    results: found.slice(at * batch, (at + 1) * batch),
    fieldMask,
    requestId: "request-1",
  }));
}
