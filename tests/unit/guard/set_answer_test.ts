/** What a set says comes next, by how far it is and whether any of it can be taken back. */
import assert from "node:assert/strict";
import { answerOf } from "../../../guard/sets/answer.ts";
import type { KeptSet } from "../../../store/store.ts";

const NONE = { results: new Map(), begun: new Map() };

const setOf = (items: readonly object[], state: string) => ({
  set_id: "S",
  state,
  content: { title: "A", on_failure: "continue", first: false, items, warnings: [] },
  failed: null,
  cancelled_at: null,
  token: null,
  sites: ["acme"],
} as unknown as KeptSet);

const itemOf = (item: number, undoable = true) => ({
  item,
  tool: "create_draft",
  site_id: "acme",
  sites: ["acme"],
  preview: { undoable },
  uses: {},
});

/** What is told of a set of one item, which can be taken back or not. */
function nextOf(state: "running" | "ended", isAlive: boolean, undoable: boolean): string {
  const kept = setOf([itemOf(1, undoable)], state);
  return String(answerOf(kept, { ...NONE, isAlive })["next"]);
}

Deno.test("only a set that has ended says so, also where nothing of it can be taken back", () => {
  for (const undoable of [true, false]) {
    assert.match(nextOf("running", true, undoable), /^It goes on by itself/);
    assert.match(nextOf("running", false, undoable), /^Nobody is at work on it/);
  }
  assert.match(nextOf("ended", false, true), /undo_change with set_id takes back/);
  assert.match(nextOf("ended", false, false), /nothing of it can be taken back/);
});

Deno.test("an item that could not be looked at leads to the later one of the same thing that was", () => {
  const unseen = "visitors do not see it; look with view_live once it is published";
  const done = (id: number, live: object | null) => ({
    state: "done",
    request_id: "R",
    answer: { id, live, ...live === null ? { live_reason: unseen } : {} },
  });
  const seen = { as_expected: true };
  const answers = [done(5, null), done(7, null), done(5, seen), done(5, null)];
  const results = new Map(answers.map((one, at) => [at + 1, one]));
  const kept = setOf(answers.map((_, at) => itemOf(at + 1)), "ended");
  const told = answerOf(kept, { results: results as never, begun: new Map(), isAlive: false });
  const reasons = (told["items"] as Record<string, unknown>[]).map(({ live_reason }) => live_reason);
  assert.deepEqual(reasons, ["item 3 says what visitors get", unseen, undefined, unseen]);
});
