/** Places in which a text was found, as they are answered: what holds it, a piece of it, and what changes it there. */
import { pieceAround } from "../../core/credentials.ts";
import { cleaned, oneLine } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { Needle } from "../../rules/finding/signs.ts";
import { writablePath } from "../../rules/path.ts";
import { routeOfFile } from "../../rules/route.ts";
import type { FoundPlace } from "../../platforms/_content/text_search.ts";

// What reads texts sign by sign brings every entity of HTML, which is not needed to start.
const NEEDLES = {
  text: async () => (await import("../../rules/finding/text.ts")).textNeedle,
  phone: async () => (await import("../../rules/finding/phone.ts")).phoneNeedle,
  email: async () => (await import("../../rules/finding/email.ts")).emailNeedle,
} as const;

/** What finds a text of that kind. Throws E_BAD_INPUT naming the field for what is no such text. */
export const needleOf = async (kind: keyof typeof NEEDLES, text: string, field: string): Promise<Needle> =>
  (await NEEDLES[kind]())(text, field);

const TITLE_CHARACTERS = 120;
const SPELLINGS_MAX = 3;
const HIT_CHARACTERS = 400;

/** What changes a text: a tool and what it is called with, or how else. */
export type PlaceChange =
  | {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly needs?: string;
  }
  | { readonly tool: null; readonly how: string };

/** A place as it is answered. */
export function hitOf(place: FoundPlace, site: Pick<Site, "flags">) {
  const { spots, times } = place;
  const pieces = spots.map((spot) => cleaned(pieceAround(spot)));
  const spellings = [...new Set(spots.map(({ found }) => found))].slice(0, SPELLINGS_MAX);
  return {
    hit: hitId(place),
    place: whereOf(place),
    snippet: pieces[0]!,
    found: spellings.map((one) => cleaned(pieceAround({ ...NOTHING, found: one }))),
    times,
    change: changeOf(place, site),
  };
}

const NOTHING = { before: "", after: "", isCutBefore: false, isCutAfter: false };

function whereOf({ kind, type, id, path, lines, status, title, field, isSeo, within }: FoundPlace) {
  return {
    kind: type ?? kind,
    ...id === undefined ? {} : { id },
    ...path === undefined ? {} : { path },
    ...lines === undefined ? {} : { lines },
    ...status === undefined ? {} : { status },
    ...title === undefined || title === "" ? {} : { title: oneLine(title, TITLE_CHARACTERS) },
    field: isSeo ? `seo ${field}` : field,
    ...within === undefined ? {} : { within: oneLine(within, TITLE_CHARACTERS) },
  };
}

/** What a hit is named by in a further call: the same for the same text of the same thing. */
export function hitId({ kind, type, id, path, field, isSeo, within }: FoundPlace): string {
  if (path !== undefined) return oneLine(`file:${path}`, HIT_CHARACTERS);
  const isPart = within !== undefined && kind !== "widget";
  const part = isSeo ? `seo:${field}` : isPart ? `${field}:${within}` : field;
  return oneLine(`${type ?? kind}:${id}:${part}`, HIT_CHARACTERS);
}

/** What changes the text of a place. */
export function changeOf(place: FoundPlace, site: Pick<Site, "flags">): PlaceChange {
  switch (place.kind) {
    case "file":
      return ofFile(place, site);
    case "post":
    case "page":
    case "other":
      return ofContent(place, site);
    case "menu item":
      return { tool: null, how: "in the CMS, Appearance, Menus" };
    case "widget":
      return { tool: null, how: "in the CMS, Appearance, Widgets" };
    case "reusable block":
      return {
        tool: null,
        how: "in the CMS, Appearance, Patterns (Posts, Reusable blocks in older versions)",
      };
    case "block menu":
    case "template":
      return { tool: null, how: "in the CMS, Appearance, Editor" };
  }
}

function ofContent(place: FoundPlace, { flags }: Pick<Site, "flags">): PlaceChange {
  const { kind, type, id, status, field, isSeo, madeWith, isForWriters } = place;
  const isLive = status === "published";
  const isOwn = status === undefined || ["draft", "scheduled", "published", "pending"].includes(status);
  if (isSeo) {
    const needs = isLive && !flags.allow_seo_on_published ? { needs: "allow_seo_on_published" } : {};
    return { tool: "set_seo_meta", arguments: { post_id: id! }, ...needs };
  }
  if (kind === "other" && !isForWriters) {
    return { tool: null, how: `in the CMS: no tool here writes the type "${type}"` };
  }
  if (!isOwn) {
    return { tool: null, how: `in the CMS: "${status}" is a state of a plugin of the site` };
  }
  if (field === "builder" || (field === "content_html" && madeWith === "visual")) {
    return {
      tool: null,
      how: "in the visual builder, or with the site's own builder tools (builder-mcp-…) where it has them",
    };
  }
  const isCode = field === "css" || field === "js";
  if (isCode && isLive) {
    return { tool: null, how: "in the CMS: the code of a published page is not changed here" };
  }
  const of = kind === "page"
    ? { page_id: id! }
    : { post_id: id!, ...kind === "other" ? { type: type! } : {} };
  if (isLive) {
    return {
      tool: "revise_published",
      arguments: of,
      ...flags.allow_publish ? {} : { needs: "allow_publish" },
    };
  }
  if (isCode || (field === "content_html" && madeWith === "code")) {
    return { tool: "update_page_from_code", arguments: of };
  }
  if (kind === "page" && field === "excerpt") {
    return { tool: null, how: "in the CMS: pages have no excerpt here" };
  }
  return { tool: kind === "page" ? "update_page_draft" : "update_draft", arguments: of };
}

function ofFile({ path = "", isManaged }: FoundPlace, { flags }: Pick<Site, "flags">): PlaceChange {
  const route = isManaged ? routeOfFile(path) : null;
  if (route !== null) return { tool: "update_static_route", arguments: { route } };
  try {
    writablePath(path, "path");
    return { tool: "write_static_file", arguments: { path, allow_overwrite: true } };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return {
      tool: "bulk_write_static_files",
      arguments: { files: [{ path, allow_overwrite: true }] },
      ...flags.allow_full_repo_write ? {} : { needs: "allow_full_repo_write" },
    };
  }
}
