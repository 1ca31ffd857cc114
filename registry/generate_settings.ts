/** The settings as files: the example environment, the tables of the documentation, and the permissions to read them. */
import { DATABASE_VARIABLES, GATEWAY_SETTINGS, HOST_VARIABLES, type SettingEntry } from "../core/settings.ts";
import type { Connectors } from "./connectors.ts";

const BEGIN = "<!-- settings: written by deno task gen -->";
const END = "<!-- end of settings -->";

type Group = readonly [title: string, entries: readonly SettingEntry[]];

function groups({ all, settings }: Connectors): Group[] {
  const own = all.map(({ name, product }): Group => [
    `${product.charAt(0).toUpperCase()}${product.slice(1)}`,
    settings.filter(({ connector }) => connector === name),
  ]);
  return [["The gateway", GATEWAY_SETTINGS], ...own.filter(([, entries]) => entries.length > 0)];
}

function standing(entry: SettingEntry): string {
  if (entry.required) return "required (made once in dev and demo)";
  if (entry.default === null) return "not set";
  return entry.default === "" ? "none" : `\`${entry.default}\``;
}

/** The page with the tables between its two marks replaced. Throws when the marks are missing. */
export function withTables(page: string, connectors: Connectors): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The page lacks the marks ${BEGIN} and ${END}`);
  const tables = groups(connectors).map(([title, entries]) => {
    const rows = entries.map((entry) =>
      `| \`${entry.name}\` | ${standing(entry)} | ${entry.meaning} | ${entry.secret ? "yes" : ""} |`
    );
    return [`## ${title}`, "", "| Variable | Default | Meaning | Secret |", "|---|---|---|---|", ...rows]
      .join("\n");
  });
  return `${page.slice(0, from)}${BEGIN}\n${tables.join("\n\n")}\n${page.slice(to)}`;
}

/** A file of settings, all commented out. */
export function envExample(connectors: Connectors): string {
  const head =
    "# Settings of the gateway; docs/CONFIGURATION.md explains them. Remove the # of what you set;\n" +
    "# put a value with spaces, such as a private key, between single quotes.\n" +
    "# Written by deno task gen.\n";
  const parts = groups(connectors).map(([title, entries]) => {
    const lines = entries.map((entry) =>
      `# ${entry.meaning}${entry.secret ? " (secret)" : ""}\n#${entry.name}=${entry.default ?? ""}\n`
    );
    return `\n# --- ${title} ---\n\n${lines.join("\n")}`;
  });
  return head + parts.join("");
}

const COMMAND_LINE = ["GATEWAY_URL", "BASE_URL", "HOST", "PORT", "MASTER_TOKEN"];
const STORE = ["KV_PATH", "DATABASE_URL", "ENCRYPTION_KEYS", "DENO_KV_ACCESS_TOKEN", ...DATABASE_VARIABLES];
/** What leads to the registry of packages, for the builds of the demo. */
const PACKAGES = [
  ...["PATH", "NODE_EXTRA_CA_CERTS", "npm_config_registry"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
];
const DEMO = ["WP_SEED", "WP_TREE", "HOME", "XDG_CACHE_HOME", ...PACKAGES];

/** deno.json with the environment names of its permission sets replaced. */
export function permissions(config: string, { settings, credentials }: Connectors): string {
  const json = JSON.parse(config);
  const service = [...GATEWAY_SETTINGS, ...settings].map(({ name }) => name);
  const secrets = [...credentials.values()].flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ variable }) => variable ?? [])
  );
  json.permissions.serve.env = [...service, ...HOST_VARIABLES];
  json.permissions.demo.env = [...service, ...HOST_VARIABLES, ...DEMO];
  json.permissions.admin.env = [...COMMAND_LINE, ...secrets];
  json.permissions["admin-probe"].env = COMMAND_LINE;
  json.permissions["admin-store"].env = STORE;
  json.permissions["admin-keys"].env = STORE;
  return `${JSON.stringify(json, null, 2)}\n`;
}
