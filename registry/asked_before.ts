/** How likely a request is one for each of several tools, by what people asked before: naive Bayes over its words. */
import type { Word } from "./search_words.ts";

/** What each tool counts beforehand: as if so many texts had been said for it that are like all others. */
const PRIOR_TEXTS = 10;

/** Of the texts that were said for a tool how many have each sign. */
export interface Told {
  readonly texts: number;
  readonly signs: ReadonlyMap<string, number>;
}

/** What a text is compared by: its words, their meanings, and what follows what. A word that is said again says nothing more. */
function signsOf(words: readonly Word[]): Set<string> {
  const signs = new Set<string>();
  const said = new Set<string>();
  let before: string | null = null;
  for (const { stem, meanings } of words) {
    const meant = meanings.map((meaning) => `=${meaning}`);
    for (const sign of stem === null ? meant : [stem, ...meant]) signs.add(sign);
    const here = meant[0] ?? stem;
    if (here === null || said.has(here)) continue;
    if (before !== null) signs.add(`${before} ${here}`);
    said.add(here);
    before = here;
  }
  return signs;
}

/** What was said for one tool. */
export function toldOf(texts: readonly (readonly Word[])[]): Told {
  const signs = new Map<string, number>();
  for (const text of texts) for (const sign of signsOf(text)) signs.set(sign, (signs.get(sign) ?? 0) + 1);
  return { texts: texts.length, signs };
}

/** The tools of one list, by what was said for each. */
export class AskedBefore {
  readonly #told: readonly Told[];
  readonly #all = new Map<string, number>();
  readonly #texts: number;

  constructor(told: readonly Told[]) {
    this.#told = told;
    this.#texts = told.reduce((sum, { texts }) => sum + texts, 0);
    for (const { signs } of told) {
      for (const [sign, count] of signs) this.#all.set(sign, (this.#all.get(sign) ?? 0) + count);
    }
  }

  /**
   * Of each tool the logarithm of how much likelier the words are where it is needed than anywhere; null of one for which
   * nothing was said. What nobody said before tells nothing.
   */
  likelihoods(words: readonly Word[]): (number | null)[] {
    const known = [...signsOf(words)].flatMap((sign) => {
      const count = this.#all.get(sign);
      return count === undefined ? [] : [{ sign, share: count / this.#texts }];
    });
    return this.#told.map(({ texts, signs }) => {
      if (texts === 0) return null;
      return known.reduce((sum, { sign, share }) => {
        const here = ((signs.get(sign) ?? 0) + PRIOR_TEXTS * share) / (texts + PRIOR_TEXTS);
        return sum + Math.log(here / share);
      }, 0);
    });
  }
}
