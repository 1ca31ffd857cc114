/** Meta with one made-up ad account: its routes as the vendor's pages describe them, worked out from each single view. */
import { createHmac } from "node:crypto";
import {
  type Channel,
  dayThere,
  type Happening,
  type MetaTruth,
  type Node,
  OFFSETS,
  type Shown,
} from "./_meta_world.ts";

/** The app, and the token of the person who connected it. */
export const APP = { id: "4711", secret: "app-secret-of-the-worlds" };
export const TOKEN = "EAABtoken-of-the-worlds";

type Row = Record<string, unknown>;
interface Days {
  readonly from: string;
  readonly to: string;
}

/** What a request asks for that the vendor's pages do not know, or asks wrongly. */
class Refused extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** An amount as Meta writes it in a report: whole units, with as many decimals as the currency has. */
function decimal(parts: number, offset: 1 | 100): string {
  if (offset === 1) return String(parts);
  return `${Math.trunc(parts / 100)}.${String(parts % 100).padStart(2, "0")}`;
}

/** How one conversion is listed, by where it happened: its own entry, and its aliases. */
const ENTRIES: Readonly<Record<Channel, (kind: string) => readonly string[]>> = {
  website: (kind) => [`offsite_conversion.fb_pixel_${PIXEL[kind] ?? kind}`],
  app: (kind) => [`app_custom_event.fb_mobile_${MOBILE[kind] ?? kind}`],
  onsite: (kind) =>
    kind === "lead"
      ? ["onsite_conversion.lead_grouped", "leadgen_grouped", "leadgen.other"]
      : [`onsite_conversion.${kind}`, `onsite_web_${kind}`],
  shop: () => [],
};
/** Names that differ by where they are counted. */
const PIXEL: Readonly<Record<string, string>> = { initiated_checkout: "initiate_checkout" };
const MOBILE: Readonly<Record<string, string>> = { view_content: "content_view" };
const PLAIN: Readonly<Record<string, string>> = { initiated_checkout: "initiate_checkout" };

/** Under which names a conversion stands in `actions`: several at once, each with the same one counted. */
function namesOf({ kind, channel }: Happening, account: MetaTruth["names"]): readonly string[] {
  const own = ENTRIES[channel](kind);
  const plain = PLAIN[kind] ?? kind;
  if (account === "channels") return own;
  if (account === "plain") return [...own, plain];
  return channel === "shop" ? [`omni_${kind}`] : [...own, plain, `omni_${kind}`];
}

function actionsOf(world: MetaTruth, rows: readonly Shown[], of: (one: Happening) => number): Row[] {
  const sums = new Map<string, number>([["link_click", rows.reduce((sum, { clicks }) => sum + clicks, 0)]]);
  for (const one of rows.flatMap(({ happened }) => happened)) {
    for (const name of namesOf(one, world.names)) sums.set(name, (sums.get(name) ?? 0) + of(one));
  }
  return [...sums].filter(([, value]) => value > 0).map(([action_type, value]) => ({
    action_type,
    value: String(value),
  }));
}

/** A figure of some views; undefined where Meta leaves it out. */
function figure(name: string, rows: readonly Shown[], world: MetaTruth): unknown {
  const offset = OFFSETS[world.currency]!;
  const impressions = rows.reduce((sum, { people }) => sum + people.length, 0);
  const clicks = rows.reduce((sum, one) => sum + one.clicks, 0);
  const spent = rows.reduce((sum, one) => sum + one.spent, 0);
  switch (name) {
    case "impressions":
      return String(impressions);
    case "clicks":
      return String(clicks);
    case "reach":
      return String(new Set(rows.flatMap(({ people }) => people)).size);
    case "spend":
      return decimal(spent, offset);
    case "cpc":
      return clicks === 0 ? undefined : (spent / offset / clicks).toFixed(6);
    case "cpm":
      return (spent / offset / impressions * 1000).toFixed(6);
    case "ctr":
      return (clicks / impressions * 100).toFixed(6);
    case "actions": {
      const list = actionsOf(world, rows, () => 1);
      return list.length > 0 ? list : undefined;
    }
    case "action_values": {
      const list = actionsOf(world, rows, ({ worth }) => worth).filter(({ action_type }) =>
        action_type !== "link_click"
      );
      return list.length > 0
        ? list.map((one) => ({ ...one, value: decimal(Number(one["value"]), offset) }))
        : undefined;
    }
    default:
      throw new Refused(100, `(#100) ${name} is not valid for fields param`);
  }
}

