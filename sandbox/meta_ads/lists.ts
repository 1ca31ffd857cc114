/** The edges of an ad account: campaigns, ad sets and ads, filtered by state and parent, cut to the fields asked for. */
import { among, bad, listOf, only } from "./answers.ts";
import { STATES } from "./words.ts";
import type { Node, World } from "./world.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Fields of each node that the stand-in answers; another one is refused as Meta refuses one that does not exist. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  account: words(
    "id account_id name currency account_status amount_spent spend_cap balance timezone_name disable_reason " +
      "timezone_offset_hours_utc business created_time",
  ),
  campaigns: words(
    "id account_id name objective status effective_status buying_type bid_strategy daily_budget lifetime_budget " +
      "budget_remaining start_time stop_time",
  ),
  adsets: words(
    "id account_id name campaign_id status effective_status daily_budget lifetime_budget budget_remaining " +
      "optimization_goal billing_event bid_strategy start_time end_time",
  ),
  ads: words("id account_id name adset_id campaign_id status effective_status creative"),
};
const LISTED = [
  "fields",
  "effective_status",
  "filtering",
  "limit",
  "after",
  "appsecret_proof",
  "access_token",
];
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  campaigns: { "campaign.id": "id" },
  adsets: { "campaign.id": "campaign_id", "adset.id": "id" },
  ads: { "campaign.id": "campaign_id", "adset.id": "adset_id", "ad.id": "id" },
};
/** Left out where no state is asked for. */
const GONE = ["ARCHIVED", "DELETED"];

/** The rows of an edge, all of them. */
export function edge(
  world: World,
  account: string,
  name: "campaigns" | "adsets" | "ads",
  query: URLSearchParams,
): object[] {
  only(query, LISTED);
  const states = listOf("effective_status", query.get("effective_status"));
  among("effective_status", states, STATES[name]!);
  const filters = filtersOf(query.get("filtering"), FILTERS[name]!);
  const rows = world[name].filter((node) => {
    const state = String(node["effective_status"]);
    return node.account_id === account &&
      (states.length > 0 ? states.includes(state) : !GONE.includes(state)) &&
      filters.every(([field, value]) => node[field] === value);
  });
  return rows.map((row) => view(row, name, query.get("fields")));
}

function filtersOf(text: string | null, known: Readonly<Record<string, string>>): [string, string][] {
  if (text === null) return [];
  let filters: unknown;
  try {
    filters = JSON.parse(text);
  } catch {
    throw bad("Param filtering must be an array");
  }
  if (!Array.isArray(filters)) throw bad("Param filtering must be an array");
  return filters.map(({ field, operator, value }) => {
    if (known[field] === undefined || operator !== "EQUAL") {
      throw bad(`Filtering field '${field}' is not supported`);
    }
    return [known[field], String(value)];
  });
}

/** A node with the fields asked for; without any only its id. */
export function view(node: object, of: string, asked: string | null): Record<string, unknown> {
  const all = node as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const [, name, inner] of (asked ?? "").matchAll(/([a-z_]+)(?:\{([^}]*)\})?/g)) {
    if (!FIELDS[of]!.has(name!)) {
      throw bad(`Tried accessing nonexisting field (${name}) on node type (${of})`);
    }
    const value = all[name!];
    if (value === undefined) continue;
    const parts = inner === undefined ? ["id"] : inner.split(",");
    shown[name!] = typeof value === "object" && value !== null
      ? Object.fromEntries(parts.map((part) => [part, (value as Node)[part]]))
      : value;
  }
  return { ...shown, id: all["id"] };
}
