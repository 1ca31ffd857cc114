/** list_changes and undo_change: what was changed is told to whom it belongs, and set back unless somebody changed it since. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { seoWorld } from "./_seo.ts";
import { test, type World, world } from "./_stand_in.ts";

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

interface Listed {
  readonly changes: readonly {
    readonly request_id: string;
    readonly tool: string;
    readonly undoable: boolean;
    readonly fields?: readonly string[];
    readonly undone_by?: string;
  }[];
  readonly next: string;
  readonly cursor?: string;
}

const ON = { site_id: "open" };

/** Changes the draft; answers the request's id. */
async function change(at: World, fields: Args, as?: string): Promise<string> {
  const args = { ...ON, post_id: at.draft.id, ...fields, confirm: true };
  return (await at.kit.gw.call<{ request_id: string }>("update_draft", args, { as })).request_id;
}

test("a change of what was deleted since is not set back, and that is said", async (at) => {
  const request_id = await change(at, { title: "Mine" });
  at.cms.state.posts.delete(at.draft.id);
  for (const confirm of [false, true]) {
    const told = await at.kit.gw.refuses("undo_change", { ...ON, request_id, confirm }, "E_STALE_PREVIEW");
    assert.match(
      told,
      new RegExp(`^${request_id}: The post ${at.draft.id} was put in the bin, deleted .*since`),
    );
  }
});

const undo = (at: World, args: Args, as?: string) =>
  at.kit.gw.call<Undone>("undo_change", { ...ON, ...args, confirm: true }, { as });

const stands = async (at: World) => await at.kit.gw.call<Args>("get_post", { ...ON, post_id: at.draft.id });

test("a change is set back to what stood there, which can itself be taken back", async (at) => {
  const before = await stands(at);
  const request_id = await change(at, { title: "New", content_html: "<p>New</p>", tags: ["fresh"] });
  const preview = await at.kit.preview("undo_change", { ...ON, request_id });
  assert.deepEqual(preview.changes.map(({ field, from, to }) => [field, from, to])[0], [
    "title",
    "New",
    before["title"],
  ]);
  assert.equal((preview as unknown as Args)["undoable"], true);
  const done = await undo(at, { request_id });
  assert.deepEqual([done.undone, done.left_out, done.verified], [[request_id], [], true]);
  const after = await stands(at);
  for (const field of ["title", "content_html", "tags", "status", "slug"]) {
    assert.deepEqual(after[field], before[field], field);
  }
  await at.kit.gw.refuses(
    "undo_change",
    { ...ON, request_id, confirm: true },
    "E_STALE_PREVIEW",
    /was taken back already, by request/,
  );
  await undo(at, { request_id: done.request_id });
  assert.equal((await stands(at))["title"], "New");
});

test("what somebody changed since is not set back, and nothing is written", async (at) => {
  const request_id = await change(at, { title: "New" });
  await change(at, { title: "A person's" });
  const before = at.kit.writes;
  const args = { ...ON, request_id, confirm: true };
  await at.kit.gw.refuses(
    "undo_change",
    args,
    "E_STALE_PREVIEW",
    /"title" changed since, so it is not set back/,
  );
  assert.equal(at.kit.writes, before);
  await change(at, { title: "New" });
  assert.deepEqual(
    (await undo(at, { request_id })).undone,
    [request_id],
    "it is as that change left it again",
  );
});

test("what a person changes between the preview and the confirmation is not overwritten", async (at) => {
  const request_id = await change(at, { title: "New" });
  const { confirm_token } = await at.kit.preview("undo_change", { ...ON, request_id });
  at.edit(at.draft, { title: "A person's" });
  const before = at.kit.writes;
  const args = { ...ON, request_id, confirm: true, confirm_token };
  await at.kit.gw.refuses("undo_change", args, "E_STALE_PREVIEW");
  assert.equal(at.kit.writes, before);
});

test("sent twenty times at once with one token it is carried out once", async (at) => {
  const request_id = await change(at, { title: "New" });
  const { confirm_token } = await at.kit.preview("undo_change", { ...ON, request_id });
  const before = at.kit.writes;
  const all = await Promise.all(
    Array.from(
      { length: 20 },
      () => at.kit.gw.call<Args>("undo_change", { ...ON, request_id, confirm: true, confirm_token }),
    ),
  );
  assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1);
  assert.equal(at.kit.writes - before, 1);
});

