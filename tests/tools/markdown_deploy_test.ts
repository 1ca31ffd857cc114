/** deploy_md_to_site: a markdown file becomes a draft on a CMS, and is told so; CMS and repository are both witnesses. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import type { NewSite } from "../../store/store.ts";
import { type Args, DOORS, type Refusal } from "../cms_kit.ts";
import { site } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { FILES, JOURNAL, REPO, StaticWorld, type WorldOptions } from "./_static.ts";

const POST = [
  "---",
  "# for the journal",
  'title: "Fish & Chips" # working title',
  "slug: fish",
  "type: post",
  "status: published",
  "excerpt: Short $&",
  "tags: [Sea, Salt]",
  "categories: Food",
  "---",
  "# Heading",
  "",
  "Text with *emphasis* \u{1f600} and <script>alert(1)</script>",
  "",
].join("\r\n");
const PAGE = "---\ntitle: About\nslug: about\ntype: page\nstatus: live\n---\nAbout us\n";
const PATHS = { post: "posts/fish.md", page: "pages/about.md" };
const MARKDOWN = { ...FILES, [PATHS.post]: POST, [PATHS.page]: PAGE };

/** A world whose CMS sites are "blog" (linked to the repository), "visual", "both" and "stranger" (bad password). */
class DeployWorld implements AsyncDisposable {
  constructor(readonly at: StaticWorld, readonly cms: WordPressStandIn) {}

  static async open(options: WorldOptions = {}): Promise<DeployWorld> {
    const cms = await startWordPressStandIn();
    const { username, application_password } = cms.users.admin;
    const credentials = { cms: { username, application_password } };
    const on = (id: string, more: Partial<NewSite> = {}) =>
      site(id, "cms", { base_url: cms.base_url, credentials, repo: JOURNAL, repo_branch: "main", ...more });
    const builders = (...available_builders: Site["available_builders"]) => ({ available_builders });
    const wrong = { cms: { username, application_password: "abcd efgh ijkl mnop qrst uvwx" } };
    const sites = [
      on("blog"),
      on("visual", builders("visual")),
      on("both", { ...builders("visual", "block"), default_builder: "visual" }),
      on("stranger", { credentials: wrong }),
      site("builder", "sitebuilder", { repo: JOURNAL, repo_branch: "main" }),
      on("shown", { confirm_policy: "preview" }),
    ];
    const at = await StaticWorld.open({
      files: MARKDOWN,
      tokens: { here: { allowed_sites: ["blog"] }, careful: { max_risk: 2 } },
      ...options,
      sites: [...sites, ...options.sites ?? []],
    });
    return new DeployWorld(at, cms);
  }

  /** The refusal, with nothing written on either side. */
  async refuses(args: Args, code: Code, expected: Refusal): Promise<void> {
    const { writes } = this.cms;
    await this.at.refuses("deploy_md_to_site", args, code, expected);
    assert.equal(this.cms.writes.length, writes.length);
    assert.equal(this.drafts().length, 0);
  }

  drafts() {
    return [...this.cms.posts.values()].filter(({ slug }) => slug === "fish" || slug === "about");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
    await this.cms.stop();
  }
}

const test = scenes(() => DeployWorld.open());

