/** Values of the stand-in's spreadsheets, by ranges in A1 notation. */
import { denied, invalid, Refusal, type Strict } from "./refusal.ts";
import type { Holder, SheetCell, World } from "./world.ts";

interface Range {
  readonly sheet: string;
  readonly rows: readonly [number, number];
  readonly columns: readonly [number, number];
}

const columnOf = (letters: string) =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
const lettersOf = (column: number): string =>
  column === 0 ? "" : lettersOf(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + (column - 1) % 26);
const CELL = /^([A-Za-z]{0,3})(\d{0,7})$/;
const unparsable = (text: string) => invalid(`Unable to parse range: ${text}`);

/** A range, `'It''s'!A1:B2`, or a whole sheet, by its name. */
function rangeOf(text: string, sheets: Readonly<Record<string, SheetCell[][]>>): Range {
  const [, quoted, bare, cells] = /^(?:'((?:[^']|'')*)'|([^'!]*))(?:!(.+))?$/s.exec(text) ?? [];
  const name = quoted?.replaceAll("''", "'") ?? bare;
  if (name === undefined) throw unparsable(text);
  const known = Object.keys(sheets).find((one) => one.toLowerCase() === name.toLowerCase());
  const whole = cells === undefined && known !== undefined;
  const sheet = cells === undefined && known === undefined ? Object.keys(sheets)[0] : known;
  if (sheet === undefined) throw unparsable(text);
  const grid = sheets[sheet]!;
  const [rows, columns] = [Math.max(1000, grid.length), 26];
  if (whole) return { sheet, rows: [1, rows], columns: [1, columns] };
  const [first = "", last = first, ...more] = (cells ?? text).split(":");
  const [from, to] = [CELL.exec(first), CELL.exec(last)];
  if (!from || !to || more.length > 0 || first === "" || last === "") throw unparsable(text);
  // A word that is no sheet's name is no range either, unless it has the form of a cell.
  if (cells === undefined && first === last && !/^[A-Za-z]+\d+$/.test(first)) throw unparsable(text);
  return {
    sheet,
    rows: [Number(from[2] || 1), Number(to[2] || rows)],
    columns: [columnOf(from[1]!) || 1, columnOf(to[1]!) || columns],
  };
}

function shown(cell: SheetCell | undefined, option: string): unknown {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") {
    return option === "FORMULA" ? cell.entered : option === "UNFORMATTED_VALUE" ? cell.stored : cell.shown;
  }
  return option === "FORMATTED_VALUE"
    ? String(cell).replace(/^(true|false)$/, (word) => word.toUpperCase())
    : cell;
}

/** Rows without trailing empty cells, and no empty rows at the end. */
function trimmed(rows: unknown[][]): unknown[][] {
  const short = rows.map((row) => row.slice(0, row.findLastIndex((cell) => cell !== "") + 1));
  return short.slice(0, short.findLastIndex((row) => row.length > 0) + 1);
}

/** The values of a range. */
export function valuesOf(
  world: World,
  strict: Strict,
  holder: Holder,
  { id, range, params }: { readonly id: string; readonly range: string; readonly params: URLSearchParams },
): object {
  const query = strict.query(
    params,
    ["majorDimension", "valueRenderOption", "dateTimeRenderOption"],
    "values",
  );
  const { majorDimension = "ROWS", valueRenderOption = "FORMATTED_VALUE" } = query;
  if (!["ROWS", "COLUMNS"].includes(majorDimension)) strict.breach("majorDimension is unknown");
  if (!["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"].includes(valueRenderOption)) {
    strict.breach("valueRenderOption is unknown");
  }
  if (!["SERIAL_NUMBER", "FORMATTED_STRING"].includes(query["dateTimeRenderOption"] ?? "SERIAL_NUMBER")) {
    strict.breach("dateTimeRenderOption is unknown");
  }
  const book = world.spreadsheets.get(id);
  if (!book) throw new Refusal(404, "NOT_FOUND", "Requested entity was not found.");
  if (!book.readers.has(holder.account)) throw denied("The caller does not have permission");
  const found = rangeOf(range, book.sheets);
  const [[firstRow, lastRow], [firstColumn, lastColumn]] = [found.rows, found.columns];
  const cells = book.sheets[found.sheet]!.slice(firstRow - 1, lastRow)
    .map((row) => row.slice(firstColumn - 1, lastColumn).map((cell) => shown(cell, valueRenderOption)));
  const rows = trimmed(cells);
  const width = Math.max(0, ...rows.map((row) => row.length));
  const values = majorDimension === "ROWS"
    ? rows
    : trimmed(Array.from({ length: width }, (_, at) => rows.map((row) => row[at] ?? "")));
  const name = /^\w+$/.test(found.sheet) ? found.sheet : `'${found.sheet.replaceAll("'", "''")}'`;
  return {
    range: `${name}!${lettersOf(firstColumn)}${firstRow}:${lettersOf(lastColumn)}${lastRow}`,
    majorDimension,
    ...values.length > 0 ? { values } : {},
  };
}
