/** The few figures of a baseline that are compared: each beside that of another period. */
import { changesOf } from "../../rules/comparison.ts";
import { money, number, percent, plain, table } from "./_markdown.ts";

type Figures = Readonly<Record<string, unknown>>;

/** Picks figures by their names. */
const pick = (...names: readonly string[]) => (side: object): Figures =>
  Object.fromEntries(names.map((name) => [name, (side as Figures)[name] ?? null]));

const amounts = pick("collected", "invoiced");

/** The figures of a part, of its own or in the form in which both periods are alike. */
const GLANCES = {
  pipeline: (side: object) => pick("opportunities", "value")((side as { totals: object }).totals),
  appointments: pick("total", "no_show_rate", "no_show_rate_of_ended"),
  sms: pick("outbound", "inbound", "conversation_reply_rate"),
  forms: pick("total"),
  revenue: (side: object) => {
    const { by_currency } = side as { by_currency?: Readonly<Record<string, object>> };
    if (by_currency === undefined) return amounts(side);
    const blocks = Object.entries(by_currency).map(([name, block]) => [name, amounts(block)] as const);
    return { by_currency: Object.fromEntries(blocks) };
  },
} as const;
/** A part that has such figures. */
export type Compared = keyof typeof GLANCES;

/** What is seen of a part first. */
export const glanceOf = (part: Compared, figures: object): Figures => GLANCES[part](figures);

/** How both are called, and shown. */
const count = (value: number) => number(value);
const WORDS: Readonly<
  Record<Compared, Readonly<Record<string, readonly [string, (value: number) => string]>>>
> = {
  pipeline: { opportunities: ["New opportunities", count], value: ["Their value", money] },
  appointments: {
    total: ["Appointments", count],
    no_show_rate: ["Not shown up, of all", percent],
    no_show_rate_of_ended: ["Not shown up, of those whose end was marked", percent],
  },
  sms: {
    outbound: ["SMS sent", count],
    inbound: ["SMS received", count],
    conversation_reply_rate: ["Conversations with an answer", percent],
  },
  forms: { total: ["Form submissions", count] },
  revenue: { collected: ["Money that came in", money], invoiced: ["Invoiced", money] },
};

/** Both sides of a part, and whether all of both is known, so that a change can be said. */
export interface GlancePair {
  readonly part: Compared;
  readonly now: Figures;
  readonly other: Figures;
  readonly isWhole: boolean;
  /** Whether the other one holds anything at all. */
  readonly isThere: boolean;
  readonly truncated: boolean;
}

/** How the figures of each part changed that is known whole on both sides; null where none is. */
export function changesByPart(pairs: readonly GlancePair[]) {
  const known = pairs.filter(({ isWhole }) => isWhole);
  if (known.length === 0) return null;
  return Object.fromEntries(known.map(({ part, now, other }) => [part, changesOf(now, other)]));
}

/** A change in words: of a rate in points, of anything else by how much and by which share. */
function changeInWords(now: number | null, other: number | null, show: (value: number) => string): string {
  if (now === null || other === null) return "–";
  const signed = (value: number, text: string) => value > 0 ? `+${text}` : text;
  if (show === percent) {
    const points = (now - other) * 100;
    return signed(points, `${points.toFixed(2)} points`);
  }
  const share = other === 0 ? "" : ` (${signed(now - other, percent((now - other) / Math.abs(other)))})`;
  return signed(now - other, show(now - other)) + share;
}

function rowsOf({ part, now, other, isWhole }: GlancePair, currency: string | null): string[][] {
  const shown = (value: unknown, show: (value: number) => string) =>
    typeof value === "number" ? show(value) : "–";
  const figure = (value: unknown) => typeof value === "number" ? value : null;
  return Object.entries(WORDS[part]).map(([name, [words, show]]) => [
    currency === null ? words : `${words} (${plain(currency)})`,
    shown(now[name], show),
    shown(other[name], show),
    isWhole ? changeInWords(figure(now[name]), figure(other[name]), show) : "–",
  ]);
}

/** The table of both periods. */
export function glanceTable(pairs: readonly GlancePair[], own: string, other: string): string {
  const rows = pairs.flatMap((pair) => {
    const [now, then] = [pair.now["by_currency"], pair.other["by_currency"]] as Readonly<
      Record<string, Figures>
    >[];
    if (now === undefined || then === undefined) return rowsOf(pair, null);
    return Object.keys(now).flatMap((name) => rowsOf({ ...pair, now: now[name]!, other: then[name]! }, name));
  });
  return table(["Figure", own, other, "Change"], rows);
}
