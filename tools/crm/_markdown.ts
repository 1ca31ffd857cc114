/** The words of the baseline: markdown that a client can read. */
import { counted, inMarkdown } from "../../core/one_line.ts";
import type { Location } from "../../platforms/highlevel/reader.ts";
import type { Days } from "../../platforms/highlevel/days.ts";
import type { Attendance } from "./_appointments.ts";
import type { Funnels } from "./_pipeline.ts";
import type { CurrencyBlock, Nullable, Revenue } from "./_revenue.ts";
import type { SmsFigures } from "./_sms.ts";
import type { tagHygiene } from "./_tags.ts";
import { inWords } from "./_window.ts";

const TAGS_SHOWN = 20;

const NAME_MAX = 80;

/** A name of the CRM as text in markdown. */
export const plain = (name: string | null): string => inMarkdown(name ?? "", NAME_MAX) || "(no name)";

/** Rates have four places, which are shown as they are: rounded once more, 53.85 would become 53.9 where 7 of 13 are 53.8. */
export const percent = (share: number | null): string =>
  share === null ? "–" : `${(share * 100).toFixed(2)} %`;
export const number = (value: number): string => value.toLocaleString("en-US");
export const money = (value: number | null): string =>
  value?.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }) ?? "–";

/** A table whose first column is words, and the others figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = line(head.map((_, at) => at === 0 ? "---" : "---:"));
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A status in words; those of the CRM's own are written together. */
const inPlainWords = (status: string): string =>
  status === "noshow"
    ? "not shown up"
    : status === "showed"
    ? "shown up"
    : plain(status.replaceAll("_", " "));
const statuses = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([name, count]) => `${inPlainWords(name)} ${number(count)}`).join(", ") ||
  "none";

/** A part of the report. */
export function section(title: string, parts: readonly string[], notes: readonly string[] = []): string {
  const asides = notes.length === 0 ? [] : [notes.map((note) => `> ${inMarkdown(note)}.`).join("\n>\n")];
  return [`## ${title}`, ...parts, ...asides].join("\n\n");
}

/** How the report begins. */
export const heading = ({ name, id }: Location, days: Days): string =>
  `# Baseline: ${plain(name ?? id)}\n\nWhat the CRM shows for ${inWords(days)}.`;

function pipelines({ pipelines, totals }: Funnels, notes: readonly string[]): string {
  const intro =
    `${counted(totals.opportunities, "new opportunity", "new opportunities")}, worth ${
      money(totals.value)
    } in all. ` +
    `By their status now: ${
      statuses(totals.by_status)
    }. What was won or lost in this period, whenever it was made, is another count.`;
  const shown = pipelines.filter((one) => one.totals.opportunities > 0).map(({ name, stages }) =>
    `### ${plain(name)}\n\n` + table(
      ["Stage", "Here now", "Came this far", "From the stage before"],
      stages.map((stage) => [
        plain(stage.name),
        number(stage.count),
        number(stage.reached),
        percent(stage.conversion_from_previous),
      ]),
    )
  );
  return section("Pipeline", [intro, ...shown], notes);
}

function appointments(found: Attendance, notes: readonly string[]): string {
  if (found.total === 0) return section("Appointments", ["No appointments."], notes);
  return section("Appointments", [
    `${counted(found.total, "appointment")}. By status: ${statuses(found.by_status)}.`,
    `Not shown up: ${percent(found.no_show_rate)}; of those not cancelled ` +
    `${percent(found.no_show_rate_excluding_cancelled)}; of the ${
      counted(found.ended, "visit")
    } whose end was marked ` +
    `${percent(found.no_show_rate_of_ended)}.`,
  ], notes);
}

function sms(found: SmsFigures, notes: readonly string[]): string {
  const { outbound, inbound, conversations_messaged, conversations_replied, conversation_reply_rate } = found;
  return section("SMS", [
    `${number(outbound)} sent and ${number(inbound)} received. Of ` +
    `${counted(conversations_messaged, "conversation")} with an SMS from you, ${
      number(conversations_replied)
    } had an ` +
    `answer (${percent(conversation_reply_rate)}).`,
  ], notes);
}

const forms = ({ total }: { total: number }, notes: readonly string[]): string =>
  section("Forms", [`${counted(total, "form submission")}.`], notes);

function amounts(block: Nullable<CurrencyBlock>, currency: string): string {
  return table(["Revenue", plain(currency)], [
    ["Invoiced", money(block.invoiced)],
    ["Came in, whatever for", money(block.collected)],
    ["Of that given back", money(block.refunded)],
    ["Paid of the invoices issued", money(block.collected_by_issue_date)],
    ["Outstanding", money(block.outstanding)],
    ["Average invoice", money(block.average_invoice_total)],
  ]);
}

function revenue(found: Revenue, notes: readonly string[]): string {
  const counts = `${counted(found.invoices, "invoice")}. By status, with drafts and void ones: ${
    statuses(found.by_status)
  }.`;
  if (found.by_currency !== undefined) {
    const blocks = Object.entries(found.by_currency).map(([currency, block]) => amounts(block, currency));
    return section("Revenue", [counts, ...blocks], notes);
  }
  return section("Revenue", [
    counts,
    ...(found.invoices > 0 || (found.payments ?? 0) > 0
      ? [amounts(found, found.currencies[0] ?? "Amount")]
      : []),
  ], notes);
}

function tags(found: Awaited<ReturnType<typeof tagHygiene>>, notes: readonly string[]): string {
  const { tags_total, underused, unused, threshold } = found;
  const intro =
    `${counted(tags_total, "tag")}; ${
      number(underused.length)
    } with fewer than ${threshold} contacts, of these ` +
    `${number(unused)} with none.`;
  const shown = underused.slice(0, TAGS_SHOWN).map(({ name, uses }) => [plain(name), number(uses)]);
  const rest = underused.length > TAGS_SHOWN ? [`And ${underused.length - TAGS_SHOWN} more.`] : [];
  return section(
    "Tags",
    [intro, ...(shown.length > 0 ? [table(["Tag", "Contacts"], shown)] : []), ...rest],
    notes,
  );
}

const part = <T>(title: string, render: (found: T, notes: readonly string[]) => string) => ({
  title,
  render,
  failed: `## ${title}\n\nThis part could not be read.`,
});

/** The parts in the order a reader wants them. */
export const PARTS = {
  pipeline: part("Pipeline", pipelines),
  appointments: part("Appointments", appointments),
  sms: part("SMS", sms),
  forms: part("Forms", forms),
  revenue: part("Revenue", revenue),
  tags: part("Tags", tags),
};
/** One of them. */
export type Part = keyof typeof PARTS;
