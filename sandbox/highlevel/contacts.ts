/** How the CRM searches contacts. */
import { page, Refusal, total, type Unruly } from "./lists.ts";
import type { Contact, World } from "./world.ts";

interface Filter {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

/** Whether a contact fits; one without a date is not kept out by a range of dates, as the worst case. */
function fits(contact: Contact, { field, operator, value }: Filter): boolean {
  const own = contact[field];
  if (operator === "eq" && Array.isArray(own)) return own.includes(value);
  if (operator === "eq") return own === value;
  if (operator !== "range" || !["dateAdded", "dateUpdated"].includes(field)) {
    throw new Refusal(422, [`operator ${operator} does not fit ${field}`]);
  }
  const { gte = "0000", lte = "9999-12-31" } = value as { gte?: string; lte?: string };
  if (typeof own !== "string") return true;
  const at = Date.parse(own);
  return !(at < Date.parse(gte)) && !(at > Date.parse(lte));
}

/** Contacts by filters; the cursor of a page is in its last row. */
export function contacts(world: World, body: Readonly<Record<string, unknown>>, unruly: Unruly) {
  const { pageLimit, page: wanted, searchAfter, filters = [], sort = [] } = body as {
    pageLimit: number;
    page?: number;
    searchAfter?: readonly unknown[];
    filters?: readonly Filter[];
    sort?: readonly { field: keyof Contact; direction: "asc" | "desc" }[];
  };
  if (!Number.isInteger(pageLimit) || pageLimit < 1 || pageLimit > 500) {
    throw new Refusal(422, ["pageLimit must be 1 to 500"]);
  }
  if (wanted !== undefined && searchAfter !== undefined) {
    throw new Refusal(422, ["page and searchAfter are exclusive"]);
  }
  if (wanted !== undefined && wanted * pageLimit > 10_000) {
    throw new Refusal(422, ["page is beyond 10000 rows"]);
  }
  const [{ field, direction }] = [sort[0] ?? { field: "dateAdded", direction: "desc" }];
  const key = (one: Contact) => [Date.parse(String(one[field] ?? "1970-01-01")), one.id] as const;
  const fitting = world.contacts.filter((one) => filters.every((filter) => fits(one, filter))).sort(
    (a, b) => {
      const [left, right] = [key(a), key(b)];
      const order = left[0] - right[0] || (left[1] < right[1] ? -1 : 1);
      return direction === "asc" ? order : -order;
    },
  );
  const before = searchAfter
    ? fitting.findIndex(({ id }) => id === searchAfter[1])
    : ((wanted ?? 1) - 1) * pageLimit - 1;
  const { rows } = page(fitting, before + 1, pageLimit, unruly);
  const shown = rows.map(({ activeWorkflows: _, finishedWorkflows: __, ...row }) => ({
    ...row,
    searchAfter: key(row as Contact),
  }));
  return { contacts: shown, total: total(fitting, unruly) };
}
