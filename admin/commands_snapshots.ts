/** `snapshots show`. */
import type { SnapshotDay, SnapshotReport, SnapshotRun, SnapshotSite } from "../core/model.ts";
import type { Command } from "./command.ts";
import { cell } from "./terminal.ts";

const show: Command = {
  words: ["snapshots", "show"],
  summary: "Show which days are kept of each linked site, what failed and what is missing",
  options: {
    days: { value: "days", help: "how many days back (7); at most 31, of one site 400" },
    site: { value: "id", help: "one site only" },
  },
  notes: "It ends with 1 where a site lacks the newest day.",
  async run({ words, api, show }) {
    const site_id = words.text("site");
    const days = words.whole("days");
    const asked = new URLSearchParams({
      ...(days === undefined ? {} : { days: String(days) }),
      ...(site_id === undefined ? {} : { site_id }),
    });
    const report = await api.call("GET", `snapshots?${asked}`) as SnapshotReport;
    show(report, human);
    return report.complete ? 0 : 1;
  },
};

function human({ dates, runs, sites, next_due }: SnapshotReport): string {
  if (sites.length === 0) return "No site is linked to what snapshots are kept of.\n";
  const lines = dates.toReversed().flatMap((date) => {
    const of = sites.map((site) => ({ site, day: site.days.find((day) => day.date === date)! }));
    const count = (...statuses: SnapshotDay["status"][]) =>
      of.filter(({ day }) => statuses.includes(day.status)).length;
    const late = of.filter(({ day }) => day.late).length;
    const linked = sites.length - count("unlinked");
    if (linked === 0) return [`${date}  no site was linked yet`];
    const parts = [
      `${count("ok", "empty")} of ${linked} kept${late > 0 ? ` (${late} late)` : ""}`,
      `${count("failed")} failed`,
      `${count("missing")} missing`,
    ];
    return [
      `${date}  ${parts.join(", ")}`,
      ...runs.filter((run) => run.date === date).map(ran),
      ...of.filter(({ day }) => day.status === "failed").map(({ site, day }) => `  ${lineOf(site, day)}`),
      ...missing(of.filter(({ day }) => day.status === "missing")),
    ];
  });
  return `${lines.join("\n")}\nThe next day's are due at ${next_due}.\n`;
}

const ran = ({ started_at, ended_at, due, ok, empty, failed }: SnapshotRun) =>
  `  run from ${started_at} ${
    ended_at === null ? "was cut off or is under way" : `to ${ended_at}`
  }: ${due} due, ${ok} with figures, ${empty} without visits, ${failed} failed`;

const lineOf = ({ site_id }: SnapshotSite, { error, attempts, to_come }: SnapshotDay) =>
  `${cell(site_id)} failed${attempts > 1 ? ` ${attempts} times` : ""}: ${cell(error)}${
    to_come ? " (is tried again, at half past the hour)" : ""
  }`;

/** Missing sites in one line: there can be hundreds. */
function missing(of: readonly { site: SnapshotSite; day: SnapshotDay }[]): string[] {
  if (of.length === 0) return [];
  const names = of.slice(0, 10).map(({ site }) => cell(site.site_id)).join(", ");
  const more = of.length > 10 ? ` and ${of.length - 10} more` : "";
  const way = of.some(({ day }) => day.to_come) ? " (the next run makes them, at half past the hour)" : "";
  return [`  missing: ${names}${more}${way}`];
}

/** The commands about snapshots. */
export const SNAPSHOT_COMMANDS: readonly Command[] = [show];