for (const door of DOORS) {
  for (const type of ["post", "page"] as const) {
    test(`a ${type}'s file becomes a draft, whatever status it has, through ${door}`, async (world) => {
      const { at, cms } = world;
      const path = PATHS[type];
      const args = { site_id: "closed", path, target_site_id: "blog" };
      const preview = await at.preview("deploy_md_to_site", args);
      const title = type === "post" ? "Fish & Chips" : "About";
      assert.equal(preview.tier, 1);
      assert.equal(preview.summary, `Make the ${type} draft "${title}" of "${path}" on blog`);
      const told = Object.fromEntries(preview.changes.map(({ field, to }) => [field, to]));
      assert.deepEqual([told["title"], told["status"]], [title, "draft"]);
      assert.deepEqual(cms.writes, []);

      const { done, row } = await at.quietly(() => at.write(door, "deploy_md_to_site", args));
      const [made] = world.drafts();
      assert.ok(made);
      assert.equal(world.drafts().length, 1);
      assert.deepEqual([made.type, made.status, made.title], [type, "draft", title]);
      assert.deepEqual(done, {
        type,
        target_site_id: "blog",
        id: made.id,
        status: "draft",
        url: done["url"],
        path,
        sha: (await at.both<Args>("read_md_from_repo", { site_id: "closed", path }))["sha"],
        deployment_recorded: false,
        ...type === "post" ? { notes: ["<script> was left out with its content"] } : {},
      });
      assert.deepEqual([row.tier, row.target_site_id, row.result_id], [1, "blog", made.id]);
      if (type === "page") {
        assert.match(made.content, /About us/);
        return;
      }
      assert.match(made.content, /<h1>Heading<\/h1>[^]*Text with <em>emphasis<\/em> \u{1f600}/u);
      assert.doesNotMatch(made.content, /script|alert/);
      assert.equal(made.excerpt, "Short $&");
      const names = new Map([...cms.state.terms.values()].map((term) => [term.id, term.name]));
      assert.deepEqual([...made.tags, ...made.categories].map((id) => names.get(id)), [
        "Sea",
        "Salt",
        "Food",
      ]);
    });
  }

  Deno.test(`a deployment is written down in the file in one commit, through ${door}`, async () => {
    for (const [site_id, tier, repo] of [["blog", 1, JOURNAL], ["open", 3, REPO]] as const) {
      await using world = await DeployWorld.open();
      const { at } = world;
      const args = { site_id, path: PATHS.post, target_site_id: "blog", append_deployment: true };
      const preview = await at.preview("deploy_md_to_site", args);
      assert.equal(preview.tier, tier);
      assert.match(preview.summary, /, and write it down in the file on branch "main"$/);
      const parent = await at.head("main", repo);
      const { done } = await at.write(door, "deploy_md_to_site", args);
      const [made] = world.drafts();
      assert.ok(made);
      const after = (await at.host.files(repo))[PATHS.post]!;
      const time = /deployed_at: (\S+)/.exec(after)?.[1] ?? "";
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
      const entry = [
        "deployments:",
        "  - site_id: blog",
        "    type: post",
        `    id: ${made.id}`,
        `    url: ${done["url"]}`,
        `    deployed_at: ${time}`,
        "---",
        "# Heading",
      ];
      const wanted = POST.replace("---\r\n# Heading", entry.join("\r\n"));
      await at.wrote({
        repo,
        branch: "main",
        parent,
        line: `Record a deployment of ${PATHS.post}`,
        files: { [PATHS.post]: wanted },
      });
      assert.equal(done["deployment_recorded"], true);
      const { sha } = await at.both<Args>("read_md_from_repo", { site_id, path: PATHS.post });
      assert.equal(done["sha"], sha);
    }
  });
}

Deno.test("a file that was deployed to the site before says so, before and after, and to another site does not", async () => {
  const having = (entries: string) =>
    PAGE.replace("status: live", `deployments:\n${entries.replace(/^/gm, "  - ")}`);
  const nameless = "{site_id: blog, type: {toString: 1}}";
  const odd = "{site_id: both, type: page, id: 3}\nnull\nx\n{site_id: blog, type: page, id: 7}\n{id: 9}";
  await using world = await DeployWorld.open({
    files: { ...MARKDOWN, "odd.md": having(odd), "word.md": having("blog"), "bare.md": having(nameless) },
  });
  const { at } = world;
  const args = { site_id: "closed", path: "odd.md", target_site_id: "blog" };
  const says = /The file's deployments name "page 7" on blog already; this makes one more$/;
  assert.match((await at.preview("deploy_md_to_site", args)).summary, says);
  const { done } = await at.write<{ notes: string[] }>("rest", "deploy_md_to_site", args);
  assert.match(done.notes[0]!, says);
  const bare = { ...args, path: "bare.md" };
  assert.match(
    (await at.preview("deploy_md_to_site", bare)).summary,
    /deployments name a draft on blog already;/,
  );
  const fresh = { ...args, path: "word.md" };
  assert.match((await at.preview("deploy_md_to_site", fresh)).summary, /on blog$/);

  const own = { site_id: "blog", path: PATHS.page, append_deployment: true };
  const first = (await at.write("rest", "deploy_md_to_site", own)).done;
  assert.doesNotMatch(JSON.stringify(first), /already/);
  const again = (await at.preview("deploy_md_to_site", own)).summary;
  assert.ok(again.includes(`The file's deployments name "page ${first["id"]}" on blog already`), again);
  const both = { ...own, target_site_id: "both" };
  assert.doesNotMatch((await at.preview("deploy_md_to_site", both)).summary, /already/);
});

