/** Opportunities: where they stand in their pipelines, and how those of a window ended. */
import type { Opportunity, Pipeline } from "../../platforms/highlevel/rows.ts";
import { within } from "../../platforms/highlevel/days.ts";
import { countBy, rate, sum } from "./_numbers.ts";
import { noteRows, noteUndated, type Reading } from "./_read.ts";
import { GatewayError } from "../../core/errors.ts";

const FEWER =
  "counts and values are of those that were read, so the true ones are higher, and conversions may differ";

/** The opportunities that were made in the window, each once, and whether they are all. */
export async function opportunitiesOf(reading: Reading, pipeline_id?: string, meaning: string = FEWER) {
  const found = await reading.client.opportunities(reading.days, pipeline_id);
  noteRows(reading, "opportunities", found, meaning);
  noteUndated(reading, "opportunities", found.rows.filter(({ created_at }) => created_at === null).length);
  const rows = found.rows.filter(({ created_at }) => within(created_at, reading.days));
  return { rows, complete: found.complete };
}

/** What a set of opportunities comes to. */
export const totalsOf = (rows: readonly Opportunity[]) => ({
  opportunities: rows.length,
  value: sum(rows, ({ value }) => value),
  by_status: countBy(rows, ({ status }) => status),
});

/** A pipeline's stages in order: how many stand there, and how many came at least as far. */
export function funnelOf({ id, name, stages }: Pipeline, all: readonly Opportunity[]) {
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

/** Every pipeline of the location, or one. Throws E_NOT_FOUND for one that there is not. */
export async function pipelineFunnel(reading: Reading, pipeline_id?: string) {
  const all = await reading.client.pipelines();
  if (!all.complete) noteRows(reading, "pipelines", all, "no stage can be named");
  const pipelines = all.rows.filter(({ id }) => pipeline_id === undefined || id === pipeline_id);
  if (pipeline_id !== undefined && pipelines.length === 0 && all.complete) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `pipeline_id: the location has no pipeline "${pipeline_id}"; ${
        reading.client.thoseThereAre(all.rows)
      }, and without ` +
        "pipeline_id every one is answered",
    );
  }
  const { rows, complete } = await opportunitiesOf(reading, pipeline_id);
  const known = new Set(all.rows.map(({ id }) => id));
  const elsewhere = rows.filter((row) => !known.has(row.pipeline_id ?? ""));
  if (elsewhere.length > 0) {
    reading.notes.push(
      `${elsewhere.length} of the opportunities are in pipelines that the CRM does not list; they count in totals only`,
    );
  }
  reading.notes.push(CURRENT_ONLY);
  return {
    pipelines: pipelines.map((pipeline) => funnelOf(pipeline, rows)),
    totals: totalsOf(rows),
    truncated: !complete,
  };
}
