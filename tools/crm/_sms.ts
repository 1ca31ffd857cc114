/** SMS: what was sent and answered in a window. */
import { GatewayError } from "../../core/errors.ts";
import { each } from "../../platforms/highlevel/budget.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import { isClosedRoute } from "../../platforms/highlevel/refused_what.ts";
import type { Message } from "../../platforms/highlevel/rows.ts";
import { many, rate } from "./_numbers.ts";
import { type Reading, reasonOf } from "./_read.ts";

/** Whether a message is an SMS; a reaction to one is none. */
export const isSms = ({ type }: Pick<Message, "type">): boolean =>
  type.includes("SMS") && !type.includes("SMS_REACTION");

/** What the conversations' messages come to; each conversation's messages stand together. */
export function smsOf(conversations: readonly (readonly Message[])[], days: Pick<Days, "from" | "to">) {
  const inside = conversations.map((messages) =>
    messages.filter((one) => isSms(one) && within(one.at, days))
  );
  const all = inside.flat();
  const going = (direction: string) => all.filter((one) => one.direction === direction).length;
  const [outbound, inbound] = [going("outbound"), going("inbound")];
  const messaged = inside.filter((messages) => messages.some(({ direction }) => direction === "outbound"));
  const replied = messaged.filter((messages) => {
    const first = Math.min(
      ...messages.filter(({ direction }) => direction === "outbound").map(({ at }) => at!),
    );
    return messages.some(({ direction, at }) => direction === "inbound" && at! > first);
  });
  return {
    outbound,
    inbound,
    reply_rate: rate(inbound, outbound),
    conversations_messaged: messaged.length,
    conversations_replied: replied.length,
    conversation_reply_rate: rate(replied.length, messaged.length),
  };
}

/** What is known of the SMS of a window. */
interface Sms extends ReturnType<typeof smsOf> {
  readonly sampling: {
    /** The most conversations that were to be read; null where all SMS of the window come at once. */
    readonly limit: number | null;
    readonly examined: number;
    readonly truncated: boolean;
  };
}

/** The messages of an export, those of each conversation together. */
function conversationsOf(rows: readonly Message[]): Message[][] {
  const threads = new Map<string, Message[]>();
  for (const row of rows) {
    const id = row.conversation_id ?? row.id;
    threads.set(id, [...threads.get(id) ?? [], row]);
  }
  return [...threads.values()];
}

/**
 * The SMS of a window, all of them: the CRM exports a location's messages. Where that is closed to the token, those of the
 * newest conversations, at most `limit`; `sampled` says why no more.
 */
export async function smsStats(
  reading: Reading,
  limit: number,
  sampled = `max_conversations is ${limit}`,
): Promise<Sms> {
  const { client, days, notes } = reading;
  let found;
  try {
    found = await client.exported("SMS", days.from, days.to);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !isClosedRoute(thrown)) throw thrown;
    notes.push("The CRM does not export this location's messages, so they were read by conversations");
    return await sampledSms(reading, limit, sampled);
  }
  const since = found.complete ? days.from : oldestOf(found.rows) ?? days.to;
  if (!found.complete) {
    notes.push(
      `Only the SMS since ${new Date(since).toISOString()} were read, because ${
        reasonOf(client)
      }: all numbers are of ` +
        "that part of the window",
    );
  }
  noteDropped(reading, found.dropped);
  noteUndatedSms(reading, found.rows);
  const threads = conversationsOf(found.rows.filter((one) => isSms(one) && within(one.at, days)));
  return {
    ...smsOf(threads, { ...days, from: since }),
    sampling: { limit: null, examined: threads.length, truncated: !found.complete },
  };
}

/** When the oldest of them was sent; null where none has a date. */
export const oldestOf = (rows: readonly Message[]): number | null =>
  rows.reduce<number | null>((oldest, { at }) => at === null ? oldest : Math.min(oldest ?? at, at), null);

function noteDropped({ notes }: Reading, dropped: number): void {
  if (dropped > 0) notes.push(`${many(dropped, "message")} could not be read and left out`);
}

function noteUndatedSms({ notes }: Reading, rows: readonly Message[]): void {
  const undated = rows.filter((one) => isSms(one) && one.at === null).length;
  if (undated > 0) notes.push(`${many(undated, "SMS", "SMS")} without a date left out`);
}

/** The SMS of the newest conversations, a request each. */
async function sampledSms(reading: Reading, limit: number, sampled: string): Promise<Sms> {
  const { client, days, notes } = reading;
  const found = await client.conversations(days.from, limit);
  client.progress.expect(found.rows.length);
  const threads = await each(found.rows, ({ id }) => client.messages(id, days.from));
  const read = threads.filter(({ rows, complete }) => complete || rows.length > 0);
  const whole = found.complete && threads.every(({ complete }) => complete);
  if (!whole) {
    const why = client.budget.stopped === null ? sampled : reasonOf(client);
    notes.push(
      `Only the newest ${
        many(read.length, "conversation")
      } of the window were read, because ${why}: counts are of these ` +
        "alone, and rates are those of the newest conversations",
    );
  }
  noteUndatedSms(reading, threads.flatMap(({ rows }) => rows));
  return {
    ...smsOf(threads.map(({ rows }) => rows), days),
    sampling: { limit, examined: read.length, truncated: !whole },
  };
}
