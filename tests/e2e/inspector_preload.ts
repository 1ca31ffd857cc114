/** Loaded before the Inspector, which listens for changes and is to end all the same. */
import { heldFetch } from "./held_fetch.ts";

globalThis.fetch = heldFetch;
