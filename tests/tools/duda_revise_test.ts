/** What is live at a site builder, corrected in the fields that its API takes; everything else is refused unsent. */
import assert from "node:assert/strict";
import type { PublishGrant } from "../../platforms/_http/request.ts";
import { dudaPolicy } from "../../platforms/duda/egress.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { ALIAS, test } from "./_duda.ts";

for (const door of DOORS) {
  test(`revise_published through ${door} changes title, excerpt and tags of a live post, which stays as it is else`, async (world) => {
    const { gw, duda, live } = world;
    Object.assign(live, { description: "Old", tags: ["Sea"], content: "<p>Text</p>", path: "out" });
    const args = { site_id: "open", post_id: live.id, title: "Corrected", excerpt: "New", tags: ["Sky"] };
    const preview = await gw.call<Args>("revise_published", args, { door });
    assert.deepEqual([preview["tier"], preview["undoable"], duda.writes], [3, true, []]);
    assert.match(String((preview["warnings"] as string[]).at(-1)), /live says what visitors get/);
    const done = await world.write("revise_published", args, door);
    assert.deepEqual([done["id"], done["status"], done["verified"]], [live.id, "published", true]);
    assert.deepEqual(
      [live.title, live.description, live.tags, live.content, live.path, live.status],
      ["Corrected", "New", ["Sky"], "<p>Text</p>", "out", "PUBLISHED"],
    );
    assert.deepEqual(duda.writes.map(({ method }) => method), ["PATCH"]);
    const [row] = await gw.audit();
    assert.deepEqual([row?.tier, row?._published], [3, true]);
    await gw.call("undo_change", { site_id: "open", request_id: done["request_id"], confirm: true }, {
      door,
    });
    assert.deepEqual([live.title, live.description, live.tags], ["Out", "Old", ["Sea"]]);
  });
}

test("what somebody changed since the preview is not overwritten, nor is what is no longer live", async ({ gw, duda, live }) => {
  const args = { site_id: "open", post_id: live.id, title: "Mine" };
  const { confirm_token } = await gw.call<{ confirm_token: string }>("revise_published", args);
  live.title = "Somebody's";
  await gw.refuses("revise_published", { ...args, confirm: true, confirm_token }, "E_STALE_PREVIEW");
  live.status = "DRAFT";
  await gw.refuses(
    "revise_published",
    { ...args, confirm: true },
    "E_FORBIDDEN_OP",
    /is not live but "draft"; change it with update_draft/,
  );
  assert.deepEqual([duda.writes, live.title], [[], "Somebody's"]);
});

test("without the flag, and for what the platform cannot change, it is refused and nothing is written", async (world) => {
  const { live, livePage, draft } = world;
  const on = { site_id: "open", post_id: live.id };
  await world.refuses(
    "revise_published",
    { ...on, site_id: "closed", title: "x" },
    "E_PUBLISH_NOT_ALLOWED",
    /allow_publish/,
  );
  for (
    const more of [{ content_html: "<p>x</p>" }, { replacements: [{ find: "a", replace: "b" }] }, {
      categories: ["x"],
    }, { featured_media_id: 1 }]
  ) {
    const [name] = Object.keys(more);
    await world.refuses(
      "revise_published",
      { ...on, ...more },
      "E_NOT_SUPPORTED",
      new RegExp(`^${name}: only cms sites have it`),
    );
  }
  const page = { site_id: "open", page_id: livePage.uuid, title: "x" };
  await world.refuses(
    "revise_published",
    page,
    "E_NOT_SUPPORTED",
    /^page_id: .*goes live with the whole site/,
    "nothing",
  );
  await world.refuses(
    "revise_published",
    { site_id: "open", post_id: draft.id, title: "x" },
    "E_FORBIDDEN_OP",
    /is not live/,
    "reads",
  );
  await world.refuses(
    "update_draft",
    { ...on, title: "x" },
    "E_FORBIDDEN_OP",
    /changed by revise_published alone, which needs allow_publish/,
    "reads",
  );
});

Deno.test("the egress policy lets a right to publish change a post's title, description and tags, and nothing else of it", () => {
  const site = { site_alias: ALIAS } as Parameters<typeof dudaPolicy>[1]["site"];
  const settings = { SITEBUILDER_API_BASE: "https://api.duda.co/api" } as Parameters<
    typeof dudaPolicy
  >[1]["settings"];
  const judged = (json: unknown, grant?: PublishGrant) =>
    dudaPolicy(
      {
        method: "PATCH",
        url: `https://api.duda.co/api/sites/multiscreen/${ALIAS}/blog/posts/p1`,
        headers: {},
        effect: "write",
        json,
        ...grant ? { grant } : {},
      },
      { site, settings, now: 0 } as Parameters<typeof dudaPolicy>[1],
    );
  const grant = { site_id: "open", tool: "revise_published" } as PublishGrant;
  assert.equal(judged({ title: "x", description: "y", tags: [] }, grant), null);
  assert.match(judged({ path: "x" }, grant) ?? "", /"path" is never set/);
  assert.match(judged({ schedule_publish_date: null }, grant) ?? "", /"schedule_publish_date" is never set/);
  assert.equal(judged({ path: "x" }), null);
});
