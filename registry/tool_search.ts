/** Which tools of a list do what somebody says is to be done, the likeliest first. */
import { memoize } from "../core/made_once.ts";
import { AskedBefore, type Told, toldOf } from "./asked_before.ts";
import type { ToolEntry } from "./entry.ts";
import { reads, type Shown } from "./listing.ts";
import type { SearchWords, Word } from "./search_words.ts";

/** How much a word tells of a tool, by where it stands. */
const WEIGHT = { words: 0.8, name: 1.3, title: 1, listed: 0.7, group: 0.6, whole: 0.2 };
/** How much the same meaning counts beside the same word; a word that is part of the other; and one that is nearly it. */
const MEANING = 0.9;
const PART = 0.3;
const SLIP = 0.6;
/** How much a word itself counts of several that mean something together. */
const TOGETHER = 0.5;
/** How much one saying of a tool counts that the request repeats, beside its words one by one. */
const SAYING = 1;
/** What remains of the score of a tool that writes where something is asked, or that reads where something is to be done. */
const OTHER_INTENT = 0.7;
/** How much it counts, beside the best score, that people asked like that for a tool; and how fast that fades from the likeliest one on. */
const ASKED = 0.6;
const ASKED_FADES = 8;
/** What scores that little beside the best has a word by chance. */
const NOISE = 0.25;
/** Shorter words are no part of others, and nothing is a slip of them. */
const PART_MIN = 4;
const SLIP_MIN = 5;
/** What a part leaves over is a word as well, rather than an ending. */
const REST_MIN = 3;
/** So many words of a request are compared with all words that are known. */
const STRANGE_MAX = 12;

/** Words, and meanings behind a mark, with how much each counts. */
type Terms = Map<string, number>;

const meant = (meaning: string) => `=${meaning}`;

function raise(terms: Terms, term: string, weight: number): void {
  if (weight > (terms.get(term) ?? 0)) terms.set(term, weight);
}

const termsOf = ({ stem, meanings }: Word) => [...(stem === null ? [] : [stem]), ...meanings.map(meant)];

interface Spoken {
  readonly terms: Terms;
  /** What people say for it, one by one: of each word what it may be looked for as. */
  readonly sayings: readonly (readonly (readonly string[])[])[];
  readonly told: Told;
}

const spaced = (name: string) => name.replaceAll("_", " ").replaceAll("-", " ");

/** What is said of a tool. */
function spokenOf(known: SearchWords, { name, group, manifest, definition }: ToolEntry): Spoken {
  const terms: Terms = new Map();
  const { listed, words: told = "" } = manifest;
  const said = told.replaceAll(";", ",").split(",").map((one) => known.read(one));
  const [called, title] = [known.read(spaced(name)), known.read(manifest.title)];
  const from: [readonly Word[], number][] = [
    [said.flat(), WEIGHT.words],
    [called, WEIGHT.name],
    [title, WEIGHT.title],
    [known.read(listed?.description ?? definition.description.split(". ", 1)[0]!), WEIGHT.listed],
    [known.read(group), WEIGHT.group],
    // Of a tool of ours all that matters is in its words; a site's own has none.
    [told === "" ? known.read(definition.description) : [], WEIGHT.whole],
  ];
  for (const [words, weight] of from) {
    for (const word of words) for (const term of termsOf(word)) raise(terms, term, weight);
  }
  const sayings = [...said, called, title].filter(({ length }) => length > 0);
  // Of a tool of which nobody said anything, its name and title say too little to compare it by.
  const asked = told === "" ? [] : [...said, title, ...known.askedFor(name).map((one) => known.read(one))];
  return { terms, sayings: sayings.map((words) => words.map(termsOf)), told: toldOf(asked) };
}

/** One change of a letter, or two neighbours changed for each other. */
function isSlipOf(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false;
  let [from, to, end] = [0, a.length, b.length];
  while (from < to && from < end && a[from] === b[from]) from++;
  while (to > from && end > from && a[to - 1] === b[end - 1]) [to, end] = [to - 1, end - 1];
  const [rest, other] = [a.slice(from, to), b.slice(from, end)];
  return (rest.length <= 1 && other.length <= 1) ||
    (rest.length === 2 && other.length === 2 && rest[0] === other[1] && rest[1] === other[0]);
}

