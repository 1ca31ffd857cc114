/** On a real WordPress, the whole database looked at: what was approved is done once, and over nobody's edit. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, DOORS, freshPng } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

type Rows = Record<string, string[]>;

/** Every row of the database, by table. */
async function dump(at: Real): Promise<Rows> {
  const { status, body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Rows;
}

/** How many rows a table has more than before; of posts without the revisions that WordPress keeps of each change. */
const more = (before: Rows, after: Rows, table: string) =>
  after[table]!.filter((row) => !before[table]!.includes(row) && !row.includes('"post_type":"revision"'))
    .length -
  before[table]!.filter((row) => !after[table]!.includes(row)).length;

async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  const flags = { allow_publish: true, allow_seo_on_published: true };
  const credentials = { cms: { username, application_password } };
  const seo = { enabled: true, channel: "plugin" } as const;
  return await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [registered("whole", "cms", { base_url: site.base_url, credentials, flags, seo })],
  });
}

interface Case {
  readonly tool: string;
  args(at: Real): Promise<Args>;
  /** Where a person changes what the call replaces. */
  readonly edit?: (at: Real, args: Args) => Promise<unknown>;
  /** New rows of posts and terms that the write makes; none where it changes what is there. */
  readonly makes?: { readonly posts?: number; readonly terms?: number };
}

const person = (type: "posts" | "pages", field: string) => (at: Real, args: Args) =>
  at.ask.rest("admin", "POST", `/${type}/${args["post_id"] ?? args["page_id"]}`, { [field]: "By a person" });
const draft = async (at: Real, type: "posts" | "pages" = "posts") =>
  await at.ask.draft("admin", { title: fresh("Mine"), content: "<p>Old</p>" }, type);

const CASES: readonly Case[] = [
  {
    tool: "create_draft",
    args: () => Promise.resolve({ title: fresh("New"), content_html: "x", tags: [fresh("Tag")] }),
    edit: (at, { tags }) => at.ask.rest("admin", "POST", "/tags", { name: (tags as string[])[0] }),
    makes: { posts: 1, terms: 1 },
  },
  {
    tool: "update_draft",
    args: async (at) => ({ post_id: await draft(at), title: fresh("Changed") }),
    edit: person("posts", "title"),
  },
  {
    tool: "schedule_draft",
    args: async (at) => ({ post_id: await draft(at), scheduled_at: ahead(7200) }),
    edit: person("posts", "content"),
  },
  {
    tool: "publish_post",
    args: async (at) => ({ post_id: await draft(at) }),
    edit: person("posts", "excerpt"),
  },
  {
    tool: "upload_media",
    args: () => Promise.resolve({ filename: "dot.png", content_base64: freshPng(), alt_text: "A dot" }),
    makes: { posts: 1 },
  },
  {
    tool: "create_taxonomy",
    args: () => Promise.resolve({ taxonomy: "category", name: fresh("Kind") }),
    edit: (at, { name }) => at.ask.rest("admin", "POST", "/categories", { name }),
    makes: { terms: 1 },
  },
  {
    tool: "create_page_from_code",
    args: () => Promise.resolve({ title: fresh("Code"), html: "<p>x</p>", css: "p{margin:0}" }),
    makes: { posts: 1 },
  },
  {
    tool: "update_page_draft",
    args: async (at) => ({ page_id: await draft(at, "pages"), content_html: "<p>Mine</p>" }),
    edit: person("pages", "content"),
  },
  {
    tool: "publish_page",
    args: async (at) => ({ page_id: await draft(at, "pages") }),
    edit: person("pages", "title"),
  },
  {
    tool: "set_seo_meta",
    args: async (at) => ({ post_id: await draft(at), title: fresh("Seo"), robots: { noindex: true } }),
    edit: (at, { post_id }) => at.ask.rest("admin", "POST", `/posts/${post_id}`, { status: "pending" }),
  },
];

async function approved(at: Real, tool: string, args: Args): Promise<Args> {
  const { confirm_token } = await at.kit.gw.call<{ confirm_token: string }>(tool, args);
  return { ...args, confirm: true, confirm_token };
}

onWordPress({
  async "what a person changed after the preview is refused, and not one row of the database is another"(
    site,
  ) {
    await using at = await open(site);
    for (const { tool, args, edit } of CASES) {
      if (edit === undefined) continue;
      for (const door of DOORS) {
        const call = await approved(at, tool, { site_id: "whole", ...await args(at) });
        await edit(at, call);
        const theirs = await dump(at);
        const ending = await at.kit.gw.end(tool, call, { door });
        assert.ok(
          "code" in ending && ending.code === "E_STALE_PREVIEW",
          `${tool}: ${JSON.stringify(ending)}`,
        );
        assert.deepEqual(await dump(at), theirs, tool);
      }
    }
  },

  async "equal calls at once leave what one of them leaves, and once more leaves every row as it is"(site) {
    await using at = await open(site);
    // WordPress makes the rows of its menus for the first visitor: publishing looks at the page as one.
    for (const path of ["/", "/?p=1"]) await (await fetch(`${site.base_url}${path}`)).text();
    for (const { tool, args, makes = {} } of CASES) {
      const call = await approved(at, tool, { site_id: "whole", ...await args(at) });
      const before = await dump(at);
      const all = await Promise.all(
        Array.from({ length: 6 }, (_, n) => at.kit.gw.call<Args>(tool, call, { door: DOORS[n % 2] })),
      );
      assert.equal(all.filter(({ replayed }) => replayed !== true).length, 1, tool);
      const after = await dump(at);
      const made = ["posts", "terms"].map((table) => more(before, after, table));
      assert.deepEqual(made, [makes.posts ?? 0, makes.terms ?? 0], `${tool}: rows`);
      for (const door of DOORS) {
        assert.equal((await at.kit.gw.call<Args>(tool, call, { door }))["replayed"], true);
      }
      assert.deepEqual(await dump(at), after, tool);
    }
  },
}, { plugins: [PLUGIN, fixture("dump")] });
