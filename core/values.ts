/** What a value of unknown kind is, and how much of a long text is shown. */

/** An object with names, of whatever values. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object with names, not a list. */
export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text, of a longer one its first so many characters and a sign that it goes on. */
export const cut = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;

/**
 * The files that a call's arguments name, as they came or as a row of the audit shows them: `path`, and that of each of
 * `files`.
 */
export function pathsIn(args: unknown): string[] {
  if (!isFields(args)) return [];
  const { path, files } = args;
  if (path === undefined && files === undefined) return [];
  const listed = isFields(files) ? files["first"] : files;
  const all = [path, ...(Array.isArray(listed) ? listed.map((file) => isFields(file) && file["path"]) : [])];
  return all.filter((one) => typeof one === "string");
}

/** The fields that are said: what is undefined is left out. */
export const definedOf = <Of extends object>(fields: Of): Of =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Of;
