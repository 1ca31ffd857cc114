/** Writes that only speak of publishing, deleting and statuses are carried out, over both doors. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { DOORS } from "../cms_kit.ts";
import { ORDINARY } from "./_ordinary.ts";
import { blogPost, type Served, served } from "./_served.ts";

/** How many writes were run, or refused by the tools themselves. */
const asked = (at: Served) => at.tools.ran.length + at.hosted.ran.length;
const HOSTED = /^(contacts|conversations|opportunities|blogs|emails|social-media-posting)_/;

Deno.test("no ordinary write is refused for the words in it", async () => {
  await using at = await served({ race_ms: 0 }, { settings: { rateLimitToken: 0, rateLimitSite: 0 } });
  const { id } = at.tools.page({ title: "Draft" });
  const parent_id = at.tools.state.pages.get(id)!.elements[0]!.id;
  const { id: blocks } = addPost(at.cms.state, {
    type: "page",
    author: 1,
    title: "B",
    content: "<p>Text</p>",
  });
  const refused: string[] = [];
  for (const [n, { tool, args }] of ORDINARY.entries()) {
    const isNew = /-(create|build)-page$/.test(tool);
    const hosted = tool.startsWith("blogs_") ? blogPost(args) : { site_id: "crm", ...args };
    const own = {
      site_id: "acme",
      ...(isNew ? {} : { post_id: tool.endsWith("-block") ? blocks : id, parent_id }),
      ...args,
    };
    const before = asked(at);
    const ending = await at.gw.end(tool, HOSTED.test(tool) ? hosted : own, { door: DOORS[n % 2] });
    // The tool may not like it, which is its own affair: it was asked.
    if (asked(at) === before) refused.push(`${n} ${tool} ${JSON.stringify(args)}: ${JSON.stringify(ending)}`);
  }
  assert.deepEqual(refused, []);
  assert.ok(ORDINARY.length >= 90, `${ORDINARY.length} writes`);
});
