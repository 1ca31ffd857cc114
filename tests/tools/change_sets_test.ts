/** Change sets: one preview, one consent, each item a call of its own, proven site by site. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { freshPng } from "../cms_kit.ts";
import { instead } from "../instead.ts";
import { test as standIn, type World, world } from "./_stand_in.ts";

interface Item {
  readonly item: number;
  readonly state: string;
  readonly request_id?: string;
  readonly id?: number;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Answer {
  readonly needs_confirmation?: boolean;
  readonly confirm_token: string;
  readonly set_id: string;
  readonly state: string;
  readonly items: readonly Item[];
  readonly verified: boolean | null;
  readonly replayed?: boolean;
}

const draft = (site_id: string, title: string) => ({
  tool: "create_draft",
  arguments: { site_id, title, content_html: `<p>${title}</p>` },
});

standIn("a set is shown as one, confirmed once, and each item leaves a row of its own", async (at) => {
  const { gw } = at.kit;
  const changes = [
    draft("acme", "Set one"),
    { tool: "update_draft", arguments: { site_id: "acme", post_id: { $from: 1 }, title: "Set one renamed" } },
    draft("open", "Set two"),
  ];
  const shown = await gw.call<Answer>("prepare_changes", { title: "Three", changes });
  assert.equal(shown.needs_confirmation, true);
  assert.equal(at.kit.writes, 0);
  const order = { title: "Three", changes, confirm: true, confirm_token: shown.confirm_token };
  const done = await gw.call<Answer>("prepare_changes", order);
  assert.equal(done.verified, true);
  assert.deepEqual(done.items.map(({ state }) => state), ["done", "done", "done"]);
  const again = await gw.call<Answer>("prepare_changes", order);
  assert.equal(again.replayed, true);
  const rows = (await gw.audit()).filter((row) => row.set_id === shown.set_id);
  const told = rows.map(({ tool, status, item, outcome }) => [tool, status, item, outcome]);
  assert.deepEqual(told.toSorted(), [
    ["create_draft", "ok", 1, "made"],
    ["create_draft", "ok", 3, "made"],
    ["prepare_changes", "needs_confirmation", undefined, undefined],
    ["prepare_changes", "ok", undefined, "made"],
    ["update_draft", "ok", 2, "made"],
  ]);
  const titles = [...at.cms.posts.values()].map(({ title }) => title);
  assert.deepEqual(titles.filter((one) => one.startsWith("Set")), ["Set one renamed", "Set two"]);
});

const order = (changes: readonly unknown[], more: Record<string, unknown> = {}) => ({
  title: "A set",
  changes,
  ...more,
});

async function consented(at: World, changes: readonly unknown[]) {
  const { gw } = at.kit;
  const shown = await gw.call<Answer>("prepare_changes", order(changes));
  return await gw.call<Answer>("prepare_changes", {
    ...order(changes),
    confirm: true,
    confirm_token: shown.confirm_token,
  });
}

const ON = { site_id: "open" };

standIn(
  "items on the same post see what those before them have left",
  async (at) => {
    const { id } = at.draft;
    const changes = [
      { tool: "update_draft", arguments: { ...ON, post_id: id, title: "One" } },
      { tool: "update_draft", arguments: { ...ON, post_id: id, title: "Two" } },
      { tool: "publish_post", arguments: { ...ON, post_id: id } },
    ];
    const done = await consented(at, changes);
    assert.deepEqual(done.items.map(({ state }) => state), ["done", "done", "done"], JSON.stringify(done));
    assert.deepEqual([at.cms.posts.get(id)!.title, at.cms.posts.get(id)!.status], ["Two", "publish"]);
  },
);

for (const change of [{ title: "A person's" }, { content: "<p>A person's</p>" }]) {
  Deno.test(`what an earlier item made is changed only as it was left, ${Object.keys(change)}`, async () => {
    const person: { edits?: (url: string) => void } = {};
    await using at = await world({
      fetch: async (input, init) => {
        if (init?.method !== "POST") person.edits?.(String(input));
        return await fetch(input, init);
      },
    });
    const { gw } = at.kit;
    const changes = [
      draft("open", "Made"),
      { tool: "update_draft", arguments: { ...ON, post_id: { $from: 1 }, title: "Renamed" } },
      { tool: "publish_post", arguments: { ...ON, post_id: { $from: 1 } } },
    ];
    const shown = await gw.call<Answer>("prepare_changes", order(changes));
    person.edits = (url) => {
      const made = [...at.cms.posts.values()].find(({ title }) => title === "Made");
      if (made !== undefined && url.includes(`/posts/${made.id}?context=edit`)) {
        at.edit(made, change);
      }
    };
    const done = await gw.call<Answer>("prepare_changes", {
      ...order(changes),
      confirm: true,
      confirm_token: shown.confirm_token,
    });
    assert.deepEqual(
      done.items.map(({ state }) => state),
      ["done", "failed", "not_begun"],
      JSON.stringify(done),
    );
    assert.equal(done.items[1]!.error!.code, "E_STALE_PREVIEW");
  });
}

standIn("a set is one line among the changes, which opens, and goes back by its id", async (at) => {
  const { gw } = at.kit;
  const before = at.cms.posts.get(at.draft.id)!.title;
  const changes = [
    { tool: "update_draft", arguments: { ...ON, post_id: at.draft.id, title: "Of the set" } },
    { tool: "update_draft", arguments: { ...ON, post_id: at.draft.id, excerpt: "Of the set" } },
    draft("open", "New"),
  ];
  const { set_id } = await consented(at, changes);
  await gw.call("update_draft", { ...ON, post_id: at.draft.id, slug: "after", confirm: true });
  const list = await gw.call<{ changes: Record<string, unknown>[] }>("list_changes", ON);
  assert.deepEqual(list.changes.map((one) => one["set_id"] ?? one["tool"]), ["update_draft", set_id]);
  const [, line] = list.changes;
  assert.deepEqual(
    [line!["changes"], line!["tools"], line!["undoable"], line!["undoable_changes"]],
    [3, { create_draft: 1, update_draft: 2 }, true, 2],
  );
  const opened = await gw.call<{ changes: Record<string, unknown>[] }>("list_changes", {
    ...ON,
    set: set_id,
  });
  assert.deepEqual(opened.changes.map(({ item }) => item), [3, 2, 1]);
  const undone = await gw.call<{ undone: string[]; warnings: string[] }>("undo_change", {
    ...ON,
    set_id,
    confirm: true,
  });
  assert.equal(undone.undone.length, 2);
  const again = { ...ON, set_id, confirm: true };
  await gw.refuses(
    "undo_change",
    again,
    "E_NOT_FOUND",
    /nothing is left .*; 2 of 3 were taken back already, by /,
  );
  assert.equal(at.cms.posts.get(at.draft.id)!.title, before);
});

standIn("what is there already is not changed by an item whose plan nobody could see", async (at) => {
  const { gw } = at.kit;
  const image = { tool: "upload_media", arguments: { ...ON, filename: "a.png", content_base64: freshPng() } };
  const of = (change: Record<string, unknown>) =>
    order([image, { tool: "update_draft", arguments: { ...ON, ...change } }]);
  const says =
    /item 2 \(update_draft\): E_BAD_INPUT, featured_media_id: .* item 1 is done; do that one first, and give its id/;
  await gw.refuses(
    "prepare_changes",
    of({ post_id: at.draft.id, featured_media_id: { $from: 1 } }),
    "E_BAD_INPUT",
    says,
  );
  const made = draft("open", "With an image");
  const changes = [image, { ...made, arguments: { ...made.arguments, featured_media_id: { $from: 1 } } }];
  const done = await consented(at, changes);
  assert.deepEqual(done.items.map(({ state }) => state), ["done", "done"]);
  const post = await gw.call<{ featured_media_id: number }>("get_post", {
    ...ON,
    post_id: done.items[1]!.id,
  });
  assert.equal(post.featured_media_id, done.items[0]!.id);
});

standIn("what an item warns of stands among the warnings of the set", async (at) => {
  const changes = [{
    tool: "create_draft",
    arguments: { site_id: "author", title: "S", content_html: "<script>1</script>" },
  }];
  const { items, verified, ...done } = await consented(at, changes) as Answer & { warnings: string[] };
  assert.deepEqual([items[0]!.state, verified], ["done", false]);
  assert.ok(done.warnings.some((one) => one.startsWith("Item 1: content_html")), done.warnings.join("\n"));
});

Deno.test("who waits for a set that another instance is at work on opens it once, not at each look", async () => {
  let opened = 0;
  await using at = await world({
    store: (real) =>
      instead(real, {
        sets: instead(real.sets, { find: (set_id) => (opened++, real.sets.find(set_id)) }),
      }),
  });
  const { gw } = at.kit;
  const { set_id } = await gw.call<Answer>("prepare_changes", order([draft("open", "Elsewhere")]));
  await gw.store.sets.start(set_id);
  await gw.store.leases.hold(`set ${set_id}`, LIMITS.SET_LEASE_MS, async () => {
    opened = 0;
    const told = await gw.call<Answer>("get_change_set", { set_id, wait_seconds: 1 });
    assert.deepEqual([told.state, opened], ["running", 2], "to see whose it is, and to tell of it");
  });
});
