/** What a page says to a visitor's browser and to a search engine, read from its HTML by the tokenizer of parse5. */
import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { delay } from "../../core/async.ts";
import { cleaned } from "../../core/one_line.ts";
import { cut } from "../../core/values.ts";
import { typesOf } from "../../rules/seo_schema.ts";
import { Islands } from "./islands.ts";

/** One part of structured data: its types, and why search engines cannot read it where they cannot. */
export interface StructuredPart {
  readonly types: readonly string[];
  readonly valid: boolean;
  readonly problem?: string;
}

/** Where a page leads its visitors on by itself, and after how long. */
export interface Refresh {
  readonly seconds: number;
  readonly to: string;
}

/** What is read of a page. Every text is the page's own: data, whatever it says. */
export interface PageFacts {
  readonly title: string | null;
  readonly description: string | null;
  /** What robots are told by the page itself, word by word. */
  readonly robots: readonly string[];
  readonly canonical: string | null;
  /** `og:…` and `twitter:…`, the first of each name. */
  readonly social: Readonly<Record<string, string>>;
  readonly structured: readonly StructuredPart[];
  /** The values themselves, of the parts that are valid. */
  readonly schemas: readonly unknown[];
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly h1_count: number;
  /** How many images it has, and how many of them say nothing to who cannot see them (an empty `alt` says that they need not). */
  readonly images: { readonly count: number; readonly without_alt: number };
  /** Where its links lead, as they are written. */
  readonly links: readonly string[];
  /** What its links and scripts are relative to, where it says so (`<base href>`), as it is written. */
  readonly base: string | null;
  readonly scripts: readonly string[];
  /** By its first meta element that says so, as it is written; null where it does not, and where it only loads anew. */
  readonly refresh: Refresh | null;
  readonly language: string | null;
  /** What a visitor reads, on one line. */
  readonly text: string;
  /** Names and contents of further meta elements, for what tells a wall from a page. */
  readonly metas: Readonly<Record<string, string>>;
  readonly comments: readonly string[];
  /** The classes of its body, by which plugins mark what they put in a page's place. */
  readonly body_class: string;
  /** Whether some of the page was left unread. */
  readonly cut: boolean;
}

/** A hostile page costs no more than that; the rest of it is left unread. */
const WORK_MS = 1000;
const PIECE_CHARACTERS = 8192;
const HEADINGS_MAX = 60;
const LINKS_MAX = 2000;
const SCRIPTS_MAX = 200;
const SCHEMAS_MAX = 50;
const COMMENTS_MAX = 200;
const METAS_MAX = 200;
const SOCIAL_MAX = 40;
const TEXT_CHARACTERS = 500_000;
/** More types in one part are not told. */
const TYPES_MAX = 50;
const LINE_CHARACTERS = 1000;
/** Names of meta elements, of types and of rules for robots are shorter: what is longer is none. */
const NAME_CHARACTERS = 100;
const SCHEMA_CHARACTERS = 200_000;

/** Elements whose content is text to the tokenizer, as the tree builder of HTML says (13.2.6.4). */
const MODES: ReadonlyMap<string, Tokenizer["state"]> = new Map<string, Tokenizer["state"]>([
  ["title", TokenizerMode.RCDATA],
  ["textarea", TokenizerMode.RCDATA],
  ...["style", "xmp", "iframe", "noembed", "noframes", "noscript"].map((name) =>
    [name, TokenizerMode.RAWTEXT] as const
  ),
  ["script", TokenizerMode.SCRIPT_DATA],
  ["plaintext", TokenizerMode.PLAINTEXT],
]);
/** Their words are no part of what a visitor reads. */
const UNREAD: ReadonlySet<string> = new Set([...MODES.keys()].filter((name) => name !== "plaintext"));
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];
/** Elements that part no word: every other one does. */
const INLINE: ReadonlySet<string> = new Set(
  "a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup u var wbr".split(" "),
);

const line = (text: string) => cut(cleaned(text), LINE_CHARACTERS);

