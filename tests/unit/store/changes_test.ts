/** What stood where calls write: sealed, in pieces, for its days, within what a site may keep. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import type { Beside, Store } from "../../../store/store.ts";
import { Clock, open } from "./kit.ts";

const SETBACK = { tool: "update_draft", site_id: "acme", destination: "d", of: { post_id: 1 }, found: null };
const values = (text: string) => [{ ...SETBACK, values: { content_html: text } }];
const ROW = {
  at: "2026-11-21T12:00:00.000Z",
  door: "rest",
  token_id: "t",
  token_name: "t",
  owner_user_id: null,
  site_id: "acme",
  tool: "update_draft",
  tier: 1,
  arguments: {},
  status: "started",
  error: null,
  duration_ms: null,
} as const;

/** Keeps a change as a call does: with the row of its intent. */
async function keep(store: Store, request_id: string, text: string): Promise<readonly Beside[] | null> {
  const change = { request_id, site_id: "acme", grant: "t", setbacks: values(text) };
  const beside = await store.changes.begin(change);
  if (beside !== null) await store.audit.append({ ...ROW, id: request_id, request_id }, beside);
  return beside;
}

const id = (n: number) => `01M8GH7CB0HT0873GSSP${String(n).padStart(6, "0")}`;

Deno.test("a change of any size is found again, sealed meanwhile, and nothing of one that is too large is kept", async () => {
  await using store = await open();
  const texts = [
    "short",
    "ä𝄞\u2028".repeat(LIMITS.BEFORE_IMAGE_ALONG_BYTES / 4),
    "x".repeat(LIMITS.BEFORE_IMAGE_BYTES - 500),
  ];
  for (const [n, text] of texts.entries()) {
    const beside = await keep(store, id(n), text);
    assert.ok(!JSON.stringify(beside).includes("short"), "sealed");
    assert.deepEqual((await store.changes.find("acme", id(n)))?.setbacks, values(text), `text ${n}`);
  }
  assert.equal(await keep(store, id(9), "x".repeat(LIMITS.BEFORE_IMAGE_BYTES)), null);
  assert.equal(await store.changes.state("acme", id(9)), null);
  assert.equal(await store.changes.find("other", id(0)), null, "of another site it is not found");
});

Deno.test("what a change left and who took it back is told; what did nothing is gone, and so is all after its days", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now, undoDays: 3 });
  const begun = await keep(store, id(1), "a");
  assert.equal((await store.changes.state("acme", id(1)))!.left, null);
  const append = async (n: number, beside: readonly Beside[]) =>
    await store.audit.append({ ...ROW, id: id(n), request_id: id(n), status: "ok" }, beside);
  const made = [{ what: "tag", id: 7, name: "News" }];
  await append(1, store.changes.ended(begun!, [{ title: "h" }], made));
  await append(2, await store.changes.undone(id(1), "acme", id(2)));
  const state = (await store.changes.state("acme", id(1)))!;
  assert.deepEqual([state.left, state.undone_by, state.made], [[{ title: "h" }], id(2), made]);
  const [room, ...others] = await store.changes.room();
  assert.deepEqual([room!.site_id, room!.changes, room!.oldest.request_id, others], ["acme", 1, id(1), []]);
  assert.ok(room!.bytes > 100);
  await keep(store, id(3), "b");
  await append(3, store.changes.dropped(id(3), "acme"));
  assert.equal(await store.changes.find("acme", id(3)), null);
  clock.ms += 3 * 24 * 60 * 60_000;
  assert.equal(await store.changes.find("acme", id(1)), null);
  assert.deepEqual(await store.changes.room(), []);
  assert.deepEqual(store.changes.ended([], [], []), [], "of what was not kept nothing is written");
});

Deno.test("of a site's changes the oldest go once there is too much of them", async () => {
  await using store = await open();
  const text = "x".repeat(LIMITS.BEFORE_IMAGE_BYTES - 500);
  const most = Math.floor(LIMITS.UNDO_SITE_BYTES / LIMITS.BEFORE_IMAGE_BYTES);
  for (let n = 0; n < most + 8; n++) await keep(store, id(n), text);
  for (let turn = 0; turn < 1000 && await store.changes.state("acme", id(0)) !== null; turn++) await null;
  assert.equal(await store.changes.find("acme", id(0)), null);
  assert.ok(await store.changes.find("acme", id(most + 7)));
});
