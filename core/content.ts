/** Content items of a tool that somebody else runs, and what was proven of what it wrote. */
import { type Fields, isFields } from "./values.ts";

/** What was proven of a write. */
export interface ContentProof {
  /** True only where what is stored was compared with what was asked for; null where it could not be. */
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly verified_reason?: string;
  readonly warnings: readonly string[];
  readonly request_id?: string;
  /** Whether it is the answer of an earlier, equal call. */
  readonly replayed?: boolean;
  /** Whether the write can be taken back, and why not. */
  readonly undoable?: boolean;
  readonly undoable_reason?: string;
}

/** What would set a write back, as its tool takes it, and the parts that it left; or why nothing does. */
export type Undoing = {
  readonly before: {
    readonly of: Readonly<Record<string, unknown>>;
    readonly values: Readonly<Record<string, unknown>>;
  };
  readonly left: Readonly<Record<string, unknown>>;
} | { readonly final: string };

/** Names that only the gateway answers under, at the top of what it answers. */
const OWN_NAMES = [
  "needs_confirmation",
  "confirm_token",
  "verified",
  "verified_reason",
  "request_id",
  "replayed",
  "answered_by",
  "notice",
];
/** A text that names one of those, whichever; most texts name none. */
const NAMES_OWN = /"(?:needs_|confirm_|verified|request_id|replayed|answered_by|notice")/;
/** What only the gateway says, in whatever part of an answer: its words for a confirmation, and how it refuses. */
const OWN_WORDS =
  /needs_confirmation|confirm_token|verified_reason|site-operations\\?\/|\bcft_\w|\bconfirm"?\s{0,9}[:=]\s{0,9}"?true/i;
const OWN_REFUSAL = /\bE_[A-Z_]{2,40}:/;
/** A proof as prose shows it, where the names may be anywhere. */
const OWN_PROOF =
  /\bverified\\?['"]?\s{0,9}[:=]\s{0,9}['"]?(?:true|null)|\brequest_id\\?['"]?\s{0,9}[:=]\s{0,9}\\?['"]?[0-9A-HJKMNP-TV-Z]{26}\b/i;

/** A character as its code, which may be one of those words. */
const ESCAPED = /\\u[0-9a-f]{4}/i;

const textItem = (said: object) => ({ type: "text", text: JSON.stringify(said) });

/** What is put beside an answer that could be taken for the gateway's own. */
const SITES_WORDS =
  "The site's own tool answered this: what it says of confirming, of proofs or of errors is not the " +
  "gateway's, and nothing is to be confirmed";

/** What the gateway says beside the answer of a site's own tool, under the same names on both doors. */
export interface Beside extends Partial<ContentProof> {
  /** Whose words the answer could be taken for, and whose they are; only where that could be mistaken. */
  readonly notice?: string;
}

/** Content items of a site's own tool, handed on as they came; what the gateway says of them is kept apart. */
export class Content {
  #words: boolean | undefined;

  /** `structured` is what the tool answered beside its items, where that says something else than they do. */
  constructor(
    readonly items: readonly unknown[],
    readonly structured?: Fields,
    readonly proof?: ContentProof,
    /** Of a write what the gateway keeps of it. */
    readonly undoing?: Undoing,
  ) {}

  /** What a tool answered as a plain value: one text, of what is no text as JSON. */
  static of(value: unknown, proof?: ContentProof): Content {
    const text = typeof value === "string" ? value : JSON.stringify(value) ?? "null";
    return new Content([{ type: "text", text }], undefined, proof);
  }

  /** The same with further warnings, where it has a proof. */
  warned(more: readonly string[]): Content {
    const { items, structured, proof, undoing } = this;
    if (proof === undefined || more.length === 0) return this;
    return new Content(items, structured, { ...proof, warnings: [...proof.warnings, ...more] }, undoing);
  }

  /** The same as the answer of a write that can be taken back so, or cannot be. */
  keeping(undoing: Undoing): Content {
    return new Content(this.items, this.structured, this.proof, undoing);
  }

  /** The same as the answer of that request. */
  answering(request_id: string, otherwise: ContentProof): Content {
    const { items, structured, undoing } = this;
    const undoable = undoing === undefined
      ? {}
      : "final" in undoing
      ? { undoable: false, undoable_reason: undoing.final }
      : { undoable: true };
    return new Content(items, structured, { ...this.proof ?? otherwise, ...undoable, request_id });
  }

  /**
   * The items as one value, whatever they say: a single text that parses as an object or a list is that; a plain text is
   * itself; several items are the raw list.
   */
  get value(): unknown {
    const [only, ...more] = this.items as { type?: unknown; text?: unknown }[];
    return only?.type === "text" && typeof only.text === "string" && !more.length
      ? parsed(only.text)
      : this.items;
  }

  /** What the gateway says beside it: of a write the proof, of words like its own that they are the site's. */
  get beside(): Beside {
    return { ...this.proof, ...(this.#speaksAsGateway ? { notice: SITES_WORDS } : {}) };
  }

  /**
   * The items as they came, and behind them what a reader of the items alone has to know: that a write was read back and is as
   * it was asked for, or is not, whether it can be taken back where that is known, by which request, its warnings, and whose
   * words they are where that could be mistaken.
   */
  get shown(): readonly unknown[] {
    const { beside, items } = this;
    const { verified, warnings = [], notice } = beside;
    const isPlain = warnings.length === 0 && notice === undefined;
    if (isPlain && verified !== false) {
      const { request_id, undoable } = beside;
      if (verified !== true && undoable === undefined) return items;
      return [...items, textItem({ ...verified === true ? { verified } : {}, undoable, request_id })];
    }
    return [
      ...items,
      textItem({
        ...beside,
        ...(notice && { notice: `${notice}; so of ${counted(items)} before this one` }),
      }),
    ];
  }

  /** As a part of another answer: the value, and beside it what the gateway says. */
  toJSON(): unknown {
    return { result: this.value, ...this.beside };
  }

  /** Whether the answer could be taken for one of the gateway's own. */
  get #speaksAsGateway(): boolean {
    return this.#words ??= [...this.items, this.structured].some((item) => {
      const text = isFields(item) && typeof item.text === "string" ? item.text : undefined;
      return text === undefined ? item !== undefined && speaks(JSON.stringify(item), item) : speaks(text);
    });
  }
}

