/** What ties a write to what was shown: hashes of the call and of the state it would replace. */
import { Buffer } from "node:buffer";
import { createHash, type Hash, hash } from "node:crypto";
import { type Change, LIMITS, type Site, SITE_POLICIES } from "../../core/model.ts";
import type { ConsentContent } from "../../store/store.ts";

/** What a preview is of, and a confirmed write must be of as well. */
export interface Subject {
  /** Whose token calls. */
  readonly grant: string;
  readonly tool: string;
  readonly sites: readonly Site[];
  /** Checked, defaults filled in, without `confirm` and `confirm_token`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly tier: number;
}

const sha = (text: string) => hash("sha256", text);

const ordered = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));

/** JSON with the names of every object in order, so that equal values have one text. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, one) => typeof one === "object" && one !== null && !Array.isArray(one) ? ordered(one) : one,
  ) ?? "null";
}

/** So much of a text is hashed at a time. */
const PART_CHARACTERS = 16 * 1024;
/** A code point beyond it is two characters of a text. */
const ONE_CHARACTER_MAX = 0xffff;

/** The hash of a value's canonical text; of a list, whose items can be files, no text is made as a whole. */
function shaOf(value: unknown): string {
  if (!Array.isArray(value)) return sha(canonical(value));
  const hash = createHash("sha256");
  hashInto(hash, value);
  return hash.digest("hex");
}

function hashInto(hash: Hash, value: unknown): void {
  if (typeof value === "string" && value.length > PART_CHARACTERS) return hashText(hash, value);
  if (typeof value !== "object" || value === null) return void hash.update(canonical(value));
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) hashInto(hash.update(at === 0 ? "[" : ","), one);
    return void hash.update(value.length === 0 ? "[]" : "]");
  }
  const members = Object.entries(ordered(value)).filter(([, one]) => one !== undefined);
  for (const [at, [name, one]] of members.entries()) {
    hashInto(hash.update(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`), one);
  }
  hash.update(members.length === 0 ? "{}" : "}");
}

function hashText(hash: Hash, text: string): void {
  hash.update('"');
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(text.length, from + PART_CHARACTERS);
    if (text.codePointAt(to - 1)! > ONE_CHARACTER_MAX) to++; // no pair is cut
    hash.update(JSON.stringify(text.slice(from, to)).slice(1, -1));
  }
  hash.update('"');
}

/** What does not decide where a call goes. */
const BESIDE_THE_WAY: ReadonlySet<string> = new Set([
  "name",
  "project_id",
  ...SITE_POLICIES,
  "credentials",
  "credentials_version",
  "created_at",
  "updated_at",
]);

/** A hash of what decides where a call on that site goes: its address, and everything its connectors are set to. */
export function destination(site: Site): string {
  return sha(
    canonical(Object.fromEntries(Object.entries(site).filter(([name]) => !BESIDE_THE_WAY.has(name)))),
  );
}

/** Why none is. */
export const KEEPS_NOTHING =
  "The gateway is set to keep nothing that would set a change back (UNDO_DAYS is 0)";

/** Why a change is not kept that is larger than what is. */
export const TOO_LARGE = `What stands there is over ${
  LIMITS.BEFORE_IMAGE_BYTES / 1024 / 1024
} MiB, the most that is kept to set it back`;

/** Names of parts beyond this would not fit into the record. */
const NAMES_BYTES_MAX = 16 * 1024;

/** A hash per part; beyond REVISION_PARTS_MAX parts, or where their names are too long together, one for all of them. */
export function hashParts(
  revision: Readonly<Record<string, unknown>> | null,
): Record<string, string> | null {
  if (revision === null) return null;
  const parts = Object.entries(revision);
  const names = Buffer.byteLength(JSON.stringify(Object.keys(revision)));
  if (parts.length > LIMITS.REVISION_PARTS_MAX || names > NAMES_BYTES_MAX) {
    return { "all parts": sha(canonical(revision)) };
  }
  return Object.fromEntries(parts.map(([name, value]) => [name, sha(canonical(value))]));
}

/** The record of a call. */
export function contentOf(
  { grant, tool, sites, args, tier }: Subject,
  revision: Readonly<Record<string, unknown>> | null,
): ConsentContent {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return {
    grant,
    tool,
    sites: sites.map((site) => [site.id, destination(site)] as const),
    args: Object.fromEntries(given.map(([name, value]) => [name, shaOf(value)])),
    revision: hashParts(revision),
    tier,
  };
}

/** The same as it is shown: with the tier and the flags that its steps and its plan have found. */
export const shownAs = (
  subject: Subject,
  { highestTier, needs }: { readonly highestTier: number | null; readonly needs: readonly string[] },
  revision: Readonly<Record<string, unknown>> | null,
): ConsentContent => ({ ...contentOf(subject, revision), tier: highestTier ?? subject.tier, needs });

/** The names whose hashes differ, or that only one of the two has. */
export function differing(
  one: Readonly<Record<string, string>> | null,
  other: Readonly<Record<string, string>> | null,
): string[] {
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...names].filter((name) => one?.[name] !== other?.[name]);
}

/** A short, opaque name of a revision; null where the call touches nothing that exists. */
export function revisionName(revision: Readonly<Record<string, unknown>> | null): string | null {
  return nameOfParts(hashParts(revision));
}

/** The same name, by what is kept of a revision. */
export function nameOfParts(parts: Readonly<Record<string, string>> | null): string | null {
  return parts === null ? null : `rev_${sha(canonical(parts)).slice(0, 22)}`;
}

const NAME_CHARACTERS = 22;

/** A plan, as far as it is said what it would do. */
interface Said {
  readonly plan: { readonly summary: string } | null;
  readonly changes: readonly Change[];
}

/** A short, opaque name of what a plan says that it would do. */
export const saidName = ({ plan, changes }: Said): string =>
  hash("sha256", canonical([plan?.summary, changes]), "base64url").slice(0, NAME_CHARACTERS);
