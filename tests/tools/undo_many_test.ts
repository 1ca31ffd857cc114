/** undo_change of more changes since a time than go back at once: what stays is named or counted, and what was not looked at is said. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { row } from "../unit/store/kit.ts";
import { test, type World } from "./_stand_in.ts";

interface Undone {
  readonly undone: readonly string[];
  readonly left_out: readonly { readonly request_id: string }[];
  readonly request_id: string;
}

const ON = { site_id: "open" };
const TITLE = 26;

const change = async (at: World, fields: Args) =>
  (await at.kit.gw.call<Undone>("update_draft", { ...ON, post_id: at.draft.id, ...fields, confirm: true }))
    .request_id;

/** So many changes, the newest first. */
async function changes(at: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.unshift(await change(at, { excerpt: `E${n}` }));
  return ids;
}

/** So many changes that look as if they could be taken back; nobody ever made them. */
async function appended(at: World, count: number, isUndoable = true): Promise<void> {
  const { store, clock } = at.kit.gw;
  const grant = (await store.tokens.list()).find(({ name }) => name === "all")!.id;
  const site_id = "open";
  const setback = {
    tool: "update_draft",
    site_id,
    destination: "elsewhere",
    of: {},
    values: {},
    found: null,
  };
  const one = async (n: number) => {
    const id = `0${String(n).padStart(TITLE - 1, "0")}`;
    const of = { request_id: id, site_id, grant, setbacks: [setback], left: [{ title: "x" }] };
    const beside = isUndoable ? await store.changes.begin(of) ?? [] : [];
    const at = new Date(clock.now).toISOString();
    await store.audit.append(row(id, { request_id: id, site_id, outcome: "made", at }), beside);
  };
  const together = isUndoable ? 20 : count; // what goes along with rows fits one commit
  for (let n = 0; n < count; n += together) {
    await Promise.all(Array.from({ length: Math.min(together, count - n) }, (_, more) => one(n + more)));
  }
}

const warnings = async (at: World, since: string) =>
  (await at.kit.preview("undo_change", { ...ON, since })).warnings;

const undo = (at: World, args: Args) =>
  at.kit.gw.call<Undone>("undo_change", { ...ON, ...args, confirm: true });

const now = (at: World) => new Date(at.kit.gw.clock.now).toISOString();

test("of more than go back at once each is named, and goes back when it is asked for again", async (at) => {
  const since = now(at);
  const ids = await changes(at, 55);
  const [said, ...others] = await warnings(at, since);
  assert.deepEqual(others, []);
  assert.match(said!, /^50 changes go back at once; 5 older ones stay until it is asked for again, or by /);
  for (const id of ids.slice(50)) assert.ok(said!.includes(`${id} (update_draft)`), id);
  assert.deepEqual((await undo(at, { since })).undone, ids.slice(0, 50));
  assert.deepEqual((await undo(at, { since })).undone, ids.slice(50));
});

test("what lies beyond what was looked at is said to, and the rest is counted", async (at) => {
  const since = now(at);
  await appended(at, 1200);
  await changes(at, 50);
  const [more, beyond, ...others] = await warnings(at, since);
  assert.deepEqual(others, []);
  assert.match(more!, /^50 changes go back at once; 950 older ones stay .*\(create_draft\) and 900 more$/);
  assert.match(
    beyond!,
    /^There are more than the newest 1000 changes from then on, and those beyond were not/,
  );
});

test("an undo of what lies beyond is not taken back: it may be of that time", async (at) => {
  const since = now(at);
  const first = await change(at, { title: "First" });
  await appended(at, 1200);
  const { request_id: undone } = await undo(at, { request_id: first });
  const ids = await changes(at, 49);
  const done = await undo(at, { since });
  assert.deepEqual(done.undone, ids);
  assert.ok(!done.left_out.some(({ request_id }) => request_id === undone));
  assert.equal((await at.kit.gw.call<Args>("get_post", { ...ON, post_id: at.draft.id }))["title"], "Before");
});

test("where nothing of very many goes back it is not said of all of them", async (at) => {
  const since = now(at);
  await appended(at, 10_050, false);
  const says =
    /none of the newest 10000 changes from then on can be taken back, and older ones were not looked at/;
  await at.kit.gw.refuses("undo_change", { ...ON, since }, "E_NOT_FOUND", says);
});

test("where the newest that go back at once all stay, each is named, and so are the older ones", async (at) => {
  const since = now(at);
  const ids = await changes(at, 52);
  at.edit(at.draft, { excerpt: "A person's" });
  const message = await at.kit.gw.refuses("undo_change", { ...ON, since, confirm: true }, "E_STALE_PREVIEW");
  assert.match(
    message,
    /; nor do these go back: (\S+ \(E_STALE_PREVIEW\)(, )?){10} and 39 more; older ones go back by /,
  );
  for (const id of ids.slice(50)) assert.ok(message.includes(`${id} (update_draft)`), id);
  const one = await at.kit.gw.refuses(
    "undo_change",
    { ...ON, request_id: ids[0]!, confirm: true },
    "E_STALE_PREVIEW",
  );
  assert.doesNotMatch(one, /nor do|older ones/);
});
