/** undo_change of many changes on a slow site: fewer are proposed that go back in time, and what was not begun is named. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { type World, world } from "./_stand_in.ts";

interface Undone {
  readonly undone: readonly string[];
  readonly left_out: readonly {
    readonly request_id: string;
    readonly code: string;
    readonly reason: string;
  }[];
  readonly verified: boolean;
  readonly request_id: string;
}

const ON = { site_id: "open" };
const TITLES = ["Before", "New"];

/** A site with changes of so many drafts, which takes so long to answer a read and a write from then on. */
async function slow(count: number, ms: { readonly read: number; readonly write: number }) {
  let isSlow = false;
  const at: World = await world({
    fetch: async (input, init) => {
      if (isSlow) at.kit.gw.clock.now += (init?.method ?? "GET") === "GET" ? ms.read : ms.write;
      return await fetch(input, init);
    },
  });
  const since = new Date(at.kit.gw.clock.now).toISOString();
  const posts = Array.from(
    { length: count },
    () => addPost(at.cms.state, { type: "post", author: 2, title: TITLES[0]!, content: "<p>x</p>" }),
  );
  const ids: string[] = [];
  for (const { id: post_id } of posts) {
    const args = { ...ON, post_id, title: TITLES[1], confirm: true };
    ids.unshift((await at.kit.gw.call<Undone>("update_draft", args)).request_id);
  }
  isSlow = true;
  const undo = (args: Args) => at.kit.gw.call<Undone>("undo_change", { ...ON, ...args, confirm: true });
  const wentBack = () => posts.filter(({ title }) => title === TITLES[0]).length;
  return { at, since, ids, undo, wentBack };
}

Deno.test("more than a slow site shows in time are refused before anything is written, with those that go back", async () => {
  const { at, since, ids, undo, wentBack } = await slow(20, { read: 1500, write: 1500 });
  await using _ = at;
  const says =
    /too slowly for so many changes in one call: 15 s went by until 10 of 20 were looked at, so nothing was/;
  for (const confirm of [false, true]) {
    const message = await at.kit.gw.refuses("undo_change", { ...ON, since, confirm }, "E_UPSTREAM", says);
    assert.ok(message.endsWith(`such as request_ids ${ids.slice(0, 10).join(", ")}`), message);
  }
  assert.equal(wentBack(), 0);
  const done = await undo({ request_ids: ids.slice(0, 10) });
  assert.deepEqual([done.undone, done.left_out, wentBack()], [ids.slice(0, 10), [], 10]);
});

Deno.test("what could not be begun in time is named, stands as it did, and goes back when it is asked for again", async () => {
  const { at, since, ids, undo, wentBack } = await slow(15, { read: 0, write: 6000 });
  await using _ = at;
  const done = await undo({ since });
  assert.deepEqual([done.undone, wentBack(), done.verified], [ids.slice(0, 9), 9, true]);
  assert.deepEqual(done.left_out.map(({ request_id }) => request_id), ids.slice(9));
  for (const { code, reason } of done.left_out) {
    assert.equal(code, "E_UPSTREAM");
    assert.match(reason, /was not begun, for the time of the call was used up; take it back again/);
  }
  const { changes } = await at.kit.gw.call<{ changes: Args[] }>("list_changes", {
    ...ON,
    tool: "undo_change",
  });
  assert.deepEqual(changes.map((one) => [one["request_id"], one["undoable"]]), [[done.request_id, true]]);
  assert.deepEqual((await undo({ since })).undone, ids.slice(9));
  assert.equal(wentBack(), 15);
  await undo({ request_id: done.request_id });
  assert.equal(wentBack(), 6, "an undo that was not begun in full is taken back as far as it went");
});
