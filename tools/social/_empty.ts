/** What is said of an empty list: Meta does not tell an id that is not the account's from one that has nothing. */

/** A note where nothing was found for an id that the caller gave; `shows` is the tool that lists such ids. */
export function nothingOf<Name extends string>(
  { items, paging }: { items: readonly unknown[]; paging: { after: string | null } },
  given: Readonly<Partial<Record<Name | "after", string | undefined>>>,
  name: Name,
  shows: string,
): { notes?: string[] } {
  const id = given[name];
  const isWhole = given.after === undefined && paging.after === null; // a page can be empty and not the last
  if (items.length > 0 || id === undefined || !isWhole) return {};
  return { notes: [`Nothing of ${name} "${id}" was found in the site's ad account; ${shows} shows its ids`] };
}
