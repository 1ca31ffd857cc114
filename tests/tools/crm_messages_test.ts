/** Messages and calls of the CRM as the vendor answers them: a carrier's id under altId, and how a call ended. */
import assert from "node:assert/strict";
import { emptyWorld } from "../../sandbox/highlevel/start.ts";
import { NOW } from "../kit.ts";
import { CrmWorld } from "./_crm.ts";
import { HOSTED } from "./_proxied_tools.ts";
import { says, world } from "./_proxied.ts";

const LOCATION = "L4MxUuCe0YgXEnapiXXh";
const iso = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

/** A message with the keys of the vendor's issues #212 (WhatsApp, 2025-12-15) and #214 (an inbound call, 2025-12-18). */
const message = (id: string, minutes: number, more: Record<string, unknown>) => ({
  id,
  locationId: LOCATION,
  contactId: "CTQScOQaDgh4Stk2hDds",
  conversationId: "vBwGIGS8te2qGBt7pLns",
  dateAdded: iso(minutes),
  dateUpdated: iso(minutes),
  contentType: "text/plain",
  direction: "inbound",
  messageType: "TYPE_SMS",
  type: 2,
  ...more,
});
const call = (id: string, minutes: number, more: Record<string, unknown>) =>
  message(id, minutes, { messageType: "TYPE_CALL", type: 1, altId: `CA${id}`, ...more });

const MESSAGES = [
  message("whatsapp", 9, {
    messageType: "TYPE_WHATSAPP",
    type: 19,
    status: "delivered",
    altId: "wamid.HBgLNTAzNzI5NDc1NjEVAgASGBQzQTVDRjA3OUEzOUQ2MTNCOEQyOAA=",
  }),
  message("out", 8, { direction: "outbound", status: "delivered", altId: "SM57d2a1" }),
  message("in", 7, { status: "delivered", altId: "SM57d2a2" }),
];

/** A location with those messages in one conversation. */
function conversing(messages: readonly ReturnType<typeof message>[]) {
  const location = emptyWorld(LOCATION);
  location.messages.push(...messages);
  location.conversations.push({
    id: "vBwGIGS8te2qGBt7pLns",
    contactId: "CTQScOQaDgh4Stk2hDds",
    locationId: LOCATION,
    lastMessageBody: "",
    lastMessageType: "TYPE_SMS",
    lastMessageDate: NOW - 60_000,
    type: "TYPE_PHONE",
    unreadCount: 0,
    fullName: "Ann",
    contactName: "Ann",
    email: "",
    phone: "",
  });
  return CrmWorld.open({ crm: { world: location } });
}

Deno.test("messages with their carrier's ids are counted, by themselves and in the baseline", async () => {
  await using at = await conversing(MESSAGES);
  const found = await at.ask("crm_compute_sms_stats");
  assert.deepEqual([found["outbound"], found["inbound"]], [1, 1]);
  const { markdown } = await at.ask("crm_bootstrap_baseline") as unknown as { markdown: string };
  assert.doesNotMatch(markdown, /another location|could not be read/i);
  assert.match(markdown, /SMS/);
});

Deno.test("of 500 conversations every SMS is counted, in two requests", async () => {
  const location = emptyWorld(LOCATION, "UTC");
  for (let at = 0; at < 500; at++) {
    const own = { conversationId: `thread-${at}`, contactId: `contact-${at}`, status: "delivered" };
    location.messages.push(message(`out-${at}`, 60 + at, { ...own, direction: "outbound" }));
    if (at < 450) location.messages.push(message(`in-${at}`, 30, own));
  }
  // Of before the window, and such as are no SMS, or none of a window.
  location.messages.push(message("early", 60 * 24 * 40, {}), call("a", 5, { status: "completed" }));
  await using at = await CrmWorld.open({ crm: { world: location } });
  const found = await at.both("crm_compute_sms_stats");
  assert.deepEqual([found["outbound"], found["inbound"], found["reply_rate"]], [500, 450, 0.9]);
  assert.deepEqual(
    [found["conversations_messaged"], found["conversations_replied"], found["conversation_reply_rate"]],
    [500, 450, 0.9],
  );
  assert.deepEqual(found["sampling"], { limit: null, examined: 500, truncated: false });
  assert.equal(at.asked(/export/).length, 2);
  assert.equal(at.crm.requests.length, 3, "and one for the location");
});

