/** `erase`. */
import type { Command } from "./command.ts";
import { cell, CommandError } from "./terminal.ts";

/** What erase answers: what would be taken, or what was. */
interface Erased {
  readonly needs_confirmation?: true;
  readonly kind: string;
  readonly took: Readonly<Record<string, number>>;
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

function told({ needs_confirmation, took, rows, rows_changed, settles_at }: Erased, what: string): string {
  const would = needs_confirmation === true;
  const records = Object.entries(took).map(([kind, count]) =>
    `  ${String(count).padStart(8)}  ${cell(kind)}\n`
  );
  const name = what.slice(what.indexOf(" ") + 1);
  return [
    would
      ? `Erasing ${what} deletes these records, or takes its name out of them:\n`
      : `Erased ${what}. These records were deleted, or its name was taken out of them:\n`,
    ...records,
    `  ${String(rows).padStart(8)}  rows of the audit\n`,
    `  ${
      String(rows_changed).padStart(8)
    }  rows of the audit about others that name it, which stay without the name\n`,
    would
      ? `Nothing was changed. To erase it for good: the same command with --confirm ${name}\n`
      : settles_at === null
      ? "Nothing of it is left but hashes.\n"
      : `What calls under way may leave is taken after ${new Date(settles_at).toISOString()}, by itself.\n`,
  ].join("");
}

/** The command that erases. */
export const ERASE_COMMANDS: readonly Command[] = [erase];
