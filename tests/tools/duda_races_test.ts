/** Somebody edits a site builder's post or page right before a write: the last look sees it, and nothing is written. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { ahead } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { type DudaWorld, test } from "./_duda.ts";

/** Does something when the record is read for the second time: after the plan, before the write. */
function atSecondRead({ duda }: DudaWorld, id: string, act: () => void): void {
  let reads = 0;
  duda.inject({ kind: "reset" }, {
    method: "GET",
    path: new RegExp(`/${id}$`),
    while() {
      reads++;
      if (reads === 2) act();
      return false;
    },
  });
}

const CALLS: Readonly<Record<string, (world: DudaWorld) => Args>> = {
  update_draft: ({ draft }) => ({ post_id: draft.id, title: "Mine" }),
  schedule_draft: ({ draft }) => ({ post_id: draft.id, scheduled_at: ahead(3600, NOW) }),
  publish_post: ({ draft }) => ({ post_id: draft.id }),
  unschedule: ({ scheduled }) => ({ post_id: scheduled.id }),
  update_page_draft: ({ page }) => ({ page_id: page.uuid, title: "Mine" }),
  duplicate_page: ({ page }) => ({ page_id: page.uuid }),
  inject_page_section: ({ page, section }) => ({ page_id: page.uuid, element_source_id: section }),
  publish_page: ({ page }) => ({ page_id: page.uuid }),
};

for (const [tool, make] of Object.entries(CALLS)) {
  test(`${tool} writes nothing over an edit that came after its plan`, async (world) => {
    const { gw, duda, draft, scheduled, page } = world;
    const args = { site_id: "open", ...make(world), confirm: true };
    const id = String((args as Args)["post_id"] ?? (args as Args)["page_id"]);
    atSecondRead(world, id, () => {
      draft.title = page.title = "Somebody's";
      scheduled.schedule_publish_date = NOW + 9_000_000;
    });
    const says = /was changed after it was looked at; nothing was written: preview again$/;
    await gw.fails(tool, args, "E_STALE_PREVIEW", says);
    assert.deepEqual(duda.writes, []);
    assert.equal((await gw.audit())[0]?.outcome, "none");
  });
}

test("what goes live between the plan and the write is not changed", async (world) => {
  const { gw, duda, draft } = world;
  atSecondRead(world, draft.id, () => Object.assign(draft, { status: "PUBLISHED", publish_date: NOW }));
  await gw.fails(
    "update_draft",
    { site_id: "open", post_id: draft.id, title: "x", confirm: true },
    "E_STALE_PREVIEW",
    /^status: /,
  );
  assert.deepEqual(duda.writes, []);
});