Deno.test("more SMS than a call can read are those of the newest part of the window, and a note says since when", async () => {
  const location = emptyWorld(LOCATION, "UTC");
  for (let at = 0; at < 31_000; at++) location.messages.push(message(`m${at}`, 1 + at, { status: "sent" }));
  await using at = await CrmWorld.open({ crm: { world: location } });
  const found = await at.ask("crm_compute_sms_stats");
  assert.equal(found["inbound"], 29_500, "59 pages of 500");
  assert.equal((found["sampling"] as { truncated: boolean }).truncated, true);
  assert.ok(
    found.notes.some((note) => note.startsWith(`Only the SMS since ${iso(29_500)} were read, because`)),
  );
});

Deno.test("where the CRM exports no messages, the newest conversations are read, and a note says so", async () => {
  for (const exports_closed of [false, true]) {
    await using at = await conversing(MESSAGES);
    at.crm.state.unruly = { exports_closed };
    const { outbound, inbound, sampling, notes } = await at.ask("crm_compute_sms_stats");
    assert.deepEqual([outbound, inbound], [1, 1]);
    const limit = exports_closed ? 50 : null;
    assert.deepEqual(sampling, { limit, examined: 1, truncated: false });
    assert.equal(notes.some((note) => note.startsWith("The CRM does not export")), exports_closed);
  }
});

/** How a call says that it ended, and whether it was missed; null where nobody can tell. */
const ENDS: readonly (readonly [keys: Record<string, unknown>, missed: boolean | null])[] = [
  [{ status: "voicemail" }, true],
  [{ status: "no-answer", meta: {} }, true],
  [{ status: "Busy", meta: { call: { duration: 0 } } }, true],
  [{ status: "canceled", meta: { call: {} } }, true],
  [{ status: "failed", meta: {} }, true],
  [{ status: "completed" }, false],
  [{ status: "completed", meta: { call: { duration: 5, status: "voicemail" } } }, true],
  [{ status: "voicemail", meta: { callStatus: "answered" } }, false],
  [{ status: "delivered" }, null],
  [{}, null],
];
for (const [keys, missed] of ENDS) {
  const how = missed === null ? "of unknown end" : missed ? "missed" : "answered";
  Deno.test(`a call with ${JSON.stringify(keys)} is ${how}`, async () => {
    await using at = await conversing([call("a", 5, keys)]);
    const found = await at.ask("crm_compute_missed_call_textback");
    assert.equal(found["missed_calls"], missed ? 1 : 0);
    assert.equal(found.notes.some((note) => /does not say how it ended/.test(note)), missed === null);
  });
}

Deno.test("the status of an SMS says nothing of a call, and a text after a call counts for it", async () => {
  const sent = message("sms", 4, { direction: "outbound", status: "failed", altId: "SM1" });
  await using at = await conversing([call("a", 5, { status: "voicemail" }), sent]);
  const found = await at.ask("crm_compute_missed_call_textback");
  assert.deepEqual([found["missed_calls"], found["texted_back"]], [1, 1]);
});

Deno.test("a site's own tool hands on messages with their carrier's ids, and none of another location", async () => {
  await using at = await world();
  const name = "conversations_get-messages";
  at.source.offer(name, ["crm"], { writes: false, effect: "read" }, HOSTED, ["path_conversationId"]);
  const data = (locationId: string) => ({
    success: true,
    status: 200,
    data: { messages: { messages: MESSAGES.map((one) => ({ ...one, locationId })), nextPage: false } },
  });
  const ask = { site_id: "crm", conversationId: "vBwGIGS8te2qGBt7pLns" };
  at.servers.answers.set(name, () => says(data("loc1")));
  assert.deepEqual(await at.gw.call(name, ask), data("loc1"));
  at.servers.answers.set(name, () => says(data("loc-of-a-rival")));
  await at.gw.refuses(name, ask, "E_UPSTREAM");
});
