/** What an error repeats of what somebody sent: no more of it than tells which it was. */

/** So much of one name, value or path is repeated. */
export const QUOTED_CHARACTERS = 200;

/** A text as it may stand in a message: its beginning, where it is long. */
export const clipped = (text: string): string =>
  text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS - 1).toWellFormed()}…` : text;
