/** CMS sites set up otherwise: plain permalinks, application passwords off. */
import assert from "node:assert/strict";
import { startCms } from "../../../sandbox/wordpress/start.ts";
import { CMS_KINDS } from "../../tier.ts";
import { draft, ignore, on, type Row } from "./_scenarios.ts";
import { ahead, worldOf } from "./_world.ts";

for (const kind of CMS_KINDS) {
  const where = kind === "wordpress" ? on : "the stand-in";
  Deno.test({
    name: `plain permalinks are found and used on ${where}`,
    ignore: kind === "wordpress" && ignore,
    async fn() {
      await using cms = await startCms({ kind, plain_permalinks: true });
      const world = worldOf(cms);
      const { id } = await draft(world, { tags: ["A & B"] });
      assert.equal(
        (await world.call<Row>("schedule_draft", { post_id: id, scheduled_at: ahead(7200) })).status,
        "scheduled",
      );
      const listed = await world.call<{ posts: Row[] }>("list_drafts", {
        status: "scheduled",
        page: 1,
        per_page: 5,
      });
      assert.deepEqual(listed.posts.map((row) => row.id), [id]);
    },
  });
  Deno.test({
    name: `application passwords that are off are told on ${where}`,
    ignore: kind === "wordpress" && ignore,
    async fn() {
      await using cms = await startCms({ kind, environment: "production" });
      const { checks } = await worldOf(cms).call<{ checks: { name: string; ok: boolean; detail: string }[] }>(
        "diagnose_site",
      );
      const found = checks.find(({ name }) => name === "credentials");
      assert.deepEqual([found?.ok, found?.detail], [false, "The site has application passwords turned off"]);
    },
  });
}
