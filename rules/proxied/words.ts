/** A name of another's tool as words: whatever joins them, and letters of other scripts that look like Latin ones as those. */
import { memoizeByName } from "../../core/made_once.ts";

/** Letters of other scripts that a reader takes for Latin ones; what Unicode's compatibility forms fold is not among them. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["аαɑａᴀⱥ", "a"],
    ["вßʙᏴƀ", "b"],
    ["сϲᴄ", "c"],
    ["ԁɗժᴅđ", "d"],
    ["еєєεҽ℮ᴇɇ", "e"],
    ["ғſꜰ", "f"],
    ["ɡգɢǥ", "g"],
    ["һнհʜħ", "h"],
    ["іιıɩӏӀɪɨ", "i"],
    ["јϳᴊɉ", "j"],
    ["кκᴋ", "k"],
    ["ⅼ|ʟł", "l"],
    ["мᴍ", "m"],
    ["пηոɴɴ", "n"],
    ["оοσօ০ᴏø", "o"],
    ["рρƿᴘᵽ", "p"],
    ["ԛգǫ", "q"],
    ["гʀꮁɍ", "r"],
    ["ѕꜱ", "s"],
    ["тτᴛŧ", "t"],
    ["υսцᴜʉ", "u"],
    ["ѵνᴠ", "v"],
    ["ԝѡωᴡ", "w"],
    ["хχ", "x"],
    ["уγүʏɏ", "y"],
    ["ᴢʐƶ", "z"],
  ].flatMap(([letters, latin]) => [...letters!].map((letter) => [letter, latin!])),
);

/** A name is no longer than this; a longer text is prose. */
const NAME_CHARACTERS_MAX = 256;

/** The text in plain Latin letters: compatibility forms, accents, marks that are not seen, look-alikes. */
function latin(text: string): string {
  if (PLAIN.test(text)) return text;
  const bare = text.normalize("NFKD").replace(/[\p{M}\p{Cf}]/gu, "");
  if (PLAIN.test(bare)) return bare;
  return [...bare].map((one) => LOOK_ALIKES[one] ?? LOOK_ALIKES[one.toLowerCase()] ?? one).join("");
}
const PLAIN = /^[\x20-\x7e]*$/;

/** A name as it is written and, where that is not in plain Latin letters, as those who fold or drop others read it. */
export function readingsOf(name: string): readonly string[] {
  if (PLAIN.test(name)) return [name];
  const short = name.trim().slice(-NAME_CHARACTERS_MAX);
  return [latin(short), short.replace(/[^A-Za-z0-9_-]+/g, "")];
}

/** What most names are made of: it reads the same in every way. */
const SIMPLE = /^[a-z0-9 _/-]*$/;

/** What those who read a name leave out of it before they look: tags, encoded bytes, whatever is not of a key. */
const LEFT_OUT: readonly RegExp[] = [/<[^<>]*>/g, /%[0-9a-f]{2}/gi, /[^\p{L}\p{N}\s_/-]+/gu];

/**
 * The words of a name, in lower case: split at whatever is no letter, and at camel humps. Both with and without the
 * humps, for who reads the name may not care for capitals, and with and without what others leave out of a name. Empty
 * for a text that is too long to be a name.
 */
export const wordsOf: (name: string) => ReadonlySet<string> = memoizeByName(readWords, NAME_CHARACTERS_MAX);

function readWords(name: string): ReadonlySet<string> {
  const short = name.trim();
  if (short.length > NAME_CHARACTERS_MAX) return new Set();
  if (SIMPLE.test(short)) return new Set(short.split(/[^a-z]+/).filter((word) => word !== ""));
  const text = latin(short);
  const readings = [text, ...LEFT_OUT.map((one) => text.replace(one, "")), ...readingsOf(short).slice(1)];
  return new Set(
    readings.flatMap((one) => [one, ...humps(one)]).flatMap((one) => one.toLowerCase().split(/[^\p{L}]+/u))
      .filter((word) => word !== ""),
  );
}

/** Split before a capital, and once more where several of them end: `XMLdelete`. */
function humps(text: string): string[] {
  const split = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return [
    split.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2"),
    split.replace(/(\p{Lu}{2})(\p{Ll})/gu, "$1 $2"),
  ];
}

/** The same in their order, humps split. */
export const wordList: (name: string) => readonly string[] = memoizeByName((name) => {
  const split = latin(name.trim().slice(0, NAME_CHARACTERS_MAX)).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return split.toLowerCase().split(/[^\p{L}]+/u).filter((word) => word !== "");
}, NAME_CHARACTERS_MAX);
