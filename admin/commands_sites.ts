/** `site add|list|show|update`. */
import { FLAGS, PLATFORM_KINDS, SITE_LINK_FIELDS } from "../model.ts";
import type { Call, Command, Options, Words } from "./command.ts";
import { given, showRecord } from "./commands_tokens.ts";
import { hint } from "./faults.ts";
import { type Fields, sheet, table } from "./table.ts";
import { CommandError } from "./terminal.ts";

/** Where a site's secrets come from: an option that reads standard input, or one that reads this variable. */
const SECRETS = [
  {
    option: "cms-password",
    variable: "SITE_CMS_PASSWORD",
    kind: "cms",
    field: "application_password",
    is: "application password",
  },
  {
    option: "crm-token",
    variable: "SITE_CRM_TOKEN",
    kind: "crm",
    field: "integration_token",
    is: "CRM integration token",
  },
  {
    option: "behavior-token",
    variable: "SITE_BEHAVIOR_TOKEN",
    kind: "behavior",
    field: "export_token",
    is: "behavior export token",
  },
] as const;

const dashed = (field: string) => field.replaceAll("_", "-");

const SETTABLE: Options = {
  name: { value: "name", help: "as people call it" },
  "base-url": { value: "address", help: "https address (http on loopback only); a crm site has none" },
  project: { value: "id", help: "the project it belongs to" },
  flag: { value: "name=true|false", many: true, help: FLAGS.join(", ") },
  "cms-username": { value: "name", help: "the account the gateway uses; needs a cms-password option" },
  ...Object.fromEntries(SECRETS.flatMap(({ option, variable, is }) => [
    [`${option}-stdin`, { help: `read the ${is} from standard input` }],
    [`${option}-env`, { help: `read the ${is} from ${variable}` }],
  ])),
  builders: { value: "block,visual", help: "page builders that are enabled" },
  "default-builder": {
    value: "block|visual",
    help: "what list_builders_for_site advises where there are both; a call still names its own",
  },
  seo: { value: "enabled=true|false or channel=rest|plugin", many: true, help: "the SEO feature" },
  ...Object.fromEntries(
    SITE_LINK_FIELDS.map((field) => [dashed(field), { value: "text", help: `sets ${field}` }]),
  ),
};
const NOTES =
  "Secrets are never written on the command line: pipe them in (--cms-password-stdin) or put them into the\n" +
  "named variable (--cms-password-env). Nothing is sent to the site.";

/** What `--unset` forgets, and the change that does it. */
const UNSETTABLE: Readonly<Record<string, Fields>> = {
  ...Object.fromEntries(SITE_LINK_FIELDS.map((field) => [dashed(field), { [field]: null }])),
  "base-url": { base_url: null },
  project: { project_id: null },
  "default-builder": { default_builder: null },
  "cms-credentials": { credentials: { cms: null } },
  "crm-credentials": { credentials: { crm: null } },
  "behavior-credentials": { credentials: { behavior: null } },
};

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
async function credentials({ words, terminal }: Call): Promise<Fields | undefined> {
  const found: Record<string, Fields> = {};
  const piped = SECRETS.filter(({ option }) => words.on(`${option}-stdin`));
  if (piped.length > 1) {
    throw new CommandError("Standard input holds one secret; take the others from the environment");
  }
  for (const { option, variable, kind, field } of SECRETS) {
    const stdin = words.on(`${option}-stdin`);
    if (!stdin && !words.on(`${option}-env`)) continue;
    if (stdin && words.on(`${option}-env`)) {
      throw new CommandError(`Give --${option}-stdin or --${option}-env, not both`);
    }
    const secret = (stdin ? await terminal.stdin() : terminal.env(variable) ?? "").trim();
    if (secret === "") throw new CommandError(stdin ? "Standard input is empty" : `${variable} is not set`);
    found[kind] = { [field]: secret };
  }
  const username = words.text("cms-username");
  if (username === undefined && found.cms) throw new CommandError("A cms password needs --cms-username");
  if (username !== undefined) {
    if (!found.cms) throw new CommandError("--cms-username needs --cms-password-stdin or --cms-password-env");
    found.cms = { username, ...found.cms };
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

async function fields(call: Call): Promise<Fields> {
  const { words } = call;
  return given({
    name: words.text("name"),
    base_url: words.text("base-url"),
    project_id: words.text("project"),
    flags: pairs(words, "flag"),
    credentials: await credentials(call),
    available_builders: words.list("builders"),
    default_builder: words.text("default-builder"),
    seo: pairs(words, "seo"),
    ...Object.fromEntries(SITE_LINK_FIELDS.map((field) => [field, words.text(dashed(field))])),
  });
}

function unset(words: Words, patch: Fields): Fields {
  let all = patch;
  for (const name of words.all("unset")) {
    const known = Object.keys(UNSETTABLE);
    if (!known.includes(name)) throw new CommandError(`--unset: cannot forget this, ${hint(name, known)}`);
    const { credentials, ...plain } = UNSETTABLE[name]!;
    all = { ...all, ...plain };
    if (credentials) all = { ...all, credentials: { ...all.credentials as Fields, ...credentials } };
  }
  return all;
}

const SUBJECT = { name: "id", help: "the site's id" };

const add: Command = {
  words: ["site", "add"],
  subject: { name: "id", help: "a-z, 0-9 and -" },
  summary: "Register a site",
  options: { platform: { value: PLATFORM_KINDS.join("|"), required: true, help: "what it is" }, ...SETTABLE },
  notes: NOTES,
  async run(call) {
    const { words, api } = call;
    const body = {
      id: words.subject,
      name: words.subject,
      platform: words.text("platform"),
      ...await fields(call),
    };
    showRecord(call, await api.call("POST", "sites", body));
  },
};

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

const update: Command = {
  words: ["site", "update"],
  subject: SUBJECT,
  summary: "Change what the options name, nothing else",
  options: {
    ...SETTABLE,
    unset: {
      value: "what",
      many: true,
      help: "forget an option's value (repo, project, cms-credentials, …)",
    },
  },
  notes: NOTES,
  async run(call) {
    const { words, api } = call;
    const patch = unset(words, await fields(call));
    showRecord(call, await api.call("PATCH", `sites/${encodeURIComponent(words.subject)}`, patch));
  },
};

/** The commands about sites. */
export const SITE_COMMANDS: readonly Command[] = [add, list, display, update];
