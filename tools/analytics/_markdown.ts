/** The words of a report for a client: sentences and tables that stand by themselves. */
import { formOf, inMarkdown } from "../../core/one_line.ts";
import type { Cell } from "../../platforms/google/analytics.ts";
import { type DayRange, lengthOf } from "../../rules/comparison.ts";
import type { Beside, OtherSections } from "./_compare_sections.ts";
import { inWords } from "./_days.ts";
import type { Quality } from "./_quality.ts";
import type { AnalyticsSection, SearchSection } from "./_sections.ts";

const TEXT_MAX = 80;

/** Text of somebody else as text in markdown. */
export const plain = (text: string): string => inMarkdown(text, TEXT_MAX);

const count = (value: Cell) => typeof value === "number" ? Math.round(value).toLocaleString("en-US") : "–";
const many = (value: number, one: string, more: string) => `${count(value)} ${formOf(value, one, more)}`;
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
  readonly asked: DayRange;
  readonly analytics: Analytics | null;
  readonly search: Search | null;
  /** What it is compared with, where it is. */
  readonly other: OtherSections | null;
  readonly data_quality: readonly Quality[];
}

/** An amount with as many decimals as its currency has, two where that is not known. */
function money(value: Money): string {
  if (value === null) return "–";
  const number = Number(value.amount);
  try {
    const style = { style: "currency", currency: value.currency, currencyDisplay: "code" } as const;
    const { maximumFractionDigits: places = 2 } = new Intl.NumberFormat("en-US", style).resolvedOptions();
    const options = { minimumFractionDigits: places, maximumFractionDigits: places };
    return `${number.toLocaleString("en-US", options)} ${plain(value.currency)}`;
  } catch {
    return `${number.toLocaleString("en-US", CENTS)} ${plain(value.currency)}`;
  }
}
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

const signed = (value: number, text: string) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;

/** How much more or less a figure is, as a share of the former one. */
function change(now: Cell, before: Cell): string {
  if (typeof now !== "number" || typeof before !== "number" || before === 0) return "–";
  const share = (now - before) / before;
  return signed(share, percent(Math.abs(share)));
}

/** The difference of two figures as they are shown: one of what they were before would contradict them. */
const apart = (now: number, before: number): number => (Math.round(now * 10) - Math.round(before * 10)) / 10;

/** How many points a share in per cent is more or less: a share of a share would be taken for those. */
function points(now: Cell, before: Cell): string {
  if (typeof now !== "number" || typeof before !== "number") return "–";
  const tenths = apart(now * 100, before * 100);
  return `${signed(tenths, Math.abs(tenths).toLocaleString("en-US", digits))} points`;
}

/** Of a place in a list the smaller number is the better one. */
function nearer(now: number | null, before: number | null): string {
  if (now === null || before === null) return "–";
  const tenths = apart(now, before);
  const far = Math.abs(tenths).toLocaleString("en-US", digits);
  return tenths === 0 ? "the same" : `${far} ${tenths < 0 ? "better" : "worse"}`;
}

type Line = readonly [what: string, now: string, before: string, change: string];
const figures = (lines: readonly Line[], hasBefore: boolean): string =>
  hasBefore
    ? table(["Figure", "In this time", "Before", "Change"], lines)
    : table(["Figure", "In this time"], lines.map(([what, now]) => [what, now]));

/** The figures of the other time, where they can be held against this one. */
const thenOf = <Figures extends object>(other: Beside<Figures> | null): Figures | null =>
  other?.comparison?.change ? other.comparison.figures : null;

type Count = "sessions" | "totalUsers" | "screenPageViews" | "keyEvents";

function visits({ totals }: Analytics, other: OtherSections["analytics"]): string[] {
  if (totals.sessions === 0) {
    const before = other?.comparison?.figures.totals.sessions;
    return [
      "No visits were counted in this time.",
      ...other && typeof before === "number" && before > 0
        ? [`From ${inWords(other.comparison!.period)} there were ${many(before, "visit", "visits")}.`]
        : other?.said ?? [],
    ];
  }
  const then = thenOf(other)?.totals ?? null;
  const line = (what: string, name: Count): Line => {
    const [now, before] = [totals[name], then?.[name] ?? null];
    return [what, count(now), count(before), change(now, before)];
  };
  const revenue = totals.money.totalRevenue;
  const hasRevenue = Number(totals.totalRevenue) > 0 || Number(then?.totalRevenue) > 0;
  const [rate, rateBefore] = [totals.engagementRate, then?.engagementRate ?? null];
  const lines: Line[] = [
    line("Visits", "sessions"),
    line("Visitors", "totalUsers"),
    line("Pages viewed", "screenPageViews"),
    [
      "Visits on which somebody stayed or did something",
      percent(rate),
      percent(rateBefore),
      points(rate, rateBefore),
    ],
    line("Goals reached", "keyEvents"),
    ...hasRevenue
      ? [
        [
          "Revenue",
          money(revenue),
          money(then?.money.totalRevenue ?? null),
          change(totals.totalRevenue, then?.totalRevenue ?? null),
        ] as const,
      ]
      : [],
  ];
  return [
    ...other?.said ?? [],
    figures(lines, then !== null),
    ...hasRevenue && revenue ? [`Amounts are in ${plain(revenue.currency)}.`] : [],
  ];
}

