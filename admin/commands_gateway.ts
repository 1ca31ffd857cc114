/** `gateway health`. */
import { counted } from "../core/one_line.ts";
import type { Command } from "./command.ts";
import { frozenLine } from "./commands_freezes.ts";
import { unheldLine } from "./commands_proxied.ts";
import { stateOf } from "./commands_webhooks.ts";
import type { HealthReport } from "./health.ts";
import { isJobWrong } from "../rules/readiness.ts";
import { HOW_TO_ACCEPT, type SealedRecord } from "../store/store.ts";
import { cell } from "./terminal.ts";

const health: Command = {
  words: ["gateway", "health"],
  summary: "Say how the gateway does, and what waits for you",
  options: {},
  notes: "It ends with 1 where something waits or fails.",
  async run({ api, show }) {
    const report = await api.call("GET", "health") as HealthReport;
    show(report, human);
    return report.ok ? 0 : 1;
  },
};

function human(report: HealthReport): string {
  const { clock, retention: { days, horizon, ran_at, waiting }, jobs, sealed } = report;
  const {
    problems = [],
    foreign = [],
    unpreviewed = [],
    proxies = [],
    held_tools = [],
    unheld = [],
    freezes = [],
    webhooks = [],
    versions = [],
    kept_changes,
  } = report;
  const kept = `Audit rows are kept for ${counted(days, "day")}`;
  const lines = [
    `The gateway answers: version ${report.gateway_version}. Its clock says ${clock}.`,
    ran_at === null
      ? `${kept}; retention has not run yet.`
      : `${kept}; retention ran at ${ran_at}${
        horizon === null ? "" : `, nothing is left from before ${horizon}`
      }.`,
    // Of jobs and keys the lines below say more.
    ...problems.filter(({ check }) => check === "store" || check === "audit").map(({ message }) =>
      `${message}.`
    ),
    ...jobs.filter((job) => isJobWrong(job, Date.parse(clock))).map((
      { name, running_since, failing_since, event },
    ) =>
      failing_since === null
        ? `The run of ${name} that began at ${running_since} has not ended.`
        : `The runs of ${name} fail since ${failing_since}; the log says why (${event}).`
    ),
    ...sealed.map(sealedLine),
    ...(sealed.length > 0 ? [`${MORE_SEALED}.`] : []),
    ...foreignLines(foreign),
    ...unpreviewed.map(({ site_id, flags }) =>
      `Site ${site_id} has ${
        flags.join(" and ")
      }, and its confirm policy is "flag": one call with confirm: true changes ` +
      `what visitors get (site update ${site_id} --confirm-policy preview).`
    ),
    ...proxies.map(({ message, seen_at }) => `${cell(message)} (last seen at ${seen_at}).`),
    ...held_tools.map(heldLine),
    ...unheld.map(unheldLine),
    ...freezes.map((one) => `${frozenLine(one)}.`),
    ...webhooks.map((one) =>
      `The webhook ${cell(one.name)} (${one.id}): ${
        cell(stateOf(one))
      }. See webhooks deliveries ${one.id}; webhooks update ` +
      `${one.id} --on true turns it on again.`
    ),
    ...keptLines(kept_changes),
    ...versions.map(({ message }) => `${cell(message)}.`),
    ...(waiting ? [`Retention waits for you since ${waiting.since}: ${cell(waiting.message)}.`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** What goes by itself is not named each: links, previews, what stood there before a change. */
const MORE_SEALED =
  "What else is sealed under a key that is missing, by kind: deno task admin keys status; what of it is never opened again " +
  "goes by itself";

function foreignLines(foreign: HealthReport["foreign"]): string[] {
  if (foreign.length === 0) return [];
  return [
    ...foreign.map((sentence) => `${cell(sentence)}.`),
    `Calls that need these records are refused. Find out who wrote there; ${HOW_TO_ACCEPT}.`,
  ];
}

/** What is sealed under a missing key, and how it works again. */
function sealedLine({ kind, of, name, key }: SealedRecord): string {
  const [what, again] = {
    credential: [`The ${name} credential of site ${of}`, `set it again (site update ${of})`],
    account: [`The ${name} account of ${of}`, "have it connected again (connection start)"],
    webhook: [
      `The address of webhook ${of}`,
      `set the webhook up again (webhooks delete ${of}, webhooks create)`,
    ],
    passphrase: [`The passphrase of ${of}`, `invite that person again (user invite ${of})`],
  }[kind];
  return `${what} is sealed under key "${key}", which ENCRYPTION_KEYS lacks: add that key, or ${again}.`;
}

const MIB = 2 ** 20;
const mib = (bytes: number) => `${(bytes / MIB).toFixed(1)} MiB`;

/** What is kept of changes, and the sites whose oldest go soon. */
function keptLines(kept: HealthReport["kept_changes"] | undefined): string[] {
  if (kept === undefined || kept.changes === 0) return [];
  return [
    `What stood there before ${counted(kept.changes, "change")} is kept (${mib(kept.bytes)}).`,
    ...kept.near_quota.map(({ site_id, bytes, quota_bytes, oldest_at }) =>
      `Site ${site_id} has ${mib(bytes)} of ${
        mib(quota_bytes)
      } for changes that can be taken back: the oldest go, by now ` +
      `those from before ${oldest_at}.`
    ),
  ];
}

const heldLine = ({ site_id, name, since, because }: HealthReport["held_tools"][number]) =>
  `The tool ${cell(name)} is held back on site ${site_id} since ${since}: it ${
    cell(because)
  }. Look at the site and at ` +
  `the tool (tool-server show ${cell(name)} --site ${site_id}); tool-server approve lets it through again, ` +
  "tool-server withdraw takes it away.";

/** The commands about the gateway itself. */
export const GATEWAY_COMMANDS: readonly Command[] = [health];
