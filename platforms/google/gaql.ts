/** A query of Google Ads before it is sent: one SELECT, of the site's own customer. */
import { GatewayError } from "../../core/errors.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", `query: ${message}`);

/** Strings in either quotes, words with dots, numbers, and single marks. */
const TOKENS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|\d[\d-]*|[^\s]/g;
/** Resources whose rows are other customers. */
const OTHER_CUSTOMERS = new Set([
  "customer_client",
  "customer_client_link",
  "customer_manager_link",
]);
/** Fields whose value is a customer. */
const CUSTOMER_FIELDS =
  /^(customer\.id|customer_client\.id|\w+\.owner_account|segments\.external_customer_id)$/i;

const withoutQuotes = (token: string) => /^['"]/.test(token) ? token.slice(1, -1) : token;
const digits = (text: string) => text.replaceAll("-", "");

/**
 * Refuses with E_BAD_INPUT what is no single SELECT, and what asks for another customer than the site's, or for which
 * others there are.
 */
export function checkQuery(query: string, customer: string | null): void {
  const tokens: readonly string[] = query.match(TOKENS) ?? [];
  const words = tokens.map((token) => token.toLowerCase());
  if (words[0] !== "select") {
    throw bad(
      "expected a SELECT statement of the Google Ads query language, such as SELECT campaign.name FROM campaign",
    );
  }
  if (tokens.includes(";")) throw bad("expected one statement without a semicolon");
  if (tokens.some((token) => /^['"]$/.test(token))) throw bad("a quote is not closed");
  if (words.indexOf("select", 1) > 0) throw bad("expected one SELECT; there are no queries within a query");
  const from = words.indexOf("from");
  if (from < 0 || words[from + 1] === undefined) throw bad("expected FROM and the resource that is read");
  if (words.indexOf("from", from + 1) > 0) throw bad("expected one FROM, and one resource after it");
  // At any place: what the vendor takes for FROM and its resource need not be what is taken for it here.
  const resource = words.map((word) => word.split(".")[0]!).find((word) => OTHER_CUSTOMERS.has(word));
  if (resource !== undefined) {
    throw bad(`"${resource}" lists other customers, and only the site's own is read`);
  }
  if (customer !== null) checkCustomer(tokens, customer);
}

/** Days as YYYY-MM-DD, both included. */
interface QueryDays {
  readonly from: string;
  readonly to: string;
}

/** A day as Google takes it, YYYY-MM-DD or YYYYMMDD, or null. */
function dayOf(token: string | undefined): string | null {
  const text = withoutQuotes(token ?? "");
  const day = text.length === 8 ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : text;
  return day.length === 10 && !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? day : null;
}

/**
 * The days of a word after DURING (https://developers.google.com/google-ads/api/docs/query/date-ranges). Weeks are Google's
 * to read: on some days of a week two readings fit.
 */
function during(word: string | undefined, today: string): QueryDays | null {
  const now = Temporal.PlainDate.from(today);
  const back = (from: number, to: number) => ({
    from: now.subtract({ days: from }).toString(),
    to: now.subtract({ days: to }).toString(),
  });
  const first = now.with({ day: 1 });
  const last = first.subtract({ days: 1 });
  const ranges: Readonly<Record<string, QueryDays>> = {
    today: back(0, 0),
    yesterday: back(1, 1),
    last_7_days: back(7, 1),
    last_14_days: back(14, 1),
    last_30_days: back(30, 1),
    this_month: { from: first.toString(), to: today },
    last_month: { from: last.with({ day: 1 }).toString(), to: last.toString() },
  };
  return Object.hasOwn(ranges, word ?? "") ? ranges[word!]! : null;
}

/** The days that one condition on segments.date leaves; open ends are empty, null where it is none that is read here. */
function condition(tokens: readonly string[], words: readonly string[], at: number, today: string) {
  const [operator, second] = [words[at + 1], words[at + 2]];
  if (operator === "during") return during(second, today);
  if (operator === "between" && words[at + 3] === "and") {
    const [from, to] = [dayOf(tokens[at + 2]), dayOf(tokens[at + 4])];
    return from === null || to === null ? null : { from, to };
  }
  const isEqual = second === "=";
  const day = dayOf(tokens[at + (isEqual ? 3 : 2)]);
  if (day === null) return null;
  const move = (days: number) => Temporal.PlainDate.from(day).add({ days: isEqual ? 0 : days }).toString();
  if (operator === "=") return { from: day, to: day };
  if (operator === ">") return { from: move(1), to: "" };
  return operator === "<" ? { from: "", to: move(-1) } : null;
}

/**
 * What a query that was checked says of its time: the days that its conditions on segments.date leave, and whether it asks
 * for figures. Null where there are no such conditions, or one that is not read here. `today` is the customer's.
 */
export function timeOf(
  query: string,
  today: string,
): { readonly days: QueryDays | null; readonly hasMetrics: boolean } {
  const tokens: readonly string[] = query.match(TOKENS) ?? [];
  const words = tokens.map((token) => token.toLowerCase());
  const hasMetrics = words.some((word) => word.startsWith("metrics."));
  const [where, end] = [words.indexOf("where"), words.indexOf("order")];
  const found = words.flatMap((word, at) =>
    word === "segments.date" && where >= 0 && at > where && (end < where || at < end)
      ? [condition(tokens, words, at, today)]
      : []
  );
  if (found.length === 0 || found.includes(null)) return { days: null, hasMetrics };
  const from = found.map((one) => one!.from).toSorted().at(-1)!;
  const to = found.map((one) => one!.to).filter((day) => day !== "").toSorted()[0] ?? today;
  return { days: from === "" || to < from ? null : { from, to }, hasMetrics };
}

/** Refuses a customer's number, or the name of a resource, of another customer. */
function checkCustomer(tokens: readonly string[], own: string): void {
  const other = (id: string) =>
    bad(`it names the customer ${id}, and only the site's own customer is read; leave the customer out`);
  for (const [at, token] of tokens.entries()) {
    for (const [, id] of withoutQuotes(token).matchAll(/customers\/([\d-]+)/gi)) {
      if (digits(id!) !== own) throw other(id!);
    }
    if (!CUSTOMER_FIELDS.test(token)) continue;
    // What the field is compared with: all that follows up to the next word of the language.
    for (let next = at + 1; next < tokens.length; next++) {
      const value = withoutQuotes(tokens[next]!);
      if (/^(and|order|limit|parameters|from|where)$/i.test(value)) break;
      if (/^\d[\d-]*$/.test(value) && digits(value) !== own) throw other(value);
    }
  }
}
