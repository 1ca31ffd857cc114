/** Traces and figures over OpenTelemetry, where the operator turns on the runtime's own support. */
import type { Meter } from "@opentelemetry/api";
import { OWN_SPANS_ONLY, startTracing } from "../core/tracing.ts";
import type { Figures } from "../guard/figures.ts";

/** What is said of a runtime that would show whole addresses. */
const ADDRESSES =
  "the runtime's own spans hold whole addresses, and secrets stand in some: start with deno task start, " +
  `or set ${Object.entries(OWN_SPANS_ONLY).map(([name, value]) => `${name}=${value}`).join(" and ")}`;

/**
 * Traces calls and hands on figures where OTEL_DENO is set; the runtime sends them as its own variables say. Throws where
 * it would send what nobody may read, but for a host that traces by itself: there that is a line of the log.
 */
export async function startTelemetry(
  env: (name: string) => string | undefined,
  { figures, log }: { readonly figures: Figures; log(event: Record<string, unknown>): void },
): Promise<void> {
  if (!isOn(env("OTEL_DENO"))) return;
  const isSafe = Object.entries(OWN_SPANS_ONLY).every(([name, value]) => env(name) === value);
  if (!isSafe && (env("DENO_DEPLOY") || env("DENO_DEPLOYMENT_ID"))) {
    log({ event: "telemetry_shows_addresses", message: ADDRESSES });
  } else if (!isSafe) {
    throw new Error(`OTEL_DENO: ${ADDRESSES}`);
  }
  handOn(figures, await startTracing(partOf(env("OTEL_TRACES_SAMPLER_ARG"))));
}

const isOn = (text: string | undefined) => ["true", "1"].includes(text?.trim().toLowerCase() ?? "");

/** Throws where it is no part of all. */
function partOf(text: string | undefined): number {
  const part = text?.trim() ? Number(text) : 1;
  if (part >= 0 && part <= 1) return part;
  throw new Error(
    `OTEL_TRACES_SAMPLER_ARG: "${text}" is no part of all calls; expected a number from 0 to 1`,
  );
}

/** Each counter under its name without "_total", which the collector adds where it wants it. */
function handOn(figures: Figures, meter: Meter): void {
  for (const counter of figures.counters) {
    const { name, help, labels } = counter.spec;
    const handed = meter.createObservableCounter(name.slice(0, -"_total".length), { description: help });
    handed.addCallback((result) => {
      for (const [values, count] of counter.all()) {
        result.observe(count, Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ""])));
      }
    });
  }
}
