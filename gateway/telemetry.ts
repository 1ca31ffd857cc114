/** Traces and figures over OpenTelemetry, where the operator turns on the runtime's own support. */
import type { Attributes as Labels, Meter } from "@opentelemetry/api";
import { CLOCK } from "../core/async.ts";
import type { Counter, Gauge, LabelValues, MetricSpec } from "../core/metrics.ts";
import { OWN_SPANS_ONLY, startTracing } from "../core/tracing.ts";
import type { Figures } from "../guard/figures.ts";
import { COLLECTOR_LOOKED_AT_MS, CollectorWatch } from "./collector_watch.ts";

/** What is said of a runtime that would show whole addresses. */
const ADDRESSES =
  "the runtime's own spans hold whole addresses, and secrets stand in some: start with deno task start, " +
  `or set ${Object.entries(OWN_SPANS_ONLY).map(([name, value]) => `${name}=${value}`).join(" and ")}`;

/** Where the runtime sends to when nothing is said, as its documentation has it. */
const USUAL_ENDPOINT = "http://localhost:4318";

/** So often figures are handed to the runtime, which sends them as OTEL_METRIC_EXPORT_INTERVAL says. */
const HANDED_EVERY_MS = 5000;

/** What is handed on, and where what goes wrong is said. */
export interface Telemetry {
  readonly figures: Figures;
  /** What goes up and down: as it was looked at last, and looking again. */
  readonly state: { gauges(): readonly Gauge[]; refresh(): Promise<void> };
  log(event: Record<string, unknown>): void;
}

/**
 * Traces calls and hands on figures where OTEL_DENO is set; the runtime sends them as its own variables say. Throws where
 * it would send what nobody may read, but for a host that traces by itself: there that is a line of the log. Elsewhere a
 * collector that does not answer is a line of the log. Nothing of it goes on once `signal` has aborted.
 */
export async function startTelemetry(
  env: (name: string) => string | undefined,
  telemetry: Telemetry,
  signal: AbortSignal,
): Promise<void> {
  if (!isTelemetryOn(env)) return;
  const { log } = telemetry;
  const isHosted = Boolean(env("DENO_DEPLOY") || env("DENO_DEPLOYMENT_ID"));
  const isSafe = Object.entries(OWN_SPANS_ONLY).every(([name, value]) => env(name) === value);
  if (!isSafe && isHosted) log({ event: "telemetry_shows_addresses", message: ADDRESSES });
  else if (!isSafe) throw new Error(`OTEL_DENO: ${ADDRESSES}`);
  const meter = await startTracing(partOf(env("OTEL_TRACES_SAMPLER_ARG")));
  const every = (ms: number, work: () => Promise<void>) =>
    signal.addEventListener("abort", CLOCK.every(ms, work));
  every(HANDED_EVERY_MS, handOn(telemetry, meter));
  if (isHosted) return;
  const endpoint = env("OTEL_EXPORTER_OTLP_ENDPOINT")?.trim() || USUAL_ENDPOINT;
  const watch = new CollectorWatch({ endpoint, fetch, elapsed: CLOCK.elapsed, log, signal });
  void watch.look();
  every(COLLECTOR_LOOKED_AT_MS, () => watch.look());
}

/** Whether the operator turned it on. */
export const isTelemetryOn = (env: (name: string) => string | undefined): boolean =>
  ["true", "1"].includes(env("OTEL_DENO")?.trim().toLowerCase() ?? "");

/** Throws where it is no part of all. */
function partOf(text: string | undefined): number {
  const part = text?.trim() ? Number(text) : 1;
  if (part >= 0 && part <= 1) return part;
  throw new Error(
    `OTEL_TRACES_SAMPLER_ARG: "${text}" is no part of all calls; expected a number from 0 to 1`,
  );
}

/**
 * Each counter under its name without "_total", which the collector adds where it wants it. Figures are handed over every
 * few seconds, and none is asked for: what the runtime asks for as the process ends nobody can answer any more, and it
 * waits for ever then where a collector hangs.
 */
function handOn({ figures, state }: Telemetry, meter: Meter): () => Promise<void> {
  for (const histogram of figures.histograms) {
    const { name, help, labels } = histogram.spec;
    const advice = { explicitBucketBoundaries: [...histogram.bounds] };
    const handed = meter.createHistogram(name, { description: help, unit: "s", advice });
    histogram.tell((values, seconds) => handed.record(seconds, labelled(labels, values)));
  }
  const counts = figures.counters.map((counter) => handedCounter(counter, meter));
  const gauges = new Map(state.gauges().map(({ spec }) => [spec.name, handedGauge(spec, meter)]));
  const hand = async () => {
    for (const count of counts) count();
    await state.refresh();
    for (const { spec, samples } of state.gauges()) gauges.get(spec.name)?.(samples);
  };
  void hand();
  return hand;
}

/** What hands on how much a counter has grown since it last did. */
function handedCounter(counter: Counter, meter: Meter): () => void {
  const { name, help, labels } = counter.spec;
  const handed = meter.createCounter(name.slice(0, -"_total".length), { description: help });
  const before = new Map<string, number>();
  return () => {
    for (const [values, count] of counter.all()) {
      const series = JSON.stringify(values);
      const grown = count - (before.get(series) ?? 0);
      if (grown > 0 || !before.has(series)) handed.add(grown, labelled(labels, values));
      before.set(series, count);
    }
  };
}

/** What hands on a gauge; of a series that is gone a last 0. */
function handedGauge({ name, help, labels }: MetricSpec, meter: Meter): (samples: Gauge["samples"]) => void {
  const handed = meter.createGauge(name, { description: help });
  let before = new Map<string, LabelValues>();
  return (samples) => {
    const now = new Map<string, LabelValues>();
    for (const [values, value] of samples) {
      if (value === null) continue;
      now.set(JSON.stringify(values), values);
      handed.record(value, labelled(labels, values));
    }
    for (const [series, values] of before) if (!now.has(series)) handed.record(0, labelled(labels, values));
    before = now;
  };
}

const labelled = (labels: MetricSpec["labels"], values: LabelValues): Labels =>
  Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""]));
