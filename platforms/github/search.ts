/** Where a text occurs in the files of a repository, at the head of a branch. */
import { counted, formOf } from "../../core/one_line.ts";
import { eachOf } from "../../core/async.ts";
import { textIn } from "../../core/bytes.ts";
import { LIMITS } from "../../core/model.ts";
import type { Needle } from "../../rules/finding/signs.ts";
import { isBlocked } from "../../rules/path.ts";
import { isGenerated } from "../astro/page.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { type FoundPlace, spotsOf, type TextSearchClient } from "../_content/text_search.ts";
import { repositoryOf } from "./client.ts";
import type { RepoSettings } from "./settings.ts";
import type { Entry, View } from "./view.ts";

/** Endings of files that hold texts, those first that most often hold what visitors read. */
const ENDINGS = [
  ..."md mdx markdown html htm astro json yaml yml toml txt vue svelte tsx jsx ts js mjs cjs css scss svg xml csv"
    .split(" "),
  ..."njk liquid hbs ejs pug php mdoc webmanifest vcf ics".split(" "),
];
/** Names of files that programs write for themselves. */
const MACHINES = [
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "deno.lock",
  "bun.lock",
  "composer.lock",
];
const FILE_BYTES = 1024 * 1024;
const AT_ONCE = 8;
const LINES_MAX = 10;

/** The files of a site's repository. */
export function textSearchOf(ctx: SiteContext<RepoSettings>): TextSearchClient {
  return {
    async find(needle, ref) {
      const view = await repositoryOf(ctx).view(ref);
      const { entries, truncated } = await view.list();
      const { files, left } = chosen(entries);
      const read = await eachOf(files, AT_ONCE, (entry) => placeIn(view, entry, needle));
      const places = read.flatMap((place) => place ?? []);
      const unread = unreadWords(left, truncated);
      return { places, total: places.length, isAtLeast: unread.length > 0, unread };
    },
  };
}

const rankOf = (path: string): number => ENDINGS.indexOf(path.slice(path.lastIndexOf(".") + 1).toLowerCase());

/** The files that are read, within the limits, and those that hold texts and are not. */
function chosen(entries: readonly Entry[]): { readonly files: Entry[]; readonly left: Entry[] } {
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const texts = entries
    .filter(({ path }) => !isBlocked(path) && rankOf(path) >= 0 && !MACHINES.includes(name(path)))
    .toSorted((a, b) => rankOf(a.path) - rankOf(b.path));
  const [files, left]: [Entry[], Entry[]] = [[], []];
  let bytes = 0;
  for (const entry of texts) {
    const fits = entry.size <= FILE_BYTES && files.length < LIMITS.FIND_FILES &&
      bytes + entry.size <= LIMITS.FIND_BYTES;
    (fits ? files : left).push(entry);
    if (fits) bytes += entry.size;
  }
  return { files, left };
}

async function placeIn(view: View, entry: Entry, needle: Needle): Promise<FoundPlace | null> {
  const text = textIn(await view.bytes(entry));
  const found = text === undefined ? null : spotsOf(needle, text);
  if (text === undefined || found === null) return null;
  const lines = needle.spots(text).slice(0, LINES_MAX).map(({ from }) =>
    text.slice(0, from).split("\n").length
  );
  const about = { kind: "file", path: entry.path, isManaged: isGenerated(text) } as const;
  return { ...about, lines: [...new Set(lines)], field: "content", ...found };
}

function unreadWords(left: readonly Entry[], truncated: boolean): string[] {
  const some = left.slice(0, 5).map(({ path }) => JSON.stringify(path)).join(", ");
  return [
    ...left.length === 0 ? [] : [
      `${counted(left.length, "file")} ${
        formOf(left.length, "was", "were")
      } not read, as too large or too many for one call: ${some}${
        left.length > 5 ? " and others" : ""
      }; read_static_file reads one`,
    ],
    ...truncated
      ? ["files: the repository has more than the host lists at once; clone it to look through all"]
      : [],
  ];
}
