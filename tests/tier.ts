/** Which tests are registered: those that need no component but git, those of real components, or both. */

/** `test` and `matrix` are the two tasks; a test file that is run by itself registers both. */
const TIER = Deno.env.get("TEST_TIER");

/** Whether tests on stand-ins, in memory and on git are registered. */
export const IN_TEST = TIER !== "matrix";
/** Whether tests on real components (WordPress, databases, browsers, other programs) are registered. */
export const IN_MATRIX = TIER !== "test";

/** What a test is registered for that holds on the stand-in and on a real WordPress alike. */
export const CMS_KINDS: readonly ("stand-in" | "wordpress")[] = [
  ...IN_TEST ? ["stand-in"] as const : [],
  ...IN_MATRIX ? ["wordpress"] as const : [],
];