/** The days of a named time, in the account's calendar. */
function presetDays(preset: string, { now, zone }: MetaTruth): Days {
  const back = (days: number) => dayThere(now, zone, -days);
  const today = Temporal.PlainDate.from(back(0));
  const last = /^last_(\d+)d$/.exec(preset);
  if (last) return { from: back(Number(last[1])), to: back(1) };
  const monthOf = (date: Temporal.PlainDate) => date.toString().slice(0, 8);
  const before = today.subtract({ months: 1 });
  switch (preset) {
    case "today":
      return { from: back(0), to: back(0) };
    case "yesterday":
      return { from: back(1), to: back(1) };
    case "this_month":
      return { from: `${monthOf(today)}01`, to: back(0) };
    case "last_month":
      return {
        from: `${monthOf(before)}01`,
        to: `${monthOf(before)}${String(before.daysInMonth).padStart(2, "0")}`,
      };
    case "last_week_mon_sun":
      return { from: back(today.dayOfWeek + 6), to: back(today.dayOfWeek) };
    case "last_week_sun_sat":
      return { from: back(today.dayOfWeek % 7 + 7), to: back(today.dayOfWeek % 7 + 1) };
    default:
      throw new Refused(100, `(#100) date_preset ${preset}`);
  }
}

/** The times of a report, one for each step. */
function steps({ from, to }: Days, increment: string): Days[] {
  if (increment === "all_days") return [{ from, to }];
  const found: Days[] = [];
  for (let at = Temporal.PlainDate.from(from); at.toString() <= to;) {
    const end = increment === "monthly"
      ? at.with({ day: at.daysInMonth })
      : at.add({ days: Number(increment) - 1 });
    found.push({ from: at.toString(), to: end.toString() < to ? end.toString() : to });
    at = end.add({ days: 1 });
  }
  return found;
}

/** What an ad belongs to, by the level. */
function ownerOf(world: MetaTruth, ad: string, level: string): Node | null {
  const own = world.ads.find(({ id }) => id === ad)!;
  const set = world.adsets.find(({ id }) => id === own.parent)!;
  const campaign = world.campaigns.find(({ id }) => id === set.parent)!;
  return { ad: own, adset: set, campaign, account: null }[level] ?? null;
}

function insights(world: MetaTruth, query: URLSearchParams): Row[] {
  const level = query.get("level") ?? "account";
  const range = query.get("time_range");
  const { since, until } = JSON.parse(range ?? "{}") as Record<string, string>;
  const days = range === null
    ? presetDays(query.get("date_preset") ?? "last_30d", world)
    : { from: since!, to: until! };
  const by = (query.get("breakdowns") ?? "").split(",").filter(Boolean) as (keyof Shown)[];
  const fields = query.get("fields")!.split(",");
  const rows = steps(days, query.get("time_increment") ?? "all_days").flatMap((step) => {
    const inside = world.shown.filter(({ day }) => day >= step.from && day <= step.to);
    const groups = Map.groupBy(
      inside,
      (one) => JSON.stringify([ownerOf(world, one.ad, level)?.id, ...by.map((name) => one[name])]),
    );
    return [...groups.values()].map((group): Row => {
      const first = group[0]!;
      const owner = ownerOf(world, first.ad, level);
      const naming: Row = {
        account_id: world.id,
        account_currency: world.currency,
        [`${level}_id`]: owner?.id ?? world.id,
        [`${level}_name`]: owner?.name ?? "The account",
      };
      const told = fields.map((name) =>
        [name, name in naming ? naming[name] : figure(name, group, world)] as const
      );
      return {
        ...Object.fromEntries(told.filter(([, value]) => value !== undefined)),
        ...Object.fromEntries(by.map((name) => [name, first[name]])),
        date_start: step.from,
        date_stop: step.to,
      };
    });
  });
  const sort = JSON.parse(query.get("sort") ?? "[]") as string[];
  const [, name, way] = /^(\w+)_(ascending|descending)$/.exec(sort[0] ?? "") ?? [];
  if (name !== undefined) {
    rows.sort((a, b) => (Number(a[name]) - Number(b[name])) * (way === "ascending" ? 1 : -1));
  }
  return rows;
}

