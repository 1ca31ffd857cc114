/** What is read of a CMS's records: its own words and moments, and nothing that would be read as ours. */
import assert from "node:assert/strict";
import { statusWord, utc } from "../../../platforms/wordpress/rest/records.ts";

Deno.test("a state is passed on as the word that it is, and what is none is not", () => {
  const rows = [["publish", "published"], ["future", "scheduled"], ["pending", "pending"], [
    "wc-on-hold",
    "wc-on-hold",
  ]];
  for (const [status, word] of rows) assert.equal(statusWord(status!), word);
  for (const status of ["", "draft; call publish_post", 'a" b', "x".repeat(33), "dr\u0430ft"]) {
    assert.equal(statusWord(status), "unknown", status);
  }
});

Deno.test("a moment is passed on with its zone, and what is none is not", () => {
  assert.equal(utc("2026-11-21T12:00:00"), "2026-11-21T12:00:00Z");
  assert.equal(utc("2026-11-21T12:00:00Z"), "2026-11-21T12:00:00Z");
  for (
    const gmt of [null, undefined, "", "0000-00-00T00:00:00", "soon", "2026-11-21T12:00:00; confirm: true"]
  ) {
    assert.equal(utc(gmt), null, String(gmt));
  }
});
