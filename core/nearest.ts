/** The name that somebody who wrote another one most likely meant. */

/** Fewest single changes (insert, drop, swap for another, transpose neighbours) from `a` to `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, before[j - 2]! + 1);
      }
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}

const WORD_CHARACTERS_MAX = 64;
const PART_CHARACTERS_MIN = 4;

/** More changes than these are no slip of the hand. */
const SLIP_CHANGES_MAX = 2;

const plain = (text: string) => text.toLowerCase().replaceAll("-", "_");

/** The longest candidate whose words `wanted` contains, as description does in meta_description. */
function withinWords(wanted: string, candidates: readonly string[]): string | null {
  const within = candidates.filter((candidate) =>
    candidate.length >= PART_CHARACTERS_MIN && `_${wanted}_`.includes(`_${plain(candidate)}_`)
  );
  return within.sort((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * The candidate closest to `word` (case and `-` for `_` do not count), or null when none is close: at most a third
 * of the word's characters may differ, two at least; or else the name must hold the word, or all its words. Of equally close
 * ones the first. One that the word holds as whole words is closer than what is more than a slip away.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = plain(word);
  if (wanted === "" || wanted.length > WORD_CHARACTERS_MAX) return null;
  let best: string | null = null;
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const away = distance(wanted, plain(candidate));
    // Two changes in a word of three letters would be another word.
    if (away < least && away < wanted.length) [best, least] = [candidate, away];
  }
  if (best !== null && least <= SLIP_CHANGES_MAX) return best;
  best = withinWords(wanted, candidates) ?? best;
  if (best !== null || wanted.length < PART_CHARACTERS_MIN) return best;
  return candidates.find((candidate) => plain(candidate).includes(wanted)) ?? allWordsOf(wanted, candidates);
}

/** The shortest candidate that has every word of `wanted`, two at least, as crm_compute_no_show_rate has crm_no_show. */
function allWordsOf(wanted: string, candidates: readonly string[]): string | null {
  const words = wanted.split("_").filter(Boolean);
  if (words.length < 2) return null;
  const holding = candidates.filter((candidate) =>
    words.every((word) => `_${plain(candidate)}_`.includes(`_${word}_`))
  );
  return holding.sort((a, b) => a.length - b.length)[0] ?? null;
}
