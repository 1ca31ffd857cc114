/** A location as a busy client would have it, the same for the same number. */
import { addMessages, type Chance } from "./seed_messages.ts";
import { emptyWorld, type World } from "./world.ts";

const DAY_MS = 24 * 60 * 60_000;
const APPOINTMENT_STATUSES = ["new", "confirmed", "cancelled", "showed", "noshow", "invalid", "completed"];
const INVOICE_STATUSES = ["draft", "sent", "payment_processing", "paid", "void", "partially_paid"];
const TAGS = ["vip", "form lead", "opt-in", "newsletter", "survey 2026", "old", "never used", "information"];

/** How much there is of each. */
export interface SeedOptions {
  readonly seed?: number;
  readonly timezone?: string;
  /** Days before and after `now` that rows are spread over. */
  readonly days?: number;
  readonly opportunities?: number;
  readonly contacts?: number;
  readonly events?: number;
  readonly conversations?: number;
  readonly messages?: number;
  readonly invoices?: number;
  readonly submissions?: number;
  readonly currencies?: readonly string[];
}

/** Numbers from 0 to 1 that the seed alone decides (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** What the parts of a location are made with, one after another: each draws from the same numbers. */
interface Seeding {
  readonly world: World;
  readonly own: { readonly locationId: string };
  readonly chance: Chance;
  readonly options: SeedOptions;
}

/** Makes one. */
export function seeded(id: string, now: number, options: SeedOptions = {}): World {
  const { seed = 1, timezone = "America/New_York", days = 75 } = options;
  const next = random(seed);
  const chance: Chance = {
    now,
    next,
    pick: (list) => list[Math.floor(next() * list.length)]!,
    past: () => now - Math.floor(next() * days * DAY_MS),
    iso: (ms) => new Date(ms).toISOString(),
  };
  const seeding = { world: emptyWorld(id, timezone), own: { locationId: id }, chance, options };
  addFrame(seeding);
  addContacts(seeding);
  addDeals(seeding);
  addVisits(seeding);
  addMessages(seeding.world, seeding.own, chance, options);
  addFunnels(seeding);
  addSubmissions(seeding);
  addInvoices(seeding);
  addTransactions(seeding);
  return seeding.world;
}

const range = <T>(length: number | undefined, usual: number, make: (at: number) => T): T[] =>
  Array.from({ length: length ?? usual }, (_, at) => make(at));

const contactOf = ({ world, chance: { next } }: Seeding): string =>
  `contact-${Math.floor(next() * Math.max(1, world.contacts.length))}`;

/** What a location has whoever its contacts are. */
function addFrame({ world, own, chance: { iso, now } }: Seeding): void {
  world.pipelines.push(...["sales", "care"].map((name, at) => ({
    id: `pipe-${name}`,
    name: at === 0 ? "Sales" : "Care",
    ...own,
    // Not in the order of their positions.
    stages: [2, 0, 3, 1].map((position) => ({
      id: `${name}-${position}`,
      name: `Step ${position}`,
      position,
    })),
  })));
  world.tags.push(...TAGS.map((name, at) => ({ id: `tag-${at}`, name, ...own })));
  world.customFields.push(
    {
      id: "field-form",
      name: "Contact form answer",
      fieldKey: "contact.form_answer",
      dataType: "TEXT",
      ...own,
    },
    { id: "field-platform", name: "Platform", fieldKey: "contact.platform", dataType: "TEXT", ...own },
    { id: "field-other", name: "Birthday", fieldKey: "contact.birthday", dataType: "DATE", ...own },
  );
  world.workflows.push(
    ...["published", "draft"].map((status, at) => ({
      id: `flow-${at}`,
      name: `Flow ${at}`,
      status,
      version: at + 1,
      createdAt: iso(now - 90 * DAY_MS),
      updatedAt: iso(now - at * DAY_MS),
      ...own,
    })),
  );
}

/** What contacts came by, as the vendor names it or a person wrote it. */
const SOURCES = ["web", "Paid Social", "Contact form", "Platform import", null];
const MEDIA = ["form", "survey", "whatsapp", "manual", "calendar"];

/** The visits of a contact, as far as the CRM tells them: a later one by a form does not make it come by one. */
function visitsOf(at: number): { readonly attributions?: readonly object[] } {
  if (at % 3 === 0) return {};
  const first = { medium: MEDIA[at % MEDIA.length], utmSessionSource: "Direct traffic", isFirst: true };
  return { attributions: [{ medium: "form", utmSessionSource: "Referral", isLast: true }, first] };
}

