/** Appointments, messages and calls of a made-up location, as the vendor's issues show their rows. */
import { DAY_MS, type Dice, iso, type Row } from "./_crm_dice.ts";

const MINUTE_MS = 60_000;

/** A moment as the events of calendars show it: with the offset there, to the second [oas]. */
function offset(ms: number, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(Math.floor(ms / 1000) * 1000).toZonedDateTimeISO(zone);
  return there.toString({ timeZoneName: "never", smallestUnit: "second" });
}

/** Appointments of every calendar: past ones that nobody marked, ones under way, and instances of a series. */
export function eventsOf(
  dice: Dice,
  calendars: readonly Row[],
  someone: () => string,
  locationId: string,
): Row[] {
  const one = (calendarId: unknown, id: string, begins: number): Row => {
    const ends = begins + dice.pick([30, 60, 26 * 60]) * MINUTE_MS;
    const booked = Math.min(begins - dice.int(0, 25) * DAY_MS - dice.int(0, DAY_MS), dice.now - 1);
    const past = ["showed", "noshow", "completed", "cancelled", "confirmed", "new", "invalid", "active"];
    const appointmentStatus = dice.pick(ends < dice.now ? past : ["new", "confirmed", "cancelled"]);
    return {
      id,
      title: "Visit",
      calendarId,
      locationId,
      contactId: someone(),
      appointmentStatus,
      ...dice.chance(0.3) ? { appoinmentStatus: appointmentStatus } : {}, // the vendor's own spelling [others]
      assignedUserId: dice.id(),
      users: [],
      isRecurring: id.includes("_"),
      // Taken out of the calendar, and told all the same [others].
      ...dice.chance(0.3) ? { deleted: dice.chance(0.2) } : {},
      startTime: dice.chance(0.2) ? iso(Math.floor(begins / 1000) * 1000) : offset(begins, dice.zone),
      endTime: offset(ends, dice.zone),
      dateAdded: dice.chance(0.5) ? iso(booked) : offset(booked, dice.zone),
      dateUpdated: iso(dice.now - 1),
      createdBy: { source: dice.pick(["booking_widget", "calendar_page"]), userId: null },
    };
  };
  return calendars.flatMap(({ id: calendar }) =>
    dice.times(dice.int(1, calendars.length > 9 ? 6 : 22), () => {
      const begins = dice.chance(0.06) ? dice.now - 10 * MINUTE_MS : dice.moment(-65, 70);
      const master = dice.id();
      if (!dice.chance(0.15)) return [one(calendar, master, begins)];
      return dice.times(3, (week) => {
        const instance = begins + week * 7 * DAY_MS;
        return { ...one(calendar, `${master}_${instance}_1800`, instance), masterEventId: master };
      });
    }).flat()
  );
}

/** Types of which each is a text message, and such as only look like one [oas]. */
const TEXTS = [
  "TYPE_SMS",
  "TYPE_SMS",
  "TYPE_SMS",
  "TYPE_CAMPAIGN_SMS",
  "TYPE_CUSTOM_SMS",
  "TYPE_CAMPAIGN_MANUAL_SMS",
];
const OTHERS = [
  "TYPE_SMS_REACTION",
  "TYPE_EMAIL",
  "TYPE_WHATSAPP",
  "TYPE_ACTIVITY_OPPORTUNITY",
  "TYPE_LIVE_CHAT",
];
const ENDS = ["completed", "answered", "no-answer", "busy", "voicemail", "failed", "canceled"];

/** The keys by which a call says how it ended: nested [#258], as in the file [oas], at its top only [#214], or nowhere. */
function ended(dice: Dice): Row {
  const end = dice.pick(ENDS);
  const kind = dice.int(0, 5);
  if (kind === 0) return { status: "completed", meta: { call: { duration: dice.int(0, 90), status: end } } };
  if (kind === 1) return { status: end, meta: { call: { duration: null, status: end } } };
  if (kind === 2) return { status: "delivered", meta: { callDuration: "12", callStatus: end } };
  if (kind === 3) return { status: dice.pick(["delivered", "sent", "pending"]) };
  return { status: end };
}

/** Messages and calls, in one conversation for each person, and these conversations. */
export function messagesOf(
  dice: Dice,
  contacts: readonly Row[],
  merged: readonly string[],
  locationId: string,
): { messages: Row[]; conversations: Row[] } {
  const people = [...dice.times(dice.int(12, 34), () => String(dice.pick(contacts)["id"])), merged[0]!];
  const messages: Row[] = [];
  const conversations = [...new Set(people)].map((contactId) => {
    const conversationId = dice.id();
    const taken = new Set<number>();
    const say = (at: number, more: Row): void => {
      // No two at the same moment: which of them came first would be nobody's to say.
      if (at >= dice.now || taken.has(at)) return;
      taken.add(at);
      messages.push({
        id: dice.id(),
        direction: "outbound",
        status: dice.pick(["delivered", "sent", "failed", "read"]),
        type: 2,
        messageType: dice.pick(TEXTS),
        locationId,
        contactId,
        conversationId,
        dateAdded: iso(at),
        dateUpdated: iso(at),
        contentType: "text/plain",
        // The id that the carrier gave it, which is no location's [#38, #212].
        ...dice.chance(0.7) ? { altId: `SM${dice.id(32)}` } : {},
        body: "Hello",
        source: dice.pick(["workflow", "app", "bulk_actions"]),
        attachments: [],
        ...more,
      });
    };
    for (let left = dice.int(1, 24); left > 0; left--) {
      const type = dice.chance(0.15) ? dice.pick(OTHERS) : dice.pick(TEXTS);
      say(dice.past(50), { direction: dice.pick(["inbound", "outbound"]), messageType: type });
    }
    for (let left = dice.int(0, 6); left > 0; left--) {
      const at = dice.past(40);
      const direction = dice.pick(["inbound", "inbound", "outbound"]);
      const messageType = direction === "outbound"
        ? "TYPE_CALL"
        : dice.pick(["TYPE_CALL", "TYPE_CALL", "TYPE_IVR_CALL"]);
      say(at, { type: 1, messageType, direction, altId: `CA${dice.id(32)}`, body: "", ...ended(dice) });
      const after = [1, 999, 60_000, 299_999, 300_000, 300_001, 12 * MINUTE_MS, 3 * 60 * MINUTE_MS];
      if (dice.chance(0.6)) say(at + dice.pick(after), { direction: "outbound", messageType: "TYPE_SMS" });
    }
    const last = Math.max(...taken);
    return {
      id: conversationId,
      contactId,
      locationId,
      lastMessageBody: "Hello",
      lastMessageType: "TYPE_SMS",
      lastMessageDate: last,
      type: "TYPE_PHONE",
      unreadCount: 0,
      fullName: "Ann",
      contactName: "Ann",
      email: "",
      phone: "",
    };
  });
  return { messages, conversations };
}