/** A dash stands before what one of the times does not show: it need not be nought there. */
const UNSHOWN = "A dash (–) stands where a line is not among those shown of the time before.";

function channels({ by_channel }: Analytics, other: OtherSections["analytics"]): string[] {
  if (by_channel.length === 0) return [];
  const then = other?.comparison?.change?.["by_channel"] ? thenOf(other)?.by_channel ?? null : null;
  const known = new Map(then?.map((one) => [one.channel, one.sessions]));
  const rows = by_channel.map((one): readonly [Line, string, string] => {
    const [now, before] = [one.sessions, known.get(one.channel) ?? null];
    const way = CHANNELS.get(one.channel) ?? plain(one.channel);
    return [
      [way, count(now), count(before), change(now, before)],
      count(one.totalUsers),
      count(one.keyEvents),
    ];
  });
  return [
    "### How visitors came",
    then
      ? table(
        ["Way", "Visits", "Before", "Change", "Visitors", "Goals reached"],
        rows.map(([line, ...more]) => [...line, ...more]),
      )
      : table(
        ["Way", "Visits", "Visitors", "Goals reached"],
        rows.map(([[way, now], ...more]) => [way, now, ...more]),
      ),
    ...then && by_channel.some((one) => !known.has(one.channel)) ? [UNSHOWN] : [],
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
  const { clicks, impressions, ctr, position } = totals;
  const then = thenOf(other);
  if (impressions === 0) {
    return ["The site was not shown in Google's results in this time.", ...other?.said ?? []];
  }
  const before = then?.totals ?? null;
  return [
    `The site was ${timesShown(totals)}. Its average position was ${place(position)}.`,
    ...other?.said ?? [],
    ...before
      ? [
        figures([
          [
            "Times shown",
            count(impressions),
            count(before.impressions),
            change(impressions, before.impressions),
          ],
          ["Clicks", count(clicks), count(before.clicks), change(clicks, before.clicks)],
          ["Clicked, of those shown", percent(ctr), percent(before.ctr), points(ctr, before.ctr)],
          [
            "Average position, 1 is the top",
            place(position),
            place(before.position),
            nearer(position, before.position),
          ],
        ], true),
      ]
      : [],
    ...queries(top_queries, then?.top_queries ?? null),
  ];
}

function queries(shown: Search["top_queries"], then: Search["top_queries"] | null): string[] {
  if (shown.length === 0) return [];
  const known = new Map(then?.map((one) => [one.query, one.clicks]));
  const rows = shown.map((one): readonly [Line, string, string, string] => {
    const before = known.get(one.query) ?? null;
    const line: Line = [plain(one.query), count(one.clicks), count(before), change(one.clicks, before)];
    return [line, count(one.impressions), percent(one.ctr), place(one.position)];
  });
  return [
    "### What people searched for",
    then
      ? table(
        ["Search", "Clicks", "Before", "Change", "Shown", "Clicked", "Position"],
        rows.map(([line, ...more]) => [...line, ...more]),
      )
      : table(
        ["Search", "Clicks", "Shown", "Clicked", "Position"],
        rows.map(([[query, clicks], ...more]) => [query, clicks, ...more]),
      ),
    ...then && shown.some((one) => !known.has(one.query)) ? [UNSHOWN] : [],
  ];
}

/** The whole report. */
export function reportMarkdown({ name, asked, analytics, search, other, data_quality }: Written): string {
  const missing = (what: string) => [`${what} are not part of this report.`];
  const said = (of: Quality["section"]) =>
    new Set(data_quality.filter(({ section }) => section === of).map(({ message }) => message));
  const [visited, searched] = [other?.analytics ?? null, other?.search ?? null];
  return [
    `# Website report: ${plain(name)}`,
    `${inWords(asked)} (${many(lengthOf(asked), "day", "days")})`,
    "## Visits",
    ...analytics
      ? [...visits(analytics, visited), ...channels(analytics, visited)]
      : missing("Figures on visits"),
    ...said("analytics"),
    "## Google search",
    ...search ? searches(search, searched) : missing("Figures on searches"),
    ...said("search"),
  ].join("\n\n") + "\n";
}
