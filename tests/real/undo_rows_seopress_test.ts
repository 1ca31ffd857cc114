/** On a real WordPress with the store of SEOPress: one client's changes go back to the row, or not one row is another. */
import { undoRowsOn } from "./_undo_rows.ts";

undoRowsOn("seopress");
