/** No destructive, publishing or unapproved call of a site's own tools ever leaves: names and payloads of every kind. */
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
      const harmless = { site_id: "acme", post_id: post.id, element_id: "a", parent_id: "", title: "T" };
      for (const one of listed.has(name) ? [args, harmless] : [harmless]) {
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

/** Numbers that look random and are the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor(state / 4_294_967_296 * below);
  };
}

const POISONS: readonly Args[] = [
  ...["publish", "PUBLISHED", "future", "private", "trash", " publish", "Live", "schedule"].flatMap((
    value,
  ) => [
    { status: value },
    { post_status: value },
    { postStatus: [value] },
    { template_status: { value } },
  ]),
  { publish: true },
  { published: "yes" },
  { force_delete: true },
  { operation: "delete-menu" },
  { action: "trash" },
  { op: "unpublish" },
  { tool: "emcp-tools-delete-post" },
  { ability_name: "emcp-tools/write-file", parameters: {} },
  { tool_name: "emcp-tools-add-free-widget", arguments: { post_id: 1 } },
  { ops: [{ type: "DROP" }] },
  { actions: ["save", "Purge"] },
  { operation: "dеlete" },
  { fields: [{ name: "post_status", content: "publish" }] },
  { columns: ["title", "post_status"], rows: [["T", "private"]] },
  { "post_statuѕ": "inherit" },
  { "ｓｔａｔｕｓ": "publish" },
  { visibility: "public" },
  { unprivate: true },
  { data: btoa('{"post_status":"publish"}') },
  { data: encodeURIComponent('{"post_status":"future"}') },
  { data: 'a:1:{s:11:"post_status";s:7:"publish";}' },
  { data: "<wp:status>publish</wp:status>" },
  { data: "title: T\nstatus: publish\n" },
  { data: "wp post update 5 --post_status=publish" },
  { data: "UPDATE wp_posts SET post_status = 'publish'" },
  { content: '<!-- wp:acme/post {"post_status":"publish"} /-->' },
];
const HARMLESS: readonly Args[] = [
  { status: "draft" },
  { post_status: "pending" },
  { text: "publish or delete, as you like" },
  { state: "hover" },
  { operation: "update" },
  { comment_status: "open" },
  { drop_cap: "yes" },
  { text: "<wp:status>publish</wp:status>" },
  { editor: "status: publish\ntitle: T" },
  { note: "The status is: publish" },
  { data: btoa('{"post_status":"draft"}') },
  { data: 'a:1:{s:11:"post_status";s:5:"draft";}' },
  { visibility: "hidden" },
  { content: '<!-- wp:heading {"className":"status publish"} --><h2>Publish</h2><!-- /wp:heading -->' },
];

/** Puts something somewhere within other things: objects, lists, texts that are JSON, with what is harmless beside it. */
function buried(inner: Args, next: (below: number) => number): Args {
  let found: unknown = inner;
  for (let levels = next(8); levels > 0; levels--) {
    const beside = HARMLESS[next(HARMLESS.length)]!;
    found = [
      () => ({ ...beside, settings: found }),
      () => [beside, found],
      () => ({ data: JSON.stringify(found) }),
      () => ({ data: JSON.stringify(found).replace(/[\\"]/g, "\\$&") }), // as PHP's older ways leave it
      () => ({ [`k${next(100)}`]: found }),
    ][next(5)]!();
  }
  return typeof found === "object" && !Array.isArray(found) ? found as Args : { settings: found };
}

Deno.test("whatever publishes or destroys is found wherever it is buried, and what is harmless passes", async () => {
  await using at = await served({ race_ms: 0 }, OPEN);
  const { id } = at.tools.page({ title: "Draft" });
  const parent_id = at.tools.state.pages.get(id)!.elements[0]!.id;
  const before = live(at);
  const next = random(20_261_122);
  const WRITES = ["update-page-settings", "add-free-widget", "create-page", "batch-update"];
  for (let n = 0; n < 400; n++) {
    const bad = n % 2 === 0;
    const [pool, door] = [bad ? POISONS : HARMLESS, DOORS[next(2)]!];
    const tool = WRITES[next(WRITES.length)]!;
    const payload = {
      post_id: id,
      parent_id,
      widget_type: "heading",
      title: "T",
      settings: {},
      ...buried(pool[next(pool.length)]!, next),
    };
    const byName = next(3) === 0;
    const call = byName
      ? {
        name: "mcp-adapter-execute-ability",
        args: { ability_name: `emcp-tools/${tool}`, parameters: payload },
      }
      : { name: `builder-mcp-${tool}`, args: payload };
    const writes = at.writes().length;
    const ending = await at.gw.end(call.name, { site_id: "acme", ...call.args }, { door });
    const sent = at.writes().length > writes;
    const shown = `${n} ${door} ${call.name} ${JSON.stringify(call.args)} ${JSON.stringify(ending)}`;
    if (bad) {
      assert.ok("code" in ending && ending.code === "E_FORBIDDEN_OP" && !sent, shown);
    } else {
      // The tool may not like it, which is its own affair: it was asked.
      assert.ok(!("code" in ending) || ending.code === "E_TOOL_ERROR", shown);
    }
  }
  assert.equal(live(at), before, "visitors see what they saw");
});