test("a site deploys its own repository's file to itself, and a site with both builders gets blocks", async (world) => {
  const own = await world.at.write("rest", "deploy_md_to_site", { site_id: "blog", path: PATHS.page });
  assert.equal(own.done["target_site_id"], "blog");
  const both = { site_id: "blog", path: PATHS.page, target_site_id: "both" };
  assert.equal((await world.at.write("mcp", "deploy_md_to_site", both)).done["target_site_id"], "both");
});

test("a target that takes no draft of markdown is refused before anything is asked", async (world) => {
  const to = (target_site_id: string) => ({ site_id: "blog", path: PATHS.post, target_site_id });
  const at = { site_id: "closed", path: PATHS.post };
  await world.refuses(to("visual"), "E_BUILDER_MISMATCH", { says: /^target_site_id: .*create_page_draft/ });
  await world.refuses(to("closed"), "E_NOT_SUPPORTED", {
    says: /^target_site_id: "closed" is a static site/,
  });
  await world.refuses(at, "E_NOT_SUPPORTED", { says: /^target_site_id: "closed" is a static site/ });
  await world.refuses(to("nowhere"), "E_NOT_FOUND", { says: /target_site_id|nowhere/ });
  await world.refuses({ ...to("both"), path: PATHS.post }, "E_SCOPE_DENIED", {
    says: /both/,
    as: "here",
    audit: "denied",
  });
  await world.refuses(to("builder"), "E_MISSING_SECRET", { says: /has no site_alias/, sends: "reads" });
  await world.refuses(to("stranger"), "E_UPSTREAM", { says: /password|sign|401/i, sends: "reads" });
});

Deno.test("a file that is no draft is refused, and nothing is made of it", async () => {
  const head = (lines: string) => `---\n${lines}---\nText\n`;
  const files = {
    ...MARKDOWN,
    "none.md": head("title: A\n"),
    "other.md": head("title: A\ntype: product\n"),
    "list.md": head("title: A\ntype: [post]\n"),
    "untitled.md": head("type: post\n"),
    "blank.md": head('type: page\ntitle: " "\n'),
    "slug.md": head("type: post\ntitle: A\nslug: [a]\n"),
    "tags.md": head("type: post\ntitle: A\ntags: [a, 7]\n"),
    "deep.md": `${head("type: post\ntitle: A\n")}${">".repeat(5000)}\n`,
    "deployed.md": head("type: post\ntitle: A\ndeployments: often\n"),
  };
  await using world = await DeployWorld.open({ files });
  const cases: [string, Code, RegExp][] = [
    ["none.md", "E_BAD_INPUT", /^path: .*type "post" or "page"/],
    [
      "other.md",
      "E_BAD_INPUT",
      /^path: type of the frontmatter is "product"; allowed are "post" and "page"$/,
    ],
    ["list.md", "E_BAD_INPUT", /^path: type of the frontmatter is \["post"\]; allowed are/],
    ["untitled.md", "E_BAD_INPUT", /^path: the frontmatter has no title/],
    ["blank.md", "E_BAD_INPUT", /^path: .*title/],
    ["slug.md", "E_BAD_INPUT", /^path: .*slug/],
    ["tags.md", "E_BAD_INPUT", /^path: tags/],
    ["deep.md", "E_BAD_INPUT", /^path: .*too deep/],
    ["deployed.md", "E_BAD_INPUT", /^path: deployments/],
    ["gone.md", "E_NOT_FOUND", /^path: /],
    ["README.md", "E_MISSING_FRONTMATTER", /^path: /],
  ];
  for (const [path, code, says] of cases) {
    const args = { site_id: "blog", path, append_deployment: path === "deployed.md" };
    await world.refuses(args, code, { says, sends: "reads" });
  }
});

test("a static site that may not push to its branch deploys, but keeps the file as it is", async (world) => {
  const args = { path: PATHS.post, target_site_id: "blog", append_deployment: true };
  const says = /allow_main_branch_push/;
  await world.refuses({ site_id: "closed", ...args }, "E_MAIN_BRANCH_LOCKED", { says });
  await world.refuses({ site_id: "open", ...args }, "E_SCOPE_DENIED", {
    says: /3/,
    as: "careful",
    audit: "risk_capped",
  });
  await world.refuses({ site_id: "unlinked", ...args }, "E_REPO_NOT_LINKED", { says: /repo/ });
});