function addContacts({ world, own, chance: { next, pick, past, iso, now }, options }: Seeding): void {
  world.contacts.push(...range(options.contacts, 120, (at) => {
    const added = past();
    return {
      id: `contact-${at}`,
      ...own,
      firstNameLowerCase: `first${at}`,
      lastNameLowerCase: "last",
      email: `person${at}@mail.example`,
      phone: "+15550100",
      source: SOURCES[at % SOURCES.length],
      ...visitsOf(at),
      type: "lead",
      ...(at % 23 === 22 ? {} : { dateAdded: iso(added) }),
      dateUpdated: iso(added + Math.floor(next() * (now - added))),
      tags: TAGS.filter((tag) => tag !== "never used" && next() < 0.15),
      customFields: next() < 0.2
        ? [{ id: pick(["field-form", "field-other", "field-platform"]), value: pick(["yes", ""]) }]
        : [],
      activeWorkflows: next() < 0.3 ? ["flow-0"] : [],
      finishedWorkflows: next() < 0.3 ? ["flow-0"] : [],
    };
  }));
}

/** No field of an opportunity is required: some have no value, and a few do not say when their status changed. */
const worth = (at: number, monetaryValue: number) => at % 19 === 18 ? {} : { monetaryValue };
const changed = (at: number, lastStatusChangeAt: string) => at % 29 === 28 ? {} : { lastStatusChangeAt };

function addDeals(seeding: Seeding): void {
  const { world, own, chance: { next, pick, past, iso, now }, options } = seeding;
  world.opportunities.push(...range(options.opportunities, 150, (at) => {
    const pipeline = pick(["sales", "care"]);
    const created = past();
    return {
      id: `opp-${at}`,
      name: `Deal ${at}`,
      ...own,
      pipelineId: `pipe-${pipeline}`,
      pipelineStageId: next() < 0.05 ? "gone" : `${pipeline}-${Math.floor(next() * 4)}`,
      status: pick(["open", "open", "won", "lost", "abandoned"]),
      ...worth(at, Math.round(next() * 100_000) / 100),
      createdAt: iso(created),
      // Some were reopened or decided long after they were made, some imported as decided before.
      ...changed(at, iso(Math.min(now - 1, created + Math.floor((next() - 0.05) * 40 * DAY_MS)))),
      updatedAt: iso(now),
      contactId: contactOf(seeding),
      source: "web",
    };
  }));
}

/** A moment as appointments have it: with the hours by which some place is off, and to the second. */
const there = (ms: number) => `${new Date(ms - 5 * 60 * 60_000).toISOString().slice(0, 19)}-05:00`;

function addVisits(seeding: Seeding): void {
  const { world, own, chance: { next, pick, past, iso, now }, options } = seeding;
  world.calendars.push(
    ...["a", "b"].map((name) => ({ id: `cal-${name}`, name: `Room ${name}`, isActive: true, ...own })),
  );
  world.events.push(...range(options.events, 140, (at) => {
    const starts = past() + Math.floor(next() * 20) * DAY_MS;
    return {
      id: `event-${at}`,
      title: `Visit ${at}`,
      calendarId: pick(["cal-a", "cal-b"]),
      ...own,
      contactId: contactOf(seeding),
      appointmentStatus: pick(APPOINTMENT_STATUSES),
      assignedUserId: "user-1",
      startTime: there(starts),
      endTime: there(starts + 30 * 60_000),
      dateAdded: iso(starts - Math.floor(next() * 15 * DAY_MS)),
      dateUpdated: iso(now),
      // One that was taken out of the calendar is still answered, as public clients of the route tell.
      ...(at % 3 === 0 ? { deleted: at % 15 === 0 } : {}),
    };
  }));
}

function addFunnels({ world, own, chance: { iso, now } }: Seeding): void {
  world.campaigns.push({ id: "camp-1", name: "Spring", status: "published", ...own }, {
    id: "camp-2",
    name: "Autumn",
    status: "draft",
    ...own,
  });
  world.funnels.push(
    ...range(undefined, 3, (at) => ({ _id: `funnel-${at}`, name: `Funnel ${at}`, type: "funnel", ...own })),
  );
  world.pages.push(...range(undefined, 50, (at) => ({
    _id: `page-${at}`,
    name: `Page ${at}`,
    funnelId: `funnel-${at % 2}`,
    stepId: "step",
    deleted: at === 7 ? "true" : "false",
    updatedAt: iso(now),
    ...own,
  })));
}

