/** Change sets as the store keeps them. */
import assert from "node:assert/strict";
import type { SetContent } from "../../../store/store.ts";
import { Clock, open } from "./kit.ts";

const CONTENT: SetContent = {
  title: "A set",
  on_failure: "skip_site",
  first: false,
  items: [],
  warnings: [],
};

Deno.test("a set that was cancelled while its items were planned stays so, whatever the planning finds", async () => {
  await using store = await open({ now: new Clock().now });
  const head = { set_id: "SET", grant: "token", token: null, failed: null };
  for (const content of [CONTENT, null]) {
    await store.sets.begin(head);
    await store.sets.cancel(head.set_id);
    await store.sets.end(head.set_id, "The set was cancelled");
    await store.sets.prepared({ ...head, failed: content === null ? "Refused" : null }, content);
    const kept = await store.sets.find(head.set_id);
    assert.deepEqual([kept?.state, kept?.failed, kept?.content], ["ended", "The set was cancelled", null]);
    assert.equal(await store.sets.start(head.set_id), false);
  }
});

Deno.test("a set of many pieces is whole once it is begun, and twice begun at once too", async () => {
  await using store = await open({ now: new Clock().now });
  const head = { set_id: "SET", grant: "token", token: null, failed: null };
  const content = { ...CONTENT, title: "ä".repeat(400_000) };
  await store.sets.prepared(head, content);
  assert.deepEqual(await Promise.all([store.sets.start("SET"), store.sets.start("SET")]), [true, true]);
  const { state, content: kept } = (await store.sets.find("SET"))!;
  assert.deepEqual([state, kept], ["running", content]);
});
