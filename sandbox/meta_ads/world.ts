/** What the stand-in holds: an app, people, ad accounts of two businesses, and what was shown to whom on which day. */

/** An ad account; amounts in what Meta counts its currency in. */
export interface Account {
  readonly id: string;
  name: string;
  currency: string;
  account_status: number;
  amount_spent: number;
  spend_cap: number;
  balance: number;
  timezone_name: string;
  created_time: string;
}
/** A campaign, an ad set or an ad; `parent` is what it is part of. */
export interface Node {
  readonly id: string;
  readonly account_id: string;
  readonly [field: string]: unknown;
}
/** Somebody who can connect. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** Ad accounts that Meta shows to them. */
  readonly accounts: Set<string>;
}
/** To whom an ad is shown. */
export interface Segment {
  readonly age: string;
  readonly gender: string;
  readonly country: string;
  readonly region: string;
  readonly publisher_platform: string;
  readonly platform_position: string;
  readonly impression_device: string;
  readonly device_platform: string;
  readonly hour: number;
}
/** What was shown to a segment on a day, and what came of it; money in what Meta counts the currency in. */
export interface Cell {
  readonly ad: Node;
  /** YYYY-MM-DD in the account's time zone. */
  readonly day: string;
  readonly segment: Segment;
  readonly impressions: number;
  readonly clicks: number;
  readonly inline_link_clicks: number;
  readonly spend: number;
  readonly actions: Readonly<Record<string, number>>;
  readonly values: Readonly<Record<string, number>>;
}
export interface World {
  readonly app: { readonly id: string; readonly secret: string; readonly name: string };
  readonly people: Person[];
  readonly accounts: Account[];
  readonly campaigns: Node[];
  readonly adsets: Node[];
  readonly ads: Node[];
  readonly cells: Cell[];
}

const DAY_MS = 86_400_000;
/** Days with figures before the world was made. */
const DAYS = 120;
/** How old the ad accounts are, with figures or without. */
const AGE_MS = 800 * DAY_MS;
/** The first campaigns run; the rest are there to fill pages. */
const RUNNING = 3;

const SEGMENTS: readonly Segment[] = [
  segment("25-34", "female", "DE", "Berlin", ["facebook", "feed", "iphone", "mobile_app"], 9),
  segment("25-34", "male", "DE", "Hamburg", [
    "instagram",
    "instagram_stories",
    "android_smartphone",
    "mobile_app",
  ], 12),
  segment("35-44", "female", "AT", "Vienna", ["facebook", "feed", "desktop", "desktop"], 20),
  segment("45-54", "male", "DE", "Berlin", [
    "audience_network",
    "an_classic",
    "android_smartphone",
    "mobile_web",
  ], 21),
];

function segment(
  age: string,
  gender: string,
  country: string,
  region: string,
  [publisher_platform, platform_position, impression_device, device_platform]: [
    string,
    string,
    string,
    string,
  ],
  hour: number,
): Segment {
  return {
    age,
    gender,
    country,
    region,
    publisher_platform,
    platform_position,
    impression_device,
    device_platform,
    hour,
  };
}

/** A number of 0 to 1 that is always the same for a text. */
function chance(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
}

/** The client's ad account, one of another client of the same agency, one of another business, one that is disabled. */
export const [OWN, SIBLING, FOREIGN, EMPTY] = ["1001", "1002", "9009", "1004"] as const;

type Shown = Pick<World, "campaigns" | "adsets" | "ads" | "cells">;

/** What was shown around a moment: made once, for it takes longest and every stand-in of a test run needs the same. */
let last: { readonly now: number; readonly shown: Shown } | undefined;

/** A world around a moment; who is given it may change its accounts, people, campaigns and ad sets. */
export function seeded(now: number): World {
  if (last?.now !== now) {
    const shown: Shown = { campaigns: [], adsets: [], ads: [], cells: [] };
    for (const owner of [OWN, SIBLING, FOREIGN]) fill(shown, owner, now);
    shown.ads.forEach(Object.freeze);
    last = { now, shown };
  }
  const { campaigns, adsets, ads, cells } = last.shown;
  const own = (nodes: readonly Node[]) => nodes.map((node) => ({ ...node }));
  return {
    app: { id: "700100200", secret: "app-secret-of-the-stand-in-0123456789", name: "Agency gateway" },
    people: [
      { id: "5001", name: "Ada Agency", accounts: new Set([OWN, SIBLING, EMPTY]) },
      { id: "5002", name: "Bo Nobody", accounts: new Set() },
    ],
    accounts: [
      account(OWN, "Harbour Dental", 1, now - AGE_MS),
      account(SIBLING, "Another client", 1, now - AGE_MS),
      account(FOREIGN, "Another business", 1, now - AGE_MS),
      account(EMPTY, "Not begun", 2, now - AGE_MS),
    ],
    campaigns: own(campaigns),
    adsets: own(adsets),
    ads: [...ads],
    cells: [...cells],
  };
}

