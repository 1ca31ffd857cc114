/** `site add|list|show|update`, with an option for each field and credential that connectors name. */
import { FLAGS } from "../model.ts";
import type { Connectors } from "../registry/connectors.ts";
import { type OptionForm, optionForm, optionOf } from "../registry/field_schema.ts";
import type { Call, Command, Options, Words } from "./command.ts";
import { given, showRecord } from "./commands_tokens.ts";
import { hint } from "./faults.ts";
import { type Fields, sheet, table } from "./table.ts";
import { CommandError } from "./terminal.ts";

/** A part of a credential, and where it comes from: a secret from standard input or a variable, else an option. */
interface Part {
  readonly kind: string;
  readonly field: string;
  readonly option: string;
  readonly help: string;
  readonly variable?: string;
}

/** A field of a site, and the option that sets it. */
interface Field {
  readonly name: string;
  readonly option: string;
  readonly form: OptionForm;
}

/** What the connectors bring to the options. */
interface Known {
  readonly kinds: readonly string[];
  readonly parts: readonly Part[];
  readonly fields: readonly Field[];
  readonly options: Options;
  /** What `--unset` forgets, and the change that does it. */
  readonly unsettable: Readonly<Record<string, Fields>>;
}

function knownOf({ kinds, siteFields, credentials }: Connectors): Known {
  const parts = [...credentials].flatMap(([kind, { fields }]) =>
    Object.entries(fields).map(([field, one]) => ({
      kind,
      field,
      option: one.option,
      help: one.help,
      variable: one.variable,
    }))
  );
  const fields = [...siteFields].map(([name, field]) => ({
    name,
    option: optionOf(name, field),
    form: optionForm(field),
    ...field,
  }));
  const own: Options = {
    name: { value: "name", help: "as people call it" },
    "base-url": { value: "address", help: "https address (http on loopback only)" },
    project: { value: "id", help: "the project it belongs to" },
    flag: { value: "name=true|false", many: true, help: FLAGS.join(", ") },
  };
  return {
    kinds,
    parts,
    fields,
    options: {
      ...own,
      ...Object.fromEntries(parts.flatMap(optionsOf)),
      ...Object.fromEntries(
        fields.map((
          { name, option, form, value = "text", help = `sets ${name}` },
        ) => [option, { value, help, ...form === "pairs" ? { many: true as const } : {} }]),
      ),
    },
    unsettable: {
      "base-url": { base_url: null },
      project: { project_id: null },
      ...Object.fromEntries(
        fields.filter(({ initial }) => initial === undefined).map((
          { name, option },
        ) => [option, { [name]: null }]),
      ),
      ...Object.fromEntries(
        [...credentials.keys()].map((kind) => [`${kind}-credentials`, { credentials: { [kind]: null } }]),
      ),
    },
  };
}

function optionsOf({ option, help, variable }: Part): [string, Options[string]][] {
  if (variable === undefined) return [[option, { value: "name", help }]];
  return [
    [`${option}-stdin`, { help: `read the ${help} from standard input` }],
    [`${option}-env`, { help: `read the ${help} from ${variable}` }],
  ];
}

const NOTES =
  "Secrets are never written on the command line: pipe them in (--…-stdin) or put them into the named variable\n" +
  "(--…-env). Nothing is sent to the site.";

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

async function fields(call: Call, known: Known): Promise<Fields> {
  const { words } = call;
  return given({
    name: words.text("name"),
    base_url: words.text("base-url"),
    project_id: words.text("project"),
    flags: pairs(words, "flag"),
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
    ...known.options,
    unset: {
      value: "what",
      many: true,
      help: "forget an option's value (repo, project, cms-credentials, …)",
    },
  },
  notes: NOTES,
  async run(call) {
    const { words, api } = call;
    const patch = unset(words, await fields(call, known), known);
    showRecord(call, await api.call("PATCH", `sites/${encodeURIComponent(words.subject)}`, patch));
  },
});

/** The commands about sites. */
export function siteCommands(connectors: Connectors): readonly Command[] {
  const known = knownOf(connectors);
  return [add(known), list, display, update(known)];
}
