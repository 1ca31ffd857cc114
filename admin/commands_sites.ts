/** `site add|list|show|update|remove`, with an option for each field and credential that connectors name. */
import type { Connectors } from "../registry/connectors.ts";
import type { Call, Command, Words } from "./command.ts";
import { sweptLines } from "./commands_erase.ts";
import { given, showRecord } from "./commands_tokens.ts";
import type { Swept } from "../store/store.ts";
import { hint } from "../core/faults.ts";
import { FLAG_WORDS } from "./site_form.ts";
import { type Field, type Known, knownOf, type Part } from "./site_options.ts";
import { cell, CommandError, type Fields, sheet, table } from "./terminal.ts";

const NOTES =
  "Secrets are never written on the command line: pipe them in (--…-stdin) or put them into the named variable\n" +
  "(--…-env). Nothing is sent to the site.\n\nWhat each flag permits:\n" +
  Object.entries(FLAG_WORDS).map(([flag, words]) => `  ${flag}: ${words}`).join("\n");

function yesNo(text: string): unknown {
  return text === "true" ? true : text === "false" ? false : text;
}

/** `a=b` options as an object; undefined when there are none. */
function pairs(words: Words, option: string): Fields | undefined {
  const all = words.all(option).map((text) => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), yesNo(text.slice(at + 1))];
    throw new CommandError(`--${option} needs name=value`);
  });
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The secrets that the options ask for. Throws a CommandError when one is missing or two want standard input. */
async function credentials({ words, terminal }: Call, { parts }: Known): Promise<Fields | undefined> {
  const piped = parts.filter(({ option }) => words.on(`${option}-stdin`));
  if (piped.length > 1) {
    throw new CommandError("Standard input holds one secret; take the others from the environment");
  }
  const found: Record<string, Fields> = {};
  for (const part of parts) {
    const value = part.variable === undefined
      ? words.text(part.option)
      : await secretOf(part, words, terminal);
    if (value !== undefined) found[part.kind] = { ...found[part.kind], [part.field]: value };
  }
  for (const [kind, given] of Object.entries(found)) {
    const missing = parts.filter((part) => part.kind === kind && !Object.hasOwn(given, part.field));
    if (missing.length === 0) continue;
    const options = missing.map(({ option, variable }) =>
      variable === undefined ? `--${option}` : `--${option}-stdin or --${option}-env`
    );
    throw new CommandError(`The ${kind} credentials need ${options.join(" and ")} too`);
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

async function secretOf(
  { option, variable = "" }: Part,
  words: Words,
  terminal: Call["terminal"],
): Promise<string | undefined> {
  const [stdin, env] = [words.on(`${option}-stdin`), words.on(`${option}-env`)];
  if (!stdin && !env) return undefined;
  if (stdin && env) throw new CommandError(`Give --${option}-stdin or --${option}-env, not both`);
  const secret = (stdin ? await terminal.stdin() : terminal.env(variable) ?? "").trim();
  if (secret === "") throw new CommandError(stdin ? "Standard input is empty" : `${variable} is not set`);
  return secret;
}

/** The value of a field's option; undefined while it is not given. */
function valueOf({ option, form }: Field, words: Words): unknown {
  if (form === "pairs") return pairs(words, option);
  return form === "list" ? words.list(option) : words.text(option);
}

const switchOf = (words: Call["words"], name: string): unknown => {
  const given = words.text(name);
  return given === undefined ? undefined : yesNo(given);
};

async function fields(call: Call, known: Known): Promise<Fields> {
  const { words } = call;
  return given({
    name: words.text("name"),
    base_url: words.text("base-url"),
    project_id: words.text("project"),
    flags: pairs(words, "flag"),
    confirm_policy: words.text("confirm-policy"),
    four_eyes: switchOf(words, "four-eyes"),
    confirm_proxied: switchOf(words, "confirm-proxied"),
    credentials: await credentials(call, known),
    ...Object.fromEntries(known.fields.map((field) => [field.name, valueOf(field, words)])),
  });
}

function unset(words: Words, patch: Fields, { unsettable }: Known): Fields {
  let all = patch;
  for (const name of words.all("unset")) {
    const known = Object.keys(unsettable);
    if (!known.includes(name)) throw new CommandError(`--unset: cannot forget this, ${hint(name, known)}`);
    const { credentials, ...plain } = unsettable[name]!;
    all = { ...all, ...plain };
    if (credentials) all = { ...all, credentials: { ...all.credentials as Fields, ...credentials } };
  }
  return all;
}

const SUBJECT = { name: "id", help: "the site's id" };

const add = (known: Known): Command => ({
  words: ["site", "add"],
  subject: { name: "id", help: "a-z, 0-9 and -" },
  summary: "Register a site",
  options: {
    platform: { value: known.kinds.join("|"), required: true, help: "what it is" },
    ...known.options,
  },
  notes: NOTES,
  async run(call) {
    const { words, api } = call;
    const body = {
      id: words.subject,
      name: words.subject,
      platform: words.text("platform"),
      ...await fields(call, known),
    };
    showRecord(call, await api.call("POST", "sites", body));
  },
});

const list: Command = {
  words: ["site", "list"],
  summary: "List sites",
  options: {},
  async run({ api, show }) {
    const columns = ["id", "name", "platform", "base_url", "project_id", "flags", "credentials"];
    show(await api.call("GET", "sites"), (result) => table((result as { sites: Fields[] }).sites, columns));
  },
};

const display: Command = {
  words: ["site", "show"],
  subject: SUBJECT,
  summary: "Show all that is set of a site; secrets as presence only",
  options: {},
  async run({ api, words, show }) {
    const site = await api.call("GET", `sites/${encodeURIComponent(words.subject)}`);
    show(site, (result) => sheet(result as Fields));
  },
};

const update = (known: Known): Command => ({
  words: ["site", "update"],
  subject: SUBJECT,
  summary: "Change what the options name, nothing else",
  options: {
    unset: { value: "what", many: true, help: `forget ${known.forgettable}` },
    ...known.options,
  },
  notes: NOTES,
  async run(call) {
    const { words, api } = call;
    const patch = unset(words, await fields(call, known), known);
    showRecord(call, await api.call("PATCH", `sites/${encodeURIComponent(words.subject)}`, patch));
  },
});

interface RemovedSite extends Swept {
  readonly needs_confirmation?: true;
  readonly rows_stay?: number;
  readonly settles_at: number | null;
}

const remove: Command = {
  words: ["site", "remove"],
  subject: SUBJECT,
  summary: "Show what goes with a site and what stays; with --confirm the site is removed from the gateway",
  options: { confirm: { value: "id", help: "the same id again: remove it" } },
  notes:
    "The audit's rows about the site stay, until AUDIT_RETENTION_DAYS is over. To take those as well: erase --site.\n" +
    "Nothing is sent to the site. Revoke the gateway's password there.",
  async run({ words, api, show }) {
    const [id, confirm] = [words.subject, words.text("confirm")];
    const path = `sites/${encodeURIComponent(id)}/remove`;
    show(await api.call("POST", path, given({ confirm })) as RemovedSite, (found) => removal(id, found));
  },
};

function removal(id: string, found: RemovedSite): string {
  const { needs_confirmation, rows_stay, settles_at } = found;
  const site = cell(id);
  const would = needs_confirmation === true;
  return [
    would ? `What removing the site ${site} takes.\n` : `The site ${site} is removed.\n`,
    ...sweptLines(found, would),
    `What stays: ${
      rows_stay === undefined ? "the" : rows_stay
    } rows of the audit about it (audit tail --site ${site})`,
    `, tokens and people, without the site, and the site itself: nothing is sent to it.\n`,
    would
      ? `Nothing was changed. To remove it: the same command with --confirm ${site}\n`
      : settles_at === null
      ? ""
      : `What calls under way may leave is taken after ${new Date(settles_at).toISOString()}, by itself.\n`,
    would ? "" : `To take the rows of the audit as well: deno task admin erase --site ${site}\n`,
  ].join("");
}

/** A command for each thing that a connector can make for a site. */
const setup = (what: string, summary: string): Command => ({
  words: ["site", what.replaceAll("_", "-")],
  subject: SUBJECT,
  summary,
  options: { name: { value: "name", help: "what it is called (as the site is)" } },
  async run(call) {
    const { words, api } = call;
    const path = `sites/${encodeURIComponent(words.subject)}/setup/${what}`;
    showRecord(call, await api.call("POST", path, given({ name: words.text("name") })));
  },
});

const pair: Command = {
  words: ["site", "pair"],
  subject: SUBJECT,
  second: {
    optional: true,
    name: "code",
    help: "the code that Tools, Site Ops shows on the site; an administrator's account needs none",
  },
  summary:
    "Pair the gateway with the companion plugin of a site, so that writes of the site's own tools are held",
  options: {},
  notes: "A new key takes the place of an earlier one.",
  async run(call) {
    const { words, api } = call;
    const path = `sites/${encodeURIComponent(words.subject)}/pair`;
    showRecord(call, await api.call("POST", path, given({ code: words.second })));
  },
};

/** The commands about sites. */
export function siteCommands(connectors: Connectors): readonly Command[] {
  const known = knownOf(connectors);
  const setups = connectors.all.flatMap(({ setups = {} }) => Object.entries(setups))
    .map(([what, { help }]) => setup(what, help));
  return [add(known), list, display, update(known), remove, pair, ...setups];
}
