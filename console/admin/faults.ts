/** The message of a refusal, taken apart by the fields of a form. */

/** What is wrong with each of these fields; what names none of them stands under "". */
export function faultsByField(
  message: string,
  fields: readonly string[],
): Readonly<Partial<Record<string, string>>> {
  const start = new RegExp(`^(${fields.join("|")})(?:\\[\\d+\\])?(?:: | (?=is required))`);
  const next = new RegExp(`; (?=(?:${fields.join("|")})(?:\\[\\d+\\])?(?:: | is required))`);
  const faults: Partial<Record<string, string>> = {};
  for (const part of message.split(next)) {
    const field = start.exec(part)?.[1] ?? "";
    const said = part.replace(start, "");
    const sentence = said.charAt(0).toUpperCase() + said.slice(1);
    faults[field] = faults[field] === undefined ? sentence : `${faults[field]}; ${sentence}`;
  }
  return faults;
}
