/** Content items of a tool that somebody else runs, and what was proven of what it wrote. */
/** What was proven of a write. */
export interface ContentProof {
  /** True only where what stands was compared with what was asked for; null where it could not be. */
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly verified_reason?: string;
  readonly warnings: readonly string[];
  readonly request_id?: string;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Content items of a site's own tool, handed on as they came; of a write with its proof beside them. */
export class Content {
  /** `structured` is what the tool answered beside its items, where that says something else than they do. */
  constructor(
    readonly items: readonly unknown[],
    readonly structured?: Fields,
    readonly proof?: ContentProof,
  ) {}

  /** The same with further warnings, where it has a proof. */
  warned(more: readonly string[]): Content {
    const { items, structured, proof } = this;
    if (proof === undefined || more.length === 0) return this;
    return new Content(items, structured, { ...proof, warnings: [...proof.warnings, ...more] });
  }

  /** The same as the answer of that request. */
  answering(request_id: string, otherwise: ContentProof): Content {
    return new Content(this.items, this.structured, { ...this.proof ?? otherwise, request_id });
  }

  /**
   * The items as one value: a single text that parses as an object or a list is that; a plain text is itself; several
   * items are the raw list.
   */
  get value(): unknown {
    const [only, ...more] = this.items as { type?: unknown; text?: unknown }[];
    return only?.type === "text" && typeof only.text === "string" && !more.length
      ? parsed(only.text)
      : this.items;
  }

  /** The value, and of a write its proof beside it; where a name is taken, or it is no object, below `result`. */
  toJSON(): unknown {
    const { value, proof } = this;
    if (proof === undefined) return value;
    const taken = !isFields(value) || Object.keys(proof).some((name) => Object.hasOwn(value, name));
    return taken ? { result: value, ...proof } : { ...value, ...proof };
  }
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
