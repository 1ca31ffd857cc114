/** How much two texts, or two lists of lines, have in common at the beginning, and then at the end of what is left. */
export function commonEnds<Side extends string | readonly string[]>(
  from: Side,
  to: Side,
): { start: number; end: number } {
  const least = Math.min(from.length, to.length);
  let start = 0;
  while (start < least && from[start] === to[start]) start++;
  let end = 0;
  while (end < least - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  return { start, end };
}
