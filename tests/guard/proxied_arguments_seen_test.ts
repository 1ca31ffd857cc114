/** No argument of a known write is passed over in silence: where the site's own tool drops it, nothing is verified. */
import assert from "node:assert/strict";
import { cmsTools } from "../../sandbox/tool_servers/cms_catalogue.ts";
import HOSTED from "../../sandbox/tool_servers/crm_tools.gen.json" with { type: "json" };
import type { ListedTool } from "../../sandbox/tool_servers/sdk.ts";
import { container, widget } from "../../sandbox/tool_servers/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, type Served, served } from "../tools/_served.ts";

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
}

const BLOCK = (text: string) => `<!-- wp:paragraph --><p>${text}</p><!-- /wp:paragraph -->`;

/** What any argument of that shape may be. */
function valueOf(name: string, { type, enum: words, items }: Property): unknown {
  if (words) return words.at(-1) === "publish" ? "draft" : words.at(-1);
  if (type === "integer" || type === "number") return 7;
  if (type === "boolean") return true;
  if (type === "array") return [items?.type === "object" ? { title: `One of ${name}` } : `One of ${name}`];
  if (type === "object") return { title: `Some ${name}` };
  return `The ${name} that was sent`;
}

/** A page with a container that holds two headings and a spacer, one with blocks, and what every name may be. */
function fixture(at: Served, tool: string): Args {
  const [one, two] = [widget("heading", { title: "One" }), widget("heading", { title: "Two" })];
  const [into, other] = [container({}, [one, two, widget("spacer")]), container({}, [widget("divider")])];
  const built = at.tools.page({ title: "Page", elements: [into, other] }).id;
  const content = ["A", "B", "C"].map(BLOCK).join("\n\n");
  const blocks = addPost(at.cms.state, { type: "page", status: "draft", author: 1, title: "B", content }).id;
  const isBlock = /-block$|pattern/.test(tool) && !tool.includes("div-block");
  const heading = { type: "widget", widget_type: "heading", settings: { title: "Hello" } };
  return {
    post_id: isBlock ? blocks : built,
    parent_id: tool.endsWith("add-container") || /flexbox|div-block/.test(tool) ? other.id : into.id,
    element_id: one.id,
    container_id: into.id,
    target_parent_id: other.id,
    element_ids: [two.id, one.id],
    position: isBlock ? { mode: "prepend" } : tool.includes("icon-box") ? "left" : 0,
    path: [1],
    markup: BLOCK("New"),
    pattern_name: "site/plain",
    template_id: 901,
    template_json: [{ elType: "widget", widgetType: "heading", settings: { title: "Hello" } }],
    structure: [heading],
    content: tool.endsWith("create-page")
      ? [{ ...heading, elType: "widget", widgetType: "heading" }]
      : "Some text",
    operations: [{ element_id: one.id, settings: { title: "Sent" } }],
    settings: { title: "Sent" },
    widget_type: "button",
    url: "https://example.test/a.jpg",
    colors: [{ _id: "own", title: "Own", color: "#fff" }],
    typography: [{ _id: "own", title: "Own" }],
  };
}

/** What says how a thing is written, and what makes nothing at all; a page is a draft also where that is not asked for. */
const HOW = /^(convert_webp|dry_run|status)$/;
Deno.test("an argument that a tool for pages drops is compared, or named as not compared", async () => {
  const servers = ["mcp-adapter-default-server", "emcp-tools-server", "elementor-mcp-server"] as const;
  await using at = await served({ servers, atomic: true, race_ms: 0 }, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
  });
  const { result } = await (await at.gw.http("/api/v1/tools")).json();
  const listed = new Set((result.tools as { name: string }[]).map(({ name }) => name));
  const passed: string[] = [];
  const tried = new Set<string>();
  for (const { name, inputSchema } of cmsTools()) {
    const bare = name.replace(/^(emcp-tools|elementor-mcp)-/, "");
    const tool = `builder-mcp-${bare}`;
    const properties = inputSchema["properties"] as Readonly<Record<string, Property>>;
    if (
      !listed.has(tool) || tried.has(tool) ||
      !/^(add|create|build|apply|import|save|batch|dupl|insert|move|reorder|remove|side|update|upload)-/.test(
        bare,
      )
    ) continue;
    tried.add(tool);
    const required = inputSchema["required"] as readonly string[] | undefined ?? [];
    for (const dropped of Object.keys(properties).filter((one) => one !== "post_id" && !HOW.test(one))) {
      const own = fixture(at, bare);
      const names = new Set([...required, dropped]);
      const args = Object.fromEntries(
        [...names].map((one) => [one, own[one] ?? valueOf(one, properties[one]!)]),
      );
      const { ran } = at.tools.state;
      const push = ran.push;
      ran.push = (...rows) => {
        if (rows[0]!.tool.endsWith(bare)) delete (rows[0]!.args as Args)[dropped];
        return push.apply(ran, rows);
      };
      const ending = await at.gw.end(tool, { site_id: "open", ...args }) as { value?: Args };
      ran.push = push;
      if (ending.value?.["verified"] === true) passed.push(`${bare}: ${dropped}`);
    }
  }
  assert.deepEqual(passed, []);
  assert.ok(tried.size > 60, `${tried.size} tools`);
});

