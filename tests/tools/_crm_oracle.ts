/** Every metric of the CRM a second time, counted from the seed by brute force, with nothing of the tools' code. */
import type { World } from "../../sandbox/highlevel/start.ts";

type Row = Record<string, unknown>;
const round = (value: number) => Number(value.toFixed(4));
const share = (part: number, whole: number) => whole ? round(part / whole) : null;
const total = (values: number[]) => round(values.reduce((a, b) => a + b, 0));

/** The day of a moment in a zone, as a calendar on the wall there shows it. */
export function wallDay(at: string | number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return parts.format(typeof at === "number" ? at : Date.parse(at));
}

/** The days of the last so many days before a moment, that day included. */
export function lastDays(count: number, now: number, timeZone: string, skip = 0): Set<string> {
  const today = Date.parse(`${wallDay(now, timeZone)}T00:00:00Z`);
  return new Set(
    Array.from(
      { length: count },
      (_, at) => new Date(today - (at + skip) * 86_400_000).toISOString().slice(0, 10),
    ),
  );
}

/** Counts a location between two moments, the second not included. */
export const between = (world: World, from: number, to: number): Oracle =>
  new (class extends Oracle {
    override inside(at: unknown): boolean {
      const ms = typeof at === "string" ? Date.parse(at) : Number(at);
      return ms >= from && ms < to;
    }
  })(world, new Set());

function tally(values: readonly unknown[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const value of [...values].map(String).sort()) out[value] = (out[value] ?? 0) + 1;
  return out;
}

/** Counts a location over a set of days. */
export class Oracle {
  constructor(readonly world: World, readonly days: ReadonlySet<string>) {}

  inside(at: unknown): boolean {
    if (typeof at !== "string" && typeof at !== "number") return false;
    return this.days.has(wallDay(at, this.world.location.timezone ?? "UTC"));
  }

  opportunities() {
    return this.world.opportunities.filter(({ createdAt }) => this.inside(createdAt));
  }

  totals(rows: readonly Row[] = this.opportunities()) {
    return {
      opportunities: rows.length,
      value: total(rows.map((row) => Number(row["monetaryValue"] ?? 0))),
      by_status: tally(rows.map((row) => row["status"])),
    };
  }

  /** For each stage of a pipeline, by its position: how many stand there, and how many there or later. */
  stages(pipeline: string) {
    const stages = [...this.world.pipelines.find(({ id }) => id === pipeline)!.stages]
      .sort((a, b) => Number(a["position"]) - Number(b["position"]));
    const rows = this.opportunities().filter(({ pipelineId }) => pipelineId === pipeline);
    const count = stages.map((stage) => rows.filter((row) => row["pipelineStageId"] === stage["id"]).length);
    return stages.map((stage, at) => {
      const from = (index: number) => count.slice(index).reduce((a, b) => a + b, 0);
      return [stage["id"], count[at], from(at), at === 0 ? null : share(from(at), from(at - 1))];
    });
  }

  events() {
    return this.world.events.filter(({ startTime, deleted }) => deleted !== true && this.inside(startTime));
  }

  attendance(now = Infinity) {
    const rows = this.events();
    const of = (status: string) => rows.filter((row) => row["appointmentStatus"] === status).length;
    const ended = of("noshow") + of("showed") + of("completed");
    const over = (row: Row) => Date.parse(String(row["endTime"] ?? row["startTime"])) < now;
    return {
      total: rows.length,
      by_status: tally(rows.map((row) => row["appointmentStatus"])),
      no_show_rate: share(of("noshow"), rows.length),
      no_show_rate_excluding_cancelled: share(of("noshow"), rows.length - of("cancelled")),
      no_show_rate_of_ended: share(of("noshow"), ended),
      ended,
      unmarked:
        rows.filter((row) =>
          over(row) && ["new", "confirmed", "active"].includes(String(row["appointmentStatus"]))
        ).length,
    };
  }

