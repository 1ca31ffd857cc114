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

const isWord = (token: string | undefined, word: string): boolean => token?.toLowerCase() === word;

/**
 * What a query that was checked says of its time: the days that it names with BETWEEN, and whether it asks for figures. A
 * condition in other words (DURING, comparisons) is Google's to read, so its days are null.
 */
export function timeOf(query: string): { days: { from: string; to: string } | null; hasMetrics: boolean } {
  const tokens: readonly string[] = query.match(TOKENS) ?? [];
  const at = tokens.findIndex((token, index) =>
    isWord(token, "segments.date") && isWord(tokens[index + 1], "between") && isWord(tokens[index + 3], "and")
  );
  const [from, to] = [tokens[at + 2], tokens[at + 4]].map((token) => withoutQuotes(token ?? ""));
  const isRange = at >= 0 && [from!, to!].every((day) => !Number.isNaN(Date.parse(`${day}T00:00:00Z`)));
  return {
    days: isRange ? { from: from!, to: to! } : null,
    hasMetrics: tokens.some((token) => token.toLowerCase().startsWith("metrics.")),
  };
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
