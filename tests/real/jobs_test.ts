/** Jobs of an agency on a real WordPress: every row that is another afterwards is one that was asked for. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, freshPng } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site } from "../kit.ts";
import { Agent, alternativeTexts, landingPage, phoneNumber, series } from "../tools/_jobs.ts";
import { onWordPress, Real } from "./_wordpress.ts";

const DAY = 86_400;
const SHOP = "herbs-shop";
const TEXT = '<!-- wp:html -->\n<p><a href="tel:+49301234567">030 / 123 45 67</a></p>\n<!-- /wp:html -->';

type Row = Readonly<Record<string, string>>;

/** A row in few words; null for an earlier version of a text, which WordPress keeps by itself. */
function worded(table: string, row: Row): string | null {
  switch (table) {
    case "posts":
      return row["post_type"] === "revision"
        ? null
        : `${row["post_type"]} ${row["post_status"]} ${row["post_title"]}`;
    case "postmeta":
      return row["meta_key"]!;
    case "options":
      return row["option_name"]!;
    case "terms":
      return row["name"]!;
    default:
      return "";
  }
}

async function dump(at: Real): Promise<ReadonlyMap<string, string>> {
  const { body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  return new Map(
    Object.entries(body as unknown as Record<string, string[]>).flatMap(([table, rows]) =>
      rows.flatMap((text) => {
        const said = worded(table, JSON.parse(text));
        return said === null ? [] : [[`${table} ${text}`, `${table}: ${said}`.replace(/: $/, "")] as const];
      })
    ),
  );
}

/** What work adds to the database and takes out of it; a row that changes is in both. */
async function changes(at: Real, work: () => Promise<void>) {
  const before = await dump(at);
  await work();
  const after = await dump(at);
  const only = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
    [...one].filter(([row]) => !other.has(row)).map(([, said]) => said).sort();
  return { added: only(after, before), gone: only(before, after) };
}

async function opened(wordpress: CmsSandbox): Promise<Real> {
  const { base_url, users: { admin: { username, application_password } } } = wordpress;
  const flags = { allow_publish: true, allow_seo_on_published: true };
  const seo = { enabled: true, channel: "plugin" } as const;
  const credentials = { cms: { username, application_password } };
  const shop = { base_url, credentials, flags, seo, project_id: "herbs" };
  return await Real.open(wordpress, { sites: [site(SHOP, "cms", shop)] });
}

onWordPress({
  "jobs of an agency change what was asked for alone": async (wordpress) => {
    await using at = await opened(wordpress);
    const on = { site_id: SHOP, confirm: true };
    const gw = at.kit.gw;
    const page = await gw.call<{ id: number }>("create_page_draft", {
      ...on,
      title: "Contact",
      content_html: TEXT,
    });
    await gw.call("publish_page", { ...on, page_id: page.id });
    await gw.call("create_draft", { ...on, title: "News", content_html: TEXT });
    for (const n of [1, 2]) {
      await gw.call("upload_media", {
        ...on,
        filename: `pot-${n}.png`,
        content_base64: freshPng(`pot ${n}`),
      });
    }
    const agent = new Agent(gw);

    const landing = await changes(at, () => landingPage(agent, SHOP));
    assert.deepEqual(landing, {
      added: [
        "postmeta: _site_ops_destination",
        "postmeta: _site_ops_schema",
        "postmeta: _site_ops_seo_description",
        "postmeta: _site_ops_seo_title",
        "postmeta: _site_ops_source",
        "postmeta: _site_ops_status",
        "posts: page publish Spring offer",
        "posts: site_ops_redirect private /spring",
      ],
      gone: [],
    });

    const dates = [1, 2, 3, 4].map((days) => ahead(days * DAY)) as [string, string, string, string];
    const planned = await changes(at, () => series(agent, SHOP, { at: dates, moved: ahead(9 * DAY) }));
    assert.deepEqual(planned.gone, []);
    assert.deepEqual(planned.added.filter((one) => one.startsWith("posts")), [
      "posts: post draft Growing herbs, part 4",
      ...[1, 2, 3].map((n) => `posts: post future Growing herbs, part ${n}`),
    ]);
    assert.deepEqual(planned.added.filter((one) => one.startsWith("terms")), [
      "terms: Garden",
      "terms: Herbs",
    ]);
    assert.deepEqual(planned.added.filter((one) => one.startsWith("postmeta")), []);

    const number = await changes(at, () => phoneNumber(agent, "herbs"));
    const texts = ["posts: page publish Contact", "posts: post draft News"];
    assert.deepEqual(number, { added: texts, gone: texts });
    assert.match(
      JSON.stringify(await at.stored(page.id, "pages")),
      /tel:\+49301112233\\">030 111 22 33</,
    );

    const alt = await changes(at, () => alternativeTexts(agent, SHOP, (title) => `A pot, ${title}`));
    const images = ["posts: attachment inherit pot-1", "posts: attachment inherit pot-2"];
    const meta = ["postmeta: _wp_attachment_image_alt", "postmeta: _wp_attachment_image_alt"];
    assert.deepEqual(alt, { added: [...meta, ...images], gone: images });
    assert.equal(agent.calls, 2 + 4 + 4 + 3);
  },
}, { plugins: [PLUGIN, fixture("dump")] });
