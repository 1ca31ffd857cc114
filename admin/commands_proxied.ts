/** `tool-server list`, `tool-server show`, `tool-server approve`, `tool-server withdraw`, `tool-server refresh`. */
import type { Command, Options } from "./command.ts";
import type { ToolReport, ToolServerReport } from "../registry/proxied_reports.ts";
import type { ProxiedToolsPort } from "./ports.ts";
import { cell, table } from "./terminal.ts";

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
        `${serverTable(servers, NONE_YET)}\n${toolTable(tools)}${changed(tools)}${cautions(tools)}`,
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

const approve: Command = {
  words: ["tool-server", "approve"],
  subject: NAME,
  summary: "Let a tool through on sites, as tool-server show showed it",
  options: {
    ...SITES,
    hash: { value: "hash", help: "as tool-server show shows it", required: true },
    class: { value: "read|write", help: "what it does; of a known tool this is known" },
    effect: { value: "effect", help: "what a write touches: page, new, record or site" },
    page: { value: "argument", help: "the argument that names the page, for effect page" },
  },
  notes:
    "Callers are shown its own description and texts from then on. Another text under that name is held back again.",
  async run({ words, api, show }) {
    const order = {
      name: words.subject,
      sites: words.list("sites"),
      hash: words.text("hash"),
      class: words.text("class"),
      effect: words.text("effect"),
      page: words.text("page"),
    };
    show(
      await api.call("POST", "proxied-tools/approve", order) as Answer<"approve">,
      ({ tools }) => toolTable(tools) + cautions(tools),
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
  const shown = name.length <= NAME_CHARACTERS ? name : `${name.slice(0, NAME_CHARACTERS).toWellFormed()}…`;
  return cell(shown).replace(/[^\x20-\x7e…]/gu, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
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

/** The commands about sites' own tools. */
export const PROXIED_COMMANDS: readonly Command[] = [list, show, approve, withdraw, refresh];
