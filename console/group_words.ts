/** The groups of tools in plain words, for the people who are asked to grant them. */

/** A phrase for each group, in the order in which people are shown them. */
export const GROUP_WORDS: Readonly<Record<string, string>> = {
  discovery: "Look up your sites and check that they work",
  posts: "Articles, their images and categories",
  pages: "Pages of a site",
  seo: "Titles, descriptions and redirects for search engines",
  schema: "Hidden page data for search engines",
  markdown: "Articles kept as text files",
  static: "Files and addresses of sites that are built from files",
  analytics: "Numbers of visits, searches and ads, and spreadsheets",
  behavior: "What visitors click and how they move on a page",
  social: "Results of ads on social networks",
  crm: "Customers, their forms, messages and payments",
  topicmap: "Plans of what to write about",
  storage: "Reports and files kept for a site",
  proxied: "Extra tools that come from the sites themselves",
};

/** The phrase for a group; one that is not known goes by its name. */
export const groupWords = (name: string): string =>
  Object.hasOwn(GROUP_WORDS, name) ? GROUP_WORDS[name]! : name;

const ORDER = Object.keys(GROUP_WORDS);

/** The groups in the order in which people are shown them; those that are not known stand last. */
export function inShownOrder<Group extends { readonly name: string }>(groups: readonly Group[]): Group[] {
  const place = ({ name }: Group) => ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return groups.toSorted((a, b) => place(a) - place(b));
}
