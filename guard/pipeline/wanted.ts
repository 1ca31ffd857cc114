/** Which parts of an answer a call asks for: `fields` and `summary` of what reads. */
import { type Path, pathOf } from "../../core/answer_parts.ts";
import { clipped, GatewayError } from "../../core/errors.ts";
import { nearest } from "../../core/nearest.ts";
import { namesOf, resultWays } from "../../registry/answer_names.ts";
import { askedParts, type NotFound, nothingFound, sameName } from "../../registry/asked_parts.ts";
import type { Manifest } from "../../registry/manifest.ts";

/** Which parts of an answer are wanted. */
export interface Wanted {
  /** Those that these name; all where there are none. */
  readonly paths: readonly Path[];
  /** Of these, texts of those of which nobody knew beforehand whether an answer can have them. */
  readonly open: ReadonlySet<string>;
  /** What is said of the others that were asked for, and the names that there are. */
  readonly not_found: readonly NotFound[];
  readonly there: readonly string[];
  /** Of every list and text the beginning alone. */
  readonly summary: boolean;
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

const PATHS_MAX = 40;
const PATHS_SAID =
  'expected names of parts of the answer, such as "items.title, items.url" or "items[20..]", at most 40 of 500 characters each';

/** What is no path, and what to give in its place, where that is plain. */
function noPath(fields: unknown, text: unknown): GatewayError {
  const isWhole = text === "" || text === "*";
  const isList = typeof fields === "string" && fields.trim().startsWith("[");
  const instead = isWhole
    ? "; for the whole answer leave it out"
    : isList
    ? "; give the list itself, not a text of one"
    : "";
  return bad(`fields: ${JSON.stringify(clipped(String(text)))} is none; ${PATHS_SAID}${instead}`);
}

/**
 * What of the answer is wanted, and the arguments without it; `isOurs` where the tool has no such argument itself. Names that
 * no answer of the tool has are told in the answer, with what there is. Throws E_BAD_INPUT for what is no path, and where
 * nothing that is asked for can be there, by what the manifest says of the tool's answers.
 */
export function wantedOf(
  given: Record<string, unknown>,
  manifest: Manifest,
  isOurs: (name: string) => boolean,
): { wanted: { wanted?: Wanted }; rest: Record<string, unknown> } {
  if (given.fields === undefined && given.summary === undefined) return { wanted: {}, rest: given };
  const args = { ...given };
  const taken = (name: string) => {
    if (args[name] === undefined || !isOurs(name)) return undefined;
    const value = args[name];
    delete args[name];
    return value;
  };
  const columns = isOurs("fields") ? null : columnsOf(args.fields, manifest);
  if (columns !== null) args.fields = columns.fields;
  const [fields, summary] = [taken("fields"), taken("summary")];
  const isTold = (columns?.told.not_found.length ?? 0) > 0;
  if (fields === undefined && summary === undefined && !isTold) {
    return { wanted: {}, rest: args };
  }
  if (summary !== undefined && typeof summary !== "boolean") {
    throw notBoolean("summary", summary, "; leave it out for the whole answer");
  }
  const paths = pathsIn(fields);
  const root = resultWays(manifest);
  const asked = askedParts(paths, root);
  if (paths.length > 0 && asked.paths.length === 0) throw bad(`fields: ${nothingFound(paths, root)}`);
  return { wanted: { wanted: { ...asked, ...columns?.told, summary: summary === true } }, rest: args };
}

function pathsIn(fields: unknown): readonly Path[] {
  const texts = typeof fields === "string" ? fields.split(",") : fields ?? [];
  if (!Array.isArray(texts) || texts.length > PATHS_MAX || fields !== undefined && texts.length === 0) {
    throw bad(`fields: ${PATHS_SAID}${fields === null ? "; for the whole answer leave it out" : ""}`);
  }
  return texts.map((text) => {
    const path = typeof text === "string" ? pathOf(text) : null;
    if (path === null || path.text === "*") throw noPath(fields, text);
    return path;
  });
}

interface Columns {
  readonly fields: readonly string[];
  readonly told: Pick<Wanted, "not_found" | "there">;
}

/**
 * The `fields` of a tool that has them itself, as names of columns: written as parts of an answer elsewhere, too. Null
 * where the tool's are no such names, or where none of them is one: then its own schema refuses them.
 */
function columnsOf(given: unknown, manifest: Manifest): Columns | null {
  const { items, maxItems = PATHS_MAX } = manifest.input.properties?.fields ?? {};
  const words = items?.enum;
  const texts = typeof given === "string" ? given.split(",").map((one) => one.trim()) : given;
  if (words === undefined || !Array.isArray(texts) || texts.length > maxItems) return null;
  if (!texts.every((one) => typeof one === "string")) return null;
  const names = words.map(String);
  const { known, lists } = namesOf(resultWays(manifest));
  const fields = new Set<string>();
  const not_found: NotFound[] = [];
  let isTold = true;
  for (const text of texts) {
    const [first = "", ...rest] = text.split(".");
    const name = lists.has(first) && rest.length > 0 ? rest.join(".") : text;
    if (known.has(name) && !names.includes(name)) continue; // beside the list, whatever its columns are
    const same = sameName(name, names);
    if (same !== null) fields.add(same);
    if (same === name) continue;
    const near = same === null ? nearest(name, names) : null;
    const instead = same !== null ? { answered: same } : near === null ? {} : { instead: [near] };
    isTold &&= same !== null || near !== null;
    not_found.push({ asked: clipped(text), ...instead });
  }
  if (fields.size === 0) return null;
  return { fields: [...fields], told: { not_found, there: isTold ? [] : names } };
}

/**
 * A text such as "true" is named with its quotes, which shows that it is a text. Of `confirm` nobody is told to leave it out:
 * some tools of sites would write at once.
 */
export function notBoolean(name: string, value: unknown, instead = ""): GatewayError {
  const given = value === null
    ? ", not null"
    : typeof value === "string"
    ? `, not the text ${JSON.stringify(clipped(value))}`
    : "";
  return bad(`${name}: expected true or false${given}${instead}`);
}
