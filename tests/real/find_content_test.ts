/** What is on a real WordPress is found, and a page is read, by accounts of several roles. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

interface List {
  readonly items: readonly { readonly id: number; readonly status: string; readonly url: string }[];
  readonly total: number;
  readonly note?: string;
}

const STATUSES = { draft: "draft", publish: "published", pending: "pending", private: "private" } as const;

async function finds(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  for (const [type, route] of [["post", "/posts"], ["page", "/pages"]] as const) {
    const search = fresh("Needle").replaceAll(/\W/g, "");
    const ids: Record<string, number> = {};
    for (const status of Object.keys(STATUSES)) {
      const { body } = await at.ask.rest("ed", "POST", route, { title: `${search} ${status}`, status });
      ids[status] = Number(body["id"]);
    }
    const { body: binned } = await at.ask.rest("ed", "POST", route, {
      title: `${search} bin`,
      status: "draft",
    });
    await at.ask.rest("ed", "DELETE", `${route}/${binned["id"]}`);
    const list = (args: Args = {}, site_id = "open") =>
      at.kit.both<List>("list_content", { site_id, type, search, ...args });
    const all = await list();
    const found = Object.fromEntries(all.items.map(({ status, id }) => [status, id]));
    const expected = Object.entries(STATUSES).map(([status, word]) => [word, ids[status]]);
    assert.deepEqual(found, Object.fromEntries(expected));
    assert.deepEqual([all.total, all.note], [4, undefined]);
    for (const [status, word] of Object.entries(STATUSES)) {
      assert.deepEqual((await list({ status: word })).items.map(({ id }) => id), [ids[status]]);
    }
    const second = await list({ per_page: 3, page: 2 });
    assert.deepEqual([second.items.length, (await list({ page: 5 })).items], [1, []]);
    const says = type === "post" ? /"edit_posts" to see posts/ : /"edit_pages" to see pages/;
    const refused = { site_id: "subscriber", type };
    await at.kit.refuses("list_content", refused, "E_UPSTREAM", says, "reads");
    if (type === "page") continue;
    const own = await list({}, "author");
    assert.deepEqual(own.items.map(({ status }) => status), ["published"]);
    assert.match(own.note ?? "", /cannot be seen by the site's account/);
  }
}

async function reads(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const title = fresh("Fish & <em>Chips</em>");
  const sent = {
    title,
    content: '<p class="a">Hi [gallery]</p>',
    slug: "fish",
    parent: 2,
    status: "publish",
  };
  const { body } = await at.ask.rest("ed", "POST", "/pages", sent);
  const page_id = Number(body["id"]);
  const before = at.kit.gw.requests.length;
  const page = await at.kit.both<Args>("get_page", { site_id: "open", page_id });
  assert.ok(at.kit.gw.requests.length - before <= 3, "one each, and once the root of the API");
  const { modified_gmt, slug, ...rest } = page;
  assert.match(`${modified_gmt} ${slug}`, /Z fish/);
  assert.deepEqual(rest, {
    id: page_id,
    status: "published",
    url: body["link"],
    title,
    scheduled_at: null,
    author_id: site.users.ed.id,
    content_html: sent.content,
    parent_id: 2,
    template: "",
    from_code: false,
    page_builder: null,
  });
  const post = await at.ask.draft("ed", { title: fresh("Post"), content: "x" });
  const wrong: Refused = {
    get_page: [
      [{ page_id: post }, /is a post, not a page; .*\(get_post, /],
      [{ page_id: 99_999_999 }, /list_content finds ids$/],
    ],
    get_post: [
      [{ post_id: page_id }, /is a page, not a post; .*\(get_page, /],
    ],
  };
  for (const [tool, args, says] of refusedCalls(wrong)) {
    const refused = { says, sends: "reads" } as const;
    await at.kit.refuses(tool, { site_id: "open", ...args }, "E_UPSTREAM", refused);
  }
}

onWordPress({
  "list_content finds posts and pages of every status, as far as the account may see them": finds,
  "get_page reads a page whole, and an id of the other kind is told with its tool": reads,
});
