/** Ids of posts, pages, media and terms as arguments carry them: text or a whole number. */
import { GatewayError } from "./errors.ts";

/** An id as a caller gives it. */
export type Id = string | number;

const FOUND_BY: Readonly<Record<string, string>> = {
  post_id: "list_content finds ids",
  page_id: "list_content finds ids",
  request_id: "list_changes has request_id of each change",
  set_id: "list_changes has set_id of each set",
  spreadsheet_id: "get_site names the spreadsheets of the site",
  file_id: "storage_list_site_files has ids",
};

/** Which tool finds the id that the field wants, as the rest of a sentence; "" where none need be named. */
export const finder = (field: string): string => Object.hasOwn(FOUND_BY, field) ? `; ${FOUND_BY[field]}` : "";

/** The id as a cms numbers it: digits only, above zero. Throws E_BAD_INPUT naming the field. */
export function numericId(value: Id, field: string): number {
  if (!/^[1-9]\d{0,14}$/.test(String(value))) {
    const shown = JSON.stringify(String(value).slice(0, 40));
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: expected a whole number above 0, not ${shown}${finder(field)}`,
    );
  }
  return Number(value);
}
