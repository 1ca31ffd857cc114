/** A date without a time: what is scheduled for it goes live as that day begins at the site. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { DOORS } from "../cms_kit.ts";
import { dudaWorld } from "./_duda.ts";
import { test } from "./_stand_in.ts";

/** The beginning of 2026-12-01 in Copenhagen, where the stand-in is. */
const BEGINS = "2026-11-30T23:00:00Z";

for (const door of DOORS) {
  test(`through ${door} a post and a page are scheduled for a day of the site's own`, async (at) => {
    const page = addPost(at.cms.state, { type: "page", author: 1, title: "A page", status: "draft" });
    const cases = [
      ["schedule_draft", { post_id: at.draft.id }],
      ["schedule_page", { page_id: page.id }],
    ] as const;
    for (const [tool, id] of cases) {
      const call = { site_id: "acme", ...id, scheduled_at: "2026-12-01" };
      const { summary } = await at.kit.preview(tool, call);
      assert.match(summary, /go live at 2026-11-30T23:00:00Z, which is 2026-12-01 00:00 at the site/);
      const { done, row } = await at.kit.write(door, tool, call);
      assert.equal(done.status, "scheduled");
      const stored = at.cms.posts.get(Number(Object.values(id)[0]))!;
      assert.equal(stored.date.at, Date.parse(BEGINS));
      assert.deepEqual(row.changes!.find(({ field }) => field === "scheduled_at"), {
        field: "scheduled_at",
        from: null,
        to: BEGINS,
      });
    }
  });
}

test("a day that has begun at the site is refused, and nothing is written", async (at) => {
  const call = { site_id: "acme", post_id: at.draft.id };
  // It is noon of 2026-11-21 UTC: that day has begun at the site, and the one before it everywhere.
  for (const scheduled_at of ["2026-11-21", "2026-11-20"]) {
    const says = /^scheduled_at: .* is not at least 60 s ahead/;
    await at.kit.refuses("schedule_draft", { ...call, scheduled_at }, "E_FORBIDDEN_OP", says);
  }
  assert.equal(at.cms.posts.get(at.draft.id)!.status, "draft");
});

Deno.test("a site that does not tell its time zone wants the time and the zone", async () => {
  await using at = await dudaWorld();
  const call = { site_id: "closed", post_id: at.draft.id, scheduled_at: "2026-12-01" };
  const said = await at.gw.refuses("schedule_draft", call, "E_BAD_INPUT");
  assert.match(said, /does not tell its time zone; add both, as in "2026-12-01T00:00:00\+01:00"$/);
  assert.deepEqual(at.duda.writes, []);
});
