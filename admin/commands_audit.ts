/** `audit tail`, `audit show`, `audit resolve`, `audit verify`, `audit anchor`, `audit export`, `audit retain`. */
import { counted, formOf } from "../core/one_line.ts";
import { ASKED_STATUSES, type AuditRow, LIMITS, OUTCOMES } from "../core/model.ts";
import { quoted } from "../core/fields.ts";
import { cut } from "../core/values.ts";
import type { RetentionReport } from "../rules/retention.ts";
import type { AuditAmount, AuditPage, AuditVerdict } from "../store/store.ts";
import { type Call, type Command, type Options, parametersOf } from "./command.ts";
import { cell, CommandError, sheet } from "./terminal.ts";

const ROWS_DEFAULT = 20;
const POLL_MS = 1000;
/** How far behind the newest row `--follow` looks again: rows of other instances may come late, outcomes do. */
const LOOK_BACK_MS = 2 * LIMITS.CALL_DEADLINE_MS;

const FILTERS: Options = {
  from: { value: "time", help: "ISO 8601, included" },
  to: { value: "time", help: "ISO 8601, excluded" },
  token: { value: "token_id", help: "calls of one token" },
  client: { value: "client_id", help: "calls of one client that users let in, whoever did" },
  user: {
    value: "user",
    help: "what one person did, or tokens and clients of that person, by id or e-mail address",
  },
  site: { value: "id", help: "calls on one site" },
  tool: { value: "name", help: "calls of one tool" },
  path: { value: "path", help: "calls that name one file of a repository, as they name it" },
  set: { value: "set_id", help: "a change set and its items" },
  status: { value: "status", help: `${ASKED_STATUSES.join(", ")}; unsuccessful: failed or refused` },
  outcome: { value: "outcome", help: `of a write: ${OUTCOMES.join(", ")}` },
};

/** Each filter, and the parameter of the API that it is. */
const PARAMETERS = {
  from: "from",
  to: "to",
  token: "token_id",
  client: "client_id",
  user: "owner_user_id",
  site: "site_id",
  tool: "tool",
  path: "path",
  set: "set_id",
  status: "status",
  outcome: "outcome",
} as const;

/** Rows newest first: at most `most`, over as many pages as that takes. */
async function rows({ api }: Call, filters: Record<string, string>, most: number): Promise<AuditRow[]> {
  const found: AuditRow[] = [];
  let cursor: string | null = null;
  do {
    const limit = String(Math.min(most - found.length, LIMITS.AUDIT_PAGE_MAX));
    const parameters = new URLSearchParams({ ...filters, limit, ...(cursor && { cursor }) });
    const page = await api.call("GET", `audit?${parameters}`) as AuditPage;
    found.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < most);
  return found;
}

const ABOUT_CHARACTERS = 160;

/** What an operator or the gateway itself did something to; nothing of a call, whose row names its site. */
function about({ door, arguments: what }: AuditRow): string {
  if (door !== "admin" || typeof what !== "object" || what === null) return "";
  const text = Object.entries(what).filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(" ");
  return cell(cut(text, ABOUT_CHARACTERS));
}

/** Which change set it is of, and its place in that. */
function ofSet({ set_id, item }: AuditRow): string {
  if (set_id === undefined) return "";
  return item === undefined ? `set ${set_id}` : `item ${item} of set ${set_id}`;
}

function line(row: AuditRow): string {
  const doubt = row.outcome === "unknown" || (row.status === "started" && row.outcome === undefined);
  const found = row.resolution && `found: ${row.resolution.found} (${cell(row.resolution.note)})`;
  const repeats = row.repeats === undefined ? "" : `repeats ${row.repeats}`;
  const outcome = [row.error ?? "", doubt ? "outcome unknown" : found ?? "", repeats];
  const took = row.duration_ms === null ? "" : `${Math.round(row.duration_ms)} ms`;
  const parts = [
    row.at,
    row.status.padEnd(18),
    cell(row.tool),
    ofSet(row),
    cell(row.site_id),
    cell(row.token_name),
    about(row),
    ...outcome,
    took,
    `id ${cell(row.id)}`,
  ];
  return parts.filter((part) => part !== "").join("  ") + "\n";
}

