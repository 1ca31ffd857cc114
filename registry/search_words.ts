/** What people's words are compared by when a tool is looked for: stems, in three languages, and meanings that words share. */
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { z } from "zod";
import { onDemand } from "../core/async.ts";
import { closed } from "../core/fields.ts";
import { memoizeByName } from "../core/made_once.ts";
import { parseYaml } from "./documents.ts";
import { RegistryError } from "./files.ts";

const SYNONYMS = "synonyms.yaml";
const ASKED = "asked.yaml";

/** Words of a request that say nothing of the job. */
const EMPTY: ReadonlySet<string> = new Set(
  ("a about again all also an and any are as at be been by can could did do does done don t for from get got has have he " +
    "her him his how i if in into is it its just keep let m many me more much must my need new no not now of off ok on one " +
    "or our out please re s she should so some still such than thanks that the their them then there these they this those " +
    "to up us ve want was we were what when where whether which who whom whose why will with would yet you your " +
    "aber alle alles als am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den denn der des die dir doch " +
    "dort du ein eine einem einen einer es etwas fuer gerade gibt haben hat hatte hier ich ihm ihn ihr im in ist ja jetzt " +
    "kann kannst kein keine koennen koennte lass mach machen mal man mehr mein meine mich mir mit muss nach nicht noch nur " +
    "ob oder schon sein seine sich sie sind so soll sollen ueber um und uns unser unsere unserem unseren unserer vom von vor " +
    "war was welche welchem welchen welcher welches wenn wer wie wieder will wir wird wo wurde zu zum zur " +
    "ai alors as au aussi autre aux avec avons beaucoup bien c ca ce cela ces cet cette chez comment combien d dans de deja " +
    "depuis des deux doit donc du elle en encore entre es est et etait ete etre eu fait faire fais faut il ils j je l la le " +
    "les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas peut peux plus pour pourquoi qu quand " +
    "que quel quelle quelles quels qui quoi s sa sans se ses si son sont suis sur t te tes toi ton tous tout toute toutes tu " +
    "un une vais veux via vont vos votre vous y").split(" "),
);

/** No word of a tool is longer. */
const WORD_MAX = 40;

const bare = (word: string) =>
  word.replaceAll("ß", "ss").replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue")
    .normalize("NFKD").replace(/[\u0300-\u036f]/g, "");

const STEMS_OF_CHARACTERS = 24;

/** A word as it is compared: without case and accents, the shortest of its stems in the languages that are spoken to it. */
const stemOf = memoizeByName((word: string): string => {
  const plain = bare(word);
  const stems = [english, german, french].map((stem) => stem(plain));
  return stems.reduce((short, one) => one.length < short.length ? one : short, plain);
}, STEMS_OF_CHARACTERS);

const isPart = (character: string) =>
  character.toLowerCase() !== character.toUpperCase() || (character >= "0" && character <= "9") ||
  character === "ß";

/** The words of a text, in lower case, without what stands between them. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const character of `${text.normalize("NFC").toLowerCase()} `) {
    if (isPart(character)) word += character;
    else if (word !== "") {
      if (word.length <= WORD_MAX) words.push(word);
      word = "";
    }
  }
  return words;
}

/** The words of a text without case and accents, with a blank behind each. */
const plainly = (text: string) => wordsOf(text).map((word) => `${bare(word)} `).join("");

/** A word of a text: its stem, or null where it says nothing by itself, and what it means, alone or with those behind it. */
export interface Word {
  readonly stem: string | null;
  readonly meanings: readonly string[];
  /** Whether it is one of several that mean something together. */
  readonly together: boolean;
}

interface Phrase {
  readonly stems: readonly string[];
  readonly meaning: string;
}

/** How texts are read. */
export class SearchWords {
  readonly #phrases = new Map<string, Phrase[]>();
  readonly #deeds: ReadonlySet<string>;
  readonly #asking: readonly string[];
  readonly #polite: ReadonlySet<string>;

  /** `asked`: for what people asked for each tool; of a tool that it leaves out nothing is known. */
  constructor({ meanings, deeds, asking, polite }: Synonyms, private readonly asked: Asked = {}) {
    this.#deeds = new Set(deeds.split(", "));
    this.#asking = asking.split(",").map(plainly);
    this.#polite = new Set(wordsOf(polite).map(bare));
    for (const [meaning, said] of Object.entries(meanings)) {
      for (const one of said.split(",")) this.#add(meaning, wordsOf(one).map(stemOf));
    }
  }

