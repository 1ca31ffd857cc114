/** Groups of tools in the words of a person, and which of them reach what is sensitive: people's data, messages, money. */

/** A phrase for each group, in the order in which people are shown them. */
export const GROUP_WORDS: Readonly<Record<string, string>> = {
  discovery: "Look up your sites and check that they work",
  posts: "Articles, their images and categories",
  pages: "Pages of a site",
  activity: "What was changed on a site, and taking it back",
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

/** What is sensitive of a group, in few words. Such a group is ticked by a person, never by itself. */
const SENSITIVE_GROUPS: Readonly<Record<string, string>> = {
  analytics: "what ads cost and the spreadsheets of the connected account",
  social: "budgets and costs of ads",
  crm: "data of customers, messages to people and payments",
  proxied: "whatever sites' own plugins keep, such as customers and orders",
};

/** What is sensitive of a group; null of one that is not. */
export const sensitiveOf = (group: string): string | null =>
  Object.hasOwn(SENSITIVE_GROUPS, group) ? SENSITIVE_GROUPS[group]! : null;

/** The phrase for a group; one that is not known goes by its name. */
export const groupWords = (name: string): string =>
  Object.hasOwn(GROUP_WORDS, name) ? GROUP_WORDS[name]! : name;

const ORDER = Object.keys(GROUP_WORDS);

/** The groups in the order in which people are shown them; those that are not known stand last. */
export function inShownOrder<Group extends { readonly name: string }>(groups: readonly Group[]): Group[] {
  const place = ({ name }: Group) => ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
  return groups.toSorted((a, b) => place(a) - place(b));
}
