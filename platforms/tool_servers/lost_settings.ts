/** What went along with a change of an element's settings: one that is an object is replaced whole. */
import { isPlainId, type Structure } from "./structure.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Settings that a call sends for an element. */
interface Sent {
  readonly element_id: string;
  readonly settings: Fields;
}

const NAMED_MAX = 5;

/** The settings that are shown of an element; there are others. */
function shownSettings({ elements }: Structure, id: string): Fields {
  const own: unknown = JSON.parse(elements.get(id)?.shown ?? "{}");
  const found = isFields(own) ? own.settings_summary ?? own.settings : undefined;
  return isFields(found) ? found : {};
}

const isBlank = (value: unknown) =>
  [undefined, null, "", false].includes(value as null) ||
  (typeof value === "object" && Object.keys(value!).length === 0);

/** The parts that a setting had, and has no more though the call does not name them. */
const lost = (sent: Fields, before: Fields, now: Fields): string[] =>
  Object.keys(before).filter((part) =>
    !Object.hasOwn(sent, part) && !isBlank(before[part]) && isBlank(now[part]) && isPlainId(part)
  );

/** A sentence for each setting that lost parts which the call does not name, as far as settings are shown. */
export function lostParts(all: readonly Sent[], before: Structure | null, now: Structure): string[] {
  if (before === null) return [];
  return all.flatMap(({ element_id, settings }) => {
    if (!before.elements.has(element_id) || !isPlainId(element_id)) return [];
    const [from, to] = [shownSettings(before, element_id), shownSettings(now, element_id)];
    return Object.entries(settings).flatMap(([name, sent]) => {
      const [had, has] = [from[name], to[name] ?? {}];
      const parts = isFields(sent) && isFields(had) && isFields(has) ? lost(sent, had, has) : [];
      return parts.length === 0 ? [] : [`${element_id}, ${name}: ${parts.join(", ")} went with the change`];
    });
  }).slice(0, NAMED_MAX).map((one) =>
    `${one}, for a setting that is an object is replaced whole; send all of it`
  );
}
