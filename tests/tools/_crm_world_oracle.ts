/** Every metric of the CRM by brute force over all a location holds: no page, no cursor, nothing of tools/ and platforms/. */
import { DAY_MS, type Row } from "./_crm_dice.ts";
import type { CrmTruth } from "./_crm_world.ts";

/** A quotient of two whole numbers to four places, as on paper: a half goes up. */
export const quotient = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.floor((2 * part * 10_000 + whole) / (2 * whole)) / 10_000;
/** Sums of money by whole cents, so that no order of rows has a part in them. */
const sum = (values: readonly unknown[]) =>
  values.reduce<number>((all, one) => all + Math.round(Number(one ?? 0) * 100), 0) / 100;
const ms = (value: unknown): number =>
  value === null || value === undefined ? NaN : Date.parse(String(value));

function tally(values: readonly unknown[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const value of values) out[String(value)] = (out[String(value)] ?? 0) + 1;
  return out;
}

const walls = new Map<string, Intl.DateTimeFormat>();
/** The day that a calendar on the wall shows at a moment. */
export function wallDay(at: number, timeZone: string): string {
  let format = walls.get(timeZone);
  if (!format) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
    walls.set(timeZone, format = new Intl.DateTimeFormat("en-CA", { timeZone, ...parts }));
  }
  return format.format(at);
}

/** A day so many days after another. */
export const daysAfter = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** What is counted: whole days on the wall, or the time between two moments, the second not included. */
export type Counted = { readonly first: string; readonly last: string } | {
  readonly from: number;
  readonly to: number;
};

/** Words that name a form, and no part of a longer word. */
function namesForm(text: unknown): boolean {
  const words = String(text ?? "").toLowerCase().split("").map((sign) =>
    (sign >= "a" && sign <= "z") || (sign >= "0" && sign <= "9") || sign === "_" || sign > "\u007f"
      ? sign
      : " "
  ).join("").split(" ").filter(Boolean);
  return words.some((word, at) =>
    ["form", "optin", "submission", "survey"].includes(word) || (word === "opt" && words[at + 1] === "in")
  );
}

/** Counts a location in one time. */
export class Analyst {
  readonly #zone: string;

  constructor(readonly world: CrmTruth, readonly counted: Counted) {
    this.#zone = world.timezone ?? "UTC";
  }

  #inside(at: unknown): boolean {
    const moment = ms(at);
    if (Number.isNaN(moment)) return false;
    if ("from" in this.counted) return moment >= this.counted.from && moment < this.counted.to;
    const day = wallDay(moment, this.#zone);
    return day >= this.counted.first && day <= this.counted.last;
  }

