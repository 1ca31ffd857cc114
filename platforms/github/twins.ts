/** Names that a reader, or a file system, takes for one another: they differ in case or in Unicode's form alone. */

/** The form in which such names are alike. */
export const folded = (path: string): string => path.normalize("NFC").toLowerCase().normalize("NFC");

/** A path of a tree that is taken for the one that was asked for, in a sentence's words. */
export function twinWords(path: string, twin: string): string {
  const asked = path.split("/").slice(0, twin.split("/").length).join("/"); // it may be a folder above the file
  const form = asked.normalize("NFC") === twin.normalize("NFC");
  const differs = form
    ? "Unicode form"
    : asked.toLowerCase() === twin.toLowerCase()
    ? "case"
    : "case and Unicode form";
  return `${form ? spelled(twin) : JSON.stringify(twin)}, which differs from it in ${differs} only`;
}

/** A name by its characters: names of different forms look alike. */
const spelled = (path: string): string =>
  JSON.stringify(path).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
