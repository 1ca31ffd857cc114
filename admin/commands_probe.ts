/** `probe`: whether the answers of what a site is linked to are what the gateway reads, and a file of it that can be sent on. */
import {
  type ProbedRead,
  type ProbedUpstream,
  type ProbeReport,
  sentencesOf,
} from "../registry/probe_report.ts";
import type { Command } from "./command.ts";
import { cell, CommandError, type Terminal } from "./terminal.ts";

const NOTES =
  "It only reads: each linked service once, with small requests, by the way that calls take. It compares the names and types\n" +
  "in the answers with those that the gateway reads. What a service refuses is a line of its own. A name that is new is only\n" +
  "printed: the file holds names that the gateway knows, types and codes, and nothing of the site, its account or its data.\n" +
  "The file is written into data/probes/. It ends with 1 where a name is missing or has another type, and where services were\n" +
  "asked and no answer could be compared.";

const probe: Command = {
  words: ["probe"],
  subject: { name: "site", help: "the site's id" },
  summary: "Read each linked service once, and compare its answers with what the gateway reads of them",
  options: {
    with: {
      value: "connector",
      many: true,
      help: "ask this one too, although it costs what is scarce; its line says what",
    },
  },
  notes: NOTES,
  async run({ api, words, show, terminal }) {
    const path = `sites/${encodeURIComponent(words.subject)}/probe`;
    const report = await api.call("POST", path, { with: words.all("with") }) as ProbeReport;
    const text = `${JSON.stringify(report.file, null, 2)}\n`;
    const kept = await keep(terminal, text);
    show({ ...report, written_to: kept.path }, human);
    if (kept.fault !== null) throw new CommandError(kept.fault);
    return report.agrees && (isCompared(report) || !report.upstreams.some(isAsked)) ? 0 : 1;
  },
};

const isAsked = ({ state }: ProbedUpstream) => state === "asked";
const isCompared = ({ upstreams }: ProbeReport) =>
  upstreams.some(({ reads }) => reads.some(({ check }) => check !== null));

/** Where the file is, or why there is none: what was asked is shown all the same. */
async function keep(
  { keep }: Terminal,
  text: string,
): Promise<{ path: string | null; fault: string | null }> {
  try {
    return { path: await keep?.("probes", text) ?? null, fault: null };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { path: null, fault: `The file could not be written into data/probes/: ${why}` };
  }
}

function human(report: ProbeReport & { readonly written_to: string | null }): string {
  const { upstreams, without_probe, written_to } = report;
  const unlinked = upstreams.filter(({ state }) => state === "not_linked");
  const names = (some: readonly string[]) => some.map(cell).join(", ");
  return [
    ...upstreams.filter(({ state }) => state !== "not_linked").map(section),
    ...unlinked.length === 0 ? [] : [`Not linked to the site: ${names(unlinked.map(({ what }) => what))}.\n`],
    ...without_probe.length === 0
      ? []
      : [`Without a probe: ${names(without_probe.map(({ product }) => product))}.\n`],
    verdict(report),
    ...written_to === null ? [] : [
      `Written to ${
        cell(written_to)
      }, to be sent on: names that the gateway knows, types and codes, and no data of the ` +
      "site. Read it before you send it.\n",
    ],
  ].join("");
}

function verdict(report: ProbeReport): string {
  if (!isCompared(report)) return "Nothing was compared.\n";
  return report.agrees
    ? "What was compared has the names and types that the gateway reads.\n"
    : "Names are missing or have another type, so calls may fail or answer wrongly: send the file to the gateway's authors.\n";
}

function section({ what, versions, state, costs, problem, reads, connector }: ProbedUpstream): string {
  const head = `${[what, ...versions].map(cell).join(" ")}\n`;
  if (state === "left_out") {
    return `${head}  Not asked: it costs ${cell(costs)}; ask with --with ${connector}\n`;
  }
  const refused = problem === null ? [] : [
    `  Refused with ${problem.code}${problem.status === null ? "" : ` (${problem.status})`}: ${
      cell(problem.message)
    }\n`,
  ];
  return [head, ...reads.map(line), ...refused].join("");
}

const STATES: Readonly<Record<ProbedRead["state"], string>> = {
  agrees: "agrees",
  differs: "DIFFERS",
  refused: "refused",
  unreadable: "cannot be used",
  not_compared: "not compared",
};

/** Of a list without an entry little was compared. */
const stateOf = ({ state, check }: ProbedRead) =>
  state === "agrees" && check!.empty.length > 0 ? `${STATES[state]}, but for what was empty` : STATES[state];

const line = (one: ProbedRead) =>
  [`  ${cell(one.read)}: ${stateOf(one)}\n`, ...sentencesOf(one).map((said) => `    ${cell(said)}\n`)]
    .join("");

/** The command that probes a site's upstreams. */
export const PROBE_COMMANDS: readonly Command[] = [probe];
