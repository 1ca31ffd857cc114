/** replace_text beside the texts of posts and pages: SEO fields, files of a repository, settings of the visual builder. */
import assert from "node:assert/strict";
import { all, container, widget } from "../../sandbox/tool_servers/start.ts";
import { addCompanionFind, type CompanionFind } from "../../sandbox/wordpress_standin/companion_find.ts";
import type { Args, Preview } from "../cms_kit.ts";
import { heldWorld } from "./_held.ts";
import { seoWorld } from "./_seo.ts";
import { test as onFiles } from "./_static.ts";

/** The names of all that a preview would replace. */
const hitsOf = ({ items }: Preview) =>
  items!.flatMap(({ hits }) => (hits as readonly { readonly hit: string }[]).map(({ hit }) => hit));

const AIRSHIP = { site_id: "open", find: "zeppelin", replace: "Airship" };

interface Answer {
  readonly set_id: string;
  readonly items: readonly { readonly tool: string; readonly state: string }[];
}

Deno.test("SEO fields change beside the post that they are of, as they are stored", async () => {
  await using at = await seoWorld();
  const find = addCompanionFind(at.cms.app, at.cms.state);
  const { draft } = at;
  Object.assign(draft, { title: "Zeppelin" });
  const stored = "%%title%% by Zeppelin & Co";
  await at.kit.gw.call("set_seo_meta", { site_id: "live", post_id: draft.id, title: stored, confirm: true });
  find.others.push({
    kind: "post",
    id: draft.id,
    type: "post",
    status: "draft",
    title: "Zeppelin",
    field: "seo.title",
    text: stored,
  });
  const call = { ...AIRSHIP, site_id: "live" };
  const preview = await at.kit.gw.call<Preview>("replace_text", call);
  assert.deepEqual(hitsOf(preview), [`post:${draft.id}:title`, `post:${draft.id}:seo:title`]);
  await at.kit.gw.call("replace_text", { ...call, confirm: true, confirm_token: preview.confirm_token });
  assert.equal(draft.title, "Airship");
  const { title } = await at.kit.gw.call<Args>("get_seo_meta", { site_id: "live", post_id: draft.id });
  assert.equal(title, "%%title%% by Airship & Co");
});

