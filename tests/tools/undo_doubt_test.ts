/** undo_change of several things of which a later write fails: what went back is listed, and can be taken back. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { type World, world } from "./_stand_in.ts";

interface Row {
  readonly request_id: string;
  readonly tool: string;
  readonly undoable: boolean;
  readonly undoable_reason?: string;
  readonly undone_by?: string;
}

interface Listed {
  readonly changes: readonly Row[];
  readonly unknown?: readonly Row[];
}

interface Undone {
  readonly undone: readonly string[];
  readonly request_id: string;
}

const ON = { site_id: "open" };
const FAILURES = [
  { status: 504, type: "text/html", body: "<html>" },
  {
    status: 403,
    type: "application/json",
    body: JSON.stringify({ code: "rest_cannot_edit", message: "Sorry", data: { status: 403 } }),
  },
];

const call = <Answer>(at: World, tool: string, args: Args) =>
  at.kit.gw.call<Answer>(tool, { ...ON, ...args, confirm: true });

for (const { status, type, body } of FAILURES) {
  Deno.test(`the part of an undo that went back before a ${status} is listed as such, and can be taken back`, async () => {
    let left = Infinity;
    await using at = await world({
      fetch: async (input, init) => {
        if (init?.method !== "POST" || left-- !== 0) return await fetch(input, init);
        return new Response(body, { status, headers: { "content-type": type } });
      },
    });
    const other = addPost(at.cms.state, { type: "post", author: 2, title: "Other", content: "<p>x</p>" });
    const ids: string[] = [];
    for (const post_id of [at.draft.id, other.id]) {
      ids.push((await call<Undone>(at, "update_draft", { post_id, title: "New" })).request_id);
    }
    left = 1;
    const ending = await at.kit.gw.end("undo_change", { ...ON, request_ids: ids, confirm: true });
    assert.ok("outcome" in ending && ending.outcome === "unknown", JSON.stringify(ending));
    assert.deepEqual([at.draft.title, other.title], ["New", "Other"], "the newest went back");
    const { changes, unknown } = await at.kit.gw.call<Listed>("list_changes", ON);
    const [undo] = unknown!;
    assert.deepEqual(changes.map(({ undoable, undone_by }) => [undoable, undone_by]), [
      [false, undo!.request_id],
      [true, undefined],
    ]);
    assert.deepEqual([undo!.tool, undo!.undoable], ["undo_change", true]);
    assert.match(undo!.undoable_reason!, /the part that is known to be made goes back/);
    const done = await call<Undone>(at, "undo_change", { request_id: undo!.request_id });
    assert.deepEqual(done.undone, [undo!.request_id]);
    assert.deepEqual([at.draft.title, other.title], ["New", "New"]);
  });
}
