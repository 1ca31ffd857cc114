/** Locations of a CRM as an analyst makes them up: by a seed, with rows as the vendor's issues and SDKs show them. */
import { DAY_MS, Dice, iso, type Row } from "./_crm_dice.ts";
import { invoicesOf, transactionsOf } from "./_crm_world_money.ts";
import { eventsOf, messagesOf } from "./_crm_world_talk.ts";

/** How the vendor answers in one location: what its texts leave open, or report of some accounts only. */
export interface Ways {
  /** The search of opportunities with filters is refused to some tokens [#74]. */
  readonly search: "open" | "closed";
  /** Where a page says how to go on: in its rows, or beside them [page]. */
  readonly cursor: "row" | "beside";
  readonly exports: "open" | "not found" | "not supported";
  /** In which days it reads a date without a time, which it does not say. */
  readonly days: "UTC" | "location";
  /** By which of its dates an invoice is in a range, which it does not say. */
  readonly invoices_by: "issueDate" | "createdAt";
  /** Whether a range of days of making finds rows that do not tell theirs, which it does not say. */
  readonly undated: boolean;
  /** Permissions that the token lacks. */
  readonly lacks: readonly string[];
  /** Whether somebody writes a row while pages are read, so that the last row of a page comes again on the next. */
  readonly moving: boolean;
  /** The calendar that is refused, and how. */
  readonly gone: { readonly calendar: string; readonly status: number } | null;
}

/** Everything that one location holds. */
export interface CrmTruth {
  readonly seed: number;
  /** The moment at which it is asked. */
  readonly now: number;
  readonly id: string;
  /** Null where the location names no time zone, whose days are those of UTC then. */
  readonly timezone: string | null;
  readonly ways: Ways;
  readonly pipelines: readonly {
    readonly id: string;
    readonly name: string;
    readonly stages: readonly Row[];
  }[];
  readonly opportunities: readonly Row[];
  readonly calendars: readonly Row[];
  readonly events: readonly Row[];
  readonly messages: readonly Row[];
  readonly conversations: readonly Row[];
  readonly contacts: readonly (Row & { readonly tags: readonly string[] })[];
  /** Ids of contacts that were merged into another one: some rows still name them. */
  readonly merged: readonly string[];
  /** Which contacts are in a workflow, and which have been. */
  readonly enrolled: ReadonlyMap<string, { readonly active: Set<unknown>; readonly finished: Set<unknown> }>;
  readonly tags: readonly Row[];
  readonly fields: readonly Row[];
  readonly submissions: readonly Row[];
  readonly invoices: readonly Row[];
  readonly transactions: readonly Row[];
  readonly funnels: readonly Row[];
  readonly pages: readonly Row[];
  readonly workflows: readonly Row[];
  readonly campaigns: readonly Row[];
}

/** Where and when each seed is: shortly after the clocks changed, or at an end of the world. */
const PLACES: readonly (readonly [zone: string | null, now: string])[] = [
  ["America/New_York", "2026-11-10T04:59:59.999Z"], // the last millisecond of a day
  ["Europe/Berlin", "2026-04-07T10:00:00.000Z"],
  ["Pacific/Auckland", "2026-10-12T11:30:00.000Z"],
  ["Australia/Lord_Howe", "2026-04-20T14:00:00.000Z"], // changes by half an hour
  ["Africa/Cairo", "2026-05-08T09:13:00.000Z"], // a day without a midnight
  ["America/Santiago", "2026-09-20T17:00:00.000Z"], // as well
  ["Pacific/Chatham", "2026-04-15T01:00:00.000Z"], // three quarters of an hour
  ["America/St_Johns", "2026-11-15T20:20:00.000Z"],
  ["Asia/Kolkata", "2026-08-01T18:30:00.000Z"], // the first millisecond of a day
  [null, "2026-03-01T00:00:00.000Z"],
  ["Pacific/Apia", "2026-01-02T10:00:00.000Z"],
  ["Pacific/Pago_Pago", "2026-01-01T11:00:00.000Z"],
  ["America/Havana", "2026-11-12T15:45:00.000Z"], // a day with two midnights
  ["Asia/Beirut", "2026-04-10T06:00:00.000Z"],
  ["Europe/London", "2026-10-30T23:59:00.000Z"],
  ["Africa/Casablanca", "2026-03-30T12:00:00.000Z"],
  ["America/Sao_Paulo", "2026-06-15T02:30:00.000Z"],
  ["Asia/Tehran", "2026-07-10T20:29:59.000Z"],
  ["Antarctica/Troll", "2026-04-05T08:00:00.000Z"], // changes by two hours
  ["America/New_York", "2026-03-20T16:00:00.000Z"],
];
/** The seeds of the worlds that are compared. */
export const SEEDS: readonly number[] = PLACES.map((_, at) => at + 1);

