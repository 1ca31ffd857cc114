/** A date without a time: what is scheduled for it goes live as that day begins at the site. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
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

for (const door of DOORS) {
  test(`through ${door} a time without a zone is the site's own, and both readings are answered`, async (at) => {
    const call = { site_id: "acme", post_id: at.draft.id, scheduled_at: "2026-12-01T09:30" };
    const { summary } = await at.kit.preview("schedule_draft", call);
    assert.match(
      summary,
      /go live at 2026-12-01T08:30:00Z, which is 2026-12-01 09:30 at the site \(Europe\/Copenhagen\)/,
    );
    const { done } = await at.kit.write<Args>(door, "schedule_draft", call);
    assert.deepEqual([done["scheduled_at"], done["scheduled_at_site"]], [
      "2026-12-01T08:30:00Z",
      "2026-12-01 09:30 (Europe/Copenhagen)",
    ]);
    assert.equal(at.cms.posts.get(at.draft.id)!.date.at, Date.parse("2026-12-01T08:30:00Z"));
  });
}

test("a time that the site's clocks lack, or have twice, is refused before anything is written", async (at) => {
  const call = { site_id: "acme", post_id: at.draft.id };
  const cases = [["2027-03-28T02:30", /does not come at the site/], [
    "2027-10-31T02:30",
    /comes twice at the site/,
  ]] as const;
  for (const [scheduled_at, says] of cases) {
    await at.kit.refuses("schedule_draft", { ...call, scheduled_at }, "E_BAD_INPUT", says, "reads");
  }
  assert.equal(at.cms.posts.get(at.draft.id)!.status, "draft");
});

test("a preview in the site's zone is stale once the site has another one", async (at) => {
  const call = { site_id: "acme", post_id: at.draft.id, scheduled_at: "2026-12-01T09:30" };
  await at.kit.gw.call("list_drafts", { site_id: "acme" }); // the zone is remembered for an hour
  at.kit.gw.clock.now += 58 * 60_000;
  const { confirm_token } = await at.kit.preview("schedule_draft", call);
  Object.assign(at.cms.state, { timezone: "America/New_York" });
  at.kit.gw.clock.now += 3 * 60_000;
  const says = /time_zone/;
  await at.kit.gw.fails("schedule_draft", { ...call, confirm: true, confirm_token }, "E_STALE_PREVIEW", says);
  assert.equal(at.cms.posts.get(at.draft.id)!.status, "draft");
});

test("the site's zone is named where times are", async (at) => {
  const ping = await at.kit.both<Args>("ping_site", { site_id: "acme" });
  const drafts = await at.kit.both<Args>("list_drafts", { site_id: "acme" });
  assert.deepEqual([ping["timezone"], drafts["timezone"]], ["Europe/Copenhagen", "Europe/Copenhagen"]);
});

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
  const timed = await at.gw.refuses(
    "schedule_draft",
    { ...call, scheduled_at: "2026-12-01T09:30" },
    "E_BAD_INPUT",
  );
  assert.match(
    timed,
    /has no time zone, and the site does not tell .* add it, as in "2026-12-01T09:30:00\+01:00"$/,
  );
  assert.deepEqual(at.duda.writes, []);
});
