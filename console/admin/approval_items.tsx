/** The items of a change set on the page of its request: which are carried out, and which are left out. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { itemsShown } from "../../admin/approvals.ts";
import type { ShownApproval } from "../../admin/ports.ts";
import { Field } from "../form.tsx";
import type { Choosing } from "./approval_changes.tsx";
import { LIVE_TIER } from "./approval_words.ts";

/** The form that says yes, which the boxes of items belong to. */
export const YES_FORM = "yes";

/** Numbers in what was typed or sent, whatever stands between them. */
const numbersIn = (text: string): number[] =>
  text.replaceAll(",", " ").split(" ").filter(Boolean).map(Number).filter((item) => Number.isInteger(item));

/** The items that an address leaves out. */
export const leftOutBy = (c: Context): readonly number[] => numbersIn(c.req.query("without") ?? "");

/** The items that a form of a yes leaves out, of those that were shown: whose boxes are not ticked, and what the page left out. */
export function leftOutIn(form: URLSearchParams): readonly number[] {
  const items = itemsShown(form.get("shown") ?? "") ?? [];
  const kept = new Set(form.getAll("keep"));
  const hasBoxes = form.has("boxes");
  return items.flatMap((tier, at) =>
    tier === null || (hasBoxes && !kept.has(String(at + 1))) ? [at + 1] : []
  );
}

/** The highest tier of what remains of what was shown; `whole` of a call that is no set. */
export function tierLeft(shown: string, without: readonly number[], whole: number): number {
  const items = itemsShown(shown);
  if (items === null) return whole;
  return Math.max(0, ...items.map((tier, at) => tier === null || without.includes(at + 1) ? 0 : tier));
}

/** How the items of a set are chosen on its page; null where nothing can be. */
export function choosingOf(
  { approval, preview }: ShownApproval,
  without: readonly number[],
): Choosing | null {
  const isSet = preview?.items !== undefined && preview.items.length > 1;
  if (!isSet || approval.state !== "pending" || approval.not_yours !== null) return null;
  return { form: YES_FORM, without: new Set(without) };
}

/** What belongs to the form of a yes, so that boxes which are not ticked say something. */
export const boxesField = (choosing: Choosing | null): Child =>
  choosing && <input type="hidden" name="boxes" value="1" />;

/** Whether something of a set does not go live, so that a yes to that alone needs no typed name. */
export const isMixed = (shown: string): boolean =>
  itemsShown(shown)?.some((tier) => tier !== null && tier < LIVE_TIER) ?? false;

/** What the page of a set leaves out already, and where all of it is. */
export function leftOutLine(path: string, { preview }: ShownApproval): Child {
  const items = itemsShown(preview?.shown ?? "") ?? [];
  const out = items.flatMap((tier, at) => tier === null ? [at + 1] : []);
  if (out.length === 0) return null;
  return (
    <p>
      {`${numbered(out)} left out here. `}
      <a href={path}>Show the whole set</a>
    </p>
  );
}

/** Items by their numbers, as the beginning of a sentence. */
export const numbered = (items: readonly number[]): string =>
  items.length === 1 ? `Item ${items[0]} is` : `Items ${items.join(", ")} are`;

/** Of a set that cannot be carried out as it is: the way to look at it without some of its items. */
export function withoutForm(
  path: string,
  { approval, preview, refused }: ShownApproval,
  isSet: boolean,
): Child {
  if (!isSet || refused === null || preview !== null) return null;
  if (approval.state !== "pending" || approval.not_yours !== null) return null;
  return (
    <form method="get" action={path}>
      <Field
        name="without"
        label="Look at it without these items"
        hint="Their numbers, such as 2, 5. Nothing is decided by that."
        autocomplete="off"
      />
      <button type="submit" class="quiet">Show the rest</button>
    </form>
  );
}
