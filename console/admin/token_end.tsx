/** When a token ends by itself: in days, on a day, or never. */
import type { Child } from "hono/jsx";
import type { Token, User } from "../../core/model.ts";
import { Field, Select } from "../form.tsx";
import { time } from "./words.ts";

const DAY_MS = 24 * 60 * 60_000;
const DAYS = ["1", "7", "30", "90", "365"];
/** What a new form has chosen. */
export const DAYS_AT_FIRST = "90";
const NEVER = "never";

/** The end as a form says it. */
interface Ends {
  readonly days: string;
  readonly until: string;
}

/** When it ends, as of now: null for never, undefined for as it is. */
export function endOf({ days, until }: Ends, now: number): number | null | undefined {
  const midnight = Date.parse(until);
  if (!isNaN(midnight)) return midnight + DAY_MS - 1000;
  if (days === NEVER) return null;
  return DAYS.includes(days) ? now + Number(days) * DAY_MS : undefined;
}

/** The fields: a number of days, or the last day. */
export function EndFields(
  { user, form, faults, token }: {
    readonly user: User | null;
    readonly form: Ends;
    readonly faults: Readonly<Partial<Record<string, string>>>;
    readonly token?: Token | undefined;
  },
): Child {
  const asIs = token && {
    value: "",
    label: token.expires_at === undefined
      ? "as it is: until it is revoked"
      : `as it is: ${time(token.expires_at)}`,
  };
  const mayLast = token === undefined || user === null;
  return (
    <>
      <Select
        name="days"
        label="It ends"
        hint={token && user !== null ? "Its end can come sooner, not later." : undefined}
        error={faults.expires_at}
        value={form.days}
        options={[
          ...asIs ? [asIs] : [],
          ...DAYS.map((days) => ({ value: days, label: days === "1" ? "in one day" : `in ${days} days` })),
          ...mayLast ? [{ value: NEVER, label: "only when it is revoked" }] : [],
        ]}
      />
      <Field
        name="until"
        label="Or its last day"
        type="date"
        hint="With a day here it works until that day is over, in UTC, whatever is chosen above."
        value={form.until}
        required={false}
      />
    </>
  );
}
