/** `approvals`, `approvals show|approve|reject`. */
import type { Change } from "../core/model.ts";
import type { ApprovalReport, ShownApproval } from "../registry/approval_reports.ts";
import type { ApprovalFigures } from "./approval_figures.ts";
import { type Command, parametersOf } from "./command.ts";
import { cell, CommandError, table } from "./terminal.ts";

const SUBJECT = { name: "id", help: "as approvals shows it" } as const;
const pathOf = (id: string, verb?: string) =>
  `approvals/${encodeURIComponent(id)}${verb === undefined ? "" : `/${verb}`}`;

const COLUMNS = ["id", "asked_at", "state", "tier", "tool", "sites", "by", "summary"];

const rowsOf = (all: readonly ApprovalReport[]) =>
  table(all.map((one) => ({ ...one, by: whoAsked(one) })), COLUMNS);

const whoAsked = ({ token_name, owner_user_id }: ApprovalReport) =>
  [token_name, owner_user_id].filter((one) => one !== null);

const FILTERS = { site: "site_id", tier: "tier", client: "client_id", user: "owner_user_id", state: "state" };

const list: Command = {
  words: ["approvals"],
  summary: "List what agents ask a person to approve, oldest first; or its figures",
  options: {
    site: { value: "id", help: "on one site" },
    tier: { value: "0-4", help: "of that tier" },
    client: { value: "client_id", help: "that one client asks for" },
    user: {
      value: "user",
      help: "that the tokens and clients of one person ask for, by id or e-mail address",
    },
    state: { value: "pending|approved|rejected|expired|all", help: "those that wait where it is left out" },
    report: { help: "how long requests wait, who decides, how many are rejected, in the last five weeks" },
  },
  async run({ words, api, show }) {
    if (words.on("report")) {
      return show(await api.call("GET", "approvals/report") as ApprovalFigures, figures);
    }
    const query = new URLSearchParams(parametersOf(words, FILTERS));
    const path = `approvals${query.size > 0 ? `?${query}` : ""}`;
    show(
      await api.call("GET", path) as { approvals: ApprovalReport[] },
      ({ approvals }) => rowsOf(approvals),
    );
  },
};

function figures({ deciders, ...of }: ApprovalFigures): string {
  const took = of.median_seconds === null
    ? "Nobody has decided anything"
    : `Half of the decisions took ${lasting(of.median_seconds)} or less, the longest ${
      lasting(of.longest_seconds!)
    }; ${of.rejected_percent} % were no`;
  const waits = of.oldest_waits_seconds === null
    ? ""
    : `. The oldest that waits has waited ${lasting(of.oldest_waits_seconds)}`;
  return `Asked for: ${of.asked}. Waiting: ${of.pending}, approved: ${of.approved}, rejected: ${of.rejected}, ran out: ${of.expired}, edited before: ${of.edited}.
${took}${waits}.
${deciders.length === 0 ? "" : decidersTable(deciders)}`;
}

const decidersTable = (deciders: ApprovalFigures["deciders"]) =>
  table(
    deciders.map((one) => ({ ...one, half_within: lasting(one.median_seconds) })),
    ["by", "approved", "rejected", "half_within"],
  );

function lasting(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

const WITHOUT = {
  value: "items",
  help: "of a change set the numbers of the items to leave out, such as 2,5",
};

const display: Command = {
  words: ["approvals", "show"],
  subject: SUBJECT,
  summary: "Show a request with what it would do now",
  options: { without: WITHOUT },
  notes: "The plan is made anew. Nothing is written.",
  async run({ words, api, show }) {
    const query = new URLSearchParams(parametersOf(words, { without: "without" }));
    const path = `${pathOf(words.subject)}${query.size > 0 ? `?${query}` : ""}`;
    show(await api.call("GET", path) as ShownApproval, shownLines);
  },
};

function shownLines({ approval, preview, refused, ...done }: ShownApproval): string {
  const { id, state, decided, decided_at, words, not_yours, items_left_out } = approval;
  const lines = [
    `${cell(preview?.summary || approval.summary)}.`,
    `Asked for at ${approval.asked_at} by ${cell(whoAsked(approval))}: ${cell(approval.tool)} on ${
      cell(approval.sites)
    }, tier ${approval.tier}.`,
    ...preview?.warnings.map((one) => `Warning: ${cell(one)}.`) ?? [],
    ...preview?.changes.map(changeLine) ?? [],
    ...refused === null ? [] : [`It cannot be carried out now: ${refused.code}: ${cell(refused.message)}.`],
    ...state === "pending" ? [] : [decidedLine(state, decided?.by, decided_at, words)],
    ...items_left_out === undefined ? [] : [`Left out: items ${items_left_out.join(", ")}.`],
    ..."answer" in done ? [`Done: ${cell(JSON.stringify(done.answer))}`] : [],
    ..."failed" in done ? [`Failed: ${cell(JSON.stringify(done.failed))}`] : [],
    ...not_yours === null || state !== "pending" ? [] : [`${cell(not_yours)}.`],
    ...preview === null || not_yours !== null
      ? []
      : [`To carry it out: npx -y deno@2.9 task admin approvals approve ${id} --shown ${preview.shown}`],
  ];
  return `${lines.join("\n")}\n`;
}

const changeLine = ({ field, from, to }: Change) =>
  `  ${cell(field)}: ${cell(textOf(from))} -> ${cell(textOf(to))}`;
const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

const decidedLine = (state: string, by: string | undefined, at: string | null, words: string | null) =>
  `It is ${state}${by === undefined ? "" : ` by ${cell(by)}`}${at === null ? "" : ` since ${at}`}${
    words === null ? "" : `: ${cell(words)}`
  }.`;

const approve: Command = {
  words: ["approvals", "approve"],
  subject: SUBJECT,
  summary: "Carry out what was asked for, as it was shown",
  options: {
    shown: { value: "shown", required: true, help: "as approvals show prints it" },
    without: WITHOUT,
  },
  notes: "Where it would do anything else by now nothing is written, and it is to be shown again.",
  async run({ words, api, show }) {
    const without = words.text("without")?.split(",").map(Number);
    if (without?.some((item) => !Number.isInteger(item) || item < 1)) {
      throw new CommandError("--without: give the numbers of items, such as 2,5");
    }
    const body = { shown: words.text("shown"), ...without === undefined ? {} : { without } };
    show(await api.call("POST", pathOf(words.subject, "approve"), body) as ShownApproval, shownLines);
  },
};

const reject: Command = {
  words: ["approvals", "reject"],
  subject: SUBJECT,
  summary: "Say no to what was asked for",
  options: { words: { value: "text", help: "why; the agent reads it" } },
  async run({ words, api, show }) {
    if (words.text("words") === "") throw new CommandError("--words: say why, or leave it out");
    const body = { words: words.text("words") ?? null };
    show(
      await api.call("POST", pathOf(words.subject, "reject"), body) as ApprovalReport,
      ({ state, decided, decided_at, words }) => `${decidedLine(state, decided?.by, decided_at, words)}\n`,
    );
  },
};

/** The commands about what waits for a person; the one of a single word comes last. */
export const APPROVAL_COMMANDS: readonly Command[] = [display, approve, reject, list];
