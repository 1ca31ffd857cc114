/** On a real WordPress a number is replaced in all its spellings, row by row exactly what was shown, and all of it goes back. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import type { Args, Preview } from "../cms_kit.ts";
import { site as registered } from "../kit.ts";
import { between, cells } from "./_undo_rows.ts";
import { onWordPress, Real } from "./_wordpress.ts";

interface Answer {
  readonly set_id: string;
  readonly verified: boolean | null;
  readonly items: readonly {
    readonly tool: string;
    readonly state: string;
    readonly verified?: boolean | null;
    readonly error?: { readonly code: string };
  }[];
}

const SITE = "whole";
const NUMBER = { site_id: SITE, find: "+49 30 5550199", replace: "+49 40 777-1", kind: "phone" } as const;
const BUTTON = '<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button {"text":"030/5550199"} -->' +
  '<div class="wp-block-button"><a href="tel:+49305550199">030/5550199</a></div>' +
  "<!-- /wp:button --></div><!-- /wp:buttons -->";
const BUTTON_NOW =
  '<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button {"text":"+49 40 777-1"} -->' +
  '<div class="wp-block-button"><a href="tel:+49407771">+49 40 777-1</a></div>' +
  "<!-- /wp:button --></div><!-- /wp:buttons -->";

async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  return await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [registered(SITE, "cms", {
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      seo: { enabled: true, channel: "plugin" },
      flags: { allow_publish: true, allow_seo_on_published: true },
    })],
  });
}

async function fill({ ask, kit }: Real) {
  const posts = async (more: Args) =>
    Number((await ask.rest("ed", "POST", "/posts", { title: "Contact", ...more })).body["id"]);
  const pages = async (more: Args) =>
    Number((await ask.rest("ed", "POST", "/pages", { title: "Contact", ...more })).body["id"]);
  const made = {
    live: await posts({ title: "Call 030/5550199", content: BUTTON, status: "publish" }),
    classic: await posts({ content: "Line\n\n0049 (0)30&nbsp;5550199 & more", status: "publish" }),
    draft: await posts({ content: "<p>030 5550199</p>", excerpt: "Call +49 30 555 01 99" }),
    page: await pages({ content: "<!-- wp:paragraph --><p>030 5550199</p><!-- /wp:paragraph -->" }),
    lines: await pages({ content: "Line\n\n030 5550199" }),
    out: await posts({ content: "<p>030 5550199</p>" }),
    other: await posts({ content: "<p>Room 030, invoice 5550199; 030 55501998</p>" }),
  };
  await kit.gw.call("set_seo_meta", {
    site_id: SITE,
    post_id: made.live,
    title: "%%title%% 030 5550199",
    confirm: true,
  });
  const code = {
    title: "Code",
    slug: "code",
    html: "<p>030 5550199</p>",
    css: "p { color: red }",
    js: "const a = 'tel:+49305550199';",
  };
  const { id } = await kit.gw.call<{ id: number }>("create_page_from_code", {
    site_id: SITE,
    ...code,
    confirm: true,
  });
  return { ...made, code: id };
}

onWordPress({
  async "replace_text changes the rows that it showed, and no other"(site) {
    await using at = await open(site);
    const ids = await fill(at);
    const before = await cells(at);
    const args = { ...NUMBER, leave_out: [`post:${ids.out}:content_html`] };
    const preview = await at.kit.gw.call<Preview>("replace_text", args);
    assert.deepEqual([...between(before, await cells(at))], []);
    const told = preview.warnings.join("\n");
    assert.match(told, new RegExp(`Stays: page:${ids.lines}:content_html: the page is not made of blocks`));
    const confirmed = { ...args, confirm: true, confirm_token: preview.confirm_token };
    const done = await at.kit.gw.call<Answer>("replace_text", confirmed);
    assert.equal(done.verified, true, JSON.stringify(done.items.filter(({ verified }) => verified !== true)));
    const changed = between(before, await cells(at));
    const now = Object.fromEntries([...changed].map(([name, [, is]]) => [name, is]));
    const code = now[`post ${ids.code} post_content`];
    assert.match(code!, /<p>\+49 40 777-1<\/p>/);
    assert.deepEqual(now, {
      [`post ${ids.live} post_title`]: "Call +49 40 777-1",
      [`post ${ids.live} post_content`]: BUTTON_NOW,
      [`meta ${ids.live} _yoast_wpseo_title`]: JSON.stringify(["%%title%% +49 40 777-1"]),
      [`post ${ids.classic} post_content`]: "Line\n\n+49 40 777-1 & more",
      [`post ${ids.draft} post_content`]: "<p>+49 40 777-1</p>",
      [`post ${ids.draft} post_excerpt`]: "Call +49 40 777-1",
      [`post ${ids.page} post_content`]: "<!-- wp:paragraph --><p>+49 40 777-1</p><!-- /wp:paragraph -->",
      [`post ${ids.code} post_content`]: code,
      [`meta ${ids.code} _site_ops_js`]: JSON.stringify(["const a = 'tel:+49407771';"]),
    });
    await at.kit.gw.call("undo_change", { site_id: SITE, set_id: done.set_id, confirm: true });
    assert.deepEqual([...between(before, await cells(at))], [], "all of it goes back");
  },

  async "what a person changes between preview and confirmation fails alone, and stays as the person left it"(
    site,
  ) {
    await using at = await open(site);
    const ids = await fill(at);
    const before = await cells(at);
    const preview = await at.kit.gw.call<Preview>("replace_text", NUMBER);
    const theirs = "<!-- wp:paragraph --><p>Call 030 5550199 today</p><!-- /wp:paragraph -->";
    await at.ask.rest("ed", "POST", `/pages/${ids.page}`, { content: theirs });
    const confirmed = { ...NUMBER, confirm: true, confirm_token: preview.confirm_token };
    const done = await at.kit.gw.call<Answer>("replace_text", confirmed);
    const failed = done.items.filter(({ state }) => state !== "done");
    assert.deepEqual(failed.map(({ tool, error }) => [tool, error?.code]), [[
      "update_page_draft",
      "E_STALE_PREVIEW",
    ]]);
    assert.equal(done.verified, false);
    const now = await cells(at);
    assert.equal(now[`post ${ids.page} post_content`], theirs);
    assert.equal(now[`post ${ids.out} post_content`], "<p>+49 40 777-1</p>");
    await at.kit.gw.call("undo_change", { site_id: SITE, set_id: done.set_id, confirm: true });
    assert.deepEqual([...between(before, await cells(at)).keys()], [`post ${ids.page} post_content`]);
  },
}, { plugins: [PLUGIN, fixture("dump"), fixture("peek"), fixture("yoast-standin")] });
