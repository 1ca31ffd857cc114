/** What a write changed of other posts that visitors see is named by each tool whose write the companion plugin watches. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { ground } from "./_ground.ts";
import { nameOf, WRITES } from "./_writes.ts";

/** As Elsewhere::tell() of companion/site-ops names another post that the write changed. */
const HEADER = ["x-site-ops-elsewhere", "77 categories"] as const;
const GUARDED = "/site-ops/v1/guarded/";
/** Written under a lock of its own, for it is no post (Guarded_Routes::write()). */
const UNWATCHED = "/seo/redirects";

Deno.test("each guarded write of a CMS names what it changed of other posts, and is not verified", async (t) => {
  const named: string[] = [];
  for (const write of WRITES.filter((one) => one.site === undefined)) {
    await t.step(nameOf(write), async () => {
      let watched = 0;
      const told = async (input: string | URL | Request, init?: RequestInit) => {
        const answer = await fetch(input, init);
        const { pathname } = new URL(String(input));
        if (init?.method !== "POST" || !pathname.includes(GUARDED) || pathname.endsWith(UNWATCHED)) {
          return answer;
        }
        watched++;
        const headers = new Headers(answer.headers);
        headers.set(...HEADER);
        return new Response(answer.body, { status: answer.status, headers });
      };
      await using at = await ground({ repositories: write.tool.includes("md"), fetch: told });
      const args = { site_id: "cms", ...write.args(at, 1) };
      const { confirm_token } = await at.gw.call<Args>(write.tool, args);
      const done = await at.gw.call<Args>(write.tool, { ...args, confirm: true, confirm_token });
      if (watched === 0) return;
      named.push(write.tool);
      assert.equal(done["verified"], false, JSON.stringify(done));
      assert.match(
        JSON.stringify(done["warnings"]),
        /post 77, which visitors see, was changed .*\(categories\)/,
      );
    });
  }
  assert.deepEqual([...new Set(named)].toSorted(), [
    "create_page_draft",
    "create_page_from_code",
    "publish_page",
    "publish_post",
    "revise_published",
    "schedule_draft",
    "schedule_page",
    "set_custom_schema",
    "set_seo_meta",
    "set_seo_schema",
    "unschedule",
    "update_draft",
    "update_page_draft",
    "update_page_from_code",
  ]);
});
