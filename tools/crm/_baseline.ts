/** The baseline: a report of a location for its owner, its parts read side by side. */
import { inMarkdown } from "../../core/one_line.ts";
import { LIMITS } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import { BASELINE_REQUESTS_MAX } from "../../platforms/highlevel/budget.ts";
import { type Days, shownAt } from "../../platforms/highlevel/days.ts";
import { apartFrom } from "../../rules/comparison.ts";
import { attendance } from "./_appointments.ts";
import { changesByPart, type Compared, glanceOf, type GlancePair, glanceTable } from "./_glance.ts";
import { heading, type Part, PARTS, section } from "./_markdown.ts";
import { countBeside, type Metric, NOTHING_THERE, type Sides } from "./_metric.ts";
import { pipelineFunnel } from "./_pipeline.ts";
import { noteEnd, Notes, type Reading, readUntil } from "./_read.ts";
import { REVENUE, type Revenue } from "./_revenue.ts";
import { smsStats } from "./_sms.ts";
import { SUBMISSIONS } from "./_submissions.ts";
import { tagHygiene, TAGS_MAX } from "./_tags.ts";
import { inWords, periodOf } from "./_window.ts";

/** The most requests of each part of a window, so that a location with 40 calendars is read whole. They are read at one time; tags are counted with what is left of all. */
const REQUESTS: Readonly<Record<Compared, number>> = {
  forms: 6,
  pipeline: 42,
  revenue: 12,
  appointments: 50,
  sms: 51,
};

/** A part as it was read. */
interface Section {
  readonly name: Part;
  readonly ok: boolean;
  readonly markdown: string;
  readonly notes: Notes;
  readonly truncated: boolean;
  readonly used: number;
  /** What a part of a window comes to, and that of both sides where there are two. */
  readonly figures?: object;
  readonly pair?: GlancePair | null;
}
type Found = Pick<Section, "markdown" | "truncated" | "figures" | "pair">;

/** Reads a part within so many requests; one that the CRM does not answer is a part that says so. */
async function partOf(
  name: Part,
  reading: Reading,
  requests: number,
  read: (own: Reading) => Promise<Found>,
): Promise<Section & { readonly failure?: GatewayError }> {
  const client = reading.client.within(requests, "this part of a baseline");
  const notes = new Notes();
  const own = { ...reading, client, notes };
  try {
    return { name, ok: true, notes, ...await read(own), used: client.budget.used };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    notes.lack(`The part could not be read: ${thrown.message}`);
    const { used } = client.budget;
    return { name, ok: false, notes, markdown: PARTS[name].failed, truncated: false, used, failure: thrown };
  }
}

/** A part of a window, and how it is drawn. */
const windowed = <Read, Figures extends object>(
  name: Compared,
  metric: Metric<Read, Figures>,
  render: (found: Figures, notes: readonly string[]) => string,
) =>
(reading: Reading, sides: Sides | null) =>
  partOf(name, reading, REQUESTS[name], async (own) => {
    const { counted: { figures, truncated }, comparison, alike } = await countBeside(metric, own, sides);
    if (comparison === null || alike === null) {
      return { figures, truncated, markdown: render(figures, own.notes.all) };
    }
    const [now, other] = [glanceOf(name, alike[0]), glanceOf(name, alike[1])];
    const pair = {
      part: name,
      now,
      other,
      isWhole: comparison.change !== null,
      isThere: !comparison.notes.includes(NOTHING_THERE),
      truncated: comparison.truncated,
    };
    return { figures, truncated, pair, markdown: render(figures, own.notes.all) };
  });

const WINDOWED = [
  windowed("forms", SUBMISSIONS, PARTS.forms.render),
  windowed("pipeline", pipelineFunnel(), PARTS.pipeline.render),
  windowed("revenue", REVENUE, PARTS.revenue.render),
  windowed("appointments", attendance(), PARTS.appointments.render),
  // One request finds out that the CRM exports no messages, and one which conversations there are.
  windowed("sms", smsStats(REQUESTS.sms - 2, "a baseline takes a sample"), PARTS.sms.render),
];

const tags = (reading: Reading, requests: number) =>
  partOf("tags", reading, requests, async (own) => {
    const most = Math.max(1, Math.min(TAGS_MAX, requests - 1));
    const found = await tagHygiene(own, LIMITS.CRM_TAG_USES_MIN, 0, most);
    return { markdown: PARTS.tags.render(found, own.notes.all), truncated: found.next_offset !== null };
  });

/** All parts, in the order that a reader wants. Throws what the first part threw where every one failed. */
async function partsOf(reading: Reading, sides: Sides | null): Promise<Section[]> {
  const read = await Promise.allSettled(WINDOWED.map((part) => part(reading, sides)));
  const first = read.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  const used = first.reduce((sum, one) => sum + one.used, reading.client.budget.used);
  const all = [
    ...first,
    await tags(reading, Math.max(0, Math.min(TAGS_MAX + 1, BASELINE_REQUESTS_MAX - used))),
  ];
  if (all.every(({ ok }) => !ok)) throw all[0]!.failure;
  return (Object.keys(PARTS) as Part[]).map((name) => all.find((one) => one.name === name)!);
}

