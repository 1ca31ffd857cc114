/** Made-up visitors of a project, always the same for a project and a day, in the vendor's own words and types. */

/** A row as the vendor writes it: whole numbers as text, percentages as numbers. */
export type WireRow = Readonly<Record<string, string | number | null>>;

/** One visit, which belongs to one value of every dimension. */
interface Visit {
  readonly of: Readonly<Record<string, string | null>>;
  readonly bot: boolean;
  readonly user: number;
  readonly pages: number;
  readonly total_s: number;
  readonly active_s: number;
  readonly scroll: number;
  /** How often each kind of event happened. */
  readonly events: readonly number[];
  readonly title: string;
  readonly referrer: string | null;
}

const EVENTS = [
  "DeadClickCount",
  "RageClickCount",
  "ExcessiveScroll",
  "QuickbackClick",
  "ScriptErrorCount",
  "ErrorClickCount",
] as const;
const VALUES: Readonly<Record<string, readonly (string | null)[]>> = {
  Browser: ["Chrome", "Edge", "Safari", "Firefox"],
  Device: ["PC", "Mobile", "Tablet"],
  OS: ["Windows", "Android", "iOS", "MacOSX"],
  "Country/Region": ["Germany", "Austria", "Switzerland"],
  Source: ["google", "newsletter", null],
  Medium: ["organic", "email", null],
  Campaign: ["spring", null],
  Channel: ["OrganicSearch", "Direct", "Email"],
};
const PAGES = ["/", "/prices", "/contact", "/blog/teeth"];
const HOST = "https://dentist.example";
const HOURS_MS = 60 * 60 * 1000;

/** What a request may name as a dimension, and the key its rows have for it. */
export const KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(VALUES).map((name) => [name, name])),
  Country: "Country/Region",
  URL: "Url",
};

/** Numbers from 0 to 1 that look random and are the same for the same seed. */
function numbers(seed: string): () => number {
  let state = 2166136261;
  for (const char of seed) state = Math.imul(state ^ char.charCodeAt(0), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** The visits of an hour. */
function visits(project: string, hour: number): Visit[] {
  const next = numbers(`${project} ${hour}`);
  const pick = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)]!;
  return Array.from({ length: 3 + Math.floor(next() * 5) }, (_, at): Visit => {
    const of = Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, pick(values)]));
    const page = pick(PAGES);
    const query = next() < 0.5 ? `?utm_source=mail&email=visitor${at}%40mail.example` : "";
    const total_s = 20 + Math.floor(next() * 400);
    return {
      of: { ...of, URL: `${HOST}${page}${query}` },
      bot: next() < 0.1,
      user: Math.floor(next() * 500),
      pages: 1 + Math.floor(next() * 4),
      total_s,
      active_s: Math.floor(total_s * next()),
      scroll: Math.round(next() * 10_000) / 100,
      events: EVENTS.map(() => next() < 0.15 ? 1 + Math.floor(next() * 3) : 0),
      title: `Dentist ${page}`,
      referrer: next() < 0.5 ? "https://www.google.com/search?q=dentist" : null,
    };
  });
}

/** The visits of the last days before that moment. */
export function visitsBefore(project: string, now: number, days: number): Visit[] {
  const last = Math.floor(now / HOURS_MS);
  return Array.from({ length: 24 * days }, (_, ago) => visits(project, last - ago)).flat();
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const mean = (values: readonly number[]) => values.length === 0 ? 0 : sum(values) / values.length;
const percent = (part: number, whole: number) => whole === 0 ? 0 : Math.round(part / whole * 10_000) / 100;

/** A reply: a block for each metric with a row for each group of visits, and without dimensions the lists too. */
export function reply(all: readonly Visit[], dimensions: readonly string[], rowsMax: number): object[] {
  const names = dimensions.map((one) => one === "Country" ? "Country/Region" : one);
  const groups = [...Map.groupBy(all, ({ of }) => JSON.stringify(names.map((name) => of[name]))).values()];
  const shown = (dimensions.length === 0 ? [all] : groups).slice(0, rowsMax);
  const about = ([first]: readonly Visit[]) =>
    Object.fromEntries(names.map((name) => [KEYS[name]!, first?.of[name] ?? null]));
  const block = (metricName: string, row: (of: readonly Visit[]) => WireRow) => ({
    metricName,
    information: shown.map((of) => ({ ...row(of), ...about(of) })),
  });
  const blocks = [
    block("Traffic", (of) => ({
      totalSessionCount: String(of.length),
      totalBotSessionCount: String(of.filter(({ bot }) => bot).length),
      distinctUserCount: String(new Set(of.map(({ user }) => user)).size),
      pagesPerSessionPercentage: mean(of.map(({ pages }) => pages)),
    })),
    block("EngagementTime", (of) => ({
      totalTime: String(Math.round(mean(of.map(({ total_s }) => total_s)))),
      activeTime: String(Math.round(mean(of.map(({ active_s }) => active_s)))),
    })),
    block("ScrollDepth", (of) => ({ averageScrollDepth: mean(of.map(({ scroll }) => scroll)) })),
    ...EVENTS.map((name, at) => block(name, (of) => eventRow(of, at))),
  ];
  return dimensions.length === 0 ? [...blocks, ...lists(all)] : blocks;
}

function eventRow(of: readonly Visit[], at: number): WireRow {
  const hit = of.filter(({ events }) => events[at]! > 0);
  const share = percent(hit.length, of.length);
  return {
    sessionsCount: String(of.length),
    sessionsWithMetricPercentage: share,
    sessionsWithoutMetricPercentage: of.length === 0 ? 0 : Math.round((100 - share) * 100) / 100,
    pagesViews: String(hit.length),
    subTotal: String(sum(of.map(({ events }) => events[at]!))),
  };
}

/** The ten most frequent of some kinds. */
function lists(all: readonly Visit[]): object[] {
  const top = (metricName: string, of: (visit: Visit) => string | null) => ({
    metricName,
    information: most(all, of).map(([name, count]) => ({ name, sessionsCount: String(count) })),
  });
  return [
    top("Browser", ({ of }) => of["Browser"]!),
    top("Device", ({ of }) => of["Device"]!),
    top("OS", ({ of }) => of["OS"]!),
    top("Country", ({ of }) => of["Country/Region"]!),
    top("PageTitle", ({ title }) => title),
    top("ReferrerUrl", ({ referrer }) => referrer),
    {
      metricName: "PopularPages",
      information: most(all, ({ of }) => of["URL"]!).map(([url, count]) => ({
        url,
        visitsCount: String(count),
      })),
    },
  ];
}

function most(all: readonly Visit[], of: (visit: Visit) => string | null): [string | null, number][] {
  const counts = [...Map.groupBy(all, of)].map(([name, rows]) =>
    [name, rows.length] as [string | null, number]
  );
  return counts.sort((a, b) => b[1] - a[1]).slice(0, 10);
}