test("a field that it did not touch may have changed since", async (at) => {
  const request_id = await change(at, { title: "New" });
  await change(at, { excerpt: "Later" });
  await undo(at, { request_id });
  const { title, excerpt } = await stands(at);
  assert.deepEqual([title === "New", excerpt], [false, "Later"]);
});

test("several changes of one thing go back together, those that somebody changed since are left out", async (at) => {
  const before = await stands(at);
  const one = await change(at, { title: "One" });
  const two = await change(at, { title: "Two", excerpt: "Two" });
  const page = await at.kit.gw.call<{ id: number }>("create_page_draft", {
    ...ON,
    title: "Page",
    content_html: "<p>Page</p>",
    confirm: true,
  });
  const ofPage = async (title: string) =>
    (await at.kit.gw.call<{ request_id: string }>("update_page_draft", {
      ...ON,
      page_id: page.id,
      title,
      confirm: true,
    })).request_id;
  const third = await ofPage("Three");
  await ofPage("A person's");
  const writes = at.kit.writes;
  const done = await undo(at, { request_ids: [one, third, two] });
  assert.deepEqual([...done.undone].sort(), [one, two]);
  assert.deepEqual(done.left_out.map(({ request_id, code }) => [request_id, code]), [[
    third,
    "E_STALE_PREVIEW",
  ]]);
  assert.equal(at.kit.writes - writes, 1, "one write for both");
  const row = (await at.kit.gw.audit())[0]!;
  const after = await stands(at);
  assert.deepEqual([after["title"], after["excerpt"]], [before["title"], before["excerpt"]]);
  assert.deepEqual(row.calls?.map(({ tool, error }) => [tool, error]), [
    ["update_draft", null],
  ]);
});

test("of changes of one thing only that which somebody changed since is left out", async (at) => {
  const before = await stands(at);
  const title = await change(at, { title: "One" });
  at.edit(at.draft, { title: "A person's" });
  const excerpt = await change(at, { excerpt: "One" });
  const both = await change(at, { excerpt: "Two", slug: "two" });
  const done = await undo(at, { request_ids: [title, excerpt, both] });
  assert.deepEqual([[...done.undone].sort(), done.left_out.map(({ request_id }) => request_id)], [
    [excerpt, both],
    [title],
  ]);
  const after = await stands(at);
  assert.deepEqual([after["title"], after["excerpt"], after["slug"]], [
    "A person's",
    before["excerpt"],
    before["slug"],
  ]);
});

Deno.test("all that a person's client did since a time goes back, fixed by what was shown", async () => {
  await using at = await world({
    tokens: { ann: { super_admin: false, owner_user_id: null }, admin: { super_admin: true } },
  });
  const before = await stands(at);
  const early = await change(at, { title: "Early" }, "ann");
  at.kit.gw.clock.now += 60_000;
  const since = new Date(at.kit.gw.clock.now).toISOString();
  const all = [await change(at, { title: "One" }, "ann"), await change(at, { excerpt: "Two" }, "ann")];
  const args = { ...ON, since };
  const shown = await at.kit.preview("undo_change", args, "ann");
  const third = await change(at, { slug: "three" }, "ann");
  await at.kit.gw.fails(
    "undo_change",
    { ...args, confirm: true, confirm_token: shown.confirm_token },
    "E_STALE_PREVIEW",
    /"changes"/,
    { as: "ann" },
  );
  const done = await undo(at, { since }, "ann");
  assert.deepEqual([...done.undone].sort(), [...all, third].sort());
  const after = await stands(at);
  assert.deepEqual([after["title"], after["excerpt"], after["slug"]], [
    "Early",
    before["excerpt"],
    before["slug"],
  ]);
  await at.kit.gw.refuses(
    "undo_change",
    { ...ON, client: "c", request_id: early },
    "E_BAD_INPUT",
    /go with since/,
  );
  const none = { ...ON, since: new Date(at.kit.gw.clock.now + 1000).toISOString() };
  await at.kit.gw.refuses("undo_change", none, "E_NOT_FOUND", /no change from then on/);
});

test("a change in between of what two changes touched keeps the older one from going back", async (at) => {
  const one = await change(at, { title: "One" });
  at.edit(at.draft, { title: "A person's" });
  const two = await change(at, { title: "Two" });
  const done = await undo(at, { request_ids: [one, two] });
  assert.deepEqual([done.undone, done.left_out.map(({ request_id }) => request_id)], [[two], [one]]);
  assert.equal((await stands(at))["title"], "A person's");
});