function print({ json, terminal }: Call, row: AuditRow): void {
  terminal.out(json ? `${JSON.stringify(row)}\n` : line(row));
}

/** What a query looks for, in words; empty where it looks for everything. */
const matching = (filters: Record<string, string>): string =>
  Object.entries(filters).map(([name, value]) => `${name} ${quoted(value)}`).join(" and ");

/** A row, whole: a line for each thing that it says, and its arguments as JSON. */
function whole(row: AuditRow): string {
  const { arguments: what, ...rest } = row;
  return `${sheet({ ...rest })}\narguments\n${json(what)}\n`;
}

/** JSON of several lines; signs that could drive a terminal are escaped. */
const json = (value: unknown) => JSON.stringify(value, null, 2).split("\n").map(cell).join("\n");

const display: Command = {
  words: ["audit", "show"],
  subject: { name: "id", help: "of the row, as audit tail shows it" },
  summary: "Show all that a row says: who, on what, what was there before and after",
  options: {},
  async run({ words, api, show }) {
    show(await api.call("GET", `audit/${encodeURIComponent(words.subject)}`) as AuditRow, whole);
  },
};

/** The writes in doubt, oldest first, and those without an outcome yet: cut off a moment ago, or under way. */
async function tailUnknown(call: Call, filters: Record<string, string>): Promise<void> {
  for (const option of ["follow", "status", "outcome"]) {
    if (call.words.on(option) || call.words.text(option) !== undefined) {
      throw new CommandError(`--unknown goes without --${option}`);
    }
  }
  const most = call.words.whole("limit") ?? Infinity;
  const found = [
    ...await rows(call, { ...filters, outcome: "unknown" }, most),
    ...await rows(call, { ...filters, status: "started" }, most),
  ];
  const each = new Map(found.map((row) => [row.id, row]));
  for (const row of [...each.values()].sort((a, b) => a.at < b.at ? -1 : 1)) print(call, row);
  if (each.size > 0) return;
  const what = matching(filters);
  call.terminal.err(`No write is in doubt or under way${what === "" ? "" : ` that matches ${what}`}.\n`);
}

const resolve: Command = {
  words: ["audit", "resolve"],
  subject: { name: "id", help: "of the row, as audit tail --unknown shows it" },
  summary:
    "Say what became of a write whose outcome is unknown; the audit gets a further row, nothing in it changes",
  options: {
    found: { value: "made|none", help: "what is on the site", required: true },
    note: { value: "text", help: "how it was found out", required: true },
  },
  async run({ words, api, show }) {
    const row = await api.call("POST", `audit/${encodeURIComponent(words.subject)}/resolve`, {
      found: words.text("found"),
      note: words.text("note"),
    }) as AuditRow;
    show(row, line);
  },
};

const tail: Command = {
  words: ["audit", "tail"],
  summary: "Show the last calls, oldest first",
  options: {
    ...FILTERS,
    limit: { value: "rows", help: `how many (${ROWS_DEFAULT})` },
    follow: { help: "stay, and show calls as they come" },
    unknown: { help: "only writes of which nobody knows whether they were made, and those under way" },
  },
  notes:
    "The last word of a line is the id of the row: audit show says all of it. With --json each row is a line of its own.\n" +
    "Once it is known what became of a write: audit resolve.",
  async run(call) {
    const { words, terminal } = call;
    const filters = parametersOf(words, PARAMETERS);
    if (words.on("unknown")) return await tailUnknown(call, filters);
    const shown = new Map<string, AuditRow>();
    const show = (found: AuditRow[]) => {
      for (const row of found.reverse()) {
        if (shown.get(row.id)?.status !== row.status) print(call, row);
        shown.set(row.id, row);
      }
    };
    show(await rows(call, filters, words.whole("limit") ?? ROWS_DEFAULT));
    if (shown.size === 0) {
      const what = matching(filters);
      terminal.err(what === "" ? "The audit has no rows.\n" : `No row of the audit matches ${what}.\n`);
    }
    while (words.on("follow") && await terminal.wait(POLL_MS)) {
      const newest = Math.max(...[...shown.values()].map((row) => Date.parse(row.at)));
      const from = Number.isFinite(newest) ? new Date(newest - LOOK_BACK_MS).toISOString() : null;
      const since = from === null || (filters.from ?? "") > from ? filters : { ...filters, from };
      // What was there before this began and lies before the first rows shown is not news.
      const oldest = [...shown.values()][0];
      const fresh = (await rows(call, since, Infinity)).filter((row) =>
        oldest === undefined || row.id >= oldest.id
      );
      show(fresh);
      for (const [id, row] of shown) {
        if (shown.size > LIMITS.AUDIT_PAGE_MAX && from && row.at < from) shown.delete(id);
      }
    }
  },
};

