/** Lists of texts as tests write them: words of a text, and rows by the reason that they share. */

/** The words of a text, apart by blanks and line ends alone, and behind them texts that hold such themselves. */
export const words = (text: string, ...more: string[]): string[] => [
  ...text.split(/[ \n]+/).filter((word) => word !== ""),
  ...more,
];

/** Texts by their reason, as rows of a text and its reason. */
export const rows = <Of>(by: Readonly<Record<string, readonly Of[]>>): (readonly [Of, string])[] =>
  Object.entries(by).flatMap(([reason, texts]) => texts.map((text) => [text, reason] as const));
