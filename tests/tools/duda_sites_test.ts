/** Sites of a site builder: whether they answer, what works there, and markdown that becomes a draft on them. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { DOORS } from "../cms_kit.ts";
import { startDuda } from "../../sandbox/duda/start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import { site } from "../kit.ts";
import { ALIAS, DOMAIN, test } from "./_duda.ts";
import { FILES, JOURNAL, settingsAt, StaticWorld } from "./_static.ts";

test("ping_site answers where the platform has the site and takes the credentials", async (world) => {
  for (const door of DOORS) {
    const { latency_ms, ...told } = await world.gw.call<Args>("ping_site", { site_id: "open" }, { door });
    assert.equal(typeof latency_ms, "number");
    assert.deepEqual(told, {
      ok: true,
      platform: "sitebuilder",
      authenticated: true,
      publish_status: "PUBLISHED",
      site_domain: `https://${DOMAIN}`,
    });
  }
  await world.refuses("ping_site", { site_id: "gone" }, "E_UPSTREAM", /ResourceNotExist/, "reads");
  await world.refuses("ping_site", { site_id: "nameless" }, "E_MISSING_SECRET", /has no site_alias/);
});

test("diagnose_site asks the platform for the site, and refuses what only a cms can be asked", async (world) => {
  const { gw } = world;
  const of = async (site_id: string) => {
    const { checks } = await gw.call<{ checks: { name: string; ok: boolean | null }[] }>("diagnose_site", {
      site_id,
    });
    return Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
  };
  assert.deepEqual(
    await of("open"),
    {
      ...{ address: null, site_alias: true, site_answers: true, allow_publish: true },
      ...{ google_account: null, topicmap_link: false },
    },
  );
  assert.equal((await of("gone"))["site_answers"], false);
  assert.equal((await of("nameless"))["site_answers"], null);
  for (const fault of [{ kind: "busy" }, { kind: "html", status: 502 }, { kind: "reset" }] as const) {
    world.duda.inject(fault, { times: 9 });
    assert.equal((await of("open"))["site_answers"], null, `${fault.kind} says nothing of the site`);
    world.duda.clearFaults();
  }
  await world.refuses(
    "diagnose_site",
    { site_id: "open", checks: ["page_builder"] },
    "E_NOT_SUPPORTED",
    /cms/,
  );
});

Deno.test("a markdown file becomes a draft of a site builder; a page's text is refused, never dropped", async () => {
  await using duda = startDuda();
  const built = duda.site(ALIAS, DOMAIN);
  const head = (lines: string) => `---\n${lines}---\n`;
  const files = {
    ...FILES,
    "post.md": `${head("title: Fish\ntype: post\nslug: fish\ntags: [Sea]\n")}Text\n`,
    "filed.md": `${head("title: Fish\ntype: post\ncategories: [Food]\n")}Text\n`,
    "page.md": head("title: About\ntype: page\nslug: about\n"),
    "full.md": `${head("title: Full\ntype: page\n")}Text\n`,
  };
  const host = await startGitHub();
  await using at = await StaticWorld.open({
    host,
    files,
    sites: [site(
      "builder",
      "sitebuilder",
      { base_url: null, site_alias: ALIAS, repo: JOURNAL, repo_branch: "main" },
    )],
    settings: {
      upstream: {
        ...settingsAt(host).upstream,
        SITEBUILDER_API_BASE: duda.base_url,
        SITEBUILDER_API_USER: duda.api_user,
        SITEBUILDER_API_PASSWORD: duda.api_password,
      },
    },
  });
  const deploy = (path: string) => ({ site_id: "closed", path, target_site_id: "builder" });
  for (const door of DOORS) {
    const post = await at.write(door, "deploy_md_to_site", deploy("post.md"));
    const stored = built.posts.get(String(post.done["id"]))!;
    assert.match(stored.content, /<p>Text<\/p>/);
    assert.deepEqual(
      [stored.title, stored.path, stored.tags, stored.status],
      ["Fish", "fish", ["Sea"], "DRAFT"],
    );
    const page = await at.write(door, "deploy_md_to_site", deploy("page.md"));
    assert.equal(built.pages.get(String(page.done["id"]))?.draft_status, "DRAFT");
  }
  const { writes } = duda;
  const says = /^content_html: pages of the platform take no HTML; .*duplicate_page/;
  await at.refuses("deploy_md_to_site", deploy("full.md"), "E_NOT_SUPPORTED", says, "reads");
  await at.refuses("deploy_md_to_site", deploy("filed.md"), "E_NOT_SUPPORTED", {
    says: /^categories: .*tags/,
    sends: "reads",
  });
  assert.equal(duda.writes.length, writes.length);
});
