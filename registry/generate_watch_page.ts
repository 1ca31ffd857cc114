/** docs/upstreams/WATCH.md: the versions of upstreams' APIs that the gateway uses, and until when, as connectors say. */
import type { Connectors } from "./connectors.ts";

const HEAD = `# Versions of upstreams

The versions of vendors' APIs that the gateway uses, until when each lives, and what its vendor changes in it outside its releases. This page is written by \`deno task gen\` from \`watch\` of each \`platforms/<name>/connector.ts\`; nobody edits it by hand.

From 120 days before the first day without a version, \`gateway health\` and a line \`version_ending\` of the log (at each start, and each day at 06:00 UTC) say what to change. From that day on \`gateway health\` ends with 1 while a site uses it. Where an operator has set another version in the setting that names it, that version is the operator's to watch. A month that a vendor names counts from its first day. "None named" means that no such day was found, which is no promise of the vendor's; where only a stored copy of the page could be read, the table says which.

| API | Version | Setting | First day without it | What to do before | Source, and when it was read |
| --- | --- | --- | --- | --- | --- |`;

const code = (text: string | undefined) => text === undefined ? "" : `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|");

/** The page. */
export function watchPage({ all }: Connectors): string {
  const watched = all.flatMap(({ watch = [] }) => watch).toSorted((a, b) =>
    (a.sunset ?? "9") < (b.sunset ?? "9") ? -1 : (a.sunset ?? "9") > (b.sunset ?? "9") ? 1 : 0
  );
  const rows = watched.map((one) =>
    [
      "",
      cell(one.api),
      code(one.version),
      code(one.setting),
      one.sunset ?? "none named",
      cell(one.change),
      `${one.source}, ${one.checked ?? "not read yet"}${one.copy === undefined ? "" : `: ${cell(one.copy)}`}`,
      "",
    ].join(" | ").trim()
  );
  const changes = watched.flatMap(({ api, version, changes = [] }) =>
    changes.map(({ on, what }) => ({ on, line: `| ${on} | ${cell(api)} ${version} | ${cell(what)} |` }))
  ).toSorted((a, b) => a.on < b.on ? 1 : -1);
  const lines = [...new Set(changes.map(({ line }) => line))];
  return [
    HEAD,
    ...rows,
    "",
    "## Changes outside releases",
    "",
    "| From | In | What |",
    "| --- | --- | --- |",
    ...lines,
    "",
  ].join("\n");
}
