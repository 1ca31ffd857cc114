/** Paths of files in a linked repository: what may be named at all, what may be written, and the site's prefix. */
import { type Code, GatewayError } from "../core/errors.ts";
import { LIMITS } from "../core/model.ts";
import { cut } from "../core/values.ts";
import { blockedFor, percentDecoded, plainPath } from "./path_names.ts";

export { isBlocked } from "./path_names.ts";

const CHARACTERS_MAX = LIMITS.REPO_PATH_CHARACTERS;
const SHOWN_CHARACTERS = 80;
/** Control characters, line separators, and what turns the direction of text so that a name reads as another. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The folders `writablePath` lets through. */
const WRITABLE_FOLDERS = [
  "src/components/",
  "src/styles/",
  "src/layouts/",
  "src/content/",
  "public/",
] as const;

function shown(text: string): string {
  return JSON.stringify(cut(text, SHOWN_CHARACTERS)).replace(
    /[\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu,
    (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`,
  );
}

function refuse(field: string, path: string, why: string, code: Code = "E_BAD_PATH"): never {
  throw new GatewayError(code, `${field}: ${shown(path)} ${why}`);
}

/** What is wrong with a path as it reads, in words; null when nothing is. */
function faultOf(path: string): string | null {
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) {
    return "is absolute; give it from the project's root, without a leading slash";
  }
  if (path.includes("\\")) return "holds a backslash; part folders with /";
  if (UNSEEN.test(path)) return "holds a control character; take it out";
  for (const segment of path.split("/")) {
    if (segment === "") return "has an empty part between slashes; leave one slash";
    if (/^[.\s]+$/.test(segment)) return `holds the part "${segment}"; give the path from the project's root`;
  }
  return null;
}

/** The first fault of a path: as given, percent-decoded once, and both in Unicode's compatibility form. */
function judge(path: string): string | null {
  if (!path.isWellFormed()) return "holds an unpaired surrogate; take it out";
  const decoded = percentDecoded(path);
  if (decoded === null) return "holds percent signs that encode no text; write the characters themselves";
  const readings = new Set([path, decoded, path.normalize("NFKC"), decoded.normalize("NFKC")]);
  for (const reading of readings) {
    const fault = faultOf(reading);
    if (fault !== null) return reading === path ? fault : `${fault} (once decoded)`;
  }
  const blocked = blockedFor(path);
  return blocked === null ? null : `is blocked, it leads to ${blocked}; choose another path`;
}

function tooLong(path: string): string | null {
  const { length } = [...path];
  return length > CHARACTERS_MAX
    ? `has ${length} characters, at most ${CHARACTERS_MAX} are allowed; shorten it`
    : null;
}

/**
 * The path of a file as it was given: a tree may hold a name in either of Unicode's forms, and in both. Throws E_BAD_PATH
 * naming the field and the rule: empty, over LIMITS.REPO_PATH_CHARACTERS, absolute, climbing out, with `\` or control
 * characters, or blocked at any depth, raw or percent-decoded once, in any case, form and under look-alike letters.
 */
export function sourcePath(path: string, field: string): string {
  if (path === "") throw new GatewayError("E_BAD_PATH", `${field}: is empty; name a file`);
  const composed = path.normalize("NFC");
  const fault = tooLong(composed) ?? judge(path) ?? judge(composed);
  return fault === null ? path : refuse(field, path, fault);
}

/**
 * What a listing's paths begin with: a folder, with or without the slash at its end, or the start of a name; "" for
 * all. Throws E_BAD_PATH by the rules of `sourcePath`.
 */
export function pathPrefix(prefix: string, field: string): string {
  if (prefix === "") return "";
  const folder = prefix.length > 1 && prefix.endsWith("/");
  return folder ? `${sourcePath(prefix.slice(0, -1), field)}/` : sourcePath(prefix, field);
}

/** A path that may be written on its own: under one of WRITABLE_FOLDERS. Throws E_BAD_PATH with the way that is open. */
export function writablePath(path: string, field: string): string {
  const given = sourcePath(path, field);
  const plain = plainPath(percentDecoded(given) ?? given);
  if (/^src\/pages(\/|$)/.test(plain)) {
    refuse(field, path, "is a page; use create_static_route or update_static_route");
  }
  if (!WRITABLE_FOLDERS.some((folder) => given.startsWith(folder))) {
    refuse(
      field,
      path,
      `is outside the folders for single files (${WRITABLE_FOLDERS.join(", ")}); choose a path in one of ` +
        "them, or use bulk_write_static_files where the site allows it",
    );
  }
  if (/^src\/content\/config\./.test(plain)) {
    refuse(field, path, "is configuration; use bulk_write_static_files where the site allows it");
  }
  if (/^public\/(_worker\.js|_routes\.json)/.test(plain)) {
    refuse(field, path, "would run as code of the host; choose another name");
  }
  return given;
}

/** The path of a markdown file: .md, .mdx or .markdown. Throws E_BAD_PATH. */
export function markdownPath(path: string, field: string): string {
  const given = sourcePath(path, field);
  if (/[^/]\.(md|mdx|markdown)$/i.test(given)) return given;
  return refuse(field, path, "is not markdown; the name must end in .md, .mdx or .markdown");
}

/**
 * A path, already judged, below the site's folder in its repository (null or "" for the root). Throws `code` naming
 * the field when both together are over LIMITS.REPO_PATH_CHARACTERS or lead into what is blocked.
 */
export function underPrefix(
  prefix: string | null,
  path: string,
  field: string,
  code: Code = "E_BAD_PATH",
): string {
  if (prefix === null || prefix === "") return path;
  const joined = `${prefix}/${path}`;
  const long = tooLong(joined);
  if (long !== null) refuse(field, joined, long, code);
  // What leads out or is blocked only by being put together: .github above workflows, or a prefix set badly.
  const fault = judge(prefix) ?? judge(`${prefix.slice(prefix.lastIndexOf("/") + 1)}/${path.split("/")[0]}`);
  if (fault !== null) refuse(field, joined, `cannot be used: with the site's folder it ${fault}`, code);
  return joined;
}