const LATER = "2999-01-01T10:00:00Z";
/** What the arguments of the hosted tools may be where any value would not do. */
const RECORDS: Readonly<Record<string, Args>> = {
  contacts: { contactId: "contact-1", tags: ["new"], phone: "+15005550006", email: "new@a.test" },
  conversations: { contactId: "contact-1", type: "SMS", subType: "SMS", status: "pending", message: "Hello" },
  opportunities: { id: "opp-0", status: "won" },
  blogs: {
    postId: "post-0",
    blogId: "blog-0",
    status: "DRAFT",
    publishedAt: LATER,
    categories: ["category-0"],
    author: "author-0",
  },
  emails: { type: "html", importProvider: "kajabi" },
  "social-media-posting": {
    id: "social-0",
    accountIds: ["account-0"],
    type: "post",
    status: "draft",
    scheduleDate: LATER,
  },
};
/** What says how a record is written, a message's kind once more, and what a status is already. */
const HOW_RECORDED =
  /_(createNewIfDuplicateAllowed|scheduleTimeUpdated|importProvider|subType)$|(new-message|edit-post): body_status$/;

Deno.test("an argument that a tool of the CRM drops is compared, or named as not compared", async () => {
  const passed: string[] = [];
  let [tried, made] = [0, 0];
  for (const { name, inputSchema } of HOSTED as readonly ListedTool[]) {
    if (!/_(create|update|upsert|edit|add|remove|send)-/.test(name)) continue;
    tried++;
    // A location of its own, whose pace is not used up.
    await using at = await served({}, { settings: { rateLimitToken: 0, rateLimitSite: 0 } });
    const properties = inputSchema["properties"] as Readonly<Record<string, Property>>;
    const required = inputSchema["required"] as readonly string[] | undefined ?? [];
    const bare = (one: string) => one.replace(/^(path|query|body)_/, "");
    const fixed = RECORDS[name.split("_")[0]!]!;
    for (const dropped of Object.keys(properties)) {
      if (bare(dropped) === "locationId" || HOW_RECORDED.test(`${name}: ${dropped}`)) continue;
      const names = new Set([...required.filter((one) => bare(one) !== "locationId"), dropped]);
      const args = Object.fromEntries([...names].map((one) => {
        const value = fixed[bare(one)] ?? valueOf(bare(one), properties[one]!);
        return [one, bare(one) === "urlSlug" ? crypto.randomUUID() : value];
      }));
      const ran = at.hosted.ran as unknown[];
      const push = ran.push;
      Object.assign(ran, {
        push: (...rows: { tool: string; args: Args }[]) => {
          if (rows[0]!.tool === name) delete rows[0]!.args[dropped];
          return push.apply(ran, rows);
        },
      });
      const ending = await at.gw.end(name, { site_id: "crm", ...args }) as { value?: Args };
      Object.assign(ran, { push });
      if (ending.value !== undefined) made++;
      if (ending.value?.["verified"] === true) passed.push(`${name}: ${dropped}`);
    }
  }
  assert.deepEqual(passed, []);
  assert.deepEqual([tried, made > 100], [12, true], `${made} were made`);
});