/** What was found of the audit, for people. */
export function verdictText(
  { ok, writers, segments, rows, erased, faults, place, after, anchored, hashed, unproven }: AuditVerdict,
): string {
  const behind = after === undefined ? "" : `, behind segment ${after}; what is before it was not looked at`;
  const since = anchored === undefined ? "" : `, and nothing of the anchor of ${cell(anchored)} is missing`;
  const where = place === undefined ? "" : ` in ${cell(place)}`;
  const gone = erased === undefined
    ? ""
    : ` (${erased} more ${formOf(erased, "was", "were")} erased with ${
      formOf(erased, "its", "their")
    } site or person)`;
  const checked = `${counted(rows, "row")}${gone} in ${counted(segments, "segment")} of ${
    counted(writers, "writer")
  }${where}${behind}`;
  const how = hashedText(hashed) + (unproven === undefined ? "" : UNPROVEN[unproven]);
  return ok
    ? `Whole: ${checked}${since}.\n${how}`
    : `Broken: ${checked}.\n${faults.map((fault) => `  ${cell(fault)}\n`).join("")}${how}`;
}

/** Why no proof was looked at. */
const UNPROVEN: Readonly<Record<NonNullable<AuditVerdict["unproven"]>, string>> = {
  format: "No version that proves rows has opened this store: who can write it can change rows unseen.\n",
  keys:
    "The proofs were not looked at: that needs ENCRYPTION_KEYS, and this command reads no keys. deno task admin store check looks at them.\n",
};

/** Which rows are not proven by a key. */
function hashedText(hashed: AuditVerdict["hashed"]): string {
  if (hashed === undefined) return "";
  const { rows, segments, until } = hashed;
  const last = until === null ? "" : `, up to ${cell(until)},`;
  return `Of these, ${counted(rows, "row")} in ${counted(segments, "segment")}${last} ${
    formOf(rows, "has", "have")
  } hashes and no proof: a version before 0.6.0 wrote them, or ` +
    "their key is lost. They are as they were when the gateway took note of them; what was changed before that cannot be seen.\n";
}

/** Asks for the verdict, and where a person looks on shows how far the gateway is. */
async function verdictOf({ words, api, terminal: { status } }: Call): Promise<AuditVerdict> {
  const after = words.text("after");
  const query = after === undefined ? "" : `?${new URLSearchParams({ after })}`;
  if (status === undefined) return await api.call("GET", `audit/verify${query}`) as AuditVerdict;
  const body = await api.stream(`audit/verify.ndjson${query}`);
  try {
    let rest = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      const lines = `${rest}${part}`.split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const { verdict, segments, newest } = JSON.parse(line);
        if (verdict !== undefined) return verdict as AuditVerdict;
        status(
          `${counted(segments, "segment")} verified; if this is interrupted, go on with --after ${
            cell(newest)
          }`,
        );
      }
    }
  } catch (cause) {
    throw new CommandError("The gateway broke off before the audit was verified", { cause });
  }
  throw new CommandError("The gateway broke off before the audit was verified");
}

/** The verdict by the newest anchor of a file. */
async function anchoredVerdict({ words, api, terminal }: Call): Promise<AuditVerdict> {
  const file = words.text("anchor")!;
  if (words.text("after") !== undefined) throw new CommandError("--anchor goes without --after");
  let text: string;
  try {
    text = await terminal.read(file);
  } catch (cause) {
    throw new CommandError(`${file} cannot be read; name a file that audit anchor printed`, { cause });
  }
  const anchor = text.split("\n").map(anchorIn).findLast((one) => one !== null);
  if (!anchor) throw new CommandError(`${file} holds no anchor; name a file that audit anchor printed`);
  return await api.call("POST", "audit/verify", { anchor }) as AuditVerdict;
}

