/** Opportunities: where they stand in their pipelines, and how those of a window ended. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Opportunity, Pipeline } from "../../platforms/highlevel/rows.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { countBy, rate, sum } from "./_numbers.ts";
import { covers, isShort, noteRows, noteUndated, type Reading } from "./_read.ts";

const FEWER =
  "counts and values are of those that were read, so the true ones are higher, and conversions may differ";

/** When an opportunity was made. */
export const madeAt = ({ created_at }: Opportunity): number | null => created_at;

/** Of opportunities that were read those that were made in the window; notes what is missing. */
export function opportunitiesIn(found: Rows<Opportunity>, reading: Reading, meaning: string = FEWER) {
  const complete = covers(found, madeAt, reading.days);
  // Where only the older ones are missing, the CRM's count is not that of the window.
  const total = complete && !found.complete ? null : found.total;
  noteRows(reading, "opportunities", { ...found, complete, total }, meaning);
  noteUndated(reading.notes, "opportunities", found.rows.filter((one) => madeAt(one) === null).length);
  const short = isShort({ ...found, complete, total });
  return { rows: found.rows.filter((one) => within(madeAt(one), reading.days)), complete, short };
}

/** What a set of opportunities comes to. */
const totalsOf = (rows: readonly Opportunity[]) => ({
  opportunities: rows.length,
  value: sum(rows, ({ value }) => value),
  by_status: countBy(rows, ({ status }) => status),
});

/** A pipeline's stages in order: how many stand there, and how many came at least as far. */
function funnelOf({ id, name, stages }: Pipeline, all: readonly Opportunity[]) {
  const rows = all.filter((row) => row.pipeline_id === id);
  const known = new Set(stages.map((stage) => stage.id));
  const standing = stages.map((stage) => rows.filter(({ stage_id }) => stage_id === stage.id));
  const reached = stages.map((_, at) => standing.slice(at).flat().length);
  return {
    id,
    name,
    stages: stages.map((stage, at) => ({
      id: stage.id,
      name: stage.name,
      position: stage.position,
      count: standing[at]!.length,
      reached: reached[at]!,
      conversion_from_previous: at === 0 ? null : rate(reached[at]!, reached[at - 1]!),
    })),
    unmapped: countBy(
      rows.filter(({ stage_id }) => !known.has(stage_id ?? "")),
      ({ stage_id }) => stage_id ?? "none",
    ),
    totals: totalsOf(rows),
  };
}

const CURRENT_ONLY =
  "The CRM shows only the stage an opportunity is in now: one in a later stage counts as having passed those before";

/** That values are sums of bare numbers. */
const VALUES =
  "value has no currency: the CRM tells none of opportunities, so values of several currencies would be added up as they are";

/** What the pipelines of a location come to. */
export interface Funnels {
  readonly pipelines: readonly ReturnType<typeof funnelOf>[];
  readonly totals: ReturnType<typeof totalsOf>;
}
interface Found {
  readonly pipelines: Rows<Pipeline>;
  readonly opportunities: Rows<Opportunity>;
}

/** Every pipeline of the location, or one. Throws E_NOT_FOUND for one that there is not. */
export const pipelineFunnel = (pipeline_id?: string): Metric<Found, Funnels> => ({
  read: (reading, windows) => readFunnels(reading, windows, pipeline_id),
  count({ pipelines: all, opportunities }, reading) {
    const { notes } = reading;
    noteRows(reading, "pipelines", all, "no stage can be named");
    const { rows, complete } = opportunitiesIn(opportunities, reading);
    const known = new Set(all.rows.map(({ id }) => id));
    const elsewhere = rows.filter((row) => !known.has(row.pipeline_id ?? "")).length;
    if (elsewhere > 0) {
      notes.say(
        `${elsewhere} of the opportunities are in pipelines that ${
          all.dropped > 0 || !all.complete ? "were not read, or that " : ""
        }the CRM does not list; they count in totals only`,
      );
    }
    notes.say(CURRENT_ONLY);
    const totals = totalsOf(rows);
    if (totals.value !== 0) notes.say(VALUES);
    const shown = all.rows.filter(({ id }) => pipeline_id === undefined || id === pipeline_id);
    const figures = { pipelines: shown.map((pipeline) => funnelOf(pipeline, rows)), totals };
    return { figures, truncated: !complete };
  },
  comparable: (now, other) => [settled(now), settled(other)],
  unchanged:
    "Of stages, conversions and by_status no change is said: opportunities of an older period had more time to " +
    "move on; crm_compute_window_compare counts won and lost by the day that it happened",
});

async function readFunnels({ client }: Reading, windows: readonly Days[], pipeline_id?: string) {
  const rows = () => readTogether(windows, (days) => client.opportunities(days, pipeline_id));
  if (pipeline_id === undefined) {
    const [pipelines, found] = await allOrThrow(client.pipelines(), rows());
    return found.map((opportunities) => ({ pipelines, opportunities }));
  }
  const pipelines = await client.pipelines();
  if (pipelines.complete && !pipelines.rows.some(({ id }) => id === pipeline_id)) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `pipeline_id: the location has no pipeline "${pipeline_id}"; ${
        client.thoseThereAre(pipelines.rows)
      }, and without pipeline_id every one is answered`,
    );
  }
  return (await rows()).map((opportunities) => ({ pipelines, opportunities }));
}

/** What does not depend on how long ago a window was, of each pipeline by its id: later on more is decided. */
function settled({ pipelines, totals }: Funnels): object {
  const sizeOf = ({ opportunities, value }: Funnels["totals"]) => ({ opportunities, value });
  const rows = pipelines.map((one) => [one.id, { totals: sizeOf(one.totals) }] as const);
  return { totals: sizeOf(totals), pipelines: Object.fromEntries(rows) };
}
