/** A chart of days that the server draws, with the table of its numbers folded away under it. */
import type { Child } from "hono/jsx";
import { Table } from "../table.tsx";

const WIDTH = 640;
const HEIGHT = 140;
const FOOT = 20;
const TOP = 18;

/** What a chart shows. */
export interface ChartParts {
  readonly title: string;
  /** Oldest first; null where nothing is known of a day. */
  readonly days: readonly { readonly date: string; readonly value: number | null }[];
}

/** Bars of days; whoever cannot see them hears the range, and has the table. */
export function Chart({ title, days }: ChartParts): Child {
  const known = days.flatMap(({ value }) => value === null ? [] : [value]);
  if (known.length === 0) return <p>{`${title}: nothing is kept yet.`}</p>;
  const most = Math.max(...known);
  const [first, last] = [days[0]!.date, days.at(-1)!.date];
  const missing = days.length - known.length;
  const said = `${title} by day from ${first} to ${last}: ${Math.min(...known)} to ${most}` +
    (missing === 0 ? "" : `, ${missing} ${missing === 1 ? "day is" : "days are"} missing`);
  const step = WIDTH / days.length;
  const room = HEIGHT - FOOT - TOP;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={said}>
        <line x1="0" y1={TOP} x2={WIDTH} y2={TOP} class="rule" />
        <text x="0" y={TOP - 5}>{shortened(most)}</text>
        {days.map(({ value }, at) => {
          const height = value === null || most === 0
            ? 0
            : Math.max(value === 0 ? 0 : 1, room * value / most);
          return value === null
            ? <circle cx={(at + 0.5) * step} cy={TOP + room - 3} r="2" class="gap" />
            : (
              <rect
                x={at * step + step * 0.15}
                y={TOP + room - height}
                width={step * 0.7}
                height={height}
                class="bar"
              />
            );
        })}
        <line x1="0" y1={TOP + room} x2={WIDTH} y2={TOP + room} class="base" />
        <text x="0" y={HEIGHT - 4}>{first}</text>
        <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">{last}</text>
      </svg>
      <details>
        <summary>{`The numbers of ${title.toLowerCase()}`}</summary>
        <Table
          caption={`${title} by day`}
          columns={["Day", title]}
          rows={days.map(({ date, value }) => [date, value === null ? "missing" : String(value)])}
          empty=""
        />
      </details>
    </figure>
  );
}

const shortened = (value: number): string =>
  value >= 10_000 ? `${Math.round(value / 1000)} k` : String(Math.round(value * 10) / 10);
