/** What a write changed of other posts that visitors see, as the companion plugin tells it, or refuses the write for. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { quoted } from "../../../rules/wording.ts";
import type { CmsError } from "../errors.ts";

/** The plugin's words for parts that the tools' arguments call otherwise. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  content: "content_html",
  featured_media: "featured_media_id",
  author: "author_id",
  parent: "parent_id",
};

const LETTERS = "abcdefghijklmnopqrstuvwxyz_";
const NAME_MAX = 20;
const isPart = (name: string): boolean =>
  name !== "" && name.length <= NAME_MAX && [...name].every((one) => LETTERS.includes(one));

/** The parts in the words of arguments; a date stands in two columns. */
function partsOf(names: readonly string[]): string {
  const words = names.filter(isPart).map((name) => ARGUMENTS[name] ?? (name === "date_gmt" ? "date" : name));
  return [...new Set(words)].join(", ");
}

/** A sentence for each post that the answer's header names; none without it. */
export function elsewhereIn(headers: Headers): string[] {
  return (headers.get("x-site-ops-elsewhere") ?? "").split(", ").flatMap((one) => {
    const [id = "", ...names] = one.split(" ");
    if (!(Number(id) > 0)) return [];
    return [
      `post ${Number(id)}, which visitors see, was changed along with it by a plugin of the site (${
        partsOf(names)
      }), as ` +
      "plugins do that keep translations in step: look at it in the CMS",
    ];
  });
}

const OTHERS = z.array(z.object({
  id: z.number(),
  title: z.string().catch(""),
  parts: z.array(z.string()).catch([]),
})).catch([]);

/** The error of a write that was taken back for what it would have changed elsewhere; null for another error. */
export function elsewhereRefused(what: string, error: CmsError): GatewayError | null {
  if (error.reason !== "site_ops_elsewhere") return null;
  const others = OTHERS.parse(error.data["others"]);
  const named = others.slice(0, 3).map(({ id, title, parts }) =>
    `post ${id} ${quoted(title)} (${partsOf(parts)})`
  );
  const more = others.length > named.length ? ` and ${others.length - named.length} more` : "";
  return new GatewayError(
    "E_FORBIDDEN_OP",
    `${what}: a plugin of the site would change along with it what visitors see: ${
      named.join(", ")
    }${more}; nothing was ` +
      "written. Have its synchronisation of these fields switched off (Polylang: Languages, Settings, Synchronization), " +
      "or make the change in the CMS",
    { cause: error, outcome: "none" },
  );
}
