/** What the list of routes takes from a file: read once for each blob, which never says anything else. */
import { isMarkdown } from "../../platforms/astro/block.ts";
import { isGenerated } from "../../platforms/astro/page.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import { LIMITS } from "../../core/model.ts";

/** What a file says of itself; `slug` and `status` of the frontmatter of markdown, `collections` that a page asks for. */
export interface Facts {
  readonly managed: boolean;
  readonly slug: string | null;
  readonly status: string | null;
  readonly collections: readonly string[];
}

const KNOWN = new Map<string, Facts>();
const KNOWN_MAX = 10_000;
const WORD_CHARACTERS_MAX = 250;
const COLLECTIONS_MAX = 5;

/** More than a page of this service ever has, each of its characters escaped. */
const READ_BYTES_MAX = 8 * LIMITS.STATIC_FILE_BYTES;
/** What a page asks for is looked for at its beginning. */
const HEAD_CHARACTERS = 20_000;

/** What is known of a file without asking; undefined where it has to be read. */
export function knownFacts({ sha, size }: Entry): Facts | undefined {
  if (size > READ_BYTES_MAX) return { managed: false, slug: null, status: null, collections: [] };
  return KNOWN.get(sha);
}

/** What a file says; one that is known is not read again. */
export async function factsOf(view: View, entry: Entry): Promise<Facts> {
  const known = knownFacts(entry);
  if (known !== undefined) return known;
  const text = new TextDecoder().decode(await view.bytes(entry));
  const said = await frontmatterOf(entry.path, text);
  const facts = {
    managed: isGenerated(text),
    slug: wordOf(said["slug"]),
    status: wordOf(said["status"]),
    collections: [
      ...text.slice(0, HEAD_CHARACTERS).matchAll(/\bgetCollection\(\s{0,20}["']([\w-]{1,60})["']/g),
    ]
      .slice(0, COLLECTIONS_MAX).map(([, name = ""]) => name),
  };
  const [oldest] = KNOWN.keys();
  if (KNOWN.size >= KNOWN_MAX && oldest !== undefined) KNOWN.delete(oldest);
  KNOWN.set(entry.sha, facts);
  return facts;
}

/** A value of the frontmatter as a word of an answer; null for none. */
function wordOf(value: unknown): string | null {
  const word = typeof value === "number" ? String(value) : value;
  return typeof word !== "string" || word === "" || word.length > WORD_CHARACTERS_MAX ? null : word;
}

/** The frontmatter of markdown: the package that reads it is large, and not needed to start. */
async function frontmatterOf(path: string, text: string) {
  if (!isMarkdown(path)) return {};
  return (await import("../../platforms/astro/frontmatter.ts")).saidIn(text);
}
