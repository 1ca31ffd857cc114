/** `changes` and `undo`. */
import { counted } from "../core/one_line.ts";
import type { Change } from "../core/model.ts";
import type { ChangeLine, ChangeRow } from "../registry/tool.ts";
import { type Command, parametersOf } from "./command.ts";
import type { ChangeList } from "./undo.ts";
import { cell, CommandError, table } from "./terminal.ts";

const ROWS_DEFAULT = 20;

/** Each option, and the parameter of the API that it is. */
const FILTERS = {
  site: "site_id",
  date: "date",
  from: "from",
  to: "to",
  user: "owner_user_id",
  client: "client_id",
  token: "token_id",
  tool: "tool",
  id: "id",
  path: "path",
  set: "set_id",
} as const;

const list: Command = {
  words: ["changes"],
  summary: "List what calls have changed, newest first, and which of it can be taken back",
  options: {
    site: { value: "id", help: "on one site" },
    date: { value: "day", help: "today, yesterday or YYYY-MM-DD, in the time zone of --site" },
    from: { value: "time", help: "ISO 8601, included" },
    to: { value: "time", help: "ISO 8601, excluded" },
    user: { value: "user", help: "for one person, by id or e-mail address" },
    client: { value: "client_id", help: "by one client that users let in" },
    token: { value: "token_id", help: "by one token, by id or name" },
    tool: { value: "name", help: "by one tool" },
    id: { value: "id", help: "of the post or page of that id" },
    path: { value: "path", help: "of one file of a repository" },
    set: { value: "set_id", help: "of one change set" },
    limit: { value: "rows", help: `how many (${ROWS_DEFAULT})` },
  },
  notes: "What people changed outside the gateway is not in it. undo takes back what is undoable.",
  async run({ words, api, show }) {
    const most = words.whole("limit") ?? ROWS_DEFAULT;
    const changes: ChangeLine[] = [];
    let unknown: readonly ChangeRow[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({
        ...parametersOf(words, FILTERS),
        ...cursor === undefined ? {} : { cursor },
      });
      const page = await api.call("GET", `changes?${query}`) as ChangeList;
      changes.push(...page.changes);
      unknown = page.unknown ?? unknown;
      cursor = page.cursor;
    } while (cursor !== undefined && changes.length < most);
    const found = { changes: changes.slice(0, most), unknown };
    show(found, ({ changes }) => {
      const doubted = unknown.length === 0
        ? ""
        : `\nOf these nobody knows whether they were made (audit tail --unknown):\n${tableOf(unknown)}`;
      return tableOf(changes) + doubted;
    });
  },
};

const COLUMNS = ["at", "request_id", "tool", "id", "fields", "by", "undo"];

/** A change set as a row: by its id, with how often it called which tool. */
const asRow = (line: ChangeLine): ChangeRow => {
  if ("request_id" in line) return line as ChangeRow;
  const { set_id, tools, changes, ...rest } = line as Exclude<ChangeLine, ChangeRow>;
  const tool = Object.entries(tools).map(([name, count]) => `${count} ${name}`).join(", ");
  return { ...rest, request_id: `set ${set_id}`, tool, fields: [counted(changes, "change")] };
};

const tableOf = (lines: readonly ChangeLine[]): string =>
  table(
    lines.map(asRow).map((row) => ({
      ...row,
      by: [row.by.token, row.by.client, row.by.person].filter((one) => one !== undefined),
      undo: row.undone_by === undefined ? row.undoable ? "yes" : "no" : `by ${row.undone_by}`,
    })),
    COLUMNS,
  );

/** What undo answers: a preview, or what was done. */
interface Undone {
  readonly needs_confirmation?: true;
  readonly summary?: string;
  readonly changes?: readonly Change[];
  readonly warnings?: readonly string[];
  readonly confirm_token?: string;
  readonly expires_at?: string;
  readonly approval?: { readonly id: string; readonly url: string };
  readonly undone?: readonly string[];
  readonly left_out?: readonly { readonly request_id: string; readonly reason: string }[];
  readonly verified?: boolean | null;
  readonly request_id?: string;
}

const undo: Command = {
  words: ["undo"],
  subject: {
    name: "request_ids",
    help: "of the changes, with commas between, as changes shows them",
    optional: true,
  },
  summary: "Show what taking changes back would set; with --confirm it is done",
  options: {
    site: { value: "id", help: "the site", required: true },
    set: { value: "set_id", help: "all that a change set did on the site, in the place of request ids" },
    since: { value: "time", help: "all from then on, the newest 50, in the place of request ids" },
    client: { value: "client_id", help: "with --since: only by that client" },
    user: { value: "user", help: "with --since: only for that person, by id or e-mail address" },
    token: { value: "token", help: "with --since: only by that token, by id or name" },
    confirm: { value: "confirm_token", help: "of the preview: do it" },
  },
  notes:
    "Each is set back by the tool that made it, unless somebody changed it since. What visitors see is never\n" +
    "unpublished. An undo can be taken back as well.",
  async run({ words, api, show }) {
    const request_ids = words.subject.split(",").map((id) => id.trim()).filter((id) => id !== "");
    const given = [request_ids[0], words.text("set"), words.text("since")].filter((one) => one !== undefined);
    if (given.length !== 1) {
      throw new CommandError("Give request ids, --set or --since; changes lists what can be taken back");
    }
    const done = await api.call("POST", "undo", {
      site_id: words.text("site"),
      ...request_ids.length === 0 ? {} : { request_ids },
      set_id: words.text("set"),
      since: words.text("since"),
      client: words.text("client"),
      person: words.text("user"),
      token: words.text("token"),
      confirm_token: words.text("confirm"),
    }) as Undone;
    show(done, (found) => found.needs_confirmation ? asked(found) : told(found));
  },
};

function asked(
  { summary, changes = [], warnings = [], confirm_token, expires_at, approval }: Undone,
): string {
  const how = approval === undefined
    ? `To do it, until ${cell(expires_at)}: the same command with --confirm ${cell(confirm_token)}`
    : `A person must approve it, until ${cell(expires_at)}: ${cell(approval.url)}, or approvals show ${
      cell(approval.id)
    }`;
  const lines = [
    `${cell(summary)}.`,
    ...changes.map(({ field, from, to }) => `  ${cell(field)}: ${cell(shown(from))} -> ${cell(shown(to))}`),
    ...warnings.map((one) => `${cell(one)}.`),
    `Nothing was changed. ${how}`,
  ];
  return `${lines.join("\n")}\n`;
}

const shown = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

function told({ undone = [], left_out = [], warnings = [], verified, request_id }: Undone): string {
  const proof = verified === true ? "; the site shows it so" : "; look at the site, which did not show it so";
  const lines = [
    `Taken back: ${cell(undone)}${proof}. Request ${cell(request_id)} did it, and can be taken back as well.`,
    ...left_out.map((one) => `Left out: ${cell(one.request_id)}: ${cell(one.reason)}.`),
    ...warnings.map((one) => `${cell(one)}.`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The commands about what calls have changed. */
export const CHANGE_COMMANDS: readonly Command[] = [list, undo];
