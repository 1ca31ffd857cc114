/** Files that were written under our mark: known by path and blob, the last few of each. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { open } from "./kit.ts";

Deno.test("of what was written under our mark each path knows the last few blobs, whoever asks in which case", async () => {
  await using store = await open();
  const { managedFiles } = store;
  const path = "src/pages/a.astro";
  const blobs = Array.from(
    { length: LIMITS.MANAGED_BLOBS_PER_FILE + 1 },
    (_, n) => String(n).padStart(40, "0"),
  );
  for (const blob of blobs) {
    await managedFiles.add("Acme/Site", [{ path, blob }, { path: `${path}x`, blob: "x" }]);
  }
  const known = await Promise.all(blobs.map((blob) => managedFiles.has("acme/site", { path, blob })));
  assert.deepEqual(known, blobs.map((_, at) => at > 0), "the oldest is forgotten");
  assert.equal(await managedFiles.has("acme/site", { path: "src/pages/b.astro", blob: blobs[5]! }), false);
  assert.equal(await managedFiles.has("acme/other", { path, blob: blobs[5]! }), false);
  const many = Array.from({ length: 25 }, (_, n) => ({ path: `p${n}`, blob: "b" }));
  await Promise.all([managedFiles.add("acme/site", many), managedFiles.add("acme/site", many)]);
  assert.equal(await managedFiles.has("acme/site", { path: "p24", blob: "b" }), true);
});