Deno.test("a change is its token's own; who may do everything sees all", async () => {
  const person = { super_admin: false } as const;
  await using at = await world({ tokens: { ann: person, bob: person, admin: { super_admin: true } } });
  const request_id = await change(at, { title: "Ann's" }, "ann");
  const listed = async (as: string) => await at.kit.gw.call<Listed>("list_changes", ON, { as });
  assert.deepEqual((await listed("ann")).changes.map((one) => one.request_id), [request_id]);
  assert.deepEqual((await listed("bob")).changes, []);
  assert.deepEqual((await listed("admin")).changes.map((one) => one.request_id), [request_id]);
  const unknown = request_id.slice(0, -4) + "0000";
  const [foreign, none] = await Promise.all(
    [request_id, unknown].map((one) =>
      at.kit.gw.refuses("undo_change", { ...ON, request_id: one, confirm: true }, "E_NOT_FOUND", {
        as: "bob",
      })
    ),
  );
  assert.equal(foreign!.replaceAll(request_id, ""), none!.replaceAll(unknown, ""), "alike");
  await undo(at, { request_id }, "admin");
});

Deno.test("an undo takes the steps of the tool that made the change, for its own caller", async () => {
  await using at = await world({ tokens: { ann: { max_risk: 2, super_admin: false } } });
  const request_id = await change(at, { title: "New" }, "ann");
  const sent = at.kit.gw.requests.length;
  const { id } = (await at.kit.gw.store.tokens.list()).find(({ name }) => name === "ann")!;
  const args = { ...ON, request_id, confirm: true };
  await at.kit.gw.store.tokens.update(id, { allowed_tools: ["undo_change"] });
  await at.kit.gw.refuses("undo_change", args, "E_SCOPE_DENIED", /update_draft/, { as: "ann" });
  await at.kit.gw.store.tokens.update(id, { allowed_tools: ["*"], max_risk: 0 });
  await at.kit.gw.refuses("undo_change", args, "E_SCOPE_DENIED", /max_risk is 0/, { as: "ann" });
  await at.kit.gw.store.tokens.update(id, { max_risk: 2 });
  await at.kit.gw.store.sites.update("open", { default_builder: "visual", available_builders: ["visual"] });
  await at.kit.gw.refuses("undo_change", args, "E_STALE_PREVIEW", /its settings have changed since/, {
    as: "ann",
  });
  assert.equal(at.kit.gw.requests.length, sent, "nothing was sent");
});

test("a new post, a publication and a schedule cannot be taken back, and their previews say so", async (at) => {
  const made = await at.kit.gw.call<{ request_id: string }>("create_draft", {
    ...ON,
    title: "T",
    content_html: "<p>x</p>",
    confirm: true,
  });
  const published = await at.kit.gw.call<{ request_id: string }>("publish_post", {
    ...ON,
    post_id: at.draft.id,
    confirm: true,
  });
  for (const { request_id } of [made, published]) {
    await at.kit.gw.refuses("undo_change", { ...ON, request_id, confirm: true }, "E_FORBIDDEN_OP");
  }
  const { changes } = await at.kit.gw.call<Listed>("list_changes", ON);
  assert.deepEqual(changes.map(({ tool, undoable }) => [tool, undoable]), [
    ["publish_post", false],
    ["create_draft", false],
  ]);
  const preview = await at.kit.gw.call<Args>("create_draft", { ...ON, title: "T", content_html: "<p>x</p>" });
  assert.deepEqual([preview["undoable"], typeof preview["undoable_reason"]], [false, "string"]);
});

test("what may have been made is listed apart, and cannot be taken back", async (at) => {
  at.cms.inject({ kind: "html", status: 504 }, { method: "POST", times: 1 });
  const args = { ...ON, post_id: at.draft.id, title: "Perhaps", confirm: true };
  const ending = await at.kit.gw.end("update_draft", args);
  assert.ok("outcome" in ending && ending.outcome === "unknown", JSON.stringify(ending));
  const listed = await at.kit.gw.call<Listed & { unknown: Listed["changes"] }>("list_changes", ON);
  assert.deepEqual([listed.changes, listed.unknown.map(({ tool, undoable }) => [tool, undoable])], [
    [],
    [["update_draft", false]],
  ]);
  const [{ request_id } = { request_id: "" }] = listed.unknown;
  await at.kit.gw.refuses(
    "undo_change",
    { ...ON, request_id, confirm: true },
    "E_FORBIDDEN_OP",
    /nobody knows how it ended/,
  );
});

