/** Small charts, drawn by the server, each with its figures in a table behind it. */
import { counted } from "../core/one_line.ts";
import type { Child } from "hono/jsx";
import { Table } from "./table.tsx";

/** A day and what was counted on it; null where nothing was counted. */
export interface DayValue {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly value: number | null;
}

/** What a chart shows. */
export interface ChartParts {
  readonly title: string;
  /** What one of them is, and many: `call`, `calls`. */
  readonly unit: readonly [one: string, many: string];
  readonly days: readonly DayValue[];
  /** What the last day is called; today where nothing is said. */
  readonly last?: string;
  /** Whether many of them are bad news. */
  readonly bad?: boolean;
}

const WIDTH = 280;
const HEIGHT = 72;
const GAP = 4;
/** What is not nothing can be seen. */
const BAR_MIN = 3;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A day as people write it. */
export function dayText(day: string): string {
  return `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;
}

/** What the chart says, for who does not see it. */
function summary({ days, unit, last: called = "today" }: ChartParts): string {
  const values = days.map(({ value }) => value ?? 0);
  const most = Math.max(0, ...values);
  const last = days.at(-1);
  if (last === undefined || most === 0) {
    return `No ${unit[1]} in ${days.length === 1 ? "this day" : `these ${days.length} days`}`;
  }
  const peak = days[values.indexOf(most)]!;
  return `${counted(values.at(-1)!, ...unit)} ${called}; most on ${dayText(peak.day)}: ${most}`;
}

/** Bars of days, oldest first, and the same figures as a table that is folded away. */
export function DaysChart(parts: ChartParts): Child {
  const { title, unit, days, bad = false } = parts;
  const most = Math.max(1, ...days.map(({ value }) => value ?? 0));
  const step = WIDTH / days.length;
  const total = days.reduce((sum, { value }) => sum + (value ?? 0), 0);
  return (
    <figure class="chart">
      <figcaption>
        {title} <strong>{total}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${summary(parts)}`}>
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {days.map(({ day, value }, at) => {
          const height = value ? Math.max(BAR_MIN, Math.round(value / most * (HEIGHT - 4))) : 0;
          return (
            <rect
              class={bad ? "bar bad" : "bar"}
              x={at * step + GAP / 2}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
              rx="2"
            >
              <title>{`${dayText(day)}: ${value === null ? "not counted" : counted(value, ...unit)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="ends" aria-hidden="true">
        <span>{dayText(days[0]?.day ?? "")}</span>
        <span>{parts.last ?? "today"}</span>
      </div>
      <details>
        <summary>Figures</summary>
        <Table
          caption={`${title}, by day in UTC`}
          columns={["Day", title]}
          rows={days.toReversed().map(({ day, value }) => [dayText(day), value ?? "not counted"])}
          empty=""
        />
      </details>
    </figure>
  );
}
