/** What the store relies on holds on a file and in memory. */
import { conform } from "./conformance.ts";
import { FILE, MEMORY } from "./engines.ts";

conform(FILE);
conform(MEMORY);
