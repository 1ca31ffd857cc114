/** The settings table as documentation: `deno run --allow-read --allow-write settings/docs.ts` writes it anew. */
import { GATEWAY_SETTINGS, type SettingEntry, UPSTREAM_SETTINGS } from "../settings.ts";

const BEGIN = "<!-- settings: made by settings/docs.ts -->";
const END = "<!-- end of settings -->";
const GROUPS: readonly (readonly [string, readonly SettingEntry[]])[] = [
  ["The gateway", GATEWAY_SETTINGS],
  ["The services behind the tools", UPSTREAM_SETTINGS],
];

function standing(entry: SettingEntry): string {
  if (entry.required) return "required (made once in dev and demo)";
  if (entry.default === null) return "not set";
  return entry.default === "" ? "none" : `\`${entry.default}\``;
}

/** Every setting in Markdown tables. */
export function settingsTables(): string {
  return GROUPS.map(([title, entries]) => {
    const rows = entries.map((entry) =>
      `| \`${entry.name}\` | ${standing(entry)} | ${entry.meaning} | ${entry.secret ? "yes" : ""} |`
    );
    return [`## ${title}`, "", "| Variable | Default | Meaning | Secret |", "|---|---|---|---|", ...rows]
      .join("\n");
  }).join("\n\n");
}

/** The page with the tables between its two marks replaced. Throws when the marks are missing. */
export function withTables(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The page lacks the marks ${BEGIN} and ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n${settingsTables()}\n${page.slice(to)}`;
}

/** A file of settings, all commented out. */
export function envExample(): string {
  const head =
    "# Settings of the gateway; docs/CONFIGURATION.md explains them. Remove the # of what you set.\n" +
    "# Made by settings/docs.ts.\n";
  const groups = GROUPS.map(([title, entries]) => {
    const lines = entries.map((entry) =>
      `# ${entry.meaning}${entry.secret ? " (secret)" : ""}\n#${entry.name}=${entry.default ?? ""}\n`
    );
    return `\n# --- ${title} ---\n\n${lines.join("\n")}`;
  });
  return head + groups.join("");
}

if (import.meta.main) {
  const page = new URL("../docs/CONFIGURATION.md", import.meta.url);
  Deno.writeTextFileSync(page, withTables(Deno.readTextFileSync(page)));
  Deno.writeTextFileSync(new URL("../.env.example", import.meta.url), envExample());
}
