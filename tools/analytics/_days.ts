/** The range of days of a report, before anything is asked. */
import { GatewayError } from "../../core/errors.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first and the last day, YYYY-MM-DD. */
export interface Days {
  readonly start_date: string;
  readonly end_date: string;
}

/** Refuses with E_BAD_INPUT a range that is turned round, or that reaches into days that have begun nowhere yet. */
export function checkDays({ start_date, end_date }: Days, now: number): void {
  if (end_date < start_date) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `end_date: "${end_date}" lies before start_date "${start_date}"; turn them round`,
    );
  }
  // The first zone of the world is fourteen hours ahead.
  const latest = new Date(now + 14 * 60 * 60 * 1000).toISOString().slice(0, 10);
  for (const [field, day] of Object.entries({ start_date, end_date })) {
    if (day <= latest) continue;
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: "${day}" lies in the future, of which there is nothing to report`,
    );
  }
}

/** How many days a range has. */
export const daysOf = ({ start_date, end_date }: Days): number =>
  Math.round((Date.parse(end_date) - Date.parse(start_date)) / DAY_MS) + 1;