/** A moment as Meta writes it. */
const written = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z/, "+0000");

function account(id: string, name: string, account_status: number, made: number): Account {
  return {
    id,
    name,
    currency: "EUR",
    account_status,
    amount_spent: 1234567,
    spend_cap: 0,
    balance: 4567,
    timezone_name: "Europe/Berlin",
    created_time: written(made),
  };
}

function fill(world: Shown, account_id: string, now: number): void {
  const started = written(now - DAYS * DAY_MS);
  const campaigns = account_id === OWN ? 30 : 2;
  for (let at = 0; at < campaigns; at++) {
    const id = `${account_id}1${String(at).padStart(3, "0")}`;
    const running = at < RUNNING;
    const state = at === 28 ? "ARCHIVED" : at === 29 ? "DELETED" : running ? "ACTIVE" : "PAUSED";
    world.campaigns.push({
      id,
      account_id,
      name: `Campaign ${at + 1}`,
      objective: ["OUTCOME_LEADS", "OUTCOME_TRAFFIC", "OUTCOME_SALES"][at % 3],
      status: state,
      effective_status: state,
      buying_type: "AUCTION",
      // Every other campaign leaves its budget to its ad sets.
      ...(at % 2 === 0 ? { daily_budget: "5000", budget_remaining: "2150" } : { budget_remaining: "0" }),
      start_time: started,
      ...(running ? {} : { stop_time: written(now) }),
    });
    if (running) fillCampaign(world, account_id, at, now, started);
  }
}

function fillCampaign(world: Shown, account_id: string, at: number, now: number, started: string): void {
  const campaign = world.campaigns.at(-1)!;
  for (let of = 0; of < 2; of++) {
    const adset: Node = {
      id: `${account_id}2${String(at * 10 + of).padStart(3, "0")}`,
      account_id,
      campaign_id: campaign.id,
      name: `Ad set ${at + 1}.${of + 1}`,
      status: "ACTIVE",
      effective_status: of === 1 && at === 1 ? "CAMPAIGN_PAUSED" : "ACTIVE",
      ...(at % 2 === 1 ? { daily_budget: "2500", lifetime_budget: "0", budget_remaining: "1000" } : {}),
      optimization_goal: "LINK_CLICKS",
      billing_event: "IMPRESSIONS",
      start_time: started,
    };
    world.adsets.push(adset);
    for (let nth = 0; nth < 2; nth++) {
      const ad: Node = {
        id: `${account_id}3${String(at * 100 + of * 10 + nth).padStart(3, "0")}`,
        account_id,
        campaign_id: campaign.id,
        adset_id: adset.id,
        name: `Ad ${at + 1}.${of + 1}.${nth + 1}`,
        status: "ACTIVE",
        effective_status: nth === 1 && of === 1 ? "DISAPPROVED" : "ACTIVE",
        creative: { id: `${account_id}4${at}${of}${nth}`, name: `Creative ${nth + 1}` },
      };
      world.ads.push(ad);
      for (let back = DAYS; back >= 0; back--) {
        const day = new Date(now - back * DAY_MS).toISOString().slice(0, 10);
        for (const [number, one] of SEGMENTS.entries()) world.cells.push(cell(ad, day, one, number));
      }
    }
  }
}

function cell(ad: Node, day: string, one: Segment, number: number): Cell {
  const part = (of: string, most: number) => Math.floor(chance(`${ad.id}|${day}|${number}|${of}`) * most);
  const impressions = 40 + part("impressions", 160);
  const clicks = part("clicks", Math.ceil(impressions / 10));
  const inline_link_clicks = part("links", clicks + 1);
  const lead = part("lead", 3) === 0 ? 1 : 0;
  const purchase = part("purchase", 12) === 0 ? 1 : 0;
  return {
    ad,
    day,
    segment: one,
    impressions,
    clicks,
    inline_link_clicks,
    spend: 20 + part("spend", 400),
    actions: { link_click: inline_link_clicks, lead, purchase },
    values: { purchase: purchase * (1000 + part("value", 9000)) },
  };
}
