/** What the list of routes takes from a file: read once for each blob, which never says anything else. */
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
/** The frontmatter is looked for at the beginning. */
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
  const head = /\.(md|mdx|markdown)$/i.test(entry.path) ? frontmatterIn(text) : "";
  const facts = {
    managed: isGenerated(text),
    slug: valueIn(head, "slug"),
    status: valueIn(head, "status"),
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

function frontmatterIn(text: string): string {
  const lines = text.slice(0, HEAD_CHARACTERS).split(/\r?\n/);
  const end = lines[0]?.trim() === "---"
    ? lines.findIndex((line, at) => at > 0 && line.trim() === "---")
    : -1;
  return end === -1 ? "" : lines.slice(1, end).join("\n");
}

/** The value of a key that stands on one line, without its quotes; null for none. */
function valueIn(head: string, key: string): string | null {
  const line = head.split("\n").find((one) => one.startsWith(`${key}:`));
  const value = line?.slice(key.length + 1).trim().replace(/^(["'])(.*)\1$/, "$2") ?? "";
  return value === "" || value.length > WORD_CHARACTERS_MAX ? null : value;
}
