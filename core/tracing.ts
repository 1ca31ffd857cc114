/** Spans of calls, where the process is told to trace: by the runtime's own support, and at no cost where it is not. */
import type { Awaitable } from "./async.ts";
import type { Context, Meter, Span, Tracer } from "@opentelemetry/api";

/** What a span or a figure may say: names and codes, never what was sent. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** What of the package is used, once it is loaded. */
interface Tracing {
  readonly tracer: Tracer;
  /** The part of calls that are traced, 0 to 1. */
  readonly part: number;
  readonly error: number;
  /** A parent that says: trace this. */
  begin(): Context;
  apart<T>(work: () => T): T;
  active(): Span | undefined;
}

let tracing: Tracing | null = null;

/**
 * The variables with which the runtime makes no spans of its own: those hold whole addresses, in which codes and links of
 * people stand. Ours are made all the same, for each says itself that it is wanted. `gateway/launch.ts` sets both.
 */
export const OWN_SPANS_ONLY = {
  OTEL_TRACES_SAMPLER: "parentbased_always_off",
  OTEL_PROPAGATORS: "none",
} as const;

/** Begins to trace; `part` is the part of calls that is traced, as OTEL_TRACES_SAMPLER_ARG says it. Answers what figures are handed to. */
export async function startTracing(part: number): Promise<Meter> {
  const { context, metrics, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } = await import(
    "@opentelemetry/api"
  );
  const hex = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
  tracing = {
    tracer: trace.getTracer("gateway"),
    part,
    error: SpanStatusCode.ERROR,
    begin: () =>
      trace.setSpanContext(ROOT_CONTEXT, {
        ...{ traceId: hex(16), spanId: hex(8) },
        ...{ traceFlags: TraceFlags.SAMPLED, isRemote: true },
      }),
    apart: (work) => context.with(ROOT_CONTEXT, work),
    active: () => trace.getActiveSpan(),
  };
  return metrics.getMeter("gateway");
}

/** Does the work as the first span of a trace, or of none where this one is not among those that are traced. */
export function rooted<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (tracing === null || Math.random() >= tracing.part) return work();
  return tracing.tracer.startActiveSpan(name, { attributes }, tracing.begin(), (span) => ending(span, work));
}

/** Does the work as a span within the one that is under way; where none is, or nothing is traced, it is only done. */
export function traced<T>(name: string, attributes: Attributes, work: () => Awaitable<T>): Awaitable<T> {
  if (tracing === null || tracing.active() === undefined) return work();
  return tracing.tracer.startActiveSpan(name, { attributes }, (span) => ending(span, work));
}

/** Does what makes spans of the runtime's own outside of any trace, so that there are none. */
export const untraced = <T>(work: () => T): T => tracing === null ? work() : tracing.apart(work);

/** Says more of the span that is under way. */
export function noteOnSpan(attributes: () => Attributes): void {
  if (tracing === null) return;
  tracing.active()?.setAttributes(attributes());
}

/** What is thrown shows as a span that failed, without its words: they may quote what was sent. */
async function ending<T>(span: Span, work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    span.setStatus({ code: tracing?.error ?? 0 });
    if (thrown instanceof Error && "code" in thrown) span.setAttribute("gateway.code", String(thrown.code));
    throw thrown;
  } finally {
    span.end();
  }
}