/** The anchor of a line, which may be a line of the log; null for any other line. */
function anchorIn(line: string): object | null {
  try {
    const value = JSON.parse(line);
    const anchor = value?.anchor ?? value;
    return anchor?.kind === "site-ops-anchor" ? anchor : null;
  } catch {
    return null;
  }
}

const anchor: Command = {
  words: ["audit", "anchor"],
  summary: "Print how far the audit and the records are, proven, to be kept elsewhere: audit anchor >> file",
  options: {},
  notes:
    "Keep it where nobody who can write the store can. The gateway writes one each day into its log and into " +
    "data/anchors.ndjson. Compare with: audit verify --anchor <file>.",
  async run({ api, terminal }) {
    terminal.out(`${JSON.stringify(await api.call("GET", "audit/anchor"))}\n`);
  },
};

/** What an operator does about an audit that is broken. */
const HOW_TO_GO_ON = "See what else of the store is damaged: deno task admin store check\n" +
  "Put back a copy from before it: deno task admin store restore\n";

const verify: Command = {
  words: ["audit", "verify"],
  summary: "Check that no row of the audit was changed or removed",
  options: {
    after: { value: "id", help: "only behind that segment, which is believed, as where it was cut off" },
    anchor: {
      value: "file",
      help: "a file that audit anchor printed: nothing of it may be missing or older",
    },
  },
  notes:
    "An anchor is read to its last line that is one, so a file of many, a line each, is compared by its newest.",
  async run(call) {
    const verdict = call.words.text("anchor") === undefined
      ? await verdictOf(call)
      : await anchoredVerdict(call);
    call.show(verdict, (found) => verdictText(found) + (found.ok ? "" : HOW_TO_GO_ON));
    return verdict.ok ? 0 : 1;
  },
};

const exportAll: Command = {
  words: ["audit", "export"],
  summary: "Write all rows as lines of JSON with the chain's hashes: audit export > file",
  options: FILTERS,
  async run({ words, api, terminal }) {
    const body = await api.stream(`audit.ndjson?${new URLSearchParams(parametersOf(words, PARAMETERS))}`);
    try {
      for await (const part of body) terminal.out(part);
    } catch (cause) {
      throw new CommandError("The export broke off; what was written is not whole", { cause });
    }
  },
};

const retain: Command = {
  words: ["audit", "retain"],
  summary: "Show what of the audit is too old to keep; with --confirm it is dropped",
  options: { confirm: { help: "drop it now, whatever retention waits for" } },
  notes:
    "The gateway drops what AUDIT_RETENTION_DAYS says by itself each day, 31 days of rows at most. Where it would\n" +
    "have to drop more, or its clock may be wrong, it drops nothing and waits for --confirm.",
  async run({ words, api, show }) {
    const report = await api.call("POST", "audit/retain", {
      confirm: words.on("confirm"),
    }) as RetentionReport;
    show(report, (found) => found.dropped === null ? due(found) : gone(found, found.dropped));
  },
};

function due(
  { clock, before, due: { segments, entries, oldest, newest }, waiting }: RetentionReport,
): string {
  const head = `The gateway's clock says ${clock}; too old is what was written before ${before}.\n`;
  if (segments === 0) return `${head}Nothing is.\n`;
  const amount = `${counted(entries, "row")} in ${
    counted(segments, "segment")
  }, written from ${oldest} to ${newest}`;
  return waiting === null
    ? `${head}The next run drops ${amount}.\n`
    : `${head}${cell(waiting.message)}.\nThat is ${amount}.\n`;
}

function gone({ before }: RetentionReport, { segments, entries }: AuditAmount): string {
  return segments === 0
    ? `Nothing was written before ${before}; nothing was dropped.\n`
    : `Dropped: ${counted(entries, "row")} in ${
      counted(segments, "segment")
    }, all that was written before ${before}.\n`;
}

/** The commands about the audit. */
export const AUDIT_COMMANDS: readonly Command[] = [tail, display, resolve, verify, anchor, exportAll, retain];