/** Reads HTML in pieces, so that others have their turn, and gives up what would take too long. */
export async function readPage(html: string, isCut = false): Promise<PageFacts> {
  const page = new PageReader();
  const tokenizer = new Tokenizer({}, page);
  page.tokenizer = tokenizer;
  let worked = 0;
  let isDone = false;
  for (let at = 0; at <= html.length && worked < WORK_MS; at += PIECE_CHARACTERS) {
    const began = performance.now();
    isDone = at + PIECE_CHARACTERS >= html.length;
    tokenizer.write(html.slice(at, at + PIECE_CHARACTERS), isDone);
    worked += performance.now() - began;
    if (isDone) break;
    if (at % (8 * PIECE_CHARACTERS) === 0) await delay(0);
  }
  return page.facts(isCut || !isDone);
}

class PageReader {
  tokenizer!: Tokenizer;
  #title: string | null = null;
  #description: string | null = null;
  #canonical: string | null = null;
  #language: string | null = null;
  #robots: string[] = [];
  #social = new Map<string, string>();
  #metas = new Map<string, string>();
  #structured: StructuredPart[] = [];
  #schemas: unknown[] = [];
  #headings: { level: number; text: string }[] = [];
  #h1 = 0;
  #images = 0;
  #imagesWithoutAlt = 0;
  #links: string[] = [];
  #base: string | null = null;
  #refresh: Refresh | null = null;
  #scripts = new Set<string>();
  #isShort = false;
  #comments: string[] = [];
  #bodyClass = "";
  #text: string[] = [];
  #length = 0;
  /** The element whose text is being gathered, and that text. */
  #in: string | null = null;
  #gathered: string[] = [];
  #gatheredLength = 0;
  #isSchema = false;
  #heading: { level: number; text: string[] } | null = null;
  #islands = new Islands();

  onComment({ data }: Token.CommentToken): void {
    if (this.#comments.length < COMMENTS_MAX) this.#comments.push(cut(data, LINE_CHARACTERS));
  }
  onDoctype(): void {}
  onEof(): void {
    this.#close();
  }
  onNullCharacter(): void {}
  onCharacter({ chars }: Token.CharacterToken): void {
    this.#take(chars);
  }
  onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    this.#take(chars);
  }

  onStartTag(tag: Token.TagToken): void {
    const name = tag.tagName;
    const of = (wanted: string) => tag.attrs.find((one) => one.name === wanted)?.value;
    if (!INLINE.has(name)) this.#say(" ");
    const islands = this.#islands;
    islands.begin({ name, selfClosing: tag.selfClosing, of });
    this.tokenizer.inForeignNode = islands.foreign;
    if (islands.foreign) {
      if (name === "script" && islands.live) this.#script(of("href") ?? of("xlink:href"));
      return;
    }
    const mode = MODES.get(name);
    if (mode !== undefined) {
      this.tokenizer.state = mode;
      this.#in = name;
      this.#gathered = [];
      this.#gatheredLength = 0;
      this.#isSchema = name === "script" && islands.live && isJsonLd(of("type"));
    }
    if (name === "script" && islands.live) this.#script(of("src"));
    if (!islands.read) return;
    if (name === "html") this.#language ??= of("lang") ?? of("xml:lang") ?? null;
    else if (name === "body") this.#bodyClass = line(of("class") ?? "");
    else if (name === "meta" && of("http-equiv")?.toLowerCase() === "refresh") {
      this.#refresh ??= refreshIn(of("content") ?? "");
    } else if (name === "meta") this.#meta(of("name") ?? of("property") ?? "", of("content") ?? "");
    else if (name === "link") this.#link(of("rel") ?? "", of("href"));
    else if (name === "base") this.#base ??= of("href") === undefined ? null : line(of("href")!);
    else if (name === "a" || name === "area") this.#anchor(of("href"));
    else if (name === "img") {
      this.#images++;
      if (of("alt") === undefined) this.#imagesWithoutAlt++;
    } else if (HEADINGS.includes(name)) this.#open(HEADINGS.indexOf(name) + 1);
  }

