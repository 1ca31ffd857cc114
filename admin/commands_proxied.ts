/** `tool-server list`, `show`, `try`, `approve`, `withdraw` and `refresh`. */
import { cut } from "../core/values.ts";
import type { Command, Options, Words } from "./command.ts";
import type { ToolReport, ToolServerReport, ToolTrial, UnheldSite } from "../registry/proxied_reports.ts";
import type { ProxiedToolsPort } from "./ports.ts";
import { cell, CommandError, table } from "./terminal.ts";

type Answer<Verb extends keyof ProxiedToolsPort> = Awaited<ReturnType<ProxiedToolsPort[Verb]>>;

const SITE: Options = { site: { value: "id", help: "of one site" } };
const SITES: Options = { sites: { value: "a,b", help: "the ids of the sites", required: true } };
const NAME = { name: "name", help: "the tool, as callers name it" };

const path = (name: string, query: Record<string, string | undefined>) => {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  return `proxied-tools${name}${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
};

const NONE_YET = "No tool server has answered yet.\n";

const list: Command = {
  words: ["tool-server", "list"],
  summary: "List sites' own tool servers and tools, and why tools are held back",
  options: {
    ...SITE,
    state: { value: "state", help: "offered, approved, held, refused or hidden" },
    name: { value: "name", help: "of one tool" },
  },
  notes: "Tools that several sites list with the same words are one line.",
  async run({ words, api, show }) {
    const query = { site_id: words.text("site"), state: words.text("state"), name: words.text("name") };
    const listed = await api.call("GET", path("", query)) as Answer<"list">;
    show(
      listed,
      ({ servers, tools }) =>
        `${serverTable(servers, NONE_YET)}${unheldLines(servers)}\n${toolTable(tools)}${changed(tools)}${
          cautions(tools)
        }`,
    );
  },
};

const show: Command = {
  words: ["tool-server", "show"],
  subject: NAME,
  summary: "Show all that is to be read of a tool before it is approved",
  options: SITE,
  async run({ words, api, show }) {
    const asked = path(`/${encodeURIComponent(words.subject)}`, { site_id: words.text("site") });
    const found = await api.call("GET", asked) as Answer<"show">;
    show(found, ({ tools }) =>
      tools.map((tool) =>
        [
          `${nameOf(tool)} on ${cell(tool.sites)} (${cell(tool.server)}): ${stateOf(tool)}`,
          `class  ${classOf(tool)}`,
          `hash   ${cell(tool.hash)}`,
          ...(tool.caution === null ? [] : ["", cell(tool.caution)]),
          ...(tool.changes ? ["", "What changed:", ...lines(tool.changes)] : []),
          ...(tool.text === null ? [] : ["", "As its server lists it:", ...lines(tool.text.split("\n"))]),
          ...(tool.shown === null
            ? []
            : ["", "As callers are shown it where it is offered:", `  ${cell(tool.shown.description)}`]),
        ].join("\n") + "\n"
      ).join("\n"));
  },
};

const CLASS: Options = {
  class: { value: "read|write", help: "what it does; of a known tool this is known" },
  effect: { value: "effect", help: "what a write touches: page, new, record or site" },
  page: { value: "argument", help: "the argument that names the page, for effect page" },
};

const tryOut: Command = {
  words: ["tool-server", "try"],
  subject: NAME,
  summary: "Run a tool dry on a site and show what it would change, approved or not",
  options: {
    site: { value: "id", help: "the site's id", required: true },
    arguments: {
      value: "json",
      help: 'what it is run with, such as {"post_id": 12}; name a draft',
      required: true,
    },
    ...CLASS,
  },
  notes:
    "The site runs it and takes it back: it needs the companion plugin, paired (site pair). Nothing is kept.",
  async run({ words, api, show }) {
    const order = {
      name: words.subject,
      site_id: words.text("site"),
      ...classOption(words),
      arguments: given(words),
    };
    show(await api.call("POST", "proxied-tools/try", order) as Answer<"try">, trialText);
  },
};

const classOption = (words: Words) => ({
  class: words.text("class"),
  effect: words.text("effect"),
  page: words.text("page"),
});

/** The arguments of a dry run. Throws a CommandError. */
function given(words: Words): unknown {
  const text = words.text("arguments");
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError("--arguments: expected JSON in quotes, such as '{\"post_id\": 12}'");
  }
}

const VALUE_CHARACTERS = 200;
const shownValue = (value: unknown) => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return cell(cut(text, VALUE_CHARACTERS));
};

/** What a dry run would have changed, and what a call would need. */
function trialText(
  { site_id, name, summary, changes, left_out, warnings, needs, missing }: ToolTrial,
): string {
  const lacks = missing.length === 0 ? "" : `, and the site does not have ${missing.join(", ")}`;
  return [
    `A dry run of ${cell(name)} on ${site_id}; nothing was kept. It would have ${cell(summary)}.`,
    ...changes.map(({ field, from, to }) => `  ${cell(field)}: ${shownValue(from)} -> ${shownValue(to)}`),
    ...(left_out === undefined ? [] : [`  ${cell(left_out)}`]),
    ...warnings.map((one) => `${cell(one)}.`),
    ...(needs.length === 0 ? [] : [`Such a call needs ${needs.join(", ")}${lacks}.`]),
  ].join("\n") + "\n";
}

const approve: Command = {
  words: ["tool-server", "approve"],
  subject: NAME,
  summary: "Let a tool through on sites, as tool-server show showed it",
  options: {
    ...SITES,
    hash: { value: "hash", help: "as tool-server show shows it", required: true },
    ...CLASS,
    arguments: { value: "json", help: "run it dry first, on a draft, and approve only what succeeds" },
  },
  notes:
    "Callers are shown its own description and texts from then on. Another text under that name is held back again. With " +
    "--arguments its dry run is shown first; without a hold of the site (tool-server list) nobody sees what it does.",
  async run({ words, api, show }) {
    const order = {
      name: words.subject,
      sites: words.list("sites"),
      hash: words.text("hash"),
      ...classOption(words),
      arguments: given(words),
    };
    show(
      await api.call("POST", "proxied-tools/approve", order) as Answer<"approve">,
      ({ tools, trials = [] }) => [...trials.map(trialText), toolTable(tools) + cautions(tools)].join("\n"),
    );
  },
};

const withdraw: Command = {
  words: ["tool-server", "withdraw"],
  subject: NAME,
  summary: "Take a tool away on sites, whether it was approved or is a known one",
  options: SITES,
  async run({ words, api, show }) {
    const order = { name: words.subject, sites: words.list("sites") };
    show(
      await api.call("POST", "proxied-tools/withdraw", order) as Answer<"withdraw">,
      ({ tools }) => toolTable(tools),
    );
  },
};

const refresh: Command = {
  words: ["tool-server", "refresh"],
  subject: { name: "site", help: "the site's id" },
  summary: "Ask a site's tool servers for their tools now",
  options: {},
  notes: "It ends with 1 where a server failed.",
  async run({ words, api, show }) {
    const order = { site_id: words.subject };
    const found = await api.call("POST", "proxied-tools/refresh", order) as Answer<"refresh">;
    show(found, ({ servers }) => serverTable(servers, "The site has no tool server.\n"));
    return found.servers.some(({ failure }) => failure !== null) ? 1 : 0;
  },
};

function serverTable(servers: readonly ToolServerReport[], none: string): string {
  if (servers.length === 0) return none;
  const rows = servers.map((one) => ({
    ...one,
    age: one.age_seconds === null ? "never" : span(one.age_seconds),
    ...one.states,
  }));
  return table(rows, [
    "site_id",
    "server",
    "age",
    "listed",
    "offered",
    "approved",
    "held",
    "refused",
    "hidden",
    "failure",
  ]);
}

/** The sites whose tools' writes are held to their types alone. */
function unheldLines(servers: readonly ToolServerReport[]): string {
  const why = servers.flatMap(({ site_id, unheld }) => unheld === null ? [] : [[site_id, unheld] as const]);
  return [...new Map(why)].map(([site_id, because]) => `${unheldLine({ site_id, because })}\n`).join("");
}

function toolTable(tools: readonly ToolReport[]): string {
  const rows = tools.map((one) => ({
    ...one,
    name: nameOf(one),
    class: classOf(one),
    state: stateOf(one),
    hash: one.hash.slice(0, 12),
  }));
  return table(rows, ["name", "sites", "class", "hash", "state"]);
}

/** A tool has no longer one that is ever offered. */
const NAME_CHARACTERS = 128;

/** The name in plain signs: a letter of another script that looks like a Latin letter is written as its code, too. */
function nameOf({ name }: ToolReport): string {
  return cell(cut(name, NAME_CHARACTERS)).replace(
    /[^\x20-\x7e…]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  );
}

const changed = (tools: readonly ToolReport[]) =>
  tools.filter(({ changes }) => changes !== null)
    .map((tool) => `\n${nameOf(tool)} on ${cell(tool.sites)} changed:\n${lines(tool.changes!).join("\n")}\n`)
    .join("");

const cautions = (tools: readonly ToolReport[]) =>
  tools.filter((one) => one.caution !== null).map((one) => `\n${nameOf(one)}: ${cell(one.caution)}\n`).join(
    "",
  );

const stateOf = ({ state, reason }: ToolReport) => reason === null ? state : `${state}: ${cell(reason)}`;

function classOf({ class: chosen }: ToolReport): string {
  if (chosen === null) return "-";
  const what = chosen.page === undefined ? chosen.effect : `${chosen.effect} ${chosen.page}`;
  return chosen.writes ? `write (${cell(what)})` : "read";
}

const lines = (texts: readonly string[]) => texts.map((line) => `  ${line === "" ? "" : cell(line)}`);

/** A time span in its largest unit. */
function span(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** What follows from a site without a hold. */
export const unheldLine = ({ site_id, because }: UnheldSite): string =>
  `Site ${site_id} does not hold what its own tools write (${
    cell(because)
  }). The gateway checks only the types of their ` +
  "arguments: it does not see what they change, and cannot show a preview.";

/** The commands about sites' own tools. */
export const PROXIED_COMMANDS: readonly Command[] = [list, show, tryOut, approve, withdraw, refresh];
