/** SMS: what was sent and answered in a window. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import { each } from "../../platforms/highlevel/budget.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Crm } from "../../platforms/highlevel/client.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import { isClosedRoute } from "../../platforms/highlevel/refused_what.ts";
import type { Conversation, Message } from "../../platforms/highlevel/rows.ts";
import { type Metric, readTogether } from "./_metric.ts";
import { rate } from "./_numbers.ts";
import { covers, noteDropped, type Notes, noteShort, type Reading, reasonOf } from "./_read.ts";

/** Whether a message is an SMS; a reaction to one is none. */
export const isSms = ({ type }: Pick<Message, "type">): boolean =>
  type.includes("SMS") && !type.includes("SMS_REACTION");

/** What the conversations' messages come to; each conversation's messages stand together. */
function smsOf(conversations: readonly (readonly Message[])[], days: Pick<Days, "from" | "to">) {
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

/** What the SMS of a window come to. */
export type SmsFigures = ReturnType<typeof smsOf>;

/** The messages of an export, those of each conversation together. */
function conversationsOf(rows: readonly Message[]): Message[][] {
  const threads = new Map<string, Message[]>();
  for (const row of rows) {
    const id = row.conversation_id ?? row.id;
    threads.set(id, [...threads.get(id) ?? [], row]);
  }
  return [...threads.values()];
}

/** The SMS of a time: all of them, as the CRM exports them, or those of its newest conversations. */
type Found =
  | { readonly kind: "exported"; readonly messages: Rows<Message> }
  | {
    readonly kind: "sampled";
    readonly conversations: Rows<Conversation>;
    readonly threads: readonly Rows<Message>[];
  };

/**
 * The SMS of a window, all of them: the CRM exports a location's messages. Where that is closed to the token, those of the
 * newest conversations, at most `limit`; `sampled` says why no more.
 */
export const smsStats = (
  limit: number,
  sampled = `max_conversations is ${limit}`,
): Metric<Found, SmsFigures> => ({
  read: ({ client }, windows) => readTogether(windows, (days) => readSms(client, days, limit)),
  count: (found, reading) =>
    found.kind === "exported"
      ? countExported(found.messages, reading)
      : countSampled(found, reading, { limit, sampled }),
});

async function readSms(client: Crm, { from, to }: Days, limit: number): Promise<Found> {
  try {
    return { kind: "exported", messages: await client.exported("SMS", from, to) };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !isClosedRoute(thrown)) throw thrown;
  }
  const conversations = await client.conversations(from, limit);
  client.progress.expect(conversations.rows.length);
  const threads = await each(conversations.rows, ({ id }) => client.messages(id, from));
  return { kind: "sampled", conversations, threads };
}

/** When a message was sent. */
const sentAt = ({ at }: Message) => at;

/** Since when messages that were read newest first are known of a window; its end where none of it is. */
export function knownSince(found: Rows<Message>, days: Pick<Days, "from" | "to">): number {
  if (covers(found, sentAt, days)) return days.from;
  const oldest = found.rows.reduce<number | null>(
    (least, { at }) => at === null ? least : Math.min(least ?? at, at),
    null,
  );
  return Math.min(Math.max(oldest ?? days.to, days.from), days.to);
}

function countExported(found: Rows<Message>, { client, days, notes }: Reading) {
  const since = knownSince(found, days);
  const truncated = !covers(found, sentAt, days);
  if (truncated) {
    notes.lack(
      `Only the SMS since ${new Date(since).toISOString()} were read, because ${reasonOf(client)}: ` +
        "all numbers are of that part of the window",
    );
  }
  noteShort(notes, "SMS", found);
  noteDropped(notes, found.dropped, "message");
  noteUndatedSms(notes, found.rows);
  const threads = conversationsOf(found.rows.filter((one) => isSms(one) && within(one.at, days)));
  return {
    figures: smsOf(threads, { from: since, to: days.to }),
    // All SMS of the window come at once, so that no number of conversations is a limit.
    beside: { sampling: { limit: null, examined: threads.length, truncated } },
    truncated,
  };
}

function noteUndatedSms(notes: Notes, rows: readonly Message[]): void {
  const undated = rows.filter((one) => isSms(one) && one.at === null).length;
  if (undated > 0) notes.undated(`${counted(undated, "SMS", "SMS")} without a date left out`);
}

/** What the newest conversations come to, those among them that had a message in the window or after it. */
function countSampled(
  { conversations, threads }: Extract<Found, { kind: "sampled" }>,
  { client, days, notes }: Reading,
  { limit, sampled }: { readonly limit: number; readonly sampled: string },
) {
  notes.say("The CRM does not export this location's messages, so they were read by conversations");
  const lastAt = ({ last_message_at }: Conversation) => last_message_at;
  const own = threads.filter((_, at) => (lastAt(conversations.rows[at]!) ?? Infinity) >= days.from);
  const read = own.filter(({ rows, complete }) => complete || rows.length > 0);
  const truncated = !covers(conversations, lastAt, days) || own.some((one) => !covers(one, sentAt, days));
  if (truncated) {
    const why = client.budget.stopped === null ? sampled : reasonOf(client);
    notes.lack(
      `Only the newest ${
        counted(read.length, "conversation")
      } of the window were read, because ${why}: counts are of ` +
        "these alone, and rates are those of the newest conversations",
    );
  }
  noteShort(notes, "conversations", conversations);
  for (const one of own) noteShort(notes, "messages of a conversation", one);
  noteUndatedSms(notes, threads.flatMap(({ rows }) => rows));
  return {
    figures: smsOf(own.map(({ rows }) => rows), days),
    beside: { sampling: { limit, examined: read.length, truncated } },
    truncated,
  };
}
