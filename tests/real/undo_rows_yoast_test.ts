/** On a real WordPress with the store of Yoast SEO: one client's changes go back to the row, or not one row is another. */
import { undoRowsOn } from "./_undo_rows.ts";

undoRowsOn("yoast");
