/** On a real WordPress with the store of Rank Math: one client's changes go back to the row, or not one row is another. */
import { undoRowsOn } from "./_undo_rows.ts";

undoRowsOn("rankmath");