  #add(meaning: string, stems: readonly string[]): void {
    const first = stems[0];
    if (first === undefined) return;
    const known = this.#phrases.get(first) ?? [];
    this.#phrases.set(first, [...known, { stems, meaning }]);
  }

  /** What the word of that stem means by itself. */
  meaningsOf(stem: string): readonly string[] {
    return (this.#phrases.get(stem) ?? []).filter(({ stems }) => stems.length === 1).map(({ meaning }) =>
      meaning
    );
  }

  /** The stems that have a meaning by themselves. */
  get stems(): string[] {
    return [...this.#phrases.keys()].filter((stem) => this.meaningsOf(stem).length > 0);
  }

  /** The words of a text in their order. One that says nothing by itself is there for what it means with others. */
  read(text: string): Word[] {
    const words = wordsOf(text);
    const stems = words.map(stemOf);
    let covered = 0;
    const read: Word[] = [];
    for (const [at, word] of words.entries()) {
      const { length, meanings } = this.#meant(stems, at);
      if (length > 1) covered = Math.max(covered, at + length);
      const together = at < covered;
      // Of words that mean something together none means what it would alone: "not published" is not published.
      const means = together && length === 1 ? [] : meanings;
      const stem = EMPTY.has(bare(word)) || stems[at]!.length < 2 ? null : stems[at]!;
      if (stem !== null || means.length > 0) read.push({ stem, meanings: means, together });
    }
    return read;
  }

  /** What the words there mean, the most of them that mean something together. */
  #meant(stems: readonly string[], at: number): { length: number; meanings: string[] } {
    const here = (this.#phrases.get(stems[at]!) ?? []).filter((phrase) =>
      phrase.stems.every((stem, next) => stems[at + next] === stem)
    );
    const length = Math.max(1, ...here.map((phrase) => phrase.stems.length));
    return {
      length,
      meanings: here.filter((one) => one.stems.length === length).map(({ meaning }) => meaning),
    };
  }

  /** What people asked who needed that tool. */
  askedFor(tool: string): readonly string[] {
    if (!Object.hasOwn(this.asked, tool)) return [];
    const { en, de, fr } = this.asked[tool]!;
    return [...en, ...de, ...fr];
  }

  /** Whether a request asks for something to be told rather than done. */
  asks(text: string): boolean {
    const said = plainly(text);
    if (this.#asking.some((one) => said.startsWith(one))) return true;
    const [first = ""] = wordsOf(text);
    return text.trimEnd().endsWith("?") && !this.#polite.has(bare(first));
  }

  /** Whether something is to be done that writes. */
  does(words: readonly Word[]): boolean {
    return words.some(({ meanings }) => meanings.some((one) => this.#deeds.has(one)));
  }
}

const words = z.string().min(1);
const schema = closed({ meanings: z.record(z.string(), words), deeds: words, asking: words, polite: words })
  .refine(
    ({ deeds, meanings }) => deeds.split(", ").every((deed) => Object.hasOwn(meanings, deed)),
    { path: ["deeds"], message: "each must be one of the meanings" },
  );
export type Synonyms = z.output<typeof schema>;

const requests = z.array(z.string().min(1));
const askedSchema = z.record(
  z.string(),
  closed({ en: requests, de: requests, fr: requests, or: z.array(z.string()).optional() }),
);
/** Of a tool what people asked who needed it, by language; `or`: tools that are as right. */
export type Asked = z.output<typeof askedSchema>;

/** How texts are read, as `manifests/synonyms.yaml` and `manifests/asked.yaml` say, read when they are first asked for. Throws RegistryError where one is not as it must be. */
export const searchWords: () => Promise<SearchWords> = onDemand(async () => {
  const [synonyms, asked] = await Promise.all([readAs(SYNONYMS, schema), readAs(ASKED, askedSchema)]);
  return new SearchWords(synonyms, asked);
});

async function readAs<T extends z.ZodType>(name: string, shape: T): Promise<z.output<T>> {
  const text = await Deno.readTextFile(new URL(`../manifests/${name}`, import.meta.url));
  const read = shape.safeParse(await parseYaml(text));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) =>
    `manifests/${name}: ${path.join(".")}: ${message}`
  );
  throw new RegistryError(name.slice(0, -".yaml".length), faults);
}