  /** Those that ended so in the time, whenever they were made. */
  decided(status: string): number {
    return this.world.opportunities.filter((row) =>
      row.status === status && this.inside(row.lastStatusChangeAt)
    ).length;
  }

  compared() {
    const [won, lost] = [this.decided("won"), this.decided("lost")];
    const { total, no_show_rate, no_show_rate_of_ended } = this.attendance();
    return {
      opportunities: this.opportunities().length,
      won,
      lost,
      win_rate: share(won, won + lost),
      appointments: total,
      no_show_rate,
      no_show_rate_of_ended,
      incomplete: null,
    };
  }

  sms() {
    const rows = this.world.messages.filter(({ messageType, dateAdded }) =>
      /SMS/.test(messageType) && messageType !== "TYPE_SMS_REACTION" && this.inside(dateAdded)
    );
    const out = rows.filter((row) => row["direction"] === "outbound");
    const into = rows.filter((row) => row["direction"] === "inbound");
    const messaged = new Set(out.map(({ conversationId }) => conversationId));
    const replied = new Set(
      into.filter((reply) =>
        out.some((one) =>
          one.conversationId === reply.conversationId &&
          Date.parse(one.dateAdded) < Date.parse(reply.dateAdded)
        )
      ).map(({ conversationId }) => conversationId),
    );
    return {
      outbound: out.length,
      inbound: into.length,
      reply_rate: share(into.length, out.length),
      conversations_messaged: messaged.size,
      conversations_replied: replied.size,
      conversation_reply_rate: share(replied.size, messaged.size),
    };
  }

  textBack(minutes: number) {
    const status = ({ meta, status: own }: Row) => {
      const told = meta as { call?: { status: string }; callStatus?: string } | undefined;
      return told?.call?.status ?? told?.callStatus ?? own;
    };
    const missed = this.world.messages.filter((row) =>
      row["type"] === 1 && row["direction"] === "inbound" && this.inside(row.dateAdded) &&
      ["no-answer", "busy", "voicemail", "failed", "canceled"].includes(String(status(row)))
    );
    const delays = missed.flatMap((call) => {
      const after = this.world.messages.filter((one) =>
        /SMS/.test(one.messageType) && one.messageType !== "TYPE_SMS_REACTION" &&
        one["direction"] === "outbound" &&
        one["contactId"] === call["contactId"]
      ).map((one) => Date.parse(one.dateAdded) - Date.parse(call.dateAdded))
        .filter((ms) => ms >= 0 && ms <= minutes * 60_000).sort((a, b) => a - b);
      return after.slice(0, 1).map((ms) => ms / 1000);
    }).sort((a, b) => a - b);
    const half = delays.length / 2;
    const middle = delays.length % 2 ? delays[Math.floor(half)]! : (delays[half - 1]! + delays[half]!) / 2;
    return {
      missed_calls: missed.length,
      texted_back: delays.length,
      rate: share(delays.length, missed.length),
      median_delay_seconds: delays.length ? round(middle) : null,
    };
  }

  contacts() {
    return this.world.contacts.filter(({ dateAdded }) => this.inside(dateAdded));
  }

  attribution() {
    const rows = this.contacts();
    const tagged = rows.filter(({ tags }) =>
      tags.some((tag) => ["form lead", "opt-in", "survey 2026"].includes(tag))
    );
    const filled = rows.filter((row) =>
      (row["customFields"] as Row[]).some(({ id, value }) => id === "field-form" && value === "yes")
    );
    type Visit = { medium: string; isFirst: boolean };
    const first = (row: Row) => (row["attributions"] as Visit[] | undefined)?.find(({ isFirst }) => isFirst);
    const visited = rows.filter((row) => ["form", "survey"].includes(first(row)?.medium ?? ""));
    const sourced = rows.filter((row) => row["source"] === "Contact form");
    const attributed =
      rows.filter((row) => [tagged, filled, visited, sourced].some((some) => some.includes(row))).length;
    return {
      new_contacts: rows.length,
      attributed,
      rate: share(attributed, rows.length),
      signals: {
        by_tag: tagged.length,
        by_field: filled.length,
        by_attribution: visited.length,
        by_source: sourced.length,
      },
      with_attribution: rows.filter((row) => first(row) !== undefined).length,
    };
  }

