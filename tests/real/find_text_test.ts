/** On a real WordPress a number is found in all its spellings, with the companion plugin and without it, and what people changed is listed. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { PLUGIN } from "../companion/site.ts";
import type { Args } from "../cms_kit.ts";
import { fresh, ignore, on, onWordPress, Real } from "./_wordpress.ts";
import { startWordPress } from "../wordpress.ts";

interface Found {
  readonly total: number;
  readonly hits: readonly {
    readonly place: Args;
    readonly found: readonly string[];
    readonly change: Args;
  }[];
  readonly not_searched: readonly string[];
}

const NUMBER = "+49 30 5550199";
const SPELLINGS = ["030/555 01 99", "+49 (0)30&nbsp;5550199", "0049 30 555-0199"];
const OTHERS = ["Room 030, invoice 5550199", "030 55501998", "5550199"];

/** Posts and a page that hold the number, and some that only hold its figures; the numbers of the first. */
async function fill({ ask }: Real): Promise<number[]> {
  const made = async (content: string, more: Args = {}) =>
    Number((await ask.rest("ed", "POST", "/posts", { title: "T", content, ...more })).body["id"]);
  const ids = [
    await made(`<p>Call ${SPELLINGS[0]}</p>`, { status: "publish" }),
    await made(`<p>Call ${SPELLINGS[1]}</p>`),
    Number((await ask.rest("ed", "POST", "/pages", { title: SPELLINGS[2], status: "draft" })).body["id"]),
  ];
  for (const other of OTHERS) await made(`<p>${other}</p>`);
  await made(`<p>${SPELLINGS[0]}</p>`, { status: "private" });
  await made(`<p>${SPELLINGS[0]}</p>`, { status: "publish", password: "p" });
  return ids;
}

async function finds(site: CmsSandbox, hasPlugin: boolean): Promise<void> {
  await using at = await Real.open(site);
  const ids = await fill(at);
  const { hits, total, not_searched } = await at.kit.both<Found>("find_text", {
    site_id: "open",
    text: NUMBER,
    kind: "phone",
  });
  assert.equal(total, 3);
  assert.deepEqual(hits.map(({ place }) => Number(place["id"])).toSorted((a, b) => a - b), ids);
  assert.deepEqual(hits.flatMap(({ found }) => found).toSorted(), SPELLINGS.toSorted());
  assert.equal(not_searched.length, hasPlugin ? 0 : 1);
  const tools = Object.fromEntries(hits.map(({ place, change }) => [Number(place["id"]), change["tool"]]));
  assert.deepEqual(ids.map((id) => tools[id]), ["revise_published", "update_draft", "update_page_draft"]);
  const word = fresh("Zeppelin & <em>Co</em>").replaceAll(/<\/?em>/g, "");
  await at.ask.rest("ed", "POST", "/posts", { title: "T", content: `<p>${word.replace("&", "&amp;")}</p>` });
  assert.equal(
    (await at.kit.both<Found>("find_text", { site_id: "open", text: word.toLowerCase() })).total,
    1,
  );
  assert.equal((await at.kit.both<Found>("find_text", { site_id: "open", text: "[a-z]+zeppelin" })).total, 0);
}

async function lists(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const search = fresh("Needle").replaceAll(/\W/g, "");
  const { done } = await at.kit.write("rest", "create_draft", {
    site_id: "open",
    title: `${search} ours`,
    content_html: "<p>a</p>",
  });
  await at.kit.write("rest", "update_draft", { site_id: "open", post_id: done.id, content_html: "<p>b</p>" });
  const theirs = await at.ask.draft("ed", { title: `${search} theirs`, content: "a" });
  await at.ask.rest("ed", "POST", `/posts/${theirs}`, { content: "b" });
  const list = async (args: Args) =>
    (await at.kit.both<{ items: Args[]; missing?: string[] }>("list_content", {
      site_id: "open",
      type: "post",
      search,
      ...args,
    }))
      .items;
  assert.deepEqual((await list({ modified_by: "gateway" })).map(({ id }) => id), [done.id]);
  const [row, ...more] = await list({ modified_by: "others", fields: ["title", "modified_by", "seo_title"] });
  assert.deepEqual([row?.["id"], more], [theirs, []]);
  assert.equal((row?.["modified_by"] as Args)["id"], site.users.ed.id);
  assert.deepEqual((await list({ sort: "title" })).map(({ id }) => id), [done.id, theirs]);
  assert.deepEqual(await list({ modified_after: new Date(Date.now() + 60_000).toISOString() }), []);
  assert.equal((await list({ modified_after: new Date(Date.now() - 60_000).toISOString() })).length, 2);
}

onWordPress({
  "find_text finds a number in all its spellings with the companion plugin": (site) => finds(site, true),
  "list_content tells what people changed from what the gateway did": lists,
}, { plugins: [PLUGIN] });

Deno.test({
  name:
    `on ${on}: find_text finds the same without the companion plugin, and a list cannot be narrowed by who changed it`,
  ignore,
  async fn() {
    await using site = await startWordPress();
    await finds(site, false);
    await using at = await Real.open(site);
    const args = { site_id: "open", type: "post", modified_by: "others" };
    await at.kit.refuses("list_content", args, "E_COMPANION_REQUIRED", /get_content_history/, "reads");
  },
});
