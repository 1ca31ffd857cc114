/** What a set says comes next, by how far it is and whether any of it can be taken back. */
import assert from "node:assert/strict";
import { answerOf } from "../../../guard/sets/answer.ts";
import type { KeptSet } from "../../../store/store.ts";

const NONE = { results: new Map(), begun: new Map() };

/** What is told of a set of one item, which can be taken back or not. */
function nextOf(state: "running" | "ended", isAlive: boolean, undoable: boolean): string {
  const item = {
    item: 1,
    tool: "create_draft",
    site_id: "acme",
    sites: ["acme"],
    preview: { undoable },
    uses: {},
  };
  const content = { title: "A", on_failure: "continue", first: false, items: [item], warnings: [] };
  const kept = {
    set_id: "S",
    state,
    content,
    failed: null,
    cancelled_at: null,
    token: null,
    sites: ["acme"],
  };
  return String(answerOf(kept as unknown as KeptSet, { ...NONE, isAlive })["next"]);
}

Deno.test("only a set that has ended says so, also where nothing of it can be taken back", () => {
  for (const undoable of [true, false]) {
    assert.match(nextOf("running", true, undoable), /^It goes on by itself/);
    assert.match(nextOf("running", false, undoable), /^Nobody is at work on it/);
  }
  assert.match(nextOf("ended", false, true), /undo_change with set_id takes back/);
  assert.match(nextOf("ended", false, false), /nothing of it can be taken back/);
});
