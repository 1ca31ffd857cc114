/** What is tried first: the commonest passphrases of twelve characters and more, and what is made of a common word. */

/** Words that many passphrases are nothing but, with figures and signs around them. */
const WORDS = [
  "abcdefgh",
  "administrator",
  "changeme",
  "correcthorsebatterystaple",
  "dragon",
  "football",
  "gateway",
  "iloveyou",
  "letmein",
  "master",
  "monkey",
  "passphrase",
  "password",
  "princess",
  "qwerty",
  "qwertyuiop",
  "secret",
  "starwars",
  "sunshine",
  "superman",
  "supersecret",
  "trustno",
  "welcome",
  "website",
];

/** Rows of keys and figures, forwards and back. */
const ROWS = [
  "012345678901234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn",
];
const BACKWARDS = ROWS.map((row) => [...row].reverse().join(""));

const DISGUISES: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "0": "o",
  "$": "s",
  "5": "s",
};

/** Whether a text in lower case is among the first that are tried. */
export function isCommon(text: string): boolean {
  // Figures and signs at either end are added to a word; figures and signs within it replace letters.
  const word = text.replace(/^[^\p{Letter}]+|(?<!\P{Letter})\P{Letter}+$/gu, "");
  const plain = word.replace(/[@4310$5]/g, (one) => DISGUISES[one]!);
  const repeated = /^(.{1,6}?)\1+/.exec(text);
  return [...ROWS, ...BACKWARDS].some((row) => row.includes(text)) ||
    (repeated !== null && text.length - repeated[0].length < 4) ||
    [text, plain].some((one) => isMadeOfWords(one));
}

/** Whether no letters are left of it beside common words. */
function isMadeOfWords(text: string): boolean {
  const letters = text.replace(/[^\p{Letter}]+/gu, "");
  const byLength = WORDS.toSorted((a, b) => b.length - a.length);
  return letters !== "" && byLength.reduce((left, word) => left.replaceAll(word, ""), letters) === "";
}
