/** How pages word what agents ask for: who asks, on which sites, how long it waits, what visitors get of it. */
import { counted } from "../../core/one_line.ts";
import type { ApprovalReport } from "../../admin/ports.ts";
import type { Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { PagesParts } from "./frame.tsx";
import { time } from "./words.ts";

/** Where they are. */
export const APPROVALS = "/admin/approvals";

/** From this tier on visitors, or a build, get what a call writes (docs/decisions/0050-what-a-ceiling-promises.md). */
export const LIVE_TIER = 3;

/** What visitors get of it, by its tier. */
export const VISITORS = [
  "It only reads.",
  "Visitors get nothing of it until somebody publishes it.",
  "Visitors get nothing of it at once; it is scheduled, brings script or source with it, or changes something at another service.",
  "Visitors get it as soon as you approve it.",
  "It deletes or ends something as soon as you approve it.",
] as const;

/** What became of a request, in a word. */
const STATES = {
  pending: "waits",
  approved: "approved",
  rejected: "rejected",
  expired: "ended undecided",
} as const;

/** The same of a request; what was edited is not called rejected. */
export const stateWord = ({ state, edited_to }: Pick<ApprovalReport, "state" | "edited_to">): string =>
  edited_to === undefined ? STATES[state] : "edited";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something lasts, in the largest unit of which it has two. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (ms < 2 * MINUTE) return counted(seconds, "second");
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} minutes`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} hours`;
  return `${Math.floor(ms / DAY)} days`;
}

/** Names of what requests only have the ids of. */
export interface Names {
  /** By the id of a user. */
  readonly people: ReadonlyMap<string, string>;
  /** By the id of a site. */
  readonly sites: ReadonlyMap<string, Site>;
}

/** Looks the names up that those requests need. */
export async function namesFor({ ports }: PagesParts, all: readonly ApprovalReport[]): Promise<Names> {
  const ids = [...new Set(all.flatMap(({ owner_user_id }) => owner_user_id ?? []))];
  const [users, sites] = await Promise.all([
    Promise.all(ids.map((id) => ports.store.users.get(id))),
    ports.store.sites.list(),
  ]);
  return {
    people: new Map(users.flatMap((user) => user === null ? [] : [[user.id, user.email] as const])),
    sites: new Map(sites.map((site) => [site.id, site])),
  };
}

const isStamp = (word: string) => word.length === 20 && word[10] === "T" && !Number.isNaN(Date.parse(word));

/** What is asked, in a sentence: as the plan has it now, where there is one; a moment in it as pages write it. */
export function titleOf({ summary, tool }: ApprovalReport, now?: string): string {
  const words = seen(now || summary).split(" ").map((word) => isStamp(word) ? time(word) : word);
  return words.join(" ") || tool;
}

/** The person behind a request; null where none is. */
export const personOf = ({ owner_user_id }: ApprovalReport, { people }: Names): string | null =>
  owner_user_id === null ? null : seen(people.get(owner_user_id) ?? owner_user_id);

/** Whether a person asks on these pages, who wants something back. */
const isAskedHere = ({ token_id, owner_user_id }: ApprovalReport) => token_id === owner_user_id;

/** The program that asks. */
export const clientOf = (approval: ApprovalReport): string => {
  const { client_id, token_name } = approval;
  if (isAskedHere(approval)) return `${seen(token_name)} on these pages`;
  return `the ${client_id === null ? "token" : "client"} “${seen(token_name)}”`;
};

/** Who asks: the program, and the person behind it. */
export function askerOf(approval: ApprovalReport, names: Names): string {
  const person = isAskedHere(approval) ? null : personOf(approval, names);
  return person === null ? clientOf(approval) : `${clientOf(approval)}, for ${person}`;
}

/** A site by its name and id. */
export function siteName(id: string, { sites }: Names): string {
  const name = sites.get(id)?.name;
  return name === undefined || name === id ? id : `${seen(name)} (${id})`;
}

/** All sites of a request; of many the first. */
export function siteNames({ sites }: ApprovalReport, names: Names, most = 3): string {
  if (sites.length === 0) return "no site";
  const first = sites.slice(0, most).map((id) => siteName(id, names)).join(", ");
  return sites.length > most ? `${first} and ${sites.length - most} more` : first;
}

const WORDS: Readonly<Record<string, string>> = {
  content_html: "Text",
  content: "Text",
  slug: "Last part of the address",
  excerpt: "Excerpt",
  url: "Address",
  featured_media_id: "Image shown with it (id)",
  author_id: "Author (id)",
};

const PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789_";
const isPlain = (field: string) => field !== "" && [...field].every((sign) => PLAIN.includes(sign));

/** A field as people call it; a path, or what a site calls its own, as it is. */
export function fieldName(field: string): string {
  const known = Object.hasOwn(WORDS, field) ? WORDS[field]! : field;
  if (known !== field || !isPlain(field)) return seen(known);
  return `${field[0]!.toUpperCase()}${field.slice(1).replaceAll("_", " ")}`;
}

/** A longer name is nothing to type on a phone: its site's id is asked for. */
const TYPED_CHARACTERS = 24;

/** What has to be typed where something goes live on those sites; null where there are none. */
export function typedWord(sites: readonly string[], names: Names): { word: string; also: string } | null {
  if (sites.length === 0) return null;
  if (sites.length > 1) return { word: `${sites.length} sites`, also: `${sites.length} sites` };
  const [id] = sites as [string];
  const name = seen(names.sites.get(id)?.name ?? id);
  return name.length <= TYPED_CHARACTERS ? { word: name, also: id } : { word: id, also: name };
}

/** Whether that was typed, by its letters. */
export function isTyped(typed: string, { word, also }: { word: string; also: string }): boolean {
  const plain = (text: string) =>
    text.normalize("NFKC").split(" ").filter(Boolean).join(" ").trim().toLowerCase();
  return [word, also].some((one) => plain(one) === plain(typed));
}

/** The words that were written into the form, as one line; null where that is nothing. */
export const wordsOf = (form: URLSearchParams): string | null =>
  (form.get("words") ?? "").split("\n").map((line) => line.trim()).filter(Boolean).join(" ") || null;
