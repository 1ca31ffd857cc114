/** Missed calls, and whether an SMS followed. */
import { counted } from "../../core/one_line.ts";
import { allOrThrow } from "../../core/async.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Message } from "../../platforms/highlevel/rows.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { median, rate } from "./_numbers.ts";
import { noteDropped, noteShort, noteUndated, reasonOf } from "./_read.ts";
import { isSms, knownSince } from "./_sms.ts";

const MISSED: ReadonlySet<string> = new Set(["no-answer", "busy", "voicemail", "failed", "canceled"]);

/** Inbound calls of a time: those that nobody took, and those of which the CRM does not say how they ended. */
function inboundCalls(messages: readonly Message[], span: Pick<Days, "from" | "to">) {
  const calls = messages.filter(({ type, direction, at }) =>
    type.includes("CALL") && direction === "inbound" && within(at, span)
  );
  return {
    missed: calls.filter(({ call_status }) => MISSED.has(call_status ?? "")),
    unknown: calls.filter(({ call_status }) => call_status === null).length,
  };
}

/** Of missed calls those that an SMS to the same contact followed in time; one SMS may serve several calls. */
function textBacks(missed: readonly Message[], messages: readonly Message[], windowMs: number) {
  const sent = new Map<string, number[]>();
  for (const one of messages) {
    if (!isSms(one) || one.direction !== "outbound" || one.at === null || one.contact_id === null) continue;
    const times = sent.get(one.contact_id) ?? [];
    times.push(one.at);
    sent.set(one.contact_id, times);
  }
  const delays = missed.flatMap(({ contact_id, at }) => {
    const after = (sent.get(contact_id ?? "") ?? []).map((time) => time - at!)
      .filter((delay) => delay >= 0 && delay <= windowMs);
    return after.length === 0 ? [] : [after.reduce((a, b) => Math.min(a, b)) / 1000];
  });
  return {
    missed_calls: missed.length,
    texted_back: delays.length,
    rate: rate(delays.length, missed.length),
    median_delay_seconds: median(delays),
  };
}

const MINUTE_MS = 60_000;

/** Calls, and the SMS until some minutes after them. */
interface Found {
  readonly calls: Rows<Message>;
  readonly messages: Rows<Message>;
}

/** The missed calls of a window; where not all could be read, those of its newest part of which both kinds were. */
export const missedCalls = (
  window_minutes: number,
): Metric<Found, ReturnType<typeof textBacks>> => ({
  read: ({ client }, windows) =>
    readTogether(windows, async ({ from, to }) => {
      const [calls, messages] = await allOrThrow(
        client.exported("Call", from, to),
        client.exported("SMS", from, to + window_minutes * MINUTE_MS),
      );
      return { calls, messages };
    }),
  count({ calls, messages }, { client, days, notes }) {
    noteUndated(notes, "calls", calls.rows.filter(({ at }) => at === null).length);
    noteDropped(notes, calls.dropped + messages.dropped, "message");
    noteShort(notes, "calls", calls);
    noteShort(notes, "SMS", messages);
    const span = { from: Math.max(...[calls, messages].map((one) => knownSince(one, days))), to: days.to };
    const truncated = span.from > days.from;
    if (truncated) {
      notes.lack(
        `Only the calls since ${new Date(span.from).toISOString()} are counted, because ${
          reasonOf(client)
        }: ` +
          "all numbers are of that part of the window",
      );
    }
    const { missed, unknown } = inboundCalls(calls.rows, span);
    if (unknown > 0) {
      notes.say(
        `Of ${counted(unknown, "inbound call")} the CRM does not say how it ended; counted as answered`,
      );
    }
    const nameless = missed.filter(({ contact_id }) => contact_id === null).length;
    if (nameless > 0) {
      notes.say(`${counted(nameless, "missed call")} of no known contact, to whom no SMS can be traced`);
    }
    const figures = textBacks(missed, messages.rows, window_minutes * MINUTE_MS);
    return { figures, beside: { window_minutes }, truncated };
  },
});