/** Those of an edge, those whose state or parent is asked for alone. */
function listed(world: MetaTruth, edge: "campaigns" | "adsets" | "ads", query: URLSearchParams): Row[] {
  const states = JSON.parse(query.get("effective_status") ?? "null") as string[] | null;
  const filters = JSON.parse(query.get("filtering") ?? "[]") as { field: string; value: string }[];
  const setOf = (id: string | null) => world.adsets.find((one) => one.id === id);
  const belongs = (one: Node) =>
    filters.every(({ field, value }) =>
      field === "campaign.id"
        ? (edge === "ads" ? setOf(one.parent)!.parent : one.parent) === value
        : one.parent === value
    );
  return world[edge].filter((one) => (states === null || states.includes(one.status)) && belongs(one)).map((
    one,
  ) => ({
    id: one.id,
    account_id: world.id,
    name: one.name,
    status: one.status,
    effective_status: one.status,
    ...edge === "campaigns" ? { objective: "OUTCOME_LEADS" } : {},
    ...edge === "adsets" ? { campaign_id: one.parent } : {},
    ...edge === "ads" ? { adset_id: one.parent, campaign_id: setOf(one.parent)!.parent } : {
      daily_budget: String(one.daily_budget),
      lifetime_budget: String(one.lifetime_budget),
      budget_remaining: String(one.budget_remaining),
    },
  }));
}

/** A page: `next` alone says that there is another, and holds the token, as Meta's does; cursors are there on each. */
function page(rows: readonly Row[], url: URL): Row {
  const { searchParams: query } = url;
  const begin = query.get("after") === null ? 0 : Number(atob(query.get("after")!));
  const end = begin + Number(query.get("limit") ?? 25);
  const after = btoa(String(Math.min(end, rows.length)));
  const data = rows.slice(begin, end);
  if (data.length === 0) return { data };
  return {
    data,
    paging: {
      cursors: { before: btoa(String(begin)), after },
      ...end < rows.length
        ? { next: `${url.origin}${url.pathname}?access_token=${TOKEN}&after=${after}` }
        : {},
    },
  };
}

function answerOf(world: MetaTruth, url: URL): Row {
  const { searchParams: query, pathname } = url;
  const edge = pathname.split(`/act_${world.id}`)[1];
  const facts = {
    currency: world.currency,
    account_status: 1,
    amount_spent: String(world.amount_spent),
    name: "The account",
  };
  if (pathname.endsWith("/me/adaccounts")) return page([{ id: `act_${world.id}`, ...facts }], url);
  if (edge === "") {
    return {
      id: `act_${world.id}`,
      account_id: world.id,
      ...facts,
      spend_cap: String(world.spend_cap),
      balance: String(world.balance),
      timezone_name: world.zone,
      created_time: "2019-01-01T00:00:00+0000",
    };
  }
  if (edge === "/insights") return page(insights(world, query), url);
  if (edge === "/campaigns" || edge === "/adsets" || edge === "/ads") {
    return page(listed(world, edge.slice(1) as "ads", query), url);
  }
  throw new Refused(100, "Unsupported get request");
}

/** Answers a signed read of the account; anything else as Meta refuses it. */
export function metaServer(world: MetaTruth): { fetch: typeof fetch; asked: string[] } {
  const asked: string[] = [];
  const proof = createHmac("sha256", APP.secret).update(TOKEN).digest("hex");
  return {
    asked,
    fetch: (input, init) => {
      const url = new URL(String(input));
      asked.push(url.href);
      try {
        if (init?.method !== "GET") throw new Refused(100, "Unsupported method");
        if (new Headers(init.headers).get("authorization") !== `Bearer ${TOKEN}`) {
          throw new Refused(190, "Invalid token");
        }
        if (url.searchParams.get("appsecret_proof") !== proof) {
          throw new Refused(100, "Invalid appsecret_proof");
        }
        return Promise.resolve(Response.json(answerOf(world, url)));
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        const error = { message: thrown.message, type: "OAuthException", code: thrown.code };
        return Promise.resolve(Response.json({ error }, { status: 400 }));
      }
    },
  };
}