test("of a static site the file is read on the preview branch, and the draft is written down there", async (world) => {
  const { at } = world;
  const on = { site_id: "closed", target_branch: "preview", path: PATHS.page };
  const content = PAGE.replace("title: About", "title: Us");
  const { sha } = await at.both<{ sha: string }>("read_md_from_repo", {
    site_id: "closed",
    path: PATHS.page,
  });
  const saved = await at.gw.call<Args & { branch: string }>("save_md_to_repo", {
    ...on,
    content,
    sha,
    confirm: true,
  });
  const main = await at.head("main");
  const args = { ...on, target_site_id: "blog", append_deployment: true };
  const preview = await at.preview("deploy_md_to_site", args);
  assert.equal(preview.tier, 1);
  assert.ok(
    preview.summary.endsWith(`write it down in the file on branch "${saved.branch}"`),
    preview.summary,
  );
  const { done } = await at.write<Args>("rest", "deploy_md_to_site", args);
  assert.equal(world.drafts()[0]?.title, "Us");
  assert.deepEqual([done["deployment_recorded"], done["branch"]], [true, saved.branch]);
  assert.equal(done["commit_sha"], await at.head(saved.branch));
  assert.deepEqual([done["preview_url"], "note" in done], [null, false]);
  assert.match(String((done["notes"] as string[]).at(-1)), /^Its address is not known here/);
  assert.match((await at.host.files(REPO, saved.branch))[PATHS.page]!, /deployments:\n {2}- site_id: blog/);
  assert.equal(await at.head("main"), main);
});

test("where only the writing down fails the draft stands, and the answer says so", async (world) => {
  const { at } = world;
  at.host.inject({ kind: "html" }, { method: "POST", path: "/git/trees", times: 9 });
  const args = { site_id: "blog", path: PATHS.post, append_deployment: true };
  const head = await at.head("main", JOURNAL);
  const { done, proof, row } = await at.write("rest", "deploy_md_to_site", args);
  assert.equal(done["deployment_recorded"], false);
  assert.equal(proof.verified, false);
  assert.match(
    proof.warnings.at(-1) ?? "",
    /^deployments: the draft was made, but it was not written down in the file: .*; do not deploy it again$/,
  );
  assert.equal(world.drafts().length, 1);
  assert.equal(row.result_id, done["id"]);
  assert.equal(await at.head("main", JOURNAL), head);
});

test("a file that somebody changes meanwhile keeps that change beside the deployment", async (world) => {
  const { at } = world;
  const theirs = POST.replace("working title", "final title");
  at.host.inject({ kind: "moved", files: { [PATHS.post]: theirs } }, {
    method: "POST",
    path: "/git/commits",
  });
  const { done } = await at.write("mcp", "deploy_md_to_site", {
    site_id: "blog",
    path: PATHS.post,
    append_deployment: true,
  });
  assert.equal(done["deployment_recorded"], true);
  const after = (await at.host.files(JOURNAL))[PATHS.post]!;
  assert.match(after, /final title/);
  assert.match(after, /deployments:\r\n/);
});

Deno.test("the site a draft is made on has its say in how a deployment is confirmed", async () => {
  for (const door of DOORS) {
    await using world = await DeployWorld.open();
    const { at } = world;
    const args = { site_id: "closed", path: PATHS.page, target_site_id: "shown" };
    const seen = await at.gw.call<Args>("deploy_md_to_site", { ...args, confirm: true }, { door });
    assert.equal(seen["needs_confirmation"], true, "confirm: true alone writes nothing");
    assert.equal(world.drafts().length, 0);
    const { confirm_token } = seen;
    await at.gw.call("deploy_md_to_site", { ...args, confirm: true, confirm_token }, { door });
    assert.equal(world.drafts().length, 1);
    const { rows } = await at.gw.store.audit.list({ site_id: "shown" }, { limit: 10 });
    assert.deepEqual(rows.map(({ status }) => status), ["ok", "needs_confirmation"]);
  }
});

test("a call that names a site out of scope as its target is found under that site", async (world) => {
  const args = { site_id: "blog", path: PATHS.page, target_site_id: "both", confirm: true };
  await world.at.gw.refuses("deploy_md_to_site", args, "E_SCOPE_DENIED", { as: "here" });
  const { rows } = await world.at.gw.store.audit.list({ site_id: "both" }, { limit: 10 });
  assert.deepEqual(rows.map(({ status, error }) => [status, error]), [
    ["denied", "E_SCOPE_DENIED"],
    ["denied", "E_SCOPE_DENIED"],
  ]);
});
