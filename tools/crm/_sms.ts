/** SMS: what was sent and answered in a window, over the newest conversations. */
import { each } from "../../platforms/highlevel/budget.ts";
import { type Days, within } from "../../platforms/highlevel/days.ts";
import type { Message } from "../../platforms/highlevel/rows.ts";
import { many, rate } from "./_numbers.ts";
import { type Reading, reasonOf } from "./_read.ts";

/** Whether a message is an SMS; a reaction to one is none. */
export const isSms = ({ type }: Pick<Message, "type">): boolean =>
  type.includes("SMS") && !type.includes("SMS_REACTION");

/** What the conversations' messages come to; each conversation's messages stand together. */
export function smsOf(conversations: readonly (readonly Message[])[], days: Days) {
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

/** Reads the newest conversations, at most `limit`, and counts the SMS of the window in them; `sampled` says why no more. */
export async function smsStats(reading: Reading, limit: number, sampled = `max_conversations is ${limit}`) {
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
  const undated = threads.flatMap(({ rows }) => rows).filter((one) => isSms(one) && one.at === null).length;
  if (undated > 0) notes.push(`${many(undated, "SMS", "SMS")} without a date left out`);
  return {
    ...smsOf(threads.map(({ rows }) => rows), days),
    sampling: { limit, examined: read.length, truncated: !whole },
  };
}
