/** Tools of contacts, conversations, opportunities, appointments and the location, over the API's own world. */
import { conversations, events, forgetFitted, messages, opportunities, Refusal } from "../highlevel/lists.ts";
import type { Contact } from "../highlevel/world.ts";
import { byId, change, type CrmAsked, type CrmRun, newId, paged, type Row } from "./crm_state.ts";

const iso = ({ now }: CrmAsked) => new Date(now()).toISOString();
const contactOf = ({ crm, path }: CrmAsked) => byId(crm.world.contacts, path["contactId"], "Contact");
const same = (a: unknown, b: unknown) => a !== undefined && a !== "" && a === b;

/** A contact as it is shown: what workflows it is in is not. */
function shown({ activeWorkflows: _, finishedWorkflows: __, ...contact }: Contact): Row {
  return contact;
}

/** Tags of a contact are tags of the location too. */
function tag(asked: CrmAsked, contact: Row, tags: readonly string[]): void {
  const { tags: known, location } = asked.crm.world;
  for (const name of tags) {
    if (!known.some((one) => one.name === name)) {
      known.push({ id: newId("tag"), name, locationId: location.id });
    }
  }
  change(contact, { tags, dateUpdated: iso(asked) });
}

function createContact(asked: CrmAsked): Row {
  const { crm: { world }, body } = asked;
  const { tags = [], locationId: _, createNewIfDuplicateAllowed: __, ...fields } = body as
    & { tags?: string[] }
    & Row;
  const at = iso(asked);
  const names = {
    firstNameLowerCase: String(body["firstName"] ?? "").toLowerCase(),
    lastNameLowerCase: String(body["lastName"] ?? "").toLowerCase(),
  };
  const own = {
    id: newId("contact"),
    locationId: world.location.id,
    dateAdded: at,
    dateUpdated: at,
    tags: [],
  };
  const contact: Contact = { ...own, ...names, ...fields };
  world.contacts.push(contact);
  tag(asked, contact, tags);
  return contact;
}

const duplicate = ({ crm, body }: CrmAsked) =>
  crm.world.contacts.find(({ email, phone }) => same(email, body["email"]) || same(phone, body["phone"]));

function updateContact(asked: CrmAsked, contact: Row): Row {
  const { tags, locationId: _, createNewIfDuplicateAllowed: __, ...fields } = asked.body as {
    tags?: string[];
  } & Row;
  change(contact, { ...fields, dateUpdated: iso(asked) });
  if (tags !== undefined) tag(asked, contact, tags);
  return contact;
}

/** Filed under the contact's conversation, which is made where there is none. */
function send(asked: CrmAsked): Row {
  const { crm: { world }, body, now } = asked;
  const contact = byId(world.contacts, body["contactId"], "Contact");
  const own = { locationId: world.location.id, contactId: contact.id };
  let thread = world.conversations.find(({ contactId }) => contactId === contact.id);
  if (thread === undefined) {
    thread = { id: newId("thread"), ...own, lastMessageDate: now(), unreadCount: 0, fullName: contact.id };
    world.conversations.push(thread);
  }
  const messageType = `TYPE_${String(body["type"]).toUpperCase()}`;
  const id = newId("message");
  world.messages.push({
    id,
    ...own,
    messageType,
    conversationId: thread.id,
    dateAdded: iso(asked),
    direction: "outbound",
    status: "pending",
    body: String(body["message"] ?? body["html"] ?? ""),
    source: "api",
  });
  change(thread, { lastMessageDate: now(), lastMessageType: messageType });
  return { conversationId: thread.id, messageId: id };
}

const CONTACTS_MAX = 100;

function listContacts({ crm: { world }, query }: CrmAsked): Row {
  const { query: words = "", limit = "20", startAfterId } = query;
  if (!(Number(limit) <= CONTACTS_MAX)) {
    throw new Refusal(422, [`limit must not be greater than ${CONTACTS_MAX}`]);
  }
  const fitting = world.contacts.filter(({ email, firstNameLowerCase, lastNameLowerCase }) =>
    `${firstNameLowerCase} ${lastNameLowerCase} ${email}`.toLowerCase().includes(words.toLowerCase())
  );
  const from = fitting.findIndex(({ id }) => id === startAfterId) + 1;
  const rows = fitting.slice(from, from + Number(limit));
  return {
    contacts: rows.map(shown),
    count: fitting.length,
    meta: { startAfterId: rows.at(-1)?.id ?? null },
  };
}

/** By tool. */
export const RECORDS: Readonly<Record<string, CrmRun>> = {
  "calendars_get-calendar-events": ({ crm, query }) => events(crm.world, query),
  "calendars_get-appointment-notes": ({ records, path, query }) => {
    const rows = records.notes.filter(({ appointmentId }) => appointmentId === path["appointmentId"]);
    return {
      notes: paged(rows, query),
      hasMore: rows.length > Number(query["offset"]) + Number(query["limit"]),
    };
  },
  "contacts_get-contact": (asked) => ({ contact: shown(contactOf(asked)) }),
  "contacts_get-contacts": listContacts,
  "contacts_get-all-tasks": (asked) => ({
    tasks: asked.records.tasks.filter(({ contactId }) => contactId === contactOf(asked).id),
  }),
  "contacts_add-tags"(asked) {
    const contact = contactOf(asked);
    tag(asked, contact, [...new Set([...contact.tags, ...asked.body["tags"] as string[]])]);
    return { tags: byId(asked.crm.world.contacts, contact.id, "Contact").tags };
  },
  "contacts_remove-tags"(asked) {
    const contact = contactOf(asked);
    const gone = asked.body["tags"] as string[];
    change(contact, { tags: contact.tags.filter((one) => !gone.includes(one)), dateUpdated: iso(asked) });
    return { tags: contact.tags };
  },
  "contacts_create-contact"(asked) {
    if (duplicate(asked)) throw new Refusal(400, "This location does not allow duplicated contacts.");
    return { contact: createContact(asked) };
  },
  "contacts_update-contact": (asked) => ({ succeded: true, contact: updateContact(asked, contactOf(asked)) }),
  "contacts_upsert-contact"(asked) {
    const known = duplicate(asked);
    return { new: known === undefined, contact: known ? updateContact(asked, known) : createContact(asked) };
  },
  "conversations_search-conversation": ({ crm, query }) => {
    const { contactId } = query;
    if (contactId === undefined) return conversations(crm.world, query, crm.unruly);
    const rows = crm.world.conversations.filter((one) => one["contactId"] === contactId);
    return { conversations: rows, total: rows.length };
  },
  "conversations_get-messages": ({ crm, path, query }) =>
    messages(crm.world, path["conversationId"]!, query, crm.unruly),
  "conversations_send-a-new-message": send,
  "locations_get-location": ({ crm }) => ({ location: crm.world.location }),
  "locations_get-custom-fields": ({ crm }) => ({ customFields: crm.world.customFields }),
  "opportunities_search-opportunity": ({ crm, query }) => opportunities(crm.world, query, crm.unruly),
  "opportunities_get-pipelines": ({ crm }) => ({ pipelines: crm.world.pipelines }),
  "opportunities_get-opportunity": ({ crm, path }) => ({
    opportunity: byId(crm.world.opportunities, path["id"], "Opportunity"),
  }),
  "opportunities_update-opportunity"(asked) {
    const { crm: { world }, path, body } = asked;
    const opportunity = byId(world.opportunities, path["id"], "Opportunity");
    change(opportunity, { ...body, updatedAt: iso(asked) });
    forgetFitted(world);
    return { opportunity };
  },
};
