/** The words of a report for a client: sentences and tables that stand by themselves. */
import type { Cell } from "../../platforms/google/analytics.ts";
import { type Days, daysOf } from "./_days.ts";
import type { Quality } from "./_quality.ts";
import type { OtherSections } from "./_compare_sections.ts";
import type { AnalyticsSection, SearchSection } from "./_sections.ts";

const TEXT_MAX = 80;

/** Text of somebody else as text in markdown: one line of limited length, nothing in it a mark or a link. */
export function plain(text: string): string {
  // What turns the direction of writing would turn the rest of the line too.
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
  const characters = [...line];
  const cut = characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX - 1).join("")}…` : line;
  return cut.replace(/[\\`*_{}[\]<>#|~!@&]|:(?=\/\/)|\.(?<=\bwww\.)/gi, "\\$&");
}

const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
const day = (text: string) => new Date(`${text}T00:00:00Z`).toLocaleDateString("en-GB", DAY);
const count = (value: Cell) => typeof value === "number" ? Math.round(value).toLocaleString("en-US") : "–";
const many = (value: number, one: string, more: string) => `${count(value)} ${value === 1 ? one : more}`;
const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const percent = (share: Cell) =>
  typeof share === "number" ? `${(share * 100).toLocaleString("en-US", digits)} %` : "–";
const place = (value: number | null) => value === null ? "–" : value.toLocaleString("en-US", digits);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => at === 0 ? "---" : "---:")), ...rows.map(line)].join("\n");
}

type Analytics = AnalyticsSection;
type Search = SearchSection;
type Money = Analytics["totals"]["money"]["totalRevenue"];

/** What a report is written from. */
export interface Written {
  readonly name: string;
  readonly days: Days;
  readonly analytics: Analytics | null;
  readonly search: Search | null;
  /** What it is compared with, where it is. */
  readonly other: OtherSections | null;
  readonly data_quality: readonly Quality[];
}

