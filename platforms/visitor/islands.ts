/** Which parts of a page's markup are SVG, MathML or a template, where other rules hold for what is shown and what runs. */

/** What holds within an element, until it ends. */
interface Island {
  readonly name: string;
  /** Whether its tags are of SVG or MathML, and no HTML. */
  readonly foreign: boolean;
  /** Whether a visitor reads its words. */
  readonly read: boolean;
  /** Whether its scripts are loaded. */
  readonly live: boolean;
}

/** Tags of HTML that end SVG and MathML wherever they stand (the HTML standard, 13.2.6.5, "in foreign content"). */
const BREAKOUT: ReadonlySet<string> = new Set(
  ("b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol " +
    "p pre ruby s small span strong strike sub sup table tt u ul var").split(" "),
);
/** Within SVG these hold HTML; a name or a description of a picture is read by nobody. */
const IN_SVG: ReadonlyMap<string, boolean> = new Map([["foreignobject", true], ["desc", false], [
  "title",
  false,
]]);
const IN_MATH: ReadonlySet<string> = new Set(["mi", "mo", "mn", "ms", "mtext"]);
/** Deeper nesting is not followed: no page is meant so. */
const DEPTH_MAX = 200;

/** A start tag, as far as it matters here. */
export interface StartTag {
  readonly name: string;
  readonly selfClosing: boolean;
  readonly of: (attribute: string) => string | undefined;
}

/** The islands that are open at a place of a page. */
export class Islands {
  #open: Island[] = [];

  /** Whether tags here are of SVG or MathML. */
  get foreign(): boolean {
    return this.#open.at(-1)?.foreign ?? false;
  }
  /** Whether a visitor reads what stands here. */
  get read(): boolean {
    return this.live && (this.#open.at(-1)?.read ?? true);
  }
  /** Whether what stands here is part of the page: what is in a template is not. */
  get live(): boolean {
    return this.#open.at(-1)?.live ?? true;
  }

  /** A start tag: it may open an island, or end those that it cannot stand in. */
  begin({ name, selfClosing, of }: StartTag): void {
    if (this.foreign && BREAKOUT.has(name)) this.#leave();
    const top = this.#open.at(-1);
    if (name === "svg" || name === "math") {
      if (!selfClosing) this.#push({ name, foreign: true, read: false });
    } else if (top?.foreign) {
      const shown = IN_SVG.get(name);
      if (selfClosing) return;
      if (top.name === "svg" && shown !== undefined) this.#push({ name, foreign: false, read: shown });
      else if (top.name === "math" && IN_MATH.has(name)) this.#push({ name, foreign: false, read: false });
    } else if (name === "template" && of("shadowrootmode") === undefined) {
      this.#push({ name, foreign: false, read: false, live: false });
    } else if (name === "template") this.#push({ name, foreign: false, read: true });
  }

  /** An end tag: the innermost island of that name ends, with what was left open in it. */
  end(name: string): void {
    if (this.foreign && (name === "p" || name === "br")) return this.#leave();
    const at = this.#open.findLastIndex((one) => one.name === name);
    const border = this.#open.findLastIndex((one) => one.name === "template");
    if (at >= 0 && (at >= border || name === "template")) this.#open.length = at;
  }

  #leave(): void {
    while (this.foreign) this.#open.pop();
  }

  #push(island: Omit<Island, "live"> & { readonly live?: boolean }): void {
    if (this.#open.length < DEPTH_MAX) {
      this.#open.push({ ...island, live: this.live && island.live !== false });
    }
  }
}
