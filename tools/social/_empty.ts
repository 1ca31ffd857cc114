/** What is said of an empty list: Meta does not tell an id that is not the account's from one that has nothing. */

interface Found {
  readonly items: readonly unknown[];
  readonly paging: { readonly after: string | null };
}

/** What was asked for. */
interface Given {
  readonly after?: string | undefined;
  readonly effective_status?: readonly string[] | undefined;
}

/** A note where nothing was found. `what` are the things listed; `parent` names the caller's id and the tool that lists such ids. */
export function emptyNotes(
  { items, paging }: Found,
  { after, effective_status }: Given,
  what: string,
  parent?: { readonly name: string; readonly id: string | undefined; readonly shows: string },
): string[] {
  if (items.length > 0 || after !== undefined) return [];
  if (paging.after !== null) {
    return ["This page is empty, and there are more pages; ask again with paging.after"];
  }
  const states = effective_status?.length ? ` in the states ${effective_status.join(", ")}` : "";
  if (parent?.id !== undefined) {
    return [
      `Nothing of ${parent.name} "${parent.id}" was found in the site's ad account${states}; ${parent.shows} shows ` +
      "its ids",
    ];
  }
  const gone = effective_status?.length
    ? ""
    : "; archived and deleted ones are listed only where effective_status names them";
  return [`The site's ad account has no ${what}${states}${gone}`];
}
