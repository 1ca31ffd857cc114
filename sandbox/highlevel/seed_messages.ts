/** The messages and calls of a seeded location, and its conversations. */
import type { World } from "./world.ts";

const CALL_STATUSES = ["completed", "no-answer", "busy", "voicemail", "failed", "canceled", "answered"];

/** What the seed gives to everything that is made of it. */
export interface Chance {
  readonly now: number;
  next(): number;
  pick<T>(list: readonly T[]): T;
  /** A moment before now. */
  past(): number;
  iso(ms: number): string;
}

/**
 * The id that the carrier gave to a message or a call, which the vendor answers as `altId` since 2025-06-24 (its issue #38;
 * #214 shows one of a call, #212 `wamid.…` of a WhatsApp message). Messages without a carrier, such as mails, have none.
 */
function carriersOwn(type: number, at: number): { altId?: string } {
  const prefix = type === 1 ? "CA" : type === 2 ? "SM" : null;
  return prefix === null ? {} : { altId: `${prefix}${at.toString(16).padStart(32, "0")}` };
}

interface Owner {
  readonly locationId: string;
}

interface HowMany {
  readonly messages?: number;
  readonly conversations?: number;
}

/** Adds messages, each in one of some conversations, and the conversations they make. */
export function addMessages(world: World, own: Owner, chance: Chance, options: HowMany): void {
  addSent(world, own, chance, options);
  addReplies(world, chance);
  addConversations(world, own);
}

function addSent(world: World, own: Owner, { next, pick, iso, past }: Chance, options: HowMany): void {
  world.messages.push(...Array.from({ length: options.messages ?? 400 }, (_, at) => {
    const [type, messageType] = pick(
      [
        [2, "TYPE_SMS"],
        [2, "TYPE_SMS"],
        [2, "TYPE_CAMPAIGN_SMS"],
        [1, "TYPE_CALL"],
        [
          3,
          "TYPE_EMAIL",
        ],
        [2, "TYPE_SMS_REACTION"],
        [1, "TYPE_IVR_CALL"],
      ] as [number, string][],
    );
    const conversation = Math.floor(next() * (options.conversations ?? 30));
    const call = type === 1 && next() < 0.9 ? pick(CALL_STATUSES) : undefined;
    const meta = call === undefined
      ? {}
      : { meta: next() < 0.5 ? { call: { duration: 5, status: call } } : { callStatus: call } };
    // A call says how it ended in its own status too (the vendor's issues #214 and #258), some in nothing else.
    const ended = call === undefined ? {} : { status: call, ...(at % 3 === 0 ? {} : meta) };
    return {
      id: `message-${at}`,
      type,
      messageType,
      ...own,
      contactId: `contact-${conversation}`,
      conversationId: `thread-${conversation}`,
      dateAdded: iso(past()),
      direction: pick(["inbound", "outbound"]),
      contentType: "text/plain",
      body: "Hello",
      source: "app",
      ...(type === 1 ? ended : { status: "delivered" }),
      ...carriersOwn(type, at),
    };
  }));
}

/** Some calls are answered by an SMS within minutes. */
function addReplies(world: World, { next, iso, now }: Chance): void {
  for (const call of world.messages.filter(({ messageType }) => messageType === "TYPE_CALL")) {
    if (next() > 0.6) continue;
    const { meta: _, altId: __, ...rest } = call as Record<string, unknown>;
    world.messages.push({
      ...rest as typeof call,
      id: `reply-${call.id}`,
      altId: `SM${call.id}`,
      status: "delivered",
      type: 2,
      messageType: "TYPE_SMS",
      direction: "outbound",
      dateAdded: iso(Math.min(now, Date.parse(call.dateAdded) + Math.floor(next() * 8 * 60_000))),
    });
  }
}

function addConversations(world: World, own: Owner): void {
  const newest = new Map<string, number>();
  for (const { conversationId, dateAdded } of world.messages) {
    newest.set(conversationId, Math.max(newest.get(conversationId) ?? 0, Date.parse(dateAdded)));
  }
  world.conversations.push(...[...newest].map(([thread, lastMessageDate]) => ({
    id: thread,
    contactId: thread.replace("thread", "contact"),
    ...own,
    lastMessageBody: "Hello",
    lastMessageType: "TYPE_SMS",
    type: "TYPE_PHONE",
    unreadCount: 0,
    fullName: thread,
    contactName: thread,
    email: "",
    phone: "",
    lastMessageDate,
  })));
}