onFiles("files change on the branch that is written to, each only as it was read", async (at) => {
  const contact = "---\ntitle: Call 030 1234567\n---\nCall [030/123 45 67](tel:+49301234567)\n";
  await at.host.commit("acme/site", {
    branch: "main",
    files: {
      "src/content/contact.md": contact,
      "src/data/site.json": '{"phone":"030 1234567","id":301234567}',
      "public/contact.html": "<p>+49 30 1234567</p>",
    },
  });
  await at.gw.call("update_static_route", {
    site_id: "open",
    route: "/",
    html: "<p>030 1234567</p>",
    title: "Call 030 1234567",
    target_branch: "main",
    confirm: true,
  });
  const call = { site_id: "open", find: "030 1234567", replace: "+49 40 765", kind: "phone" };
  const preview = await at.gw.call<Preview>("replace_text", call);
  const paths = [
    "src/content/contact.md",
    "src/data/site.json",
    "public/contact.html",
    "src/pages/index.astro",
  ];
  assert.deepEqual(new Set(hitsOf(preview)), new Set(paths.map((path) => `file:${path}`)));
  const head = await at.head("main");
  const order = { ...call, confirm: true, confirm_token: preview.confirm_token };
  const done = await at.gw.call<Answer>("replace_text", order);
  assert.deepEqual(new Set(done.items.map(({ state }) => state)), new Set(["done"]));
  assert.equal(await at.head("main"), head);
  const branch = (await at.branches()).find((one) => one.startsWith("mcp/"))!;
  const read = async (path: string) =>
    (await at.gw.call<{ content: string }>("read_static_file", { site_id: "open", path, ref: branch }))
      .content;
  assert.equal(
    await read("src/content/contact.md"),
    "---\ntitle: Call +49 40 765\n---\nCall [+49 40 765](tel:+4940765)\n",
  );
  assert.equal(await read("src/data/site.json"), '{"phone":"+49 40 765","id":301234567}');
  assert.equal(await read("public/contact.html"), "<p>+49 40 765</p>");
  const page = await read("src/pages/index.astro");
  assert.match(page, /const html = "\\u003cp>\+49 40 765\\u003c\/p>";\nconst title = "Call \+49 40 765";/);
  // The branch is searched that is written to: nothing is left there, and all of it on the deployed one.
  await at.refuses("replace_text", call, "E_NOT_FOUND", /in the files of branch "mcp\//, "reads");
  const deployed = await at.gw.call<Preview>("replace_text", { ...call, target_branch: "main" });
  assert.equal(deployed.tier, 3);
  await at.gw.call("replace_text", {
    ...call,
    target_branch: "main",
    confirm: true,
    confirm_token: deployed.confirm_token,
  });
  await at.refuses(
    "replace_text",
    { ...call, target_branch: "main" },
    "E_NOT_FOUND",
    /the deployed branch/,
    "reads",
  );
});

onFiles("files that only a flag opens stay where the site lacks it", async (at) => {
  await at.host.commit("acme/site", {
    branch: "main",
    files: { "src/pages/a.astro": "<p>Zeppelin</p>", "src/content/a.md": "Zeppelin" },
  });
  const preview = await at.gw.call<Preview>("replace_text", { ...AIRSHIP, site_id: "closed" });
  const told = preview.warnings.join("\n");
  assert.deepEqual(hitsOf(preview), ["file:src/content/a.md"]);
  assert.match(
    told,
    /Stays: file:src\/pages\/a\.astro: bulk_write_static_files changes it where the site has allow_full_repo_write/,
  );
});

Deno.test("settings of the visual builder change within a hold, all of a page by one call", async () => {
  let find: CompanionFind | undefined;
  await using at = await heldWorld({ adds: ({ app, state }) => find = addCompanionFind(app, state) });
  const heading = widget("heading", { title: "Call Zeppelin", size: "xl" });
  const tabs = widget("tabs", { tabs: [{ tab_title: "Zeppelin" }, { tab_title: "Other" }] });
  const section = container();
  section.elements.push(heading, tabs);
  const page = at.tools.page({ title: "About", elements: [section] });
  const about = {
    kind: "post",
    id: page.id,
    type: "page",
    status: "draft",
    title: "About",
    made: "visual",
  } as const;
  find!.others.push(
    { ...about, field: "builder", within: `heading ${heading.id} title`, text: "Call Zeppelin" },
    { ...about, field: "builder", within: `tabs ${tabs.id} tabs.0.tab_title`, text: "Zeppelin" },
  );
  const call = { ...AIRSHIP, site_id: "acme" };
  const before = at.site();
  const preview = await at.gw.call<Preview>("replace_text", call);
  assert.equal(at.site(), before);
  const [inHeading, inTab] = hitsOf(preview);
  assert.ok(inHeading!.startsWith(`page:${page.id}:builder:heading ${heading.id} title`), inHeading);
  assert.ok(inTab!.startsWith(`page:${page.id}:builder:tabs`), inTab);
  const done = await at.gw.call<Answer>("replace_text", {
    ...call,
    confirm: true,
    confirm_token: preview.confirm_token,
  });
  assert.deepEqual(done.items.map(({ tool, state }) => [tool, state]), [[
    "builder-mcp-batch-update",
    "done",
  ]]);
  const [, title, list] = all(at.tools.state.pages.get(page.id)!.elements).map(({ settings }) => settings);
  assert.deepEqual(title, { title: "Call Airship", size: "xl" });
  assert.deepEqual(list, { tabs: [{ tab_title: "Airship" }, { tab_title: "Other" }] });
});