test("a list is paged, filtered, and says what was taken back", async (at) => {
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.unshift(await change(at, { title: `T${n}` }));
  const first = await at.kit.gw.call<Listed>("list_changes", ON);
  assert.deepEqual(first.changes.map(({ request_id }) => request_id), ids.slice(0, 10));
  assert.ok(JSON.stringify(first).length <= 4096, "a page is short");
  const second = await at.kit.gw.call<Listed>("list_changes", { ...ON, cursor: first.cursor });
  assert.deepEqual(second.changes.map(({ request_id }) => request_id), ids.slice(10));
  for (const { next } of [first, second]) assert.match(next, /get_content_history/);
  const { request_id: by } = await undo(at, { request_id: ids[0]! });
  const [undone, last] = (await at.kit.gw.call<Listed>("list_changes", ON)).changes;
  assert.deepEqual([undone!.request_id, undone!.undoable, undone!.tool], [by, true, "undo_change"]);
  assert.deepEqual([last!.request_id, last!.undone_by, last!.undoable], [ids[0], by, false]);
  const some = async (args: Args) =>
    (await at.kit.gw.call<Listed>("list_changes", { ...ON, ...args })).changes.length;
  assert.equal(await some({ tool: "undo_change" }), 1);
  assert.equal(await some({ tool: "publish_post" }), 0);
  assert.ok(await some({ id: at.draft.id }) > 0);
  assert.equal(await some({ id: 999_999 }), 0);
  assert.equal(await some({ date: "yesterday" }), 0);
  assert.equal(await some({ date: "today" }), 10);
  assert.equal(await some({ since: new Date(at.kit.gw.clock.now + 60_000).toISOString() }), 0);
  for (
    const [args, says] of [
      [{ date: "soon" }, /date: "soon" is no day; give today, yesterday or a day/],
      [{ date: "2026-02-30" }, /is no day/],
      [{ date: "today", since: "2026-11-21T10:00:00Z" }, /date, since: give one of the two/],
      [{ cursor: "x" }, /cursor: give the cursor of the page before/],
    ] as const
  ) {
    await at.kit.gw.refuses("list_changes", { ...ON, ...args }, "E_BAD_INPUT", says);
  }
});

Deno.test("with UNDO_DAYS 0 nothing is kept, and after its days a change is gone", async () => {
  await using off = await world({ settings: { undoDays: 0 } });
  const preview = await off.kit.preview("update_draft", { ...ON, post_id: off.draft.id, title: "New" });
  const { undoable, undoable_reason } = preview as unknown as Args;
  assert.deepEqual([undoable, /UNDO_DAYS is 0/.test(String(undoable_reason))], [false, true]);
  const request_id = await change(off, { title: "New" });
  await off.kit.gw.refuses("undo_change", { ...ON, request_id, confirm: true }, "E_NOT_FOUND");
  await using on = await world({ settings: { undoDays: 2 } });
  const kept = await change(on, { title: "New" });
  on.kit.gw.clock.now += 2 * 24 * 60 * 60_000;
  await on.kit.gw.refuses("undo_change", { ...ON, request_id: kept, confirm: true }, "E_NOT_FOUND");
});

Deno.test("SEO texts go back, cleared ones to nothing; robots, and what may not be written any more, do not", async () => {
  await using at = await seoWorld();
  const site_id = "live";
  const on = { site_id, post_id: at.published.id };
  const { gw } = at.kit;
  const meta = async () => await gw.call<Args>("get_seo_meta", on);
  const set = async (fields: Args) =>
    (await gw.call<{ request_id: string }>("set_seo_meta", { ...on, ...fields, confirm: true })).request_id;
  await set({ description: "Old" });
  const before = await meta();
  const request_id = await set({ title: "New", description: "New" });
  const done = await gw.call<Undone>("undo_change", { site_id, request_id, confirm: true });
  assert.deepEqual([done.undone, done.verified], [[request_id], true]);
  const after = await meta();
  assert.deepEqual([after["title"], after["description"]], [before["title"], before["description"]]);
  const robots = await set({ robots: { noindex: true } });
  await gw.refuses("undo_change", { site_id, request_id: robots, confirm: true }, "E_FORBIDDEN_OP");
  await gw.store.sites.update(site_id, { flags: { allow_seo_on_published: false } });
  const args = { site_id, request_id: done.request_id, confirm: true };
  await gw.refuses("undo_change", args, "E_FORBIDDEN_OP", /allow_seo_on_published/);
});
