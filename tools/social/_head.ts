/** The head of what stands at Meta now: of no time, and as it was when it was asked for. */
import { type DataHead, headed } from "../../rules/data_head.ts";

interface Paging {
  readonly after: string | null;
}

/** What leads to the next page, for the same call; null where there is none. */
export const nextOf = ({ after }: Paging): { after: string } | null => after === null ? null : { after };

/** An account, or a page of a list, with its head; `currency` is null where each amount names its own. */
export function live<Body extends object>(
  body: Body & { readonly [Key in keyof DataHead]?: never },
  { now, currency = null, notes = [] }: {
    readonly now: number;
    readonly currency?: string | null;
    readonly notes?: readonly string[];
  },
) {
  const paging = (body as { readonly paging?: Paging }).paging ?? { after: null };
  return headed({
    period: null,
    currency,
    complete: true,
    truncated: paging.after !== null,
    next: nextOf(paging),
    fresh_until: new Date(now).toISOString(),
    notes,
  }, body);
}
