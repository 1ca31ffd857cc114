/** How previews put things: titles in sentences, and the changes of a state. */
import type { Change } from "../core/model.ts";
import { cut } from "../core/values.ts";

const TITLE_CHARACTERS = 80;

/** A title for a sentence. */
export function quoted(title: string): string {
  const text = title.trim();
  if (text === "") return "without a title";
  return `"${cut(text, TITLE_CHARACTERS)}"`;
}

/** Why a new state is not set back. */
export const STATE_FINAL =
  "Publications, schedules and states are never taken back here; change them with the tools for them";
/** Why what is made new is not taken away. */
export const MADE_FINAL = "What is made new stays: nothing is deleted here";

/** What has a state and perhaps a schedule. */
export interface Stateful {
  readonly status: string;
  readonly scheduled_at: string | null;
}

/** The changes of a new state. */
export function stateChanges(now: Stateful, status: string, scheduled_at: string | null): Change[] {
  const changes: Change[] = [
    { field: "status", from: now.status, to: status },
    { field: "scheduled_at", from: now.scheduled_at, to: scheduled_at },
  ];
  return changes.filter(({ from, to }) => from !== to);
}

/** Values that show nothing to anybody. */
const EMPTY = new Set([undefined, "null", '""', "0", "[]"]);
/** Parts of which only a hash is known. */
const HASHED = new Set([
  "password",
  "terms",
  "seo",
  "schema",
  "builder",
  "code",
  "address",
  "menu_order",
  "meta",
]);

/** What was seen of a post or page before it is changed. */
export interface Looked {
  readonly parts: Readonly<Record<string, unknown>>;
  readonly changed: { readonly by: string | null; readonly at: string | null } | null;
  readonly noindex: boolean | null;
  readonly seo?: object | null;
  readonly names?: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** What visitors get of a post or page that goes live, as far as it is not empty. */
export function revealed(
  { parts, url, address = url, noindex, seo, names }: Looked & {
    readonly url: string;
    readonly address?: string;
  },
): Change[] {
  const { status: _, scheduled_at: __, date: ___, ...values } = parts;
  const own = Object.entries({ url: address, ...values, ...names, noindex }).filter(([name]) =>
    !HASHED.has(name)
  );
  return [...own, ...seoEntries(seo ?? {})]
    .filter(([, value]) => !EMPTY.has(JSON.stringify(value)))
    .map(([field, to]) => ({ field, from: null, to }));
}

/** What of SEO fields is shown elsewhere, or to nobody. */
const BESIDE = new Set(["noindex", "no_index", "focus_keyword"]);

/** The texts that are set and the switches that are on: `seo.og_title`, `seo.robots.nofollow`. */
function seoEntries(fields: object, before = "seo"): [string, unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (BESIDE.has(name) || value === false) return [];
    const field = `${before}.${name}`;
    return typeof value === "object" && value !== null ? seoEntries(value, field) : [[field, value]];
  });
}

/** What becomes, for visitors, of the date that a person gave a draft: one that lies ahead is left off. */
export function dateChanges({ parts: { date } }: Looked, now: number): Change[] {
  if (typeof date !== "string") return [];
  return [
    Date.parse(date) > now
      ? { field: "date", from: date, to: null }
      : { field: "date", from: null, to: date },
  ];
}

/** The parts that a change of these fields replaces, with the state it goes by. */
export function replaced({ parts }: Looked, fields: object): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined).map(([name]) => name);
  const names = ["status", "scheduled_at", ...given];
  return Object.fromEntries(names.filter((name) => name in parts).map((name) => [name, parts[name]]));
}

/** Whether an argument takes the value that something has: not a title or a slug that is none, nor an image that is none. */
export const canBeGiven = (field: string, value: unknown): boolean =>
  value !== null && value !== 0 && !(value === "" && ["title", "slug"].includes(field));

/** Why a change of fields that had no value cannot be taken back. */
export const notTakenAway = (fields: readonly string[]): string =>
  `${fields.join(", ")}: had no value, and no call takes one away again; a person does it on the site`;

/** ", last changed by …" where that is known, else "". */
export function lastChange({ changed }: Looked): string {
  if (changed === null) return "";
  const { by, at } = changed;
  const who = by === null ? "" : ` by ${quoted(by)}`;
  const when = at === null ? "" : ` at ${at}`;
  return who + when === "" ? "" : `, last changed${who}${when}`;
}

/** No password: none that is told, an empty one, or the SHA-256 of that. */
const NO_PASSWORD = new Set<unknown>([
  undefined,
  "",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
]);

/** Whether visitors see its text only with a password. */
export const hasPassword = ({ parts }: Pick<Looked, "parts">): boolean => !NO_PASSWORD.has(parts["password"]);

/** What is said of that. */
export const PASSWORD = "It has a password: visitors see its text only with that";

/** What to know before something goes live. */
export function liveWarnings(seen: Looked): string[] {
  const { warnings, noindex } = seen;
  return [
    ...warnings,
    ...noindex ? ["Its SEO fields tell search engines not to index it"] : [],
    ...hasPassword(seen) ? [PASSWORD] : [],
  ];
}

/** The same where it goes live at once: which date visitors see. */
export function publishWarnings(seen: Looked, now: number): string[] {
  const dates = dateChanges(seen, now).map(({ from, to }) =>
    to === null
      ? `Its date, ${from}, lies ahead and is left off: it is published now, under the present date`
      : `It was given the date ${to}: visitors see it under that one`
  );
  return [...liveWarnings(seen), ...dates];
}

/** What has a slug. */
export interface SlugHolder {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  /** `page`, `post`, or `image`. */
  readonly noun: string;
}

/** The sentence of a slug that something else has. */
export const slugTaken = ({ noun, title, id, slug }: SlugHolder): string =>
  `slug: the ${noun} ${quoted(title)} (${id}) has ${
    JSON.stringify(slug)
  } too; while it does, this one goes live with ` +
  "a number behind it, as in " +
  `/${slug}-2/: give another slug where that is not wanted`;

/** Of what the preview warned of what is still to be said beside what the site stored otherwise: not the same field twice. */
export function stillSo(warnings: readonly string[], differences: readonly string[]): string[] {
  const fields = new Set(differences.map((one) => one.split(": ", 1)[0]));
  return warnings.filter((one) => !one.includes(": ") || !fields.has(one.split(": ", 1)[0]));
}