  booking() {
    const rows = this.contacts();
    const last = [...this.days].sort().at(-1)!;
    const first = [...this.days].sort()[0]!;
    const zone = this.world.location.timezone ?? "UTC";
    const end = new Date(Date.parse(`${last}T00:00:00Z`) + 60 * 86_400_000).toISOString().slice(0, 10);
    const events = this.world.events.filter((row) => {
      const [starts, added] = [wallDay(row.startTime, zone), wallDay(String(row["dateAdded"]), zone)];
      return starts >= first && starts <= end && added <= last && row["appointmentStatus"] !== "invalid";
    });
    const booked = rows.filter(({ id }) => events.some((row) => row["contactId"] === id)).length;
    const { total, by_status } = this.attendance();
    return {
      new_leads: rows.length,
      new_leads_booked: booked,
      lead_to_book_rate: share(booked, rows.length),
      appointments_in_window: { total, by_status },
    };
  }

  revenue() {
    const live = this.world.invoices.filter((row) =>
      row["liveMode"] !== false && this.days.has(String(row.issueDate))
    );
    const rows = live.filter(({ status }) => status !== "draft" && status !== "void");
    const of = (name: string) => rows.map((row) => Number(row[name]));
    const invoiced = total(of("total"));
    const money = this.world.transactions.filter((row) =>
      row["liveMode"] !== false && row["markAsTest"] !== true &&
      ["succeeded", "refunded", "partially_refunded"].includes(String(row.status)) &&
      this.inside(row.fulfilledAt ?? row.createdAt)
    );
    const ofInvoices = money.filter((row) => row["entityType"] === "invoice");
    const paid = new Set(ofInvoices.map((row) => row["entityId"])).size;
    const largest = [...rows].sort((a, b) =>
      Number(b["total"]) - Number(a["total"]) || (String(b.issueDate) > String(a.issueDate) ? 1 : -1)
    );
    return {
      invoices: rows.length,
      collected: total(money.map(({ amount }) => amount)),
      refunded: total(money.map(({ amountRefunded }) => amountRefunded ?? 0)),
      payments: money.length,
      collected_by_issue_date: total(of("amountPaid")),
      invoiced,
      outstanding: total(of("amountDue")),
      average_invoice_total: rows.length ? round(invoiced / rows.length) : null,
      average_collected_per_paid_invoice: paid
        ? round(total(ofInvoices.map(({ amount }) => amount)) / paid)
        : null,
      top_invoices: largest.slice(0, 5).map((row) => row["_id"]),
      by_status: tally(live.map(({ status }) => status)),
    };
  }

  submissions() {
    return this.world.submissions.filter(({ createdAt }) => this.inside(createdAt)).length;
  }

  /** Tags by how many contacts carry them. */
  tags(threshold: number) {
    const uses = (name: string) => this.world.contacts.filter(({ tags }) => tags.includes(name)).length;
    return this.world.tags.map(({ name }) => [name, uses(name)] as const).filter(([, count]) =>
      count < threshold
    )
      .sort(([a, left], [b, right]) => left - right || (a < b ? -1 : 1));
  }

  idle(days: number, now: number) {
    const cutoff = now - days * 86_400_000;
    return this.world.contacts.filter(({ dateUpdated }) => Date.parse(dateUpdated ?? "") <= cutoff)
      .sort((a, b) => Date.parse(a.dateUpdated!) - Date.parse(b.dateUpdated!)).map(({ id }) => id);
  }

  enrolment(workflow: string) {
    const of = (name: "activeWorkflows" | "finishedWorkflows") =>
      this.world.contacts.filter((row) => row[name]?.includes(workflow)).length;
    return { active: of("activeWorkflows"), finished: of("finishedWorkflows") };
  }
}
