/** Names that a reader could take for one another. */

/** A name as somebody sees it who reads quickly: case, separators and look-alike characters do not count. */
export const skeleton = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/[1i]/g, "l").replaceAll("0", "o").replaceAll(
    "rn",
    "m",
  );
