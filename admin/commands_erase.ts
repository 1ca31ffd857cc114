/** `erase`. */
import type { Swept } from "../store/store.ts";
import type { Command } from "./command.ts";
import { cell, CommandError } from "./terminal.ts";

/** What erase answers: what would be taken, or what was. */
interface Erased extends Swept {
  readonly needs_confirmation?: true;
  readonly kind: string;
  readonly rows: number;
  readonly rows_changed: number;
  readonly settles_at: number | null;
}

const erase: Command = {
  words: ["erase"],
  summary: "Show what is kept of a site or a person; with --confirm all of it goes, and never comes back",
  options: {
    site: { value: "id", help: "the site" },
    user: { value: "user", help: "the person's id or e-mail address; of one who was removed the id" },
    confirm: { value: "id", help: "the same id again: erase it" },
  },
  notes:
    "Takes records, credentials, tokens, what stood before changes, answers, snapshots, lists of tools, and what the\n" +
    "audit's rows say; the audit stays whole by its hashes (audit verify). A copy of the store made before still has it.\n" +
    "docs/PRIVACY.md says of everything how long it is kept. Killed on the way, it goes on by itself.",
  async run({ words, api, show }) {
    const [site_id, user] = [words.text("site"), words.text("user")];
    if ((site_id === undefined) === (user === undefined)) throw new CommandError("Give --site or --user");
    const confirm = words.text("confirm");
    const done = await api.call("POST", "erase", { site_id, user, confirm }) as Erased;
    show(done, (found) => told(found, `${found.kind} ${cell(site_id ?? user)}`));
  },
};

/** What became of records, or would, under a line that says so: nothing of what became of none. */
export function sweptLines({ deleted, unnamed, ended }: Swept, would: boolean): string[] {
  const [go, stay, end] = would
    ? [
      "These records would be deleted:",
      "These would stay, without its name:",
      "These would end, for they are for it alone:",
    ]
    : [
      "These records were deleted:",
      "These stay, without its name:",
      "These ended, for they were for it alone:",
    ];
  const told = [[go, deleted], [stay, unnamed], [end, ended]] as const;
  return told.flatMap(([says, counts]) => {
    const lines = Object.entries(counts).map(([kind, count]) => counted(count, kind));
    return lines.length === 0 ? [] : [`${says}\n`, ...lines];
  });
}

const counted = (count: number, what: string) => `  ${String(count).padStart(8)}  ${cell(what)}\n`;

function told(found: Erased, what: string): string {
  const { needs_confirmation, rows, rows_changed, settles_at } = found;
  const would = needs_confirmation === true;
  const name = what.slice(what.indexOf(" ") + 1);
  return [
    would ? `What erasing ${what} takes.\n` : `Erased ${what}.\n`,
    ...sweptLines(found, would),
    "Of the audit:\n",
    counted(rows, would ? "rows that would go" : "rows that went"),
    counted(rows_changed, "rows about others that name it, which stay without the name"),
    would
      ? `Nothing was changed. To erase it for good: the same command with --confirm ${name}\n`
      : settles_at === null
      ? "Nothing of it is left but hashes.\n"
      : `What calls under way may leave is taken after ${new Date(settles_at).toISOString()}, by itself.\n`,
  ].join("");
}

/** The command that erases. */
export const ERASE_COMMANDS: readonly Command[] = [erase];
