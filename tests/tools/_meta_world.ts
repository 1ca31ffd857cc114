/** Made-up ad accounts: who was shown which ad on which day, what that cost and what came of it, each event once. */
import { Dice } from "./_crm_dice.ts";

/**
 * Meta's table of what it counts a currency in, as its page of the Marketing API has it: the number of parts of a whole unit
 * (developers.facebook.com/docs/marketing-api/currencies).
 */
export const OFFSETS: Readonly<Record<string, 1 | 100>> = {
  ...Object.fromEntries(
    ("DZD ARS AUD BHD BDT BOB BGN BRL GBP CAD CNY HRK CZK DKK EGP EUR GTQ HNL HKD INR ILS JOD KES LVL LTL MOP MYR MXN NZD " +
      "NIO NGN NOK PKR PEN PHP PLN QAR RON RUB SAR RSD SGD SKK ZAR SEK CHF THB TRY AED UAH USD UYU VEF VES FBZ")
      .split(" ")
      .map((code) => [code, 100 as const]),
  ),
  ...Object.fromEntries(
    "CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND".split(" ").map((code) => [code, 1 as const]),
  ),
};

/** Where a conversion happened; one in a shop is an entry of its own in no report, and only in the sum of all channels. */
export type Channel = "website" | "app" | "onsite" | "shop";
/** What happened because of an ad, once. */
export interface Happening {
  readonly kind: string;
  readonly channel: Channel;
  /** In what Meta counts the currency in; 0 for what is worth nothing. */
  readonly worth: number;
}

/** One ad on one day before one kind of people. */
export interface Shown {
  readonly day: string;
  readonly ad: string;
  readonly age: string;
  readonly gender: string;
  readonly country: string;
  readonly publisher_platform: string;
  /** Who was shown it, one entry for each time; the same person may be among others' too. */
  readonly people: readonly number[];
  readonly clicks: number;
  readonly spent: number;
  readonly happened: readonly Happening[];
}

/** A campaign, an ad set or an ad, by what it belongs to. */
export interface Node {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly status: string;
  readonly daily_budget: number;
  readonly lifetime_budget: number;
  readonly budget_remaining: number;
}

/** An ad account, whole. */
export interface MetaTruth {
  readonly now: number;
  readonly zone: string;
  readonly id: string;
  readonly currency: string;
  readonly amount_spent: number;
  readonly spend_cap: number;
  readonly balance: number;
  readonly campaigns: readonly Node[];
  readonly adsets: readonly Node[];
  readonly ads: readonly Node[];
  readonly shown: readonly Shown[];
  /** Which entries of one conversion the account's reports have; every account has others. */
  readonly names: "omni" | "plain" | "channels";
}

export const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
const ZONES = [
  "Pacific/Kiritimati",
  "America/Los_Angeles",
  "Asia/Kolkata",
  "Europe/Berlin",
  "America/Sao_Paulo",
];
export const KINDS = [
  "purchase",
  "lead",
  "complete_registration",
  "add_to_cart",
  "initiated_checkout",
  "view_content",
];
const CODES = Object.keys(OFFSETS);
const AGES = ["18-24", "25-34", "65+"];
const DAYS_BACK = 430;

/** The day it is somewhere, so many days on. */
export function dayThere(now: number, zone: string, days = 0): string {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().add({ days })
    .toString();
}

function nodes(dice: Dice, count: number, parents: readonly Node[] | null, what: string): Node[] {
  return dice.times(count, (at) => {
    const kind = dice.int(0, 2);
    return {
      id: String(dice.int(10 ** 14, 10 ** 15)),
      name: dice.pick([`${what} ${at}`, `<b>${what}</b> & "${at}"`, "", `${what} — 日本 ${at}`]),
      parent: parents === null ? null : dice.pick(parents).id,
      status: dice.pick(["ACTIVE", "PAUSED"]),
      daily_budget: kind === 0 ? dice.int(1, 500_000) : 0,
      lifetime_budget: kind === 1 ? dice.int(1, 9_000_000) : 0,
      budget_remaining: kind === 2 ? 0 : dice.int(0, 90_000),
    };
  });
}

function happenings(dice: Dice, names: MetaTruth["names"]): Happening[] {
  return dice.times(dice.int(0, 4), () => {
    const kind = dice.pick(KINDS);
    const channels: Channel[] = [
      "website",
      "app",
      ...(["purchase", "lead"].includes(kind) ? ["onsite" as const] : []),
      ...(names === "channels" ? [] : ["shop" as const]),
    ];
    return { kind, channel: dice.pick(channels), worth: kind === "purchase" ? dice.int(0, 20_000) : 0 };
  });
}

function shownOf(
  dice: Dice,
  ads: readonly Node[],
  { now, zone, names }: Pick<MetaTruth, "now" | "zone" | "names">,
): Shown[] {
  // Some ads ran in the last weeks alone, others a year ago, as accounts have them.
  const since = new Map(ads.map(({ id }) => [id, dice.pick([DAYS_BACK, 40, 20])]));
  const until = new Map(ads.map(({ id }) => [id, dice.pick([0, 0, 10, 25])]));
  return dice.times(dice.int(150, 400), () => {
    const ad = dice.pick(ads).id;
    const far = dice.chance(0.7) ? Math.min(since.get(ad)!, 75) : since.get(ad)!;
    const back = dice.int(Math.min(until.get(ad)!, far), far);
    const people = dice.times(dice.int(1, 12), () => dice.int(1, 60));
    return {
      day: dayThere(now, zone, -back),
      ad,
      age: dice.pick(AGES),
      gender: dice.pick(["female", "male", "unknown"]),
      country: dice.pick(["DE", "US", "JP"]),
      publisher_platform: dice.pick(["facebook", "instagram"]),
      people,
      clicks: dice.int(0, people.length),
      spent: dice.chance(0.1) ? 0 : dice.int(1, 40_000),
      happened: happenings(dice, names),
    };
  });
}

/** The account of that seed, the same each time. */
export function metaWorld(seed: number): MetaTruth {
  const zone = ZONES[seed % ZONES.length]!;
  const now = Date.UTC(2026, new Dice(seed, 0, zone).int(0, 10), 1 + seed, seed, 30);
  const dice = new Dice(seed * 7, now, zone);
  const names = dice.pick(["omni", "plain", "channels"] as const);
  const campaigns = nodes(dice, dice.int(1, 7), null, "Campaign");
  const adsets = nodes(dice, dice.int(1, 9), campaigns, "Set");
  const ads = nodes(dice, dice.int(1, 12), adsets, "Ad");
  return {
    now,
    zone,
    id: String(dice.int(10 ** 9, 10 ** 10)),
    // Every currency of one unit comes, and as many others.
    currency: seed % 2 === 0 ? CODES[CODES.length - 1 - (seed / 2) % 11]! : dice.pick(CODES),
    amount_spent: dice.int(0, 90_000_000),
    spend_cap: dice.pick([0, dice.int(1, 90_000_000)]),
    balance: dice.int(0, 90_000),
    campaigns,
    adsets,
    ads,
    shown: shownOf(dice, ads, { now, zone, names }),
    names,
  };
}
