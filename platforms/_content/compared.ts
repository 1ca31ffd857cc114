/** What a client finds when it compares what was stored by a write with what was sent. */

/** Beside a write's result. What a reader cannot see (blanks, the spelling of entities) is no difference. */
export interface Compared {
  /** A sentence for each field that was stored otherwise than it was sent, beginning with its name; empty where none was. */
  readonly differences: readonly string[];
  /** What else a person should know of the write, a sentence each. */
  readonly warnings?: readonly string[];
  /** Why all of it, or a part, could not be compared; left out where everything was. Ends without a full stop. */
  readonly uncompared?: string;
  /** Null where nobody could tell whether visitors got what was to be no publication; left out otherwise. */
  readonly published?: null;
  /** The page caches that were asked to drop what was written; left out where nobody tells. */
  readonly caches_asked?: readonly string[];
}

/** What was found of the writes of one call, taken together. */
export function joined(...parts: readonly Compared[]): Compared {
  const open = parts.map(({ uncompared }) => uncompared).filter((one) => one !== undefined);
  return {
    differences: parts.flatMap(({ differences }) => differences),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    ...open.length > 0 ? { uncompared: open.join("; ") } : {},
    ...parts.some(({ published }) => published === null) ? { published: null } : {},
  };
}
