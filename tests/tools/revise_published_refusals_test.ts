/** revise_published refuses what is not live, and what it was not asked exactly for; no other tool changes what is live. */
import assert from "node:assert/strict";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import type { Args } from "../cms_kit.ts";
import { ground } from "./_ground.ts";
import { live, on, page, typo } from "./_live_content.ts";
import { LIVE } from "./_write_cases.ts";
import { nameOf, WRITES } from "./_writes.ts";

Deno.test("each refusal says which field, what is allowed and what to do, and nothing is written", async () => {
  await using at = await ground();
  const post = live(at);
  const id = (given: Partial<Post>) => on(live(at, given));
  const built = { _elementor_edit_mode: "builder" };
  const rows: readonly [args: Args, code: string, says: RegExp][] = [
    [{ site_id: "cms", title: "x" }, "E_BAD_INPUT", /post_id.*page_id/],
    [on(post, { page_id: 3, title: "x" }), "E_BAD_INPUT", /post_id.*page_id/],
    [on(post), "E_BAD_INPUT", /title.*replacements/],
    [on(post, { title: " " }), "E_BAD_INPUT", /title: must not be blank/],
    [on(post, { slug: "x" }), "E_BAD_INPUT", /slug/],
    [on(post, { title: "x", status: "draft" }), "E_BAD_INPUT", /status/],
    [on(post, { title: "x", date: "2026-01-01T00:00:00Z" }), "E_BAD_INPUT", /date/],
    [
      on(post, { content_html: "x", replacements: [typo] }),
      "E_BAD_INPUT",
      /content_html, replacements: give one of the two/,
    ],
    [on(page(at), { type: "recipe", title: "x" }), "E_BAD_INPUT", /type: goes with post_id/],
    [on(post, { type: "nothing", title: "x" }), "E_NOT_SUPPORTED", /nothing/],
    [on(post, { type: "product", title: "x" }), "E_NOT_SUPPORTED", /type/],
    [on(page(at), { excerpt: "x" }), "E_BAD_INPUT", /excerpt: a page has none/],
    [on(page(at), { tags: [] }), "E_BAD_INPUT", /tags: a page has none/],
    [on(post, { replacements: [{ find: "", replace: "x" }] }), "E_BAD_INPUT", /find/],
    [on(post, { replacements: [{ find: "x", replace: "x", count: 0 }] }), "E_BAD_INPUT", /count/],
    [
      on(post, { replacements: [{ find: "teh", replace: "the" }] }),
      "E_BAD_INPUT",
      /^replacements\[0\]\.find: "teh" stands there 2 times, not once: at 31 ".*teh shop.*", at 56 ".*teh <b>roof.*; nothing is replaced: give count 2, or more of the text/,
    ],
    [
      on(post, { replacements: [typo, { find: "no such words", replace: "" }] }),
      "E_BAD_INPUT",
      /^replacements\[1\]\.find: "no such words" stands there nowhere, not once; .* as it stands in content_html/,
    ],
    [
      on(post, { replacements: [typo, { find: "teh shop", replace: "x" }] }),
      "E_BAD_INPUT",
      /^replacements\[1\]\.find: .* is also found by replacements\[0\]/,
    ],
    [
      on(post, { title: "Live" }),
      "E_BAD_INPUT",
      /^title: the post "Live" has this already; nothing would change/,
    ],
    [
      id({ status: "draft" }),
      "E_FORBIDDEN_OP",
      /^Post \d+ is not live but "draft"; change it with update_draft$/,
    ],
    [id({ status: "pending" }), "E_FORBIDDEN_OP", /is not live but "pending"; change it with update_draft$/],
    [
      id({ status: "future", date: { at: at.gw.clock.now + 9_000_000, floating: false } }),
      "E_FORBIDDEN_OP",
      /is not live but "scheduled"; change it with update_draft$/,
    ],
    [
      on(page(at, { status: "draft" })),
      "E_FORBIDDEN_OP",
      /^Page \d+ is not live but "draft"; change it with update_page_draft$/,
    ],
    [id({ status: "private" }), "E_FORBIDDEN_OP", /is private: visitors do not see it/],
    [id({ status: "trash" }), "E_UPSTREAM|E_FORBIDDEN_OP", /bin|404/],
    [
      on(page(at, { meta: built }), { content_html: "<p>x</p>" }),
      "E_BUILDER_MISMATCH",
      /taken over by the visual builder/,
    ],
    [
      on(live(at, { meta: built }), { replacements: [typo] }),
      "E_BUILDER_MISMATCH",
      /nobody would see this replacements/,
    ],
  ];
  const before = await at.everything();
  for (const [args, code, says] of rows) {
    const call = Object.keys(args).length === 2 && code !== "E_BAD_INPUT" ? { ...args, title: "x" } : args;
    for (const door of ["rest", "mcp"] as const) {
      const ending = await at.gw.end("revise_published", { ...call, confirm: true }, { door });
      assert.ok(
        "code" in ending && code.split("|").includes(ending.code),
        `${JSON.stringify(call)}: ${JSON.stringify(ending)}`,
      );
      assert.match(ending.message, says, `${JSON.stringify(call)}: ${ending.message}`);
    }
  }
  assert.equal(at.writes(), 0);
  assert.equal(await at.everything(), before);
});

Deno.test("what a ceiling, a flag or a platform lacks is refused before anything is sent", async () => {
  await using at = await ground({ tokens: { at2: { max_risk: 2 } } });
  const post = live(at);
  const args = on(post, { title: "x", confirm: true });
  const sent = at.gw.requests.length;
  await at.gw.refuses("revise_published", args, "E_SCOPE_DENIED", /max_risk is 2/, { as: "at2" });
  await at.gw.refuses("revise_published", { ...args, site_id: "static" }, "E_NOT_SUPPORTED");
  await at.gw.store.sites.update("cms", { flags: { allow_publish: false } });
  await at.gw.refuses("revise_published", args, "E_PUBLISH_NOT_ALLOWED", /needs allow_publish on site "cms"/);
  assert.equal(at.gw.requests.length, sent);
});

/** What every other write is called with for what is live. */
const OTHERS = WRITES.filter(({ site, tool }) => site === undefined && !["revise_published"].includes(tool));

for (const guarded of [true, false]) {
  Deno.test(`no other tool changes a field of what is live ${guarded ? "with" : "without"} the plugin's guard`, async () => {
    await using at = await ground({ guarded });
    let tried = 0;
    for (const write of OTHERS) {
      if (/(^|_)md(_|$)|seo|schema/.test(write.tool)) continue; // what these change of what is live has a flag of its own
      const args = write.args(at, 1);
      const id = args["post_id"] ?? args["page_id"];
      if (id === undefined) continue;
      const post = at.cms.posts.get(Number(id))!;
      Object.assign(post, { status: "publish", date: LIVE });
      const before = structuredClone(post);
      const ending = await at.gw.end(write.tool, { site_id: "cms", ...args, confirm: true });
      assert.ok(
        "code" in ending && ending.code === "E_FORBIDDEN_OP",
        `${nameOf(write)}: ${JSON.stringify(ending)}`,
      );
      const lacks = /update/.test(write.tool) &&
        !/by revise_published alone, which needs allow_publish on the site$/.test(ending.message);
      assert.ok(!lacks, `${nameOf(write)} names the way out: ${ending.message}`);
      assert.deepEqual(post, before, nameOf(write));
      tried++;
    }
    assert.ok(tried >= 8, String(tried));
    assert.equal(at.writes(), 0);
  });
}