function addSubmissions(seeding: Seeding): void {
  const { world, chance: { pick, past, iso }, options } = seeding;
  world.submissions.push(...range(options.submissions, 130, (at) => ({
    id: `sub-${at}`,
    contactId: contactOf(seeding),
    createdAt: iso(past()),
    formId: pick(["form-1", "form-2"]),
    name: `Person ${at}`,
    email: `person${at}@mail.example`,
    others: { question: "answer" },
  })));
}

function addInvoices(seeding: Seeding): void {
  const { world, own, chance: { next, pick, past, iso }, options } = seeding;
  const { currencies = ["USD"] } = options;
  world.invoices.push(...range(options.invoices, 130, (at) => {
    const total = Math.round(next() * 50_000) / 100;
    const status = pick(INVOICE_STATUSES);
    const amountPaid = status === "paid"
      ? total
      : status === "partially_paid"
      ? Math.round(total * 50) / 100
      : 0;
    const day = iso(past()).slice(0, 10);
    return {
      _id: `invoice-${at}`,
      status,
      liveMode: next() > 0.1,
      altId: own.locationId,
      altType: "location",
      name: "Invoice",
      title: "INVOICE",
      invoiceNumber: pick<string | number>([at, `INV-${at}`]),
      currency: pick(currencies),
      total,
      amountPaid,
      amountDue: Math.round((total - amountPaid) * 100) / 100,
      issueDate: day,
      dueDate: day,
      // A draft may lie for weeks until it is issued.
      createdAt: iso(Date.parse(day) - (at % 4) * 5 * DAY_MS),
      updatedAt: `${day}T12:00:00.000Z`,
      contactDetails: {
        id: contactOf(seeding),
        name: `Person ${at}`,
        email: "p@mail.example",
        phoneNo: "+15550100",
      },
      invoiceItems: [{ name: "Visit" }],
    };
  }));
}

/** The file of payments requires no mode. */
const mode = (at: number, liveMode: boolean) => at % 11 === 10 ? {} : { liveMode };

/** Payments of invoices, some long after these were issued, and of what no invoice was written for. */
function addTransactions(seeding: Seeding): void {
  const { world, own, chance: { next, pick, past, iso, now }, options } = seeding;
  const { currencies = ["USD"] } = options;
  const add = (at: number, amount: number, paidFor: Readonly<Record<string, unknown>>) => {
    const isBank = next() < 0.2;
    const refunded = next() < 0.15 ? Math.round(amount * 50) / 100 : 0;
    const [currency, status] = [
      pick(currencies),
      pick(["succeeded", "succeeded", "succeeded", "succeeded", "pending", "failed"]),
    ];
    const count = world.transactions.length;
    world.transactions.push({
      _id: `txn-${count}`,
      altId: own.locationId,
      altType: "location",
      contactId: contactOf(seeding),
      // Of a person who was merged into another one the payments stay theirs.
      ...(count % 13 === 12 ? { mergedFromContactId: "contact-merged" } : {}),
      contactName: "Person",
      currency: count % 2 === 0 ? currency : currency.toLowerCase(),
      amount,
      status: refunded > 0 && status === "succeeded" ? "partially_refunded" : status,
      ...mode(count, next() > 0.1),
      ...(count % 31 === 30 ? { markAsTest: true } : {}),
      createdAt: iso(at),
      updatedAt: iso(at),
      fulfilledAt: iso(Math.min(now, at + (isBank ? Math.floor(next() * 5 * DAY_MS) : 0))),
      ...(refunded > 0 ? { amountRefunded: refunded } : {}),
      ...paidFor,
    });
  };
  for (const { _id, amountPaid, issueDate } of world.invoices as Record<string, string | number>[]) {
    if (Number(amountPaid) === 0) continue;
    const at = Math.min(now - 1, Date.parse(String(issueDate)) + Math.floor(next() * 45 * DAY_MS));
    const own = { entityType: "invoice", entityId: _id, entitySourceType: "invoice", entitySourceId: _id };
    add(at, Number(amountPaid), own);
  }
  for (let count = 0; count < 40; count++) {
    const sold = { entityType: "order", entityId: `order-${count}`, entitySourceType: "funnel" };
    add(past(), Math.round(next() * 20_000) / 100, { ...sold, entitySourceSubType: "two_step_order_form" });
  }
}
