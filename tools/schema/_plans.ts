/** How the preview of a changed entry puts it: where the change shows, and each part as it is and as it would be. */
import { isFields } from "../../core/values.ts";
import { dataIn, sameData } from "../../rules/structured_data.ts";
import { quoted } from "../../rules/wording.ts";
import type { Change } from "../../core/model.ts";
import type { PlannedEntry } from "../../platforms/wordpress/structured_data/client.ts";

/** More changes than a person reads one by one are shown as one. */
const CHANGES_MAX = 20;
const LEVELS = 2;
const TARGETS_MAX = 5;

/** One sentence on what would change and who would see it. */
export function whatChanges(planned: PlannedEntry, siteName: string, differs: boolean): string {
  const { entry, scope } = planned;
  const idle = differs ? "" : "; it holds that already";
  if (scope === "page") {
    const isPrivate = entry.status === "private";
    const whose = isPrivate ? "private, whoever signs in and may read it gets" : "published, visitors get";
    const seen = planned.live ? `; it is ${whose} the change at once` : "";
    return `Change the custom schema (${entry.type}) of the ${entry.status} ${
      quoted(entry.title)
    } on ${siteName}${seen}${idle}`;
  }
  const when = planned.live ? "at once" : `once it is published, it is "${entry.status}"`;
  return `Change the custom schema ${quoted(entry.title)} on ${siteName}; it is global: all pages it targets${
    targets(planned.targets)
  } change ${when}${idle}`;
}

function targets(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > TARGETS_MAX ? ` and ${names.length - TARGETS_MAX} more` : "";
  return ` (${names.slice(0, TARGETS_MAX).join(", ")}${more})`;
}

/** A change per part of the value that differs, `value.name.headline`; of many, or of lists, the whole. */
export function valueChanges(before: unknown, after: unknown): Change[] {
  for (let levels = LEVELS; levels > 0; levels--) {
    const changes = differences(before, after, levels);
    if (changes.length <= CHANGES_MAX) return changes;
  }
  return differences(before, after, 0);
}

function differences(before: unknown, after: unknown, levels: number): Change[] {
  const was = new Map(parts(before, "value", levels));
  const becomes = new Map(parts(after, "value", levels));
  return [...new Set([...was.keys(), ...becomes.keys()])]
    .map((field) => ({ field, from: was.get(field) ?? null, to: becomes.get(field) ?? null }))
    .filter(({ from, to }) => !sameData(dataIn(from), dataIn(to)));
}

/** The parts of a value by their paths; JSON within a text is read as well. */
function parts(value: unknown, field: string, levels: number): [string, unknown][] {
  const data = dataIn(value);
  if (levels === 0 || !isFields(data) || Object.keys(data).length === 0) return [[field, value]];
  return Object.entries(data).flatMap(([name, part]) => parts(part, `${field}.${name}`, levels - 1));
}