const money = (value: Money) =>
  value === null ? "–" : `${Number(value.amount).toLocaleString("en-US", CENTS)} ${plain(value.currency)}`;
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** How much more or less a figure is, as a share of the former one. */
function change(now: Cell, before: Cell): string {
  if (typeof now !== "number" || typeof before !== "number" || before === 0) return "–";
  const share = (now - before) / before;
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${percent(Math.abs(share))}`;
}

const span = ({ start_date, end_date }: Days) =>
  start_date === end_date ? day(start_date) : `${day(start_date)} to ${day(end_date)}`;

/** What a section is compared with, or that it cannot be. */
function comparison(other: OtherSections["analytics"] | OtherSections["search"]): string {
  const { from, to } = other!.period;
  const days = span({ start_date: from, end_date: to });
  return other!.change === null
    ? `The figures of ${days} are not complete, so nothing is compared with them.`
    : `Compared with ${days}.`;
}

type Line = readonly [what: string, now: string, before: string, change: string];

function visits({ totals }: Analytics, other: OtherSections["analytics"]): string[] {
  if (totals.sessions === 0) return ["No visits were counted in this time."];
  const then = other?.change ? other.figures.totals : null;
  const line = (what: string, name: "sessions" | "totalUsers" | "screenPageViews" | "keyEvents"): Line => [
    what,
    count(totals[name]),
    count(then?.[name] ?? null),
    change(totals[name], then?.[name] ?? null),
  ];
  const revenue = totals.money.totalRevenue;
  const hasRevenue = Number(totals.totalRevenue) > 0 || Number(then?.totalRevenue) > 0;
  const lines: Line[] = [
    line("Visits", "sessions"),
    line("Visitors", "totalUsers"),
    line("Pages viewed", "screenPageViews"),
    [
      "Visits on which somebody stayed or did something",
      percent(totals.engagementRate),
      percent(then?.engagementRate ?? null),
      change(totals.engagementRate, then?.engagementRate ?? null),
    ],
    line("Goals reached", "keyEvents"),
    ...hasRevenue
      ? [[
        "Revenue",
        money(revenue),
        money(then?.money.totalRevenue ?? null),
        change(totals.totalRevenue, then?.totalRevenue ?? null),
      ] as Line]
      : [],
  ];
  return [
    ...other ? [comparison(other)] : [],
    then
      ? table(["Figure", "In this time", "Before", "Change"], lines)
      : table(["Figure", "In this time"], lines.map(([what, now]) => [what, now])),
    ...hasRevenue && revenue ? [`Amounts are in ${plain(revenue.currency)}.`] : [],
  ];
}

function channels({ by_channel }: Analytics): string[] {
  if (by_channel.length === 0) return [];
  return [
    "### How visitors came",
    table(
      ["Way", "Visits", "Visitors", "Goals reached"],
      by_channel.map((one) => [
        CHANNELS.get(one.channel) ?? plain(one.channel),
        count(one.sessions),
        count(one.totalUsers),
        count(one.keyEvents),
      ]),
    ),
  ];
}

/** The usual ways by which people come, in words; another is shown as it is called. */
const CHANNELS: ReadonlyMap<string, string> = new Map([
  ["", "Not known"],
  ["(other)", "Others"],
  ["(not set)", "Not known"],
  ["Unassigned", "Not known"],
  ["Direct", "Directly, by address or bookmark"],
  ["Organic Search", "Search engines"],
  ["Paid Search", "Ads on search engines"],
  ["Organic Social", "Social media"],
  ["Paid Social", "Ads on social media"],
  ["Organic Video", "Video sites"],
  ["Paid Video", "Ads on video sites"],
  ["Referral", "Links on other sites"],
  ["Display", "Banner ads"],
  ["Cross-network", "Ads on several networks"],
]);

const timesShown = ({ clicks, impressions, ctr }: Search["totals"]) =>
  `shown ${many(impressions, "time", "times")} in Google's results and clicked ${
    many(clicks, "time", "times")
  } (${percent(ctr)})`;

function searches({ totals, top_queries }: Search, other: OtherSections["search"]): string[] {
  const { clicks, impressions, position } = totals;
  const then = other?.change ? other.figures.totals : null;
  if (impressions === 0) return ["The site was not shown in Google's results in this time."];
  return [
    `The site was ${timesShown(totals)}. Its average position was ${place(position)}.`,
    ...other ? [comparison(other)] : [],
    ...then
      ? [
        `Before, it was ${timesShown(then)}, at position ${place(then.position)}: a change of ` +
        `${change(impressions, then.impressions)} in times shown and of ${
          change(clicks, then.clicks)
        } in clicks.`,
      ]
      : [],
    ...top_queries.length === 0 ? [] : [
      "### What people searched for",
      table(
        ["Search", "Clicks", "Shown", "Clicked", "Position"],
        top_queries.map((one) => [
          plain(one.query),
          count(one.clicks),
          count(one.impressions),
          percent(one.ctr),
          place(one.position),
        ]),
      ),
    ],
  ];
}

/** The whole report. */
export function reportMarkdown({ name, days, analytics, search, other, data_quality }: Written): string {
  const missing = (what: string) => [`${what} are not part of this report.`];
  const said = (of: Quality["section"]) =>
    new Set(data_quality.filter(({ section }) => section === of).map(({ message }) => message));
  const length = daysOf(days);
  return [
    `# Website report: ${plain(name)}`,
    `${span(days)} (${many(length, "day", "days")})`,
    "## Visits",
    ...analytics
      ? [...visits(analytics, other?.analytics ?? null), ...channels(analytics)]
      : missing("Figures on visits"),
    ...said("analytics"),
    "## Google search",
    ...search ? searches(search, other?.search ?? null) : missing("Figures on searches"),
    ...said("search"),
  ].join("\n\n") + "\n";
}
