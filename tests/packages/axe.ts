/** Judges whether a page can be used by everybody. */
import axe from "npm:axe-core@4.14.1";

/** The script, to be run in a page. */
export const AXE: string = axe.source;
