/** The words of a report for a client: sentences and tables that stand by themselves. */
import type { Cell } from "../../platforms/google/analytics.ts";
import { type Days, daysOf } from "./_days.ts";
import type { Quality } from "./_quality.ts";
import type { analyticsOf, searchOf } from "./_sections.ts";

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

type Analytics = Awaited<ReturnType<typeof analyticsOf>>;
type Search = Awaited<ReturnType<typeof searchOf>>;

/** What a report is written from. */
export interface Written {
  readonly name: string;
  readonly days: Days;
  readonly analytics: Analytics | null;
  readonly search: Search | null;
  readonly data_quality: readonly Quality[];
}

function visits({ totals, by_channel }: Analytics): string[] {
  if (totals.sessions === 0) return ["No visits were counted in this time."];
  const { sessions, totalUsers, screenPageViews, engagementRate, keyEvents } = totals;
  return [
    table(["Figure", "In this time"], [
      ["Visits", count(sessions)],
      ["Visitors", count(totalUsers)],
      ["Pages viewed", count(screenPageViews)],
      ["Visits on which somebody stayed or did something", percent(engagementRate)],
      ["Goals reached", count(keyEvents)],
    ]),
    ...by_channel.length === 0 ? [] : [
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
    ],
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

function searches({ totals, top_queries }: Search): string[] {
  const { clicks, impressions, ctr, position } = totals;
  if (impressions === 0) return ["The site was not shown in Google's results in this time."];
  return [
    `The site was shown ${many(impressions, "time", "times")} in Google's results and clicked ` +
    `${many(clicks, "time", "times")} (${percent(ctr)}). Its average position was ${place(position)}.`,
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
export function reportMarkdown({ name, days, analytics, search, data_quality }: Written): string {
  const missing = (what: string) => [`${what} are not part of this report.`];
  const said = (of: Quality["section"]) =>
    new Set(data_quality.filter(({ section }) => section === of).map(({ message }) => message));
  const length = daysOf(days);
  const range = length === 1 ? day(days.start_date) : `${day(days.start_date)} to ${day(days.end_date)}`;
  return [
    `# Website report: ${plain(name)}`,
    `${range} (${many(length, "day", "days")})`,
    "## Visits",
    ...analytics ? visits(analytics) : missing("Figures on visits"),
    ...said("analytics"),
    "## Google search",
    ...search ? searches(search) : missing("Figures on searches"),
    ...said("search"),
  ].join("\n\n") + "\n";
}