function waysOf(seed: number, dice: Dice, calendars: readonly Row[]): Ways {
  const gone = calendars.length > 2 && seed % 2 === 0 ? String(dice.pick(calendars)["id"]) : null;
  return {
    search: seed % 5 === 2 ? "closed" : "open",
    cursor: seed % 2 === 0 ? "beside" : "row",
    exports: seed % 8 === 3 ? "not found" : seed % 8 === 7 ? "not supported" : "open",
    days: seed % 3 === 0 || seed % 5 === 2 ? "UTC" : "location",
    invoices_by: seed % 2 === 0 ? "createdAt" : "issueDate",
    undated: seed % 4 > 1,
    lacks: [
      ...seed % 6 === 4 ? ["payments/transactions.readonly"] : [],
      ...seed === 13 ? ["forms.readonly"] : [],
      ...seed === 17 ? ["invoices.readonly"] : [],
    ],
    moving: seed % 3 === 1,
    gone: gone === null ? null : { calendar: gone, status: dice.pick([400, 404, 422]) },
  };
}

/** Tags in small letters, as the vendor keeps them; some with words that name a form, or only look like it. */
const TAGS = [
  "contact form",
  "opt-in 2026",
  "webinar opt-in",
  "survey",
  "form",
  "new submission",
  "optin",
  "platform",
  "information",
  "vip",
  "customer",
  "inform me",
  "performance plan",
  "cold lead",
  "no show",
  "<b>bold</b>",
  "50% off & more",
  "über uns",
]; // deno-fmt-ignore

function peopleOf(dice: Dice, tags: readonly Row[], fields: readonly Row[], locationId: string) {
  const medium = () => dice.pick(["form", "survey", "manual", "calendar", "whatsapp", "facebook", "chat_widget"]);
  const visit = (isFirst: boolean) => ({
    url: "https://shop.example/",
    utmSessionSource: dice.pick(["Direct traffic", "Paid Social", "CRM UI"]),
    medium: medium(),
    mediumId: dice.chance(0.3) ? null : dice.id(),
    isFirst,
    isLast: !isFirst,
  });
  const told = (): Row => {
    const kind = dice.int(0, 5);
    if (kind === 0) return { attributions: [visit(true)] };
    if (kind === 1) return { attributions: [visit(false), visit(true)] };
    // As one contact by its id shows it [#289]; the search lists it among its fields [#314].
    if (kind === 2) return { attributionSource: { sessionSource: "CRM UI", medium: medium(), mediumId: null } };
    return kind === 3 ? { attributions: [] } : {}; // [#10]
  };
  return (): Row & { tags: string[] } => {
    const [added, updated] = [dice.past(100), dice.past(150)];
    const name = dice.pick(["ann", "béla", "o'neil", "<i>eve</i>", "zoë"]);
    return {
      id: dice.id(),
      locationId,
      phoneLabel: null,
      country: "US",
      source: dice.pick([null, "", "Contact Form", "public api", "Platform", "Summer survey", "Paid Social", "Newsletter opt-in"]),
      type: "lead",
      firstNameLowerCase: name,
      lastNameLowerCase: dice.chance(0.2) ? null : "smith",
      contactName: name,
      email: dice.chance(0.2) ? null : `${name.length}${dice.id(6)}@mail.example`,
      phone: dice.chance(0.3) ? null : `+1555${dice.int(1_000_000, 9_999_999)}`,
      dnd: false,
      businessId: null,
      additionalEmails: [],
      ...dice.chance(0.05) ? {} : { dateAdded: dice.chance(0.03) ? null : iso(added) },
      ...dice.chance(0.05) ? {} : { dateUpdated: iso(Math.max(updated, dice.chance(0.5) ? added : 0)) },
      tags: tags.filter(() => dice.chance(2.5 / tags.length)).map(({ name }) => String(name)),
      customFields: fields.filter(() => dice.chance(0.15)).map(({ id }) => ({
        id,
        value: dice.pick<unknown>(["yes", "", "some text", [], ["one"], null]),
      })),
      ...told(),
    };
  };
}

function salesOf(
  dice: Dice,
  pipelines: CrmTruth["pipelines"],
  someone: () => string,
  locationId: string,
): Row {
  const made = dice.past(75);
  const status = dice.pick(["open", "open", "won", "won", "lost", "abandoned"]);
  const pipeline = dice.chance(0.96) && pipelines.length > 0 ? dice.pick(pipelines) : null;
  const later = Math.min(made + dice.int(0, 40) * DAY_MS + dice.int(0, DAY_MS), dice.now - 1);
  // Of an imported one the change is older than the row; one that was reopened is open, and changed late.
  const changed = status === "open" && dice.chance(0.8) ? made : dice.chance(0.12) ? dice.past(90) : later;
  const contactId = someone();
  return {
    id: dice.id(),
    name: dice.pick(["New kitchen", "<script>alert(1)</script>", "Beratung", ""]),
    ...dice.chance(0.04) ? {} : { monetaryValue: dice.chance(0.05) ? null : dice.int(0, 900_000) / 100 },
    pipelineId: pipeline?.id ?? "pipelineThatIsGone00",
    pipelineStageId: pipeline && dice.chance(0.93) ? dice.pick(pipeline.stages)["id"] : "stage-that-is-gone",
    assignedTo: dice.chance(0.5) ? null : dice.id(),
    status,
    source: dice.pick(["", "Website", null]),
    ...dice.chance(0.05) ? {} : { lastStatusChangeAt: dice.chance(0.04) ? null : iso(changed) },
    lastStageChangeAt: iso(Math.min(later, dice.now - 1)),
    lastActionDate: null,
    indexVersion: 1,
    ...dice.chance(0.03) ? {} : { createdAt: iso(made) },
    updatedAt: iso(dice.now - 1),
    contactId,
    locationId,
    contact: dice.chance(0.1) ? null : { id: contactId, name: "Ann", tags: [] },
    lostReasonId: null,
    customFields: [],
    followers: [],
  };
}

