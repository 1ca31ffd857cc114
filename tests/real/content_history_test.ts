/** Who changed a post or page of a real WordPress: its revisions, and two of them compared. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

interface List {
  readonly items: readonly (Args & { id: number; fields: string[] | null })[];
  readonly total: number;
  readonly next: number | null;
  readonly kept: boolean | null;
  readonly note?: string;
}

const TOOL = "get_content_history";

async function lists(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  for (const [type, name] of [["posts", "post_id"], ["pages", "page_id"]] as const) {
    const content = "<p>One two three</p>[gallery]";
    const { body } = await at.ask.rest("ed", "POST", `/${type}`, {
      title: fresh("Old"),
      content,
      status: "draft",
    });
    const id = Number(body["id"]);
    const change = async (login: "ed" | "admin", fields: Args) =>
      void await at.ask.rest(login, "POST", `/${type}/${id}`, fields);
    const ask = (more: Args = {}) => at.kit.both<List & Args>(TOOL, { site_id: "open", [name]: id, ...more });
    const none = await ask();
    assert.deepEqual([none.items, none.total, none.next], [[], 0, null]);
    assert.match(none.note ?? "", /^It was not changed since it was made/);
    await change("ed", { content: content.replace("two", "2") });
    await change("admin", { title: "New" });
    await change("ed", { slug: `only-the-slug-${id}` });
    const { items, total, kept, next, note } = await ask();
    assert.deepEqual([total, kept, next, note], [2, true, null, undefined]);
    assert.deepEqual(items.map(({ by, gateway, fields, kind }) => [by, gateway, fields, kind]), [
      ["admin", true, ["title"], undefined],
      ["Ed", false, null, undefined],
    ]);
    const [newest, oldest] = items;
    const apart = [{ field: "title", from: body["title"] && (body["title"] as Args)["raw"], to: "New" }];
    const two = await ask({ from: oldest!.id, to: newest!.id });
    assert.deepEqual([two["changes"], two.next], [apart, null]);
    await change("ed", { excerpt: "Said <b>short</b>", content: content.replace("three", "3") });
    const now = await ask({ from: newest!.id });
    assert.deepEqual(now["changes"], [
      { field: "content_html", from: "<p>One 2 three</p>[gallery]", to: "<p>One two 3</p>[gallery]" },
      { field: "excerpt", from: "", to: "Said <b>short</b>" },
    ]);
    const typed = { title: "New", content: "Not saved", excerpt: "Said <b>short</b>" };
    await at.ask.rest("admin", "POST", `/${type}/${id}/autosaves`, typed);
    const unsaved = (await ask()).items.find(({ kind }) => kind === "autosave");
    assert.deepEqual([unsaved?.["by"], unsaved?.fields], ["admin", ["content_html"]]);
    for (let n = 0; n < 10; n++) await change("ed", { title: `Title ${n}` });
    const [first, second] = [await ask(), await ask({ page: 2 })];
    assert.deepEqual([first.items.length, first.next, second.items.length, second.next], [10, 2, 4, null]);
    assert.deepEqual(first.items.at(-1)?.fields, ["title"]);
    assert.ok(JSON.stringify(first).length < 4096);
    assert.deepEqual((await ask({ page: 9 })).items, []);
  }
}

async function refuses(site: CmsSandbox): Promise<void> {
  await using at = await Real.open(site);
  const post = await at.ask.draft("ed", { title: fresh("Post"), content: "x" });
  const other = await at.ask.draft("ed", { title: fresh("Other"), content: "x" });
  await at.ask.rest("ed", "POST", `/posts/${other}`, { content: "y" });
  const { items: [theirs] } = await at.kit.both<List>(TOOL, { site_id: "open", post_id: other });
  const wrong: Refused = {
    [TOOL]: [
      [{ page_id: post }, /is a post, not a page/],
      [{ post_id: 99_999_999 }, /list_content finds ids$/],
    ],
  };
  for (const [tool, args, says] of refusedCalls(wrong)) {
    await at.kit.refuses(tool, { site_id: "open", ...args }, "E_UPSTREAM", says, "reads");
  }
  const foreign = { site_id: "open", post_id: post, from: theirs!.id };
  await at.kit.refuses(TOOL, foreign, "E_NOT_FOUND", /^from: the site has no revision \d+ of post/, "reads");
  const none = { site_id: "subscriber", post_id: other };
  await at.kit.refuses(TOOL, none, "E_UPSTREAM", /^CMS 403 /, "reads");
}

onWordPress({
  "get_content_history lists who changed which texts, and compares two versions": lists,
  "get_content_history refuses ids of something else": refuses,
});