  #sales(rows: readonly Row[]) {
    const value = sum(rows.map((row) => row["monetaryValue"]));
    return { opportunities: rows.length, value, by_status: tally(rows.map((row) => row["status"])) };
  }

  /** Of the opportunities made then, whose pipelines are there. */
  funnel(only?: string) {
    const made = this.world.opportunities.filter((row) => this.#inside(row["createdAt"]));
    const pipelines = this.world.pipelines.filter(({ id }) => only === undefined || id === only).map(
      (pipeline) => {
        const own = made.filter((row) => row["pipelineId"] === pipeline.id);
        const stages = [...pipeline.stages].sort((a, b) => Number(a["position"]) - Number(b["position"]));
        const reached = (from: number) =>
          own.filter((row) => stages.slice(from).some(({ id }) => id === row["pipelineStageId"])).length;
        const known = (row: Row) => stages.some(({ id }) => id === row["pipelineStageId"]);
        return {
          id: pipeline.id,
          name: pipeline.name,
          stages: stages.map(({ id, name, position }, at) => ({
            id,
            name,
            position,
            count: own.filter((row) => row["pipelineStageId"] === id).length,
            reached: reached(at),
            conversion_from_previous: at === 0 ? null : quotient(reached(at), reached(at - 1)),
          })),
          unmapped: tally(own.filter((row) => !known(row)).map((row) => row["pipelineStageId"])),
          totals: this.#sales(own),
        };
      },
    );
    return {
      pipelines,
      totals: this.#sales(only === undefined ? made : made.filter((row) => row["pipelineId"] === only)),
    };
  }

  #visits(calendar?: string) {
    const { gone } = this.world.ways;
    return this.world.events.filter((row) =>
      this.#inside(row["startTime"]) && row["deleted"] !== true && row["calendarId"] !== gone?.calendar &&
      (calendar === undefined || row["calendarId"] === calendar)
    );
  }

  visits(calendar?: string) {
    const rows = this.#visits(calendar);
    const of = (...statuses: string[]) =>
      rows.filter((row) => statuses.includes(String(row["appointmentStatus"]))).length;
    const [missed, ended] = [of("noshow"), of("noshow", "showed", "completed")];
    const { gone } = this.world.ways;
    const refused = this.world.calendars.find(({ id }) => id === gone?.calendar);
    return {
      total: rows.length,
      by_status: tally(rows.map((row) => row["appointmentStatus"])),
      no_show_rate: quotient(missed, rows.length),
      no_show_rate_excluding_cancelled: quotient(missed, rows.length - of("cancelled")),
      no_show_rate_of_ended: quotient(missed, ended),
      ended,
      unmarked:
        rows.filter((row) =>
          ["new", "confirmed", "active"].includes(String(row["appointmentStatus"])) &&
          ms(row["endTime"]) < this.world.now
        ).length,
      calendars_left_out: refused ? [{ id: refused["id"], name: refused["name"] }] : [],
    };
  }

  /** Those that are so, and became so then, whenever they were made. */
  #became(status: string): number {
    return this.world.opportunities.filter((row) =>
      row["status"] === status && this.#inside(row["lastStatusChangeAt"])
    )
      .length;
  }

  /** One side of a comparison. */
  side() {
    const [won, lost] = [this.#became("won"), this.#became("lost")];
    const { total, no_show_rate, no_show_rate_of_ended } = this.visits();
    return {
      opportunities: this.world.opportunities.filter((row) => this.#inside(row["createdAt"])).length,
      won,
      lost,
      win_rate: quotient(won, won + lost),
      appointments: total,
      no_show_rate,
      no_show_rate_of_ended,
      incomplete: null,
    };
  }

  #texts(): readonly Row[] {
    return this.world.messages.filter(({ messageType }) =>
      String(messageType).includes("SMS") && messageType !== "TYPE_SMS_REACTION"
    );
  }

  sms() {
    const rows = this.#texts().filter((row) => this.#inside(row["dateAdded"]));
    const [out, into] = ["outbound", "inbound"].map((way) =>
      rows.filter(({ direction }) => direction === way)
    );
    const threads = (some: readonly Row[]) => new Set(some.map((row) => row["conversationId"]));
    const replies = into!.filter((reply) =>
      out!.some((one) =>
        one["conversationId"] === reply["conversationId"] && ms(one["dateAdded"]) < ms(reply["dateAdded"])
      )
    );
    const [messaged, replied] = [threads(out!).size, threads(replies).size];
    return {
      outbound: out!.length,
      inbound: into!.length,
      reply_rate: quotient(into!.length, out!.length),
      conversations_messaged: messaged,
      conversations_replied: replied,
      conversation_reply_rate: quotient(replied, messaged),
    };
  }

  calls(minutes: number) {
    const end = ({ meta, status }: Row) => {
      const told = meta as { call?: { status?: string }; callStatus?: string } | undefined;
      return told?.call?.status ?? told?.callStatus ?? status;
    };
    const missed = this.world.messages.filter((row) =>
      String(row["messageType"]).endsWith("CALL") && row["direction"] === "inbound" &&
      this.#inside(row["dateAdded"]) &&
      ["no-answer", "busy", "voicemail", "failed", "canceled"].includes(String(end(row)))
    );
    const waits = missed.map((call) =>
      Math.min(
        ...this.#texts().filter((one) =>
          one["direction"] === "outbound" && one["contactId"] === call["contactId"]
        ).map((one) => ms(one["dateAdded"]) - ms(call["dateAdded"])).filter((wait) => wait >= 0),
      ) / 1000
    ).filter((seconds) => seconds <= minutes * 60).sort((a, b) => a - b);
    const half = waits.length / 2;
    const median = Number.isInteger(half) ? (waits[half - 1]! + waits[half]!) / 2 : waits[Math.floor(half)]!;
    return {
      missed_calls: missed.length,
      texted_back: waits.length,
      rate: quotient(waits.length, missed.length),
      median_delay_seconds: waits.length === 0 ? null : quotient(Math.round(median * 10_000), 10_000),
    };
  }

  /** The newest of those added then, as many as are examined. */
  #added(most: number) {
    const rows = this.world.contacts.filter((row) => this.#inside(row["dateAdded"]));
    return {
      all: rows.length,
      rows: rows.sort((a, b) => ms(b["dateAdded"]) - ms(a["dateAdded"])).slice(0, most),
    };
  }

  /** Whether it is clear which contacts are the newest so many. */
  isDefinite(most: number): boolean {
    const last = this.#added(most).rows.at(-1)?.["dateAdded"];
    const next = this.#added(most + 1).rows.at(most)?.["dateAdded"];
    return next === undefined || next !== last;
  }

  byForm(most = Infinity) {
    const { rows } = this.#added(most);
    const fields = this.world.fields.filter((one) => namesForm(one["name"])).map(({ id }) => id);
    const filled = (value: unknown) =>
      Array.isArray(value) ? value.length > 0 : value !== null && value !== "";
    const first = (row: Row): unknown => {
      const visits = row["attributions"] as { medium: string; isFirst: boolean }[] | undefined;
      const older = row["attributionSource"] as { medium: string } | undefined;
      return visits?.find(({ isFirst }) => isFirst)?.medium ?? older?.medium;
    };
    const signals: Record<string, (row: Row) => boolean> = {
      by_tag: (row) => (row["tags"] as string[]).some(namesForm),
      by_field: (row) =>
        (row["customFields"] as Row[]).some(({ id, value }) => fields.includes(id) && filled(value)),
      by_attribution: (row) => namesForm(first(row)),
      by_source: (row) => namesForm(row["source"]),
    };
    const attributed = rows.filter((row) => Object.values(signals).some((has) => has(row))).length;
    return {
      new_contacts: rows.length,
      attributed,
      rate: quotient(attributed, rows.length),
      signals: Object.fromEntries(
        Object.entries(signals).map(([name, has]) => [name, rows.filter(has).length]),
      ),
      with_attribution: rows.filter((row) => first(row) !== undefined).length,
    };
  }

  /** Of those added then, how many had booked by the end of it; a booking begins in it or within 60 days after. */
  booking() {
    const { rows } = this.#added(Infinity);
    const { first, last } = this.counted as { first: string; last: string };
    const latest = daysAfter(last, 60);
    const booked = this.world.events.filter((row) => {
      if (
        row["appointmentStatus"] === "invalid" || row["deleted"] === true ||
        row["calendarId"] === this.world.ways.gone?.calendar
      ) {
        return false;
      }
      const [begins, made] = [ms(row["startTime"]), ms(row["dateAdded"])].map((at) =>
        wallDay(at, this.#zone)
      );
      return begins! >= first && begins! <= latest && made! <= last;
    }).map((row) => row["contactId"]);
    const some = rows.filter(({ id }) => booked.includes(id)).length;
    const { total, by_status } = this.visits();
    return {
      new_leads: rows.length,
      new_leads_booked: some,
      lead_to_book_rate: quotient(some, rows.length),
      appointments_in_window: { total, by_status },
    };
  }

  submissions(form?: string): readonly Row[] {
    return this.world.submissions.filter((row) =>
      this.#inside(row["createdAt"]) && (form === undefined || row["formId"] === form)
    ).sort((a, b) => ms(b["createdAt"]) - ms(a["createdAt"]));
  }
}