const named = (
  dice: Dice,
  count: number,
  name: (at: number) => string,
  more: (at: number) => Row = () => ({}),
) => dice.times(count, (at) => ({ id: dice.id(), name: name(at), ...more(at) }));

function furnished(seed: number, dice: Dice, locationId: string) {
  const pipelines = seed === 11 ? [] : dice.times(dice.int(1, 3), (at) => ({
    id: dice.id(),
    name: dice.pick(["Sales", "<b>Care</b>", "Ventes"]),
    // Neither in the order of their positions, nor without gaps.
    stages: dice.times(
      dice.int(2, 5),
      (step) => ({ id: dice.id(36), name: `Step ${step}`, position: (7 * step + at) % 11 }),
    ),
    locationId,
  }));
  const funnels = dice.times(dice.int(0, 3), (at) => ({
    _id: dice.id(),
    locationId,
    name: `Funnel ${at}`,
    type: "funnel",
    steps: [],
    dateAdded: iso(dice.past(90)),
    dateUpdated: iso(dice.past(20)),
  }));
  return {
    pipelines,
    funnels,
    calendars: named(dice, seed % 4 === 0 ? 43 : dice.int(1, 9), (at) => `Room ${at}`, () => ({
      locationId,
      isActive: dice.chance(0.8),
      calendarType: "round_robin",
    })),
    tags: named(
      dice,
      seed % 5 === 0 ? 61 : TAGS.length,
      (at) => TAGS[at] ?? `tag ${at}`,
      () => ({ locationId }),
    ),
    fields: ["Form answer", "Platform", "Information", "Which form?", "Favourite colour"].map((name, at) => ({
      id: dice.id(),
      name,
      fieldKey: `contact.field_${at}`,
      dataType: "TEXT",
      model: "contact",
      locationId,
    })),
    pages: funnels.flatMap(({ _id: funnelId }) =>
      dice.times(dice.int(0, 45), (at) => ({
        _id: dice.id(),
        locationId,
        funnelId,
        name: `Page ${at}`,
        stepId: dice.id(36),
        deleted: dice.pick([false, false, "false", true]),
        updatedAt: iso(dice.past(30)),
      }))
    ),
    workflows: named(dice, dice.int(1, 5), (at) => `Flow ${at}`, () => ({
      status: dice.pick(["draft", "published"]),
      version: dice.int(1, 9),
      createdAt: iso(dice.past(90)),
      updatedAt: iso(dice.past(30)),
      locationId,
    })),
    campaigns: named(dice, dice.int(0, 4), () => "Spring <2026>", () => ({
      status: dice.pick(["draft", "published"]),
      locationId,
    })),
  };
}

/** The location of a seed. */
export function crmWorld(seed: number): CrmTruth {
  const [timezone, at] = PLACES[seed - 1]!;
  const now = Date.parse(at);
  const dice = new Dice(seed, now, timezone ?? "UTC");
  const id = dice.id();
  const base = furnished(seed, dice, id);
  const person = peopleOf(dice, base.tags, base.fields, id);
  const contacts = dice.times(dice.int(80, 240), person);
  const merged = dice.times(6, () => dice.id());
  const someone = () => dice.chance(0.06) ? dice.pick(merged) : String(dice.pick(contacts)["id"]);
  const forms = dice.times(3, () => dice.id());
  const part = (share: number) => new Set(contacts.filter(() => dice.chance(share)).map((one) => one["id"]));
  return {
    seed,
    now,
    id,
    timezone,
    ...base,
    ways: waysOf(seed, dice, base.calendars),
    contacts,
    merged,
    enrolled: new Map(base.workflows.map(({ id }) => [id, { active: part(0.2), finished: part(0.4) }])),
    opportunities: dice.times(
      seed % 7 === 0 ? 640 : dice.int(120, 330),
      () => salesOf(dice, base.pipelines, someone, id),
    ),
    events: eventsOf(dice, base.calendars, someone, id),
    ...messagesOf(dice, contacts, merged, id),
    submissions: dice.times(dice.int(60, 260), () => ({
      id: dice.id(36),
      contactId: someone(),
      createdAt: iso(dice.past(70)),
      formId: dice.pick(forms),
      name: "Ann <Smith>",
      email: "ann@mail.example",
      others: { question: "answer", fieldsOriSequance: ["full_name"] },
    })),
    invoices: invoicesOf(dice, seed, contacts, id),
    transactions: transactionsOf(dice, seed, someone, merged, id),
  };
}
