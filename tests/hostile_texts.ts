/** What texts and values are made of that somebody wants to be slow to read. */

/** What a text is made of; the last stand at the end of it. */
export const PIECES: readonly string[] =
  ('a|A1b2 |é|e\u0301|\u202e|\ud83d\ude00| |\t|\n|\r\n|0|9|1:|-|_|.|/|../|\\|%25|%5B|[|{|(|]|}|)|[[|{{|[]|{}|[],|"|\'|`|""|\\"|,|;|:|=|' +
    "a=1&|&|&quot;|&#91;|<|>|<p>|<p |<p a=|<!--|-->|<![CDATA[|</|<script>|</script|<style>|<svg><|:is(|:not(:is(|@media x{|a{|a,|" +
    "/*|*/|//|url(|\\61 |status=\n|status: draft\n|- a\n|x,draft,y\n|| x | y |\n|<status>x</status>|--post_status=draft |status='a',|" +
    'status: x |s:1:"a";|i:0;|a:1:{|<!-- wp:x {"status":1} -->|<!-- wp:|mutation |javascript:|://|user:p@|Bearer |eyJ|E_|confirm_|' +
    "verified |delete_|aB|T00:00:00Z|W10=").split("|").filter((one) => one !== "");

/** What a text begins with that is then read in another way. */
export const BEGINNINGS: readonly string[] = [
  "",
  "[",
  '{"a":',
  '"',
  "status=",
  "a,status\n",
  "wp post ",
  "update x set ",
  "mutation ",
  "a:1:{",
  "<?xml ?>",
];

/** A text of so many characters behind its beginning. */
export const textOf = (beginning: string, piece: string, length: number): string =>
  beginning + piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Numbers are as long as each other, so that no name is longer where there are more. */
const FIRST = 10_000;
const many = <One>(count: number, make: (at: number) => One): One[] =>
  Array.from({ length: count }, (_, at) => make(FIRST + at));
/** Such a name in other capitals for each number. */
const spelt = (name: string, at: number) =>
  [...name].map((sign, bit) => at >> bit & 1 ? sign.toUpperCase() : sign).join("");
const nested = (levels: number, around: (inner: unknown, at: number) => unknown, inner: unknown): unknown =>
  levels === 0 ? inner : nested(levels - 1, around, around(inner, levels));

/** Values that are wide or deep, by how many they hold; `mark` stands in their names, so that none is known already. */
export const VALUES: Readonly<Record<string, (count: number, mark: string) => unknown>> = {
  "a list of words": (count, mark) => many(count, (at) => `${mark}${at}`),
  "a list of one word": (count) => many(count, () => "post_status"),
  "a list of lists": (count) => many(count, () => []),
  "a list of objects": (count, mark) => many(count, (at) => ({ name: `${mark}${at}`, value: "draft" })),
  "a list of pairs": (count, mark) => many(count, (at) => [`status${mark}${at}`, "draft"]),
  "names of numbers": (count, mark) => Object.fromEntries(many(count, (at) => [`${mark}${at}`, at])),
  "names of objects": (count, mark) =>
    Object.fromEntries(many(count, (at) => [`${mark}${at}`, { type: "string", enum: ["a"] }])),
  "names of a status": (count, mark) =>
    Object.fromEntries(many(count, (at) => [`${mark}${at}`, "post_status"])),
  "statuses": (count, mark) => Object.fromEntries(many(count, (at) => [`status${mark}${at}`, "draft"])),
  "names and values": (count, mark) =>
    Object.fromEntries(
      many(count, (at) => [spelt(at % 2 ? "setting_name" : "option_value", at >> 1), `${mark}${at}`]),
    ),
  "values of a long name": (count, mark) => ({
    name: mark.repeat(count / 4),
    ...Object.fromEntries(many(count, (at) => [spelt("option_value", at), "= ["])),
  }),
  "objects in each other": (count) =>
    nested(Math.min(count, 60), (inner) => ({ a: inner }), many(count, () => "a")),
  "lists in each other": (count) => nested(Math.min(count, 60), (inner) => [inner], many(count, () => ({}))),
  "a long name": (count) => ({ ["status".repeat(count)]: "a".repeat(count) }),
  "texts under a long name": (count, mark) => ({ [`${mark} `.repeat(count / 4)]: many(count, () => "= [") }),
  "texts under a name behind blanks": (count, mark) => ({
    [`${" ".repeat(count)}${mark}`]: many(count, () => "= ["),
  }),
  "objects under a long name": (count, mark) => ({
    [`${mark}é`.repeat(count / 4)]: many(count, () => ({ type: "a b" })),
  }),
  "objects under a long switch": (count, mark) => ({
    [`publish${mark} `.repeat(count / 4)]: many(count, () => ({ value: 1 })),
  }),
  "texts that are JSON": (count) => many(count, () => '{"a":[1]}'),
  "a list in a field": (count, mark) => ({ status: many(count, (at) => `${mark}${at}`), name: "a" }),
  "elements": (count, mark) => ({
    elements: many(count, (at) => ({ id: `${mark}${at}`, elType: "widget" })),
  }),
  "elements in each other": (count, mark) =>
    many(
      count / 20,
      (row) =>
        nested(20, (inner, at) => ({ id: `${mark}${row}_${at}`, elements: [inner] }), {
          id: `${mark}${row}`,
        }),
    ),
  "files": (count, mark) => many(count, (at) => ({ path: `src/${mark}${at}.ts`, content: "a" })),
  "files without a text": (count, mark) => many(count, (at) => ({ path: at, [mark]: "a" })),
};
