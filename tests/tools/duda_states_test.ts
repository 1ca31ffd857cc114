/** Posts of a site builder are scheduled, taken back and published, each looked at afterwards. */
import assert from "node:assert/strict";
import { ahead, type Args, DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { test } from "./_duda.ts";

const in_ = (seconds: number) => ahead(seconds, NOW);

for (const door of DOORS) {
  test(`through ${door} a draft is scheduled, moved, taken back and published`, async (world) => {
    const { gw, draft, duda } = world;
    const post = { site_id: "closed", post_id: draft.id };
    const status = async (tool: string, args: Args) => {
      const done = await world.write(tool, args, door);
      assert.equal(done["verified"], true);
      return done["status"];
    };
    assert.equal(await status("schedule_draft", { ...post, scheduled_at: in_(3600) }), "scheduled");
    assert.deepEqual([draft.status, draft.schedule_publish_date], ["DRAFT", NOW + 3_600_000]);
    assert.deepEqual(duda.writes.at(-1)?.body, { schedule_publish_date: in_(3600).slice(0, 19) });
    assert.equal(await status("schedule_draft", { ...post, scheduled_at: in_(7200) }), "scheduled");
    const [row] = await gw.audit();
    assert.deepEqual(row?.changes, [{ field: "scheduled_at", from: in_(3600), to: in_(7200) }]);
    assert.equal(await status("unschedule", post), "draft");
    assert.deepEqual([draft.status, draft.schedule_publish_date], ["DRAFT", null]);
    assert.equal(await status("publish_post", { ...post, site_id: "open" }), "published");
    assert.equal(draft.status, "PUBLISHED");
  });
}

test("a preview of what goes live warns that the text is not shown", async (world) => {
  const { gw, draft, duda } = world;
  const publish = await gw.call<Args>("publish_post", { site_id: "open", post_id: draft.id });
  assert.deepEqual([publish["tier"], publish["summary"]], [
    3,
    'Publish "Before" on open for everyone to see',
  ]);
  assert.match((publish["warnings"] as string[]).join(), /does not show the text of a post/);
  assert.deepEqual(duda.writes, []);
});

test("publish_post without allow_publish is refused before anything is asked", async (world) => {
  const args = { site_id: "closed", post_id: world.draft.id, confirm: true };
  await world.refuses("publish_post", args, "E_PUBLISH_NOT_ALLOWED", /needs allow_publish/);
  const page = { site_id: "closed", page_id: world.page.uuid, confirm: true };
  await world.refuses("publish_page", page, "E_PUBLISH_NOT_ALLOWED", /needs allow_publish/);
});

test("an unschedule where the platform keeps the date unpublishes, which leaves a draft", async (world) => {
  const { duda, scheduled } = world;
  duda.state.switches.clears_dates = false;
  const done = await world.write("unschedule", { site_id: "closed", post_id: scheduled.id });
  assert.deepEqual([done["status"], scheduled.schedule_publish_date], ["draft", null]);
  assert.deepEqual(duda.writes.map(({ path }) => path.split("/").at(-1)), [scheduled.id, "unpublish"]);
});

test("a schedule that did not stick, or published, is taken back and told", async (world) => {
  const { gw, duda, draft } = world;
  const args = { site_id: "open", post_id: draft.id, scheduled_at: in_(3600), confirm: true };
  duda.inject({ kind: "answer", status: 200, body: { id: draft.id } }, { method: "PATCH" });
  const says = /state "draft" instead of the schedule; it was made a draft again at once$/;
  await gw.fails("schedule_draft", args, "E_UPSTREAM", says);
  // Somebody publishes it between the write and the look after it.
  const before = duda.requests.length;
  duda.inject({ kind: "answer", body: { id: draft.id } }, {
    method: "PATCH",
    while: () => {
      Object.assign(draft, { status: "PUBLISHED", publish_date: NOW });
      return duda.requests.length > before && draft.publish_date !== null;
    },
    times: 1,
  });
  const published = await gw.end("schedule_draft", args);
  assert.ok("code" in published && published.code === "E_FORBIDDEN_OP", JSON.stringify(published));
  assert.match(
    published.message,
    /state "published" instead of the schedule; it was made a draft again at once$/,
  );
  assert.equal(draft.status, "DRAFT");
});

test("a schedule needs sixty seconds by the gateway's clock and by the platform's", async (world) => {
  const { draft } = world;
  const at = (seconds: number) => ({
    site_id: "open",
    post_id: draft.id,
    scheduled_at: in_(seconds),
    confirm: true,
  });
  for (const seconds of [-3600, 0, 59]) {
    await world.refuses("schedule_draft", at(seconds), "E_FORBIDDEN_OP", /at least 60 s ahead of now/);
  }
  const done = await world.write("schedule_draft", at(62));
  assert.equal(done["status"], "scheduled");
});
