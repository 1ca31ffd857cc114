/** No destructive, publishing or unapproved call of a site's own tools ever leaves: whatever its name and whatever it is sent. */
import assert from "node:assert/strict";
import { cmsTools } from "../../sandbox/tool_servers/cms_catalogue.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { DOORS } from "../cms_kit.ts";
import { type Args, type Served, served } from "../tools/_served.ts";

const OPEN = { settings: { rateLimitToken: 0, rateLimitSite: 0 } };
/** Every word that a name may not have, written down once more. */
const DESTRUCTIVE =
  /(^|[^a-z])(delete|trash|destroy|purge|erase|wipe|drop|uninstall|deactivate|publish|unpublish)([^a-z]|$)/i;
const BELOW =
  /(^|[^a-z])(files?|directory|query|tables?|rows?|sql|cli|php|snippet|plugins?|theme|users?|sandbox|rollback|restore)([^a-z]|$)/i;

/** The tools that a caller is shown, and the state of what visitors see. */
async function shown({ gw }: Served): Promise<ReadonlySet<string>> {
  const { result } = await (await gw.http("/api/v1/tools")).json();
  return new Set((result.tools as { name: string }[]).map(({ name }) => name));
}
const visible = ({ cms }: Served) =>
  [...cms.posts.values()].filter(({ status }) => ["publish", "private", "future"].includes(status))
    .map(({ id, status, title, content }) => [id, status, title, content]);
const live = (at: Served) =>
  JSON.stringify([
    visible(at),
    [...at.tools.state.pages].filter(([id]) => at.cms.posts.get(id)?.status === "publish"),
  ]);

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
}

/** What any argument of that shape may be. */
function valueOf({ type, enum: words, items }: Property): unknown {
  if (words) return words[0];
  if (type === "integer" || type === "number") return 7;
  if (type === "boolean") return true;
  if (type === "array") return items === undefined ? [] : [valueOf(items)];
  return type === "object" ? {} : "text";
}

/** The arguments that a tool of that name demands. */
function fittingArguments(name: string, post_id: number): Args {
  const tool = cmsTools().find((one) =>
    one.name.replace(/^emcp-tools-/, "builder-mcp-") === name || one.name === name
  );
  const { properties = {}, required = [] } = tool?.inputSchema as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const values = required.map((one) => [one, one === "post_id" ? post_id : valueOf(properties[one]!)]);
  return Object.fromEntries(values);
}

Deno.test("of all that a site's servers can do, only what is listed is ever run, and it publishes nothing", async () => {
  const all = {
    fresh: true,
    atomic: true,
    servers: ["mcp-adapter-default-server", "emcp-tools-server"],
  } as const;
  await using at = await served({ ...all, race_ms: 0 }, OPEN);
  const draft = at.tools.page({ title: "Draft" });
  const published = at.tools.page({ title: "Live", status: "publish" });
  const blocks = addPost(at.cms.state, { type: "page", author: 1, title: "Blocks", content: "<p>Text</p>" });
  const listed = await shown(at);
  const before = live(at);
  const names = new Set(
    cmsTools().flatMap(({ name }) => [name, name.replace(/^emcp-tools-/, "builder-mcp-")]),
  );
  assert.ok(names.size > 200);
  const posts = [draft, published, blocks];
  for (const [at_n, name] of [...names].entries()) {
    // What is not listed is refused by its name: one post and one door in turn show it.
    for (const [n, post] of posts.map((post, n) => [n + at_n, post] as const)) {
      if (!listed.has(name) && n % posts.length !== 0) continue;
      const args = {
        site_id: "acme",
        post_id: post.id,
        id: post.id,
        title: "T",
        type: "page",
        confirm: true,
        post_status: "publish",
        ability_name: "emcp-tools/delete-post",
        name: "emcp-tools-write-file",
        parameters: { post_id: post.id },
        arguments: { path: "a.php", content: "<?php" },
        settings: { post_status: "publish" },
        operation: "delete-menu",
        path: "a.php",
        command: "post delete 1",
        sql: "DROP TABLE wp_posts",
        colors: [],
        username: "x",
        email: "a@b.example",
      };
      const fitting = { site_id: "acme", ...fittingArguments(name, post.id) };
      const more = { ...fitting, status: "publish", settings: { post_status: "publish" } };
      for (const one of listed.has(name) ? [args, fitting, more] : [fitting]) {
        const ending = await at.gw.end(name, one, { door: DOORS[n % DOORS.length] });
        if (!listed.has(name)) assert.ok("code" in ending, `${name} is not listed and was answered`);
      }
    }
  }
  const ran = new Set(at.tools.ran.map(({ tool }) => tool));
  for (const tool of ran) {
    assert.ok(!DESTRUCTIVE.test(tool), tool);
    assert.ok(!BELOW.test(tool.replace(/^emcp-tools-/, "")), tool);
    const served = tool.replace(/^emcp-tools-/, "builder-mcp-").replace(
      "elementor-version",
      "builder-version",
    );
    assert.ok(listed.has(served), `${tool} was run and is not listed as ${served}`);
  }
  assert.ok(ran.size > 30, `${ran.size} were run, so that not all is refused`);
  assert.equal(live(at), before, "visitors see what they saw");
});

Deno.test("no hosted tool beyond the known ones is run, and none writes where the site may not be written", async () => {
  await using at = await served({}, OPEN);
  const row = (name: string) => ({ name, description: "d", inputSchema: { type: "object", properties: {} } });
  at.hosted.alter = (tools) =>
    [
      ...tools,
      ...["contacts_delete-contact", "blogs_publish-post", "workflows_run-workflow"].map(row),
    ] as typeof tools;
  at.gw.clock.now = Date.now() + 3_600_000;
  for (
    const name of [
      "contacts_delete-contact",
      "blogs_publish-post",
      "workflows_run-workflow",
      "contacts_add-tags",
      "contacts_remove-tags",
      "conversations_send-a-new-message",
      "blogs_create-blog-post",
      "social-media-posting_create-post",
    ]
  ) {
    for (const door of DOORS) {
      const ending = await at.gw.end(name, { site_id: "closed", contactId: "contact-1", tags: ["x"] }, {
        door,
      });
      assert.ok("code" in ending, name);
    }
  }
  assert.deepEqual(at.writes(), []);
});
