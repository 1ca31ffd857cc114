/** Change sets on a real WordPress, every row looked at: what was shown stands there, and nothing else. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import type { Args } from "../cms_kit.ts";
import { site as registered } from "../kit.ts";
import { fresh, onWordPress, PUBLIC, Real } from "./_wordpress.ts";

const SITE = "whole";
const MADE = { $from: 1 };

interface Answer {
  readonly set_id: string;
  readonly confirm_token: string;
  readonly changes: readonly { readonly field: string; readonly to: unknown }[];
  readonly items: readonly {
    readonly state?: string;
    readonly id?: number;
    readonly error?: { readonly code: string; readonly message: string };
  }[];
}

async function opened(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  return await Real.open(site, {
    sites: [registered(SITE, "cms", {
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      seo: { enabled: true, channel: "plugin" },
      flags: { allow_publish: true, allow_seo_on_published: true },
    })],
  });
}

/** What WordPress notes for itself whoever only reads. */
const BESIDE = [
  "_transient",
  "cron",
  "wp_sudoku",
  "recently_activated",
  "action_scheduler",
  "site_ops_account",
];

/** Every row of the database, by table. */
async function rows(at: Real): Promise<Map<string, string>> {
  const { body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  const all = Object.entries(body as unknown as Record<string, string[]>);
  return new Map(
    all.flatMap(([table, texts]) =>
      texts.filter((text) => !(table === "options" && BESIDE.some((one) => text.includes(one))))
        .map((text) => [`${table} ${text}`, text] as const)
    ),
  );
}

/** Rows that are new, or gone. */
const between = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) => [
  ...[...before.keys()].filter((one) => !after.has(one)),
  ...[...after.keys()].filter((one) => !before.has(one)),
];

const of = (tool: string, args: Args) => ({ tool, arguments: { site_id: SITE, ...args } });

async function prepared(at: Real, changes: readonly unknown[], more: Args = {}) {
  const order = { title: "A set", changes, ...more };
  const shown = await at.kit.gw.call<Answer>("prepare_changes", order);
  return { ...order, confirm: true, confirm_token: shown.confirm_token };
}

onWordPress({
  async "posts and pages are made, changed, given SEO fields and published in one set, and nothing else is touched"(
    site,
  ) {
    await using at = await opened(site);
    const kept = await at.ask.draft("ed", { title: fresh("Kept"), content: "<p>Kept</p>" });
    const other = await at.ask.draft("ed", { title: fresh("Other"), content: "<p>Other</p>" });
    const [post, page] = [fresh("Post"), fresh("Page")];
    const before = await rows(at);
    const order = await prepared(at, [
      of("create_draft", { title: post, content_html: "<p>One & <b>two</b></p>", excerpt: "Short" }),
      of("set_seo_meta", { post_id: MADE, title: `${post} for search` }),
      of("update_draft", { post_id: MADE, excerpt: "Shorter" }),
      of("publish_post", { post_id: MADE }),
      of("create_page_from_code", { title: page, html: "<p>Code</p>", css: "p { color: red }" }),
      of("set_seo_meta", { post_id: { $from: 5 }, title: `${page} for search` }),
      of("publish_page", { page_id: { $from: 5 } }),
      of("update_draft", { post_id: kept, title: `${post} kept` }),
      of("set_seo_meta", { post_id: kept, title: "Kept for search" }),
      of("update_draft", { post_id: kept, excerpt: "Kept short" }),
    ]);
    assert.deepEqual(between(before, await rows(at)), [], "a preview changes no row");
    const { items } = await at.kit.gw.call<Answer>("prepare_changes", order);
    assert.deepEqual(items.map(({ state, error }) => error ?? state), items.map(() => "done"));
    assert.deepEqual(await at.visitor(items[0]!.id!), PUBLIC);
    const touched = [items[0]!.id, items[4]!.id, kept].map(String);
    // Revisions are the touched posts' own, and the theme makes its navigation once somebody visits.
    const strangers = between(before, await rows(at)).filter((row) => {
      const { ID, post_id, post_type } = JSON.parse(row.slice(row.indexOf(" "))) as Record<string, string>;
      if (row.startsWith("posts ")) return ["post", "page"].includes(post_type!) && !touched.includes(ID!);
      return row.startsWith("postmeta ") && Number(post_id) <= other && !touched.includes(post_id!);
    });
    assert.deepEqual(strangers, [], "no row of another post");
    assert.equal((await at.stored(other))["status"], "draft");
    const stood = await rows(at);
    const again = await at.kit.gw.call<Answer & { replayed: boolean }>("prepare_changes", order);
    assert.equal(again.replayed, true);
    assert.deepEqual(between(stood, await rows(at)), [], "sent again it changes no row");
  },

  async "what a person saves between the preview and its item stays, and the other items are done"(site) {
    await using at = await opened(site);
    const [one, two] = [
      await at.ask.draft("ed", { title: fresh("One"), content: "<p>x</p>" }),
      await at.ask.draft("ed", { title: fresh("Two"), content: "<p>x</p>" }),
    ];
    const changes = [
      of("update_draft", { post_id: one, title: fresh("Mine") }),
      of("publish_post", { post_id: two }),
    ];
    const order = await prepared(at, changes, { on_failure: "continue" });
    await at.ask.rest("admin", "POST", `/posts/${one}`, { title: "By a person" });
    const { items } = await at.kit.gw.call<Answer>("prepare_changes", order);
    assert.deepEqual(items.map(({ state, error }) => error?.code ?? state), ["E_STALE_PREVIEW", "done"]);
    assert.deepEqual((await at.stored(one))["title"], { raw: "By a person", rendered: "By a person" });
    assert.deepEqual(await at.visitor(two), PUBLIC);
  },
}, { plugins: [PLUGIN, fixture("dump"), fixture("yoast-standin")] });
