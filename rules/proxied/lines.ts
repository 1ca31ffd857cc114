/** What texts of other kinds set that a server may read: settings in lines, XML, comments of blocks. */
import type { Steps } from "../../core/steps.ts";

/** A name and what it is set to, in one object where they stand together. */
export type Settings = Readonly<Record<string, unknown>>;

/** What a line, a flag or a tag is looked at for; of all others a long text has more than are worth it. */
export const OF_INTEREST =
  /stat|publi|privat|futur|sched|live|delet|trash|destroy|purg|eras|wip|drop|uninstall|deactivat/i;

const LINE = /^\s{0,40}(?:-\s+|export\s+)?["']?([\w.:-]{1,64})["']?\s*[:=]\s*(\S.*)?$/;
/** Nothing, a comment, one of a list, the name of a part, or what goes on from the line before. */
const OTHER_LINE = /^(?:\s*(?:$|[#;]|-\s|---\s*$|\.\.\.\s*$|\[[\w .:-]{1,64}\]\s*$)|\s{2}|\t)/;
const ITEM = /^\s*-\s+(?!\s)["']?([\w -]{1,64})["']?\s*$/;
/** As machines write names: no line of a text for people. */
const MACHINE = /^[a-z]|[a-z_][A-Z_]/;

/** Between such lines stands what is said of the text behind them. */
const DASHES = /^(?:---|\+\+\+)[ \t]*\r?\n/;

/** What lines like `status: publish` or `status = publish` set, of which all of a text consists, or its head between dashes. */
export function linesSet(whole: string, steps: Steps): Settings[] {
  const text = whole.trimStart();
  const dashes = DASHES.exec(text)?.[0].length ?? 0;
  const [first = ""] = text.slice(dashes).split("\n", 1);
  if (!LINE.test(first.trimEnd()) && !OTHER_LINE.test(first)) return [];
  const end = dashes > 0 ? text.indexOf(`\n${text.slice(0, 3)}`, dashes) : -1;
  steps.takeEach("\n", text);
  const lines = text.slice(dashes, end < 0 ? undefined : end).trimEnd().split(/\r?\n/);
  const found = new Groups();
  let settings = 0;
  for (const line of lines) {
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (name !== undefined) {
      settings++;
      found.set(name, value, /^\s*-\s/.test(line));
    } else if (OTHER_LINE.test(line)) {
      const item = ITEM.exec(line)?.[1];
      if (item !== undefined) found.item(item);
    } else return [];
  }
  return settings > 1 || dashes > 0 || COMPOUND.test(first) ? found.all : [];
}

/** A name that no sentence has: a line alone that sets a plain word may be one. */
const COMPOUND = /^(?:export\s+)?["']?[a-z]+[._-]?status/i;

/** Each of them once: a long text says the same often. */
export const distinct = (all: readonly Settings[]): Settings[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];

/** Settings that stand together, until one of them comes again. */
class Groups {
  readonly all: Record<string, unknown>[] = [];
  /** What stands beneath the last name. */
  readonly #items = new Set<string>();
  #last: string | null = null;

  set(name: string, value: string, begins = false): void {
    this.#last = null;
    this.#items.clear();
    if (!MACHINE.test(name) || !(OF_INTEREST.test(name) || OF_INTEREST.test(value))) return;
    const plain = bare(value);
    this.#last = name;
    if (this.all.at(-1)?.[name] === plain) return;
    if (begins || this.all.length === 0 || Object.hasOwn(this.all.at(-1)!, name)) this.all.push({});
    this.all.at(-1)![name] = plain;
  }

  /** One of a list beneath a name. */
  item(value: string): void {
    if (this.#last === null || this.#items.has(value)) return;
    this.#items.add(value);
    const group = this.all.at(-1)!;
    const before = group[this.#last];
    if (Array.isArray(before)) before.push(value);
    else group[this.#last] = [before, value];
  }
}

/** A value without what says its type, without quotes, and without a comment behind it. */
export const bare = (value: string) =>
  value.replace(/^(?:[&!]\S{0,64}\s{1,8}){1,3}/, "").replace(/\s[#;][^]*$/, "").trim()
    .replace(/^(["'])([^"']*)\1.*$/, "$2");

/** Elements of HTML, which begin texts for people. */
const HTML =
  "a abbr address article aside audio b blockquote body br button canvas caption center cite code col dd del " +
  "details dfn div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i " +
  "iframe img input ins kbd label legend li link main map mark meta nav noscript object ol option p picture pre q s samp " +
  "script section select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot " +
  "th thead time title tr u ul var video";
const XML = new RegExp(
  `^\\s*<(?!(?:${HTML.replaceAll(" ", "|")})[\\s/>])(?:\\?xml|[a-z][\\w.]*(?:[\\s/>]|:))|<wp:`,
  "i",
);
/** A status in a tag, an attribute or a text, and the word behind it, with nothing but tags between them. */
const TAGGED =
  /status(?<=([\w:.-]{0,64}status))(?<!<\/[\w:.-]{0,64})(?:\s[^<>]{0,200})?["']?\s{0,8}(?:(?:\/?>|<!\[CDATA\[|<[^<>[]{0,80}>)\s{0,40}){1,8}([\w-]{1,64})/gi;
const ATTRIBUTE = /status(?<=([\w:.-]{0,64}status))\s{0,8}=\s{0,8}["']([^"'<>]{1,64})["']/gi;

/** What XML sets a status to: WXR's, XML-RPC's, and others'. */
export function xmlSets(text: string, steps: Steps): Settings[] {
  if (!text.includes("<") || !XML.test(text)) return [];
  const plain = text.includes("&#") ? decoded(text) : text;
  return [TAGGED, ATTRIBUTE].flatMap((pattern) =>
    [...steps.matches(pattern, plain)].map(([, name, value]) => ({ [name!.replace(/^.*:/, "")]: value }))
  );
}

const decoded = (text: string) =>
  text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (sign, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code < 0x110000 ? String.fromCodePoint(code) : sign;
  });

const BLOCK = "<!-- wp:";

/** The attributes in the comments of blocks that could say more than how a block looks. */
export function blocksSet(text: string, steps: Steps): Settings[] {
  const found: Settings[] = [];
  steps.takeEach(BLOCK, text);
  for (let at = text.indexOf(BLOCK); at >= 0;) {
    const end = text.indexOf("-->", at);
    if (end < 0) break;
    const comment = text.slice(at + BLOCK.length, end);
    if (OF_INTEREST.test(comment)) found.push(...attributesOf(comment, steps));
    at = text.indexOf(BLOCK, end);
  }
  return found;
}

function attributesOf(comment: string, steps: Steps): Settings[] {
  const [from, to] = [comment.indexOf("{"), comment.lastIndexOf("}")];
  const attributes = from < 0 || to < from ? undefined : steps.parsed(comment.slice(from, to + 1));
  // What is none its own editor leaves out as well.
  return typeof attributes === "object" && attributes !== null ? [attributes as Settings] : [];
}