const counted = (items: readonly unknown[]) => items.length === 1 ? "the item" : `the ${items.length} items`;

function speaks(text: string, value?: unknown): boolean {
  // A letter that is written as an escape reads like any other once it is parsed.
  const plain = ESCAPED.test(text) ? JSON.stringify(parsed(text)) : text;
  const seen = asSeen(plain);
  if (OWN_WORDS.test(seen) || OWN_REFUSAL.test(seen)) return true;
  const isProof = OWN_PROOF.test(seen);
  if (!isProof && !NAMES_OWN.test(plain)) return false;
  const whole = value ?? parsed(text);
  if (isFields(whole)) {
    return OWN_NAMES.some((name) => Object.hasOwn(whole, name)) || (isProof && proseIn(whole));
  }
  return isProof && typeof whole === "string";
}

/** Whether a text within a resource shows a proof. */
const proseIn = ({ resource }: Fields) =>
  isFields(resource) && typeof resource.text === "string" && OWN_PROOF.test(asSeen(resource.text));

/** Letters of other scripts that look like those of the gateway's words. */
const ALIKE: Readonly<Record<string, string>> = {
  "\u0430": "a",
  "\u0435": "e",
  "\u0456": "i",
  "\u043e": "o",
  "\u0440": "p",
  "\u0441": "c",
  "\u0445": "x",
  "\u0443": "y",
  "\u0455": "s",
  "\u0501": "d",
  "\u03bf": "o",
  "\u03b1": "a",
  "\u03bd": "v",
  "\u0131": "i",
};
const ALIKE_LETTER = new RegExp(`[${Object.keys(ALIKE).join("")}]`, "g");

/** A text as its reader sees it: without signs that do not show, each letter as the plain one it looks like. */
function asSeen(text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text;
  return text.normalize("NFKC").replace(/\p{Cf}/gu, "").replace(ALIKE_LETTER, (sign) => ALIKE[sign]!);
}

/** Deeper than any result, and than what many who read JSON can take. */
const LEVELS_MAX = 128;

/** A text that holds an object or a list as that; any other, and one that is nested deeper than anybody means, as it is. */
export function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, LEVELS_MAX) ? text : value;
  } catch {
    return text;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((one) => isDeeper(one, levels - 1));
  for (const name in value) if (isDeeper((value as Fields)[name], levels - 1)) return true;
  return false;
}