/** In which currencies the amounts of the report are. */
function currencyLine(currencies: readonly string[] | null): string {
  const values = "values of opportunities have no currency of their own";
  if (currencies === null) {
    return `The currency of amounts is not known, as revenue could not be read; ${values}`;
  }
  if (currencies.length === 0) return `There are no amounts with a currency; ${values}`;
  const several = currencies.length > 1 ? ", which are not added up" : "";
  return `Amounts are in ${currencies.join(" and ")}${several}; ${values}`;
}

/** What is to be known of all figures together, a sentence each; what is missing is noted for the answer too. */
function quality(reading: Reading, sections: readonly Section[]): string[] {
  const { days, location, notes } = reading;
  const lacking = sections.filter((one) => !one.notes.complete).map(({ name }) => PARTS[name].title);
  const missing = `Not all could be counted of ${lacking.join(", ")}: the notes there say why`;
  if (lacking.length > 0) notes.say(missing);
  return [
    `Read until ${shownAt(readUntil(reading), location.timezone)}`,
    noteEnd(reading)
      ? "The period was over by then"
      : `The period ends on ${days.last}, which was not over by then: its figures can still change`,
    lacking.length > 0 ? missing : "Everything that belongs to the figures was counted",
  ];
}

/** The few figures of each part that are compared, as the parts show them. */
const glances = (sections: readonly Section[]) =>
  Object.fromEntries(
    sections.flatMap(({ name, figures }) =>
      figures === undefined ? [] : [[name, glanceOf(name as Compared, figures)]]
    ),
  );

const listed = (names: readonly string[]) => new Intl.ListFormat("en-GB").format(names);

/** The other period beside this one. */
function comparisonOf(sections: readonly Section[], sides: Sides, days: Days) {
  const pairs = sections.flatMap(({ pair }) => pair ?? []);
  const gone = pairs.filter(({ isThere }) => !isThere).map(({ part }) => PARTS[part].title);
  const failed = sections.filter(({ ok, name }) => !ok && name in REQUESTS).map(({ name }) => name);
  const partly = pairs.filter(({ isWhole, isThere }) => !isWhole && isThere).map(({ part }) => part);
  const unknown = [...partly, ...failed].map((name) => PARTS[name].title);
  const isWhole = pairs.every((pair) => pair.isWhole) && sections.every(({ ok }) => ok);
  const own = Object.fromEntries(pairs.map(({ part, now }) => [part, now]));
  const told = sides.current.to === days.to
    ? own
    : glances(sections.filter(({ pair }) => pair !== undefined));
  const apart = apartFrom<object>({ period: periodOf(sides.current), figures: own }, told);
  const notes = [
    ...sides.notes,
    ...unknown.length === 0
      ? []
      : [`No change is said of ${listed(unknown)}, of which not all could be counted`],
    ...gone.length === 0 ? [] : [
      `The other period holds nothing of ${
        listed(gone)
      }; it may lie before the location was used, so no change is said`,
    ],
  ];
  return {
    pairs,
    /** What a reader of the report is to know of it too. */
    notes,
    shown: {
      period: periodOf(sides.other),
      complete: sides.isOver && isWhole,
      truncated: pairs.some(({ truncated }) => truncated),
      figures: Object.fromEntries(pairs.map(({ part, other }) => [part, other])),
      ...apart.beside,
      change: changesByPart(pairs),
      notes: [...notes, ...apart.notes],
    },
  };
}

/** The report. Throws what the first part threw where every one failed. */
export async function baselineOf(reading: Reading, sides: Sides | null) {
  const { location, days, notes } = reading;
  const sections = await partsOf(reading, sides);
  for (const { name, notes: own } of sections) {
    notes.addPart(own, (note) => `${PARTS[name].title}: ${note}`);
  }
  const revenue = sections.find(({ name }) => name === "revenue")!.figures as Revenue | undefined;
  const currencies = revenue?.currencies ?? null;
  const money = currencyLine(currencies);
  notes.say(money);
  const said = quality(reading, sections);
  const beside = sides === null ? null : comparisonOf(sections, sides, days);
  const list = (sentences: readonly string[]) => sentences.map((one) => `- ${inMarkdown(one)}.`).join("\n");
  const markdown = [
    heading(location, days),
    `${inMarkdown(money)}.`,
    ...beside === null ? [] : [
      section(
        `Compared with ${inWords(sides!.other)}`,
        [glanceTable(beside.pairs, "This period", "The other one")],
        beside.notes,
      ),
    ],
    ...sections.map((one) => one.markdown),
    section("How far the figures go", [list(said)]),
  ];
  return {
    body: {
      markdown: markdown.join("\n\n") + "\n",
      suggested_file: "baseline.md",
      sections: sections.map(({ name, ok, notes: own }) => ({
        name,
        title: PARTS[name].title,
        ok,
        complete: own.complete,
      })),
      figures: glances(sections),
      currencies,
      ...beside === null ? {} : { compare: beside.shown },
    },
    told: {
      currency: currencies?.length === 1 && currencies[0] !== "unknown" ? currencies[0]! : null,
      truncated: sections.some(({ truncated }) => truncated),
    },
  };
}
