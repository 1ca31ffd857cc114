/** Every command of the command line, and how one is found and run. */
import type { Connectors } from "../registry/connectors.ts";
import { type AdminClient, adminClient } from "./client.ts";
import { type Call, type Command, commandHelp, overview, readWords, refuseMissing } from "./command.ts";
import { APPROVAL_COMMANDS } from "./commands_approvals.ts";
import { AUDIT_COMMANDS } from "./commands_audit.ts";
import { CHANGE_COMMANDS } from "./commands_changes.ts";
import { CLIENT_COMMANDS } from "./commands_clients.ts";
import { CONNECTION_COMMANDS } from "./commands_connections.ts";
import { FREEZE_COMMANDS } from "./commands_freezes.ts";
import { ERASE_COMMANDS } from "./commands_erase.ts";
import { GATEWAY_COMMANDS } from "./commands_gateway.ts";
import { keyCommands } from "./commands_keys.ts";
import { LINKABLE_COMMANDS } from "./commands_linkable.ts";
import { PEOPLE_COMMANDS } from "./commands_people.ts";
import { PREVIEW_COMMANDS } from "./commands_previews.ts";
import { PROBE_COMMANDS } from "./commands_probe.ts";
import { PROXIED_COMMANDS } from "./commands_proxied.ts";
import { siteCommands } from "./commands_sites.ts";
import { SNAPSHOT_COMMANDS } from "./commands_snapshots.ts";
import { STORE_COMMANDS } from "./commands_store.ts";
import { TOKEN_COMMANDS } from "./commands_tokens.ts";
import { WEBHOOK_COMMANDS } from "./commands_webhooks.ts";
import { hint } from "../core/faults.ts";
import { cell, CommandError, type Terminal } from "./terminal.ts";

/** All of them, with the options that the connectors bring. */
export function commandsOf(connectors: Connectors): readonly Command[] {
  return [
    ...TOKEN_COMMANDS,
    ...siteCommands(connectors),
    ...LINKABLE_COMMANDS,
    ...PROBE_COMMANDS,
    ...PREVIEW_COMMANDS,
    ...PEOPLE_COMMANDS,
    ...CONNECTION_COMMANDS,
    ...CLIENT_COMMANDS,
    ...PROXIED_COMMANDS,
    ...AUDIT_COMMANDS,
    ...CHANGE_COMMANDS,
    ...ERASE_COMMANDS,
    ...SNAPSHOT_COMMANDS,
    ...FREEZE_COMMANDS,
    ...APPROVAL_COMMANDS,
    ...WEBHOOK_COMMANDS,
    ...GATEWAY_COMMANDS,
    ...STORE_COMMANDS,
    ...keyCommands(connectors),
  ];
}

const asksNobody = () => Promise.reject(new CommandError("This command asks no gateway"));
const NO_GATEWAY: AdminClient = { call: asksNobody, stream: asksNobody };

/** Runs a command and answers the exit code: 0, or 1 with one line on the error stream that says why. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  connectors: Connectors,
): Promise<number> {
  try {
    return await run(args, terminal, commandsOf(connectors));
  } catch (fault) {
    if (!(fault instanceof CommandError)) throw fault;
    terminal.err(`${cell(fault.message)}\n`);
    return 1;
  }
}

async function run(
  args: readonly string[],
  terminal: Terminal,
  commands: readonly Command[],
): Promise<number> {
  const [group, verb] = args;
  const help = args.includes("--help") || args.includes("-h");
  const family = commands.filter((command) => command.words[0] === group);
  const named = family.find(({ words }) => words.length === 1 || words[1] === verb);
  // A group of one command is that command.
  const only = family.length === 1 && (verb === undefined || verb.startsWith("-")) ? family[0] : undefined;
  const command = named ?? only;
  if (command === undefined) {
    const asked = args.filter((word) => !word.startsWith("-"));
    const known = asked.length === 0 || (family.length > 0 && asked.length === 1);
    if (!help || !known) {
      if (!known) throw notFound(asked, family, commands);
      terminal.err(overview(family.length > 0 ? family : commands));
      return 1;
    }
    terminal.out(overview(family.length > 0 ? family : commands));
    return 0;
  }
  if (help) {
    terminal.out(commandHelp(command));
    return 0;
  }
  const words = readWords(command, args.slice(named?.words.length ?? 1));
  refuseMissing(command, words);
  const json = words.on("json");
  const call: Call = {
    words,
    terminal,
    json,
    api: command.local ? NO_GATEWAY : adminClient(terminal, words.text("url")),
    show: (result, human) => terminal.out(json ? `${JSON.stringify(result, null, 2)}\n` : human(result)),
  };
  return await command.run(call) ?? 0;
}

function notFound(
  asked: readonly string[],
  family: readonly Command[],
  commands: readonly Command[],
): CommandError {
  const groups = [...new Set(commands.map((command) => command.words[0]))];
  const why = family.length > 0
    ? hint(asked[1]!, family.flatMap((one) => one.words[1] ?? []))
    : hint(asked[0]!, groups);
  return new CommandError(`No command ${asked.slice(0, 2).join(" ").slice(0, 60)}, ${why}; see --help`);
}