/** Where in a sorted list the first stands that is not before the text. */
function placeOf(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

const reversed = (text: string) => [...text].reverse().join("");

/** All words of the tools and of the meanings, to find those that another is part of, or nearly. */
class Vocabulary {
  readonly #all: ReadonlySet<string>;
  readonly #sorted: readonly string[];
  readonly #backwards: readonly string[];

  constructor(stems: Iterable<string>) {
    this.#all = new Set(stems);
    this.#sorted = [...this.#all].sort();
    this.#backwards = this.#sorted.map(reversed).sort();
  }

  has(stem: string): boolean {
    return this.#all.has(stem);
  }

  /** Those that it is put together of, and those that it is a part of, at their beginning or end. */
  parts(stem: string): Set<string> {
    const found = new Set<string>();
    if (stem.length < PART_MIN) return found;
    for (let at = PART_MIN; at <= stem.length - REST_MIN; at++) {
      found.add(stem.slice(0, at)).add(stem.slice(-at));
    }
    for (const one of found) if (!this.#all.has(one)) found.delete(one);
    for (const one of beginning(this.#sorted, stem)) found.add(one);
    for (const one of beginning(this.#backwards, reversed(stem))) found.add(reversed(one));
    return found;
  }

  slips(stem: string): string[] {
    return stem.length < SLIP_MIN
      ? []
      : this.#sorted.filter((one) => one.length >= SLIP_MIN && isSlipOf(stem, one));
  }
}

/** Those that begin with a text and go on for a word's length. */
function beginning(sorted: readonly string[], text: string): string[] {
  const found: string[] = [];
  for (let at = placeOf(sorted, text); sorted[at]?.startsWith(text); at++) {
    if (sorted[at]!.length >= text.length + REST_MIN) found.push(sorted[at]!);
  }
  return found;
}

/** The sayings of a list's tools, to find those that a request repeats. */
class Sayings {
  readonly #words = new Map<string, number[]>();
  /** Of each word its saying, and of each saying its tool and how much all of it is worth. */
  readonly #sayings: number[] = [];
  readonly #tools: number[] = [];
  readonly #worths: number[] = [];

  constructor(spoken: readonly Spoken[], worthOf: (term: string) => number) {
    for (const [tool, { sayings }] of spoken.entries()) {
      for (const saying of sayings) {
        let worth = 0;
        for (const terms of saying) {
          for (const term of terms) {
            this.#words.getOrInsertComputed(term, () => []).push(this.#sayings.length);
          }
          this.#sayings.push(this.#tools.length);
          worth += Math.max(...terms.map(worthOf));
        }
        this.#tools.push(tool);
        this.#worths.push(worth);
      }
    }
  }

  /** Of each tool how much of the saying that the request repeats most it does repeat. */
  repeated(asked: Terms): Map<number, number> {
    const best = new Map<number, number>();
    for (const [term, worth] of asked) {
      for (const word of this.#words.get(term) ?? []) {
        if (worth > (best.get(word) ?? 0)) best.set(word, worth);
      }
    }
    const said = new Map<number, number>();
    for (const [word, worth] of best) {
      const saying = this.#sayings[word]!;
      said.set(saying, (said.get(saying) ?? 0) + worth);
    }
    const repeated = new Map<number, number>();
    for (const [saying, worth] of said) {
      const [tool, share] = [this.#tools[saying]!, worth * worth / this.#worths[saying]!];
      if (share > (repeated.get(tool) ?? 0)) repeated.set(tool, share);
    }
    return repeated;
  }
}

/** The tools of one list, to be searched again and again. */
export class ToolSearch {
  readonly #known: SearchWords;
  readonly #shown: readonly Shown[];
  readonly #spoken: readonly Spoken[];
  readonly #where = new Map<string, number[]>();
  readonly #vocabulary: Vocabulary;
  readonly #sayings: Sayings;
  readonly #asked: AskedBefore;

  constructor(known: SearchWords, shown: readonly Shown[]) {
    this.#known = known;
    this.#shown = shown;
    this.#spoken = shown.map(({ entry }) => spokenBy(known)(entry));
    for (const [at, { terms }] of this.#spoken.entries()) {
      for (const term of terms.keys()) this.#where.getOrInsertComputed(term, () => []).push(at);
    }
    const words = [...this.#where.keys()].filter((term) => !term.startsWith("="));
    this.#vocabulary = new Vocabulary([...words, ...known.stems]);
    this.#sayings = new Sayings(this.#spoken, (term) => this.#rarity(term));
    this.#asked = new AskedBefore(this.#spoken.map(({ told }) => told));
  }

  /** Those that fit at all, the best first. */
  find(text: string): Shown[] {
    const words = this.#known.read(text);
    const scores = this.#scores(words);
    const intent = this.#intent(text, words);
    for (const [at, score] of scores) {
      if (intent !== null && intent !== reads(this.#shown[at]!)) scores.set(at, score * OTHER_INTENT);
    }
    const best = Math.max(0, ...scores.values());
    const found = [...scores].filter(([, score]) => score > best * NOISE);
    const asked = this.#askedLike(words);
    return found.map(([at, score]) => ({ at, score: score + ASKED * (asked(at) ?? score / best) * best }))
      .sort((a, b) => b.score - a.score)
      .map(({ at }) => this.#shown[at]!);
  }

  /** How near each tool is to the one for which people asked like that most: 1 for this one; null where nothing is known. */
  #askedLike(words: readonly Word[]): (at: number) => number | null {
    const likelihoods = this.#asked.likelihoods(words);
    const most = Math.max(...likelihoods.map((one) => one ?? -Infinity));
    return (at) => {
      const one = likelihoods[at] ?? null;
      return one === null ? null : Math.exp((one - most) / ASKED_FADES);
    };
  }

  /** Whether what is said asks for something to be read, or for something else to be done; null where it says neither. */
  #intent(text: string, words: readonly Word[]): boolean | null {
    if (this.#known.asks(text)) return true;
    return this.#known.does(words) ? false : null;
  }

  #scores(words: readonly Word[]): Map<number, number> {
    const scores = new Map<number, number>();
    const asked: Terms = new Map();
    let strange = 0;
    for (const word of words) {
      const isStrange = word.stem !== null && !this.#vocabulary.has(word.stem);
      if (isStrange) strange++;
      const terms = this.#terms(word, isStrange && strange <= STRANGE_MAX);
      this.#add(scores, terms, asked);
      for (const [term, worth] of terms) raise(asked, term, worth);
    }
    for (const [at, share] of this.#sayings.repeated(asked)) {
      scores.set(at, (scores.get(at) ?? 0) + SAYING * share);
    }
    return scores;
  }

  /** Adds to the score of each tool what counts most of a word; what another word has brought counts once. */
  #add(scores: Map<number, number>, terms: Terms, before: Terms): void {
    const best = new Map<number, number>();
    for (const [term, worth] of terms) {
      const more = worth - (before.get(term) ?? 0);
      if (more <= 0) continue;
      for (const at of this.#where.get(term) ?? []) {
        const score = more * this.#spoken[at]!.terms.get(term)!;
        if (score > (best.get(at) ?? 0)) best.set(at, score);
      }
    }
    for (const [at, score] of best) scores.set(at, (scores.get(at) ?? 0) + score);
  }

  /** What a word of the request is looked for as, with what each is worth. */
  #terms(word: Word, isStrange: boolean): Terms {
    const terms: Terms = new Map();
    if (word.stem !== null) raise(terms, word.stem, word.together ? TOGETHER : 1);
    for (const meaning of word.meanings) raise(terms, meant(meaning), MEANING);
    if (word.stem !== null) {
      const parts = this.#vocabulary.parts(word.stem);
      for (const part of parts) this.#raise(terms, part, PART);
      if (isStrange && parts.size === 0) {
        for (const one of this.#vocabulary.slips(word.stem)) this.#raise(terms, one, SLIP);
      }
    }
    for (const [term, quality] of terms) terms.set(term, quality * this.#rarity(term));
    return terms;
  }

  #raise(terms: Terms, stem: string, quality: number): void {
    raise(terms, stem, quality);
    for (const meaning of this.#known.meaningsOf(stem)) raise(terms, meant(meaning), quality * MEANING);
  }

  /** The more, the fewer tools it tells of. */
  #rarity(term: string): number {
    const having = this.#where.get(term)?.length ?? 0;
    return Math.log(1 + (this.#spoken.length - having + 0.5) / (having + 0.5));
  }
}

/** Of the same tool it is read once. */
const spokenBy = memoize((known: SearchWords) => memoize((entry: ToolEntry) => spokenOf(known, entry)));