  onEndTag({ tagName: name }: Token.TagToken): void {
    if (name === this.#in) this.#close();
    this.#islands.end(name);
    this.tokenizer.inForeignNode = this.#islands.foreign;
    if (HEADINGS.includes(name)) this.#endHeading();
    if (!INLINE.has(name)) this.#say(" ");
  }

  /** What was read, once no more will be. */
  facts(isCut: boolean): PageFacts {
    this.#endHeading();
    return {
      title: this.#title,
      description: this.#description,
      robots: [...new Set(this.#robots)],
      canonical: this.#canonical,
      social: Object.fromEntries(this.#social),
      structured: this.#structured,
      schemas: this.#schemas,
      headings: this.#headings,
      h1_count: this.#h1,
      images: { count: this.#images, without_alt: this.#imagesWithoutAlt },
      links: [...new Set(this.#links)],
      base: this.#base,
      scripts: [...this.#scripts],
      refresh: this.#refresh,
      language: this.#language === null ? null : line(this.#language),
      text: cleaned(this.#text.join("").slice(0, TEXT_CHARACTERS)),
      metas: Object.fromEntries(this.#metas),
      comments: this.#comments,
      body_class: this.#bodyClass,
      cut: isCut || this.#isShort,
    };
  }

  #take(chars: string): void {
    if (this.#in !== null && UNREAD.has(this.#in)) {
      if (this.#gatheredLength < SCHEMA_CHARACTERS) this.#gathered.push(chars);
      this.#gatheredLength += chars.length;
      return;
    }
    if (!this.#islands.read) return;
    this.#heading?.text.push(chars);
    this.#say(chars);
  }

  #say(chars: string): void {
    if (this.#length > TEXT_CHARACTERS) {
      this.#isShort = true;
      return;
    }
    this.#length += chars.length;
    this.#text.push(chars);
  }

  /** An element ends whose content was text to the tokenizer. */
  #close(): void {
    const text = this.#gathered.join("");
    if (this.#in === "title" && this.#islands.read) this.#title ??= line(text);
    if (this.#isSchema && this.#structured.length < SCHEMAS_MAX) this.#schema(text);
    this.#in = null;
    this.#isSchema = false;
    this.#gathered = [];
  }

  #schema(text: string): void {
    if (this.#gatheredLength > SCHEMA_CHARACTERS) {
      this.#structured.push({ types: [], valid: false, problem: "is too long to be read" });
      return;
    }
    try {
      const value = JSON.parse(text);
      const types = typesOf(value).map((type) => cut(cleaned(type), NAME_CHARACTERS));
      const told = types.filter(Boolean).slice(0, TYPES_MAX);
      const isWhole = !types.includes("");
      if (isWhole) this.#schemas.push(value);
      this.#structured.push(
        isWhole
          ? { types: told, valid: true }
          : { types: told, valid: false, problem: 'has a part without "@type"' },
      );
    } catch {
      this.#structured.push({ types: [], valid: false, problem: "is not JSON" });
    }
  }

  #meta(given: string, content: string): void {
    const name = given.trim().slice(0, NAME_CHARACTERS + 1).toLowerCase();
    if (name.length > NAME_CHARACTERS) return;
    if (name === "description") this.#description ??= line(content);
    else if (name === "robots") this.#robots.push(...robotsIn(content));
    else if (name === "googlebot") this.#robots.push(...robotsIn(content, "googlebot: "));
    else if (name.startsWith("og:") || name.startsWith("twitter:")) {
      if (!this.#social.has(name) && this.#social.size < SOCIAL_MAX) this.#social.set(name, line(content));
    } else if (name !== "" && this.#metas.size < METAS_MAX) this.#metas.set(name, line(content));
  }

  #link(rel: string, href: string | undefined): void {
    const is = rel.toLowerCase().split(" ").includes("canonical");
    if (is && href !== undefined) this.#canonical ??= line(href);
  }

  #script(src: string | undefined): void {
    if (src === undefined) return;
    if (this.#scripts.size < SCRIPTS_MAX) this.#scripts.add(src.trim().slice(0, 2 * LINE_CHARACTERS));
    else this.#isShort = true;
  }

  #anchor(href: string | undefined): void {
    if (href !== undefined && this.#links.length < LINKS_MAX) {
      this.#links.push(href.trim().slice(0, 2 * LINE_CHARACTERS));
    }
  }

  #open(level: number): void {
    this.#endHeading();
    if (level === 1) this.#h1++;
    this.#heading = { level, text: [] };
  }

  #endHeading(): void {
    if (this.#heading !== null && this.#headings.length < HEADINGS_MAX) {
      this.#headings.push({
        level: this.#heading.level,
        text: cut(cleaned(this.#heading.text.join("")), 200),
      });
    }
    this.#heading = null;
  }
}

const DIGITS = "0123456789";

/** `0; url=/there/`: seconds, then an address, which may stand in quotes and without "url=" (the HTML standard, "refresh"). */
function refreshIn(content: string): Refresh | null {
  const text = line(content);
  let end = 0;
  while (DIGITS.includes(text.charAt(end) || "x")) end++;
  const seconds = Number(text.slice(0, end));
  while (`${DIGITS}.,; `.includes(text.charAt(end) || "x")) end++;
  let to = text.slice(end).trim();
  const at = to.indexOf("=");
  if (at > 0 && to.slice(0, at).trim().toLowerCase() === "url") to = to.slice(at + 1).trim();
  const quote = to.charAt(0);
  if (quote === "'" || quote === '"') to = to.slice(1).split(quote, 1)[0]!;
  return to === "" ? null : { seconds, to };
}

const isJsonLd = (type: string | undefined) =>
  type?.trim().toLowerCase().split(";", 1)[0] === "application/ld+json";

/** The words of a robots element or header, one by one; those of one crawler alone behind its name. */
export const robotsIn = (text: string, crawler = ""): string[] =>
  text.toLowerCase().split(",").map((one) => cut(cleaned(one), NAME_CHARACTERS)).filter((one) => one !== "")
    .slice(0, 20)
    .map((one) => crawler + one);

/** Rules for robots that have a value; what stands before another colon is a crawler's name. */
const VALUED: ReadonlySet<string> = new Set([
  "max-snippet",
  "max-image-preview",
  "max-video-preview",
  "unavailable_after",
]);

/** A rule without the crawler it is for; one with a value stays whole. */
function ruleOf(word: string): string {
  const at = word.indexOf(":");
  return at < 0 || VALUED.has(word.slice(0, at).trim()) ? word : word.slice(at + 1).trim();
}

/** Whether robots are told that: by the word itself, by one that holds it, or one crawler alone. */
export function tellsRobots(words: readonly string[], wanted: string): boolean {
  const all = wanted === "noindex" || wanted === "nofollow" ? [wanted, "none"] : [wanted];
  return words.some((word) => all.includes(ruleOf(word)));
}

/** How many words a text has, in any writing. */
export function wordsIn(text: string): number {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (isWordLike) count++;
  }
  return count;
}

/** What the links and scripts of a page at that address are relative to (the HTML standard, "base"). */
export const baseOf = ({ base }: Pick<PageFacts, "base">, address: string): string =>
  (base === null ? null : URL.parse(base, address))?.href ?? address;

/** The hosts that scripts of a page come from beside the site's own, with how many different ones each. */
export function foreignScripts(
  page: Pick<PageFacts, "scripts" | "base">,
  address: string,
  home: string,
) {
  const own = URL.parse(home)?.origin;
  const hosts = new Map<string, number>();
  const base = baseOf(page, address);
  for (const src of page.scripts) {
    const url = URL.parse(src, base);
    if (url === null || url.origin === own || !url.protocol.startsWith("http")) continue;
    hosts.set(url.host, (hosts.get(url.host) ?? 0) + 1);
  }
  return [...hosts].map(([host, count]) => ({ host, count }));
}
