/** What a value of unknown kind is, and how much of a long text is shown. */

/** An object with names, of whatever values. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is an object with names, not a list. */
export const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A text, of a longer one its first so many characters and a sign that it goes on. */
export const cut = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
