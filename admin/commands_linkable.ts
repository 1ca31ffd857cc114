/** `linkable`: what a site could be linked to, with the line that links each. */
import type { LinkableEntry, LinkableList, LinkableReport } from "../registry/linkable_report.ts";
import type { Command } from "./command.ts";
import { cell, table } from "./terminal.ts";

const NOTES =
  "It only reads, from the accounts that the site is bound to (account_user_id, social_ads_user_id). Where a kind cannot be\n" +
  "listed, its reason is printed; the other kinds are listed. No tool does this: one account can reach several clients.";

const linkable: Command = {
  words: ["linkable"],
  subject: { name: "site", help: "the site's id" },
  summary:
    "List what a site could be linked to, so that nobody types ids: properties, customers, ad accounts",
  options: {},
  notes: NOTES,
  async run({ api, words, show }) {
    const path = `sites/${encodeURIComponent(words.subject)}/linkable`;
    show(
      await api.call("GET", path) as LinkableReport,
      ({ kinds }) => kinds.length === 0 ? "None.\n" : kinds.map(section).join("\n"),
    );
  },
};

/** One kind: its heading, what was found, what was not. */
function section({ what, field, linked_to, entries, problem, notes }: LinkableList): string {
  const lines = [
    `${cell(what)}: ${cell(field)}, now ${cell(linked_to)}\n`,
    ...problem === null || entries.length > 0 ? [table(entries.map(row), columnsOf(entries))] : [],
    ...notes.map((note) => `Note: ${cell(note)}\n`),
    ...problem === null ? [] : [`Not ${entries.length > 0 ? "all " : ""}listed: ${cell(problem.message)}\n`],
  ];
  return lines.join("");
}

const row = ({ linked, command, ...entry }: LinkableEntry) => ({
  ...entry,
  linked: linked ? "now" : "",
  "link it with": command,
});

/** The command comes last: it is the longest. */
const columnsOf = (entries: readonly LinkableEntry[]) => [
  "linked",
  "id",
  "name",
  ...(["within", "note"] as const).filter((column) => entries.some((entry) => entry[column] !== null)),
  "link it with",
];

/** The command about what a site could be linked to. */
export const LINKABLE_COMMANDS: readonly Command[] = [linkable];
