/** undo_change at a site builder: fields of drafts go back, and what its API cannot take back is said in the preview. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { type DudaWorld, test } from "./_duda.ts";

interface Shown {
  readonly undoable: boolean;
  readonly undoable_reason?: string;
}

const ON = { site_id: "open" };

const write = ({ gw }: DudaWorld, tool: string, args: Args) =>
  gw.call<Args & { request_id: string }>(tool, { ...ON, ...args, confirm: true });
const undo = (at: DudaWorld, request_id: string) => write(at, "undo_change", { request_id });
const shown = ({ gw }: DudaWorld, tool: string, args: Args) => gw.call<Shown>(tool, { ...ON, ...args });

test("fields of a draft post go back, which can be taken back too", async (at) => {
  const { draft } = at;
  const fields = { title: "After", excerpt: "Longer", slug: "after", tags: ["Sea"] };
  assert.equal((await shown(at, "update_draft", { post_id: draft.id, ...fields })).undoable, true);
  const { request_id } = await write(at, "update_draft", { post_id: draft.id, ...fields });
  const done = await undo(at, request_id);
  const now = () => [draft.title, draft.description, draft.path, draft.tags, draft.status];
  assert.deepEqual(now(), ["Before", "Short", "before", [], "DRAFT"]);
  assert.equal(done["verified"], true);
  await undo(at, done.request_id);
  assert.deepEqual(now(), ["After", "Longer", "after", ["Sea"], "DRAFT"]);
});

test("what a person changed since stays, and what went live is not touched", async (at) => {
  const { draft } = at;
  const { request_id } = await write(at, "update_draft", { post_id: draft.id, title: "After" });
  draft.title = "A person's";
  const args = { ...ON, request_id, confirm: true };
  await at.refuses("undo_change", args, "E_STALE_PREVIEW", /"title" changed since/, "reads");
  draft.title = "After";
  draft.description = "A person's";
  draft.status = "PUBLISHED";
  draft.publish_date = at.gw.clock.now - 1000;
  await at.refuses(
    "undo_change",
    args,
    "E_FORBIDDEN_OP",
    /is published; .* by revise_published alone/,
    "reads",
  );
  Object.assign(draft, { status: "DRAFT", publish_date: null });
  await undo(at, request_id);
  assert.deepEqual(
    [draft.title, draft.description],
    ["Before", "A person's"],
    "another field may have changed",
  );
});

test("fields of a draft page go back, a staging too; what had no value is not said to go back", async (at) => {
  const { page } = at;
  page.seo = { title: "Old", description: "Old", no_index: false };
  const fields = {
    title: "Team",
    seo: { title: "New" },
    header_html: "<meta name=a>",
    publish_on_next_site_publish: true,
  };
  const { request_id } = await write(at, "update_page_draft", { page_id: page.uuid, ...fields });
  assert.equal(page.draft_status, "STAGED_DRAFT");
  const done = await undo(at, request_id);
  assert.deepEqual(
    [page.title, page.seo.title, page.seo.description, page.header_html ?? "", page.draft_status],
    ["About", "Old", "Old", "", "DRAFT"],
  );
  assert.equal(done["verified"], true);
  page.draft_status = "STAGED_DRAFT";
  const cases: readonly (readonly [string, Args, RegExp])[] = [
    ["update_page_draft", { seo: { og_image: "https://a.example/b.png" } }, /^seo.og_image: had no value/],
    [
      "update_page_draft",
      { publish_on_next_site_publish: false },
      /is not staged again by taking a change back/,
    ],
    ["inject_page_section", { element_source_id: at.section }, /takes no section off a page/],
  ];
  for (const [tool, args, says] of cases) {
    const { undoable, undoable_reason } = await shown(at, tool, { page_id: page.uuid, ...args });
    assert.equal(undoable, false, tool);
    assert.match(undoable_reason ?? "", says);
  }
});

test("what revise_published changed of a live post goes back by itself, under its own flag", async (at) => {
  const { live, gw } = at;
  const { request_id } = await write(at, "revise_published", { post_id: live.id, title: "Corrected" });
  const site = (await gw.store.sites.get("open"))!;
  await gw.store.sites.update("open", { flags: { ...site.flags, allow_publish: false } });
  const args = { ...ON, request_id, confirm: true };
  await at.refuses("undo_change", args, "E_PUBLISH_NOT_ALLOWED", /allow_publish/, "nothing");
  await gw.store.sites.update("open", { flags: site.flags });
  await undo(at, request_id);
  assert.deepEqual([live.title, live.status], ["Out", "PUBLISHED"]);
});
