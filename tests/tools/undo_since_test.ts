/** undo_change of all since a time: asked for again it takes back what is new, and says what stays and whose changes go. */
import assert from "node:assert/strict";
import { asOne, type WriteResult } from "../../registry/tool.ts";
import type { Args } from "../cms_kit.ts";
import { test, type World, world } from "./_stand_in.ts";

interface Undone {
  readonly undone: readonly string[];
  readonly request_id: string;
}

const ON = { site_id: "open" };

const change = async (at: World, fields: Args, as?: string) =>
  (await at.kit.gw.call<Undone>("update_draft", { ...ON, post_id: at.draft.id, ...fields, confirm: true }, {
    as,
  })).request_id;

const undo = (at: World, args: Args) =>
  at.kit.gw.call<Undone>("undo_change", { ...ON, ...args, confirm: true });

const stands = (at: World) => at.kit.gw.call<Args>("get_post", { ...ON, post_id: at.draft.id });

test("asked for again, a time's changes do not come back, and what stays is named", async (at) => {
  const since = new Date(at.kit.gw.clock.now).toISOString();
  const made = await at.kit.gw.call<{ request_id: string }>("create_draft", {
    ...ON,
    title: "Made",
    content_html: "<p>Made</p>",
    confirm: true,
  });
  const before = await stands(at);
  const id = await change(at, { title: "Late" });
  const preview = await at.kit.preview("undo_change", { ...ON, since });
  assert.ok(
    preview.warnings.some((text) => text.includes(`${made.request_id} (create_draft)`)),
    preview.warnings.join(),
  );
  const first = await undo(at, { since });
  assert.deepEqual(first.undone, [id]);
  const nothing = /since: no change from then on can be taken back/;
  await at.kit.gw.refuses("undo_change", { ...ON, since, confirm: true }, "E_NOT_FOUND", nothing);
  const already = new RegExp(`1 of 3 were taken back already, by ${first.request_id}; list_changes`);
  await at.kit.gw.refuses("undo_change", { ...ON, since }, "E_NOT_FOUND", already);
  const later = await change(at, { excerpt: "Later" });
  assert.deepEqual((await undo(at, { since })).undone, [later], "only what is new");
  assert.equal((await stands(at))["title"], before["title"]);
  const again = await undo(at, { request_id: first.request_id });
  assert.equal((await stands(at))["title"], "Late");
  assert.deepEqual((await undo(at, { since })).undone, [again.request_id], "taken back once more");
  assert.equal((await stands(at))["title"], before["title"]);
  await at.kit.gw.refuses("undo_change", { ...ON, since, confirm: true }, "E_NOT_FOUND", nothing);
});

Deno.test("whose changes go back is said where they are not all of one", async () => {
  await using at = await world({ tokens: { ann: { super_admin: false }, admin: { super_admin: true } } });
  const asked = { ...ON, since: new Date(at.kit.gw.clock.now).toISOString() };
  const warned = async () => {
    const { warnings } = await at.kit.preview("undo_change", asked, "admin");
    return warnings.filter((text) => text.startsWith("These are changes of several"));
  };
  await change(at, { title: "Ann's" }, "ann");
  assert.deepEqual(await warned(), []);
  await change(at, { excerpt: "The operator's" }, "admin");
  const page = await at.kit.gw.call<{ id: number }>("create_page_draft", {
    ...ON,
    title: "Page",
    content_html: "<p>Page</p>",
    confirm: true,
  }, { as: "admin" });
  await at.kit.gw.call("update_page_draft", { ...ON, page_id: page.id, title: "Other", confirm: true }, {
    as: "admin",
  });
  const { calls } = await at.kit.preview("undo_change", asked, "admin") as unknown as {
    calls: { fields: string[] }[];
  };
  assert.deepEqual(calls.map(({ fields }) => fields.toSorted()), [["title"], ["excerpt", "title"]]);
  const byToken = await at.kit.preview("undo_change", { ...asked, token: "ann" }, "admin");
  assert.deepEqual(byToken.changes.map(({ field }) => field), ["title"], "of one token alone");
  const alone = { ...ON, request_id: "0".repeat(26), token: "ann" };
  await at.kit.gw.refuses("undo_change", alone, "E_BAD_INPUT", /client, person, token: go with since/, {
    as: "admin",
  });
  const [said] = await warned();
  assert.match(said!, /2 by token admin.*1 by token ann.*give client, person, token or request_ids/);
});

Deno.test("a list of changes says of each that cannot be taken back why", async () => {
  const listed = async (at: World) =>
    (await at.kit.gw.call<{ changes: { undoable: boolean; undoable_reason?: string }[] }>("list_changes", ON))
      .changes.map(({ undoable, undoable_reason }) => [undoable, undoable_reason]);
  await using off = await world({ settings: { undoDays: 0 } });
  await change(off, { title: "New" });
  assert.deepEqual(await listed(off), [[false, "Nothing is kept that could be set back"]]);
  await using on = await world();
  const request_id = await change(on, { title: "New" });
  assert.deepEqual(await listed(on), [[true, undefined]]);
  on.kit.gw.clock.now += 31 * 24 * 60 * 60_000;
  assert.deepEqual(await listed(on), [[false, "Nothing is kept that could be set back"]], request_id);
});

Deno.test("what visitors get is told of several changes too, the least good of them", () => {
  const part = (live: Args | null) =>
    ({ toJSON: () => ({ verified: true, warnings: [], live }) }) as unknown as WriteResult;
  const draft = { toJSON: () => ({ verified: true, warnings: [] }) } as unknown as WriteResult;
  const [good, bad] = [{ as_expected: true, address: "/a" }, { as_expected: false, address: "/b" }];
  const told = (...parts: WriteResult[]) => asOne({}, parts).toJSON()["live"];
  assert.deepEqual(told(draft, part(good)), good);
  assert.deepEqual(told(part(good), part(bad)), bad);
  assert.equal(told(part(good), part(null)), null);
  assert.equal(told(draft, draft), undefined);
});
