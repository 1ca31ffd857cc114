/** Where a text occurs is found by the companion plugin, as far as the account may edit it, and nothing that is private. */
import assert from "node:assert/strict";
import type { CmsLogin } from "../../sandbox/wordpress/start.ts";
import { printed } from "./php.ts";
import { Companion, type Json, suite } from "./site.ts";

let wp: Companion;
const test = suite(async () => wp = await Companion.start("yoast", "elementor"));

interface Place {
  readonly kind: string;
  readonly id: number | string;
  readonly field: string;
  readonly times: number;
  readonly within?: string;
  readonly made?: string | null;
  readonly spots: readonly (readonly [string, string, string, boolean, boolean])[];
}

interface Found {
  readonly places: readonly Place[];
  readonly more: number;
  readonly next: number | null;
  readonly left_out: readonly string[];
  readonly own_only: readonly string[];
}

async function find(login: CmsLogin, parts: readonly string[], more: Json = {}): Promise<Found> {
  const query = new URLSearchParams(parts.map((part) => ["parts[]", part]));
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  const { status, body } = await wp.call(login, "GET", `/find?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Found;
}

const placesOf = ({ places }: Found) => places.map(({ kind, id, field }) => `${kind} ${id} ${field}`);

/** A word that nothing else on the site holds. */
let serial = 0;
const fresh = () => `needle${++serial}x`;

test("texts, SEO fields, what the visual builder keeps, menus, widgets and reusable blocks are looked into", async () => {
  const word = fresh();
  const insert = async (post: Json, meta: Json = {}) => {
    const { id } = await wp.peek({ post: { post_status: "publish", ...post } });
    if (Object.keys(meta).length > 0) await wp.peek({ id, meta });
    return id;
  };
  const post = await insert({
    post_title: `A ${word}`,
    post_content: `<p>${word.toUpperCase()} and ${word}</p>`,
  });
  const draft = await insert({
    post_type: "page",
    post_status: "draft",
    post_excerpt: word,
    post_title: "D",
  });
  const tree = [{
    id: "a1b2",
    elType: "section",
    settings: {},
    elements: [{
      id: "c3d4",
      elType: "widget",
      widgetType: "heading",
      settings: { title: `Größe ${word}`, link: { url: `https://a.example/${word}` } },
      elements: [],
    }],
  }];
  const built = await insert({ post_type: "page", post_title: "B" }, {
    _elementor_edit_mode: "builder",
    _elementor_data: JSON.stringify(tree),
    _yoast_wpseo_metadesc: `About ${word}`,
    unlisted: word,
  });
  const item = await insert({ post_type: "nav_menu_item", post_title: "Call" }, {
    _menu_item_url: `tel:${word}`,
  });
  const block = await insert({ post_type: "wp_block", post_title: "Block", post_content: `<p>${word}</p>` });
  await wp.peek({
    options: {
      widget_text: { 7: { title: "Contact", text: `Call ${word}` }, 8: { title: word }, _multiwidget: 1 },
      sidebars_widgets: { "sidebar-1": ["text-7"], wp_inactive_widgets: ["text-8"] },
    },
  });
  const found = await find("admin", [word]);
  assert.deepEqual(placesOf(found), [
    "widget text-7 text",
    `reusable block ${block} content`,
    `menu item ${item} url`,
    `post ${built} builder`,
    `post ${built} builder`,
    `post ${built} seo.description`,
    `post ${draft} excerpt`,
    `post ${post} title`,
    `post ${post} content`,
  ]);
  assert.deepEqual([found.more, found.next, found.left_out, found.own_only], [0, null, [], []]);
  const [heading, link] = found.places.filter(({ field }) => field === "builder");
  assert.deepEqual([heading?.within, link?.within, heading?.made], [
    "heading c3d4 title",
    "heading c3d4 link.url",
    "visual",
  ]);
  const text = found.places.find(({ field, id }) => field === "content" && id === post);
  assert.deepEqual([text?.times, text?.spots[0]], [2, [
    "<p>",
    word.toUpperCase(),
    ` and ${word}</p>`,
    false,
    false,
  ]]);
});

test("nothing is told of what is private, has a password, is in the bin, or is no public type", async () => {
  const word = fresh();
  const hidden: Json[] = [
    { post_status: "private" },
    { post_status: "publish", post_password: "p" },
    { post_status: "trash" },
    { post_status: "auto-draft" },
    { post_status: "publish", post_type: "shop_order" },
    { post_status: "inherit", post_type: "attachment" },
    { post_status: "inherit", post_type: "revision", post_parent: 1 },
  ];
  for (const post of hidden) await wp.peek({ post: { post_title: word, post_content: word, ...post } });
  assert.deepEqual((await find("admin", [word])).places, []);
});

test("an account is told of what it may edit, and which types that leaves out", async () => {
  const word = fresh();
  await wp.rest("ed", "POST", "/posts", { title: word, status: "publish" });
  const { body: own } = await wp.rest("auth", "POST", "/posts", { title: word, status: "draft" });
  const of = await find("auth", [word]);
  assert.deepEqual(placesOf(of), [`post ${own["id"]} title`]);
  assert.deepEqual(of.own_only.includes("post"), true);
  assert.deepEqual(["page", "widget", "wp_template"].filter((one) => !of.left_out.includes(one)), []);
  const ed = await find("ed", [word]);
  assert.equal(ed.places.length, 2);
  assert.deepEqual(ed.left_out.includes("widget"), true);
});

test("a pattern is a text like any other, and what SQL takes for a wildcard is none", async () => {
  const word = fresh();
  const { body } = await wp.rest("ed", "POST", "/posts", {
    title: `${word} [a-z]+ 50% a_b`,
    status: "draft",
  });
  for (
    const [part, is] of [["[a-z]+", true], [`${word}.*`, false], ["50% a", true], ["a_b", true], [
      "aXb",
      false,
    ]] as const
  ) {
    const ids = (await find("ed", [part])).places.map(({ id }) => id);
    assert.equal(ids.includes(body["id"] as number), is, part);
  }
});

test("figures are found with what separates them, and words with what is between", async () => {
  const { body } = await wp.rest("ed", "POST", "/posts", {
    title: "x",
    status: "draft",
    content: "<p>Call 030/123&nbsp;45 67 or Ärzte &amp; Söhne. Room 030, then 99 trees and 1234567</p>",
  });
  const spots = async (parts: string[], between: string) =>
    (await find("ed", parts, { between })).places.filter(({ id }) => id === body["id"])
      .flatMap((place) => place.spots.map((spot) => spot[1]));
  assert.deepEqual(await spots([..."301234567"], "separators"), ["30/123&nbsp;45 67"]);
  assert.deepEqual(await spots(["ärzte", "SÖHNE"], "few"), ["Ärzte &amp; Söhne"]);
});

test("a text of as many words as may be asked for is found", async () => {
  const words = Array.from({ length: 100 }, (_, at) => `word${at}`);
  const content = `<p>Before. ${words.join(" ")} and behind.</p>`;
  const { body } = await wp.rest("ed", "POST", "/posts", { title: "x", status: "draft", content });
  const { places } = await find("ed", words);
  assert.deepEqual(places.map(({ id, times }) => [id, times]), [[body["id"], 1]]);
});

test("a text made to be slow is read to its end, going back only a few times for each of its signs", async () => {
  const content = `${"a b ".repeat(20_000)} info [at] example (dot) com &#38; info&#64;example%2Ecom`;
  const { body } = await wp.rest("ed", "POST", "/posts", { title: "x", status: "draft", content });
  const never = [..."abababababababababababx"];
  assert.deepEqual(await printed("find_steps.php", [never, content]), {
    few: "No error",
    separators: "No error",
  });
  assert.deepEqual((await find("ed", never)).places, []);
  const { places } = await find("ed", ["info", "example", "com"]);
  const spots = places.filter(({ id }) => id === body["id"]).flatMap((place) =>
    place.spots.map((spot) => spot[1])
  );
  assert.deepEqual(spots, ["info [at] example (dot) com", "info&#64;example%2Ecom"]);
});

test("more places than an answer holds are counted, and the rest is asked for by a number", async () => {
  const word = fresh();
  const values = Array.from(
    { length: 600 },
    (_, at) => `('post','publish','${word} ${at}','<p>${word}</p>','','','','','n${at}')`,
  );
  const columns =
    "post_type,post_status,post_title,post_content,post_excerpt,to_ping,pinged,post_content_filtered,post_name";
  await wp.peek({ db: ["query", `INSERT INTO wp_posts (${columns}) VALUES ${values.join(",")}`] });
  const found = await find("admin", [word]);
  assert.deepEqual([found.places.length, found.more, found.next], [1000, 200, null]);
  const below = found.places[9]!.id;
  const rest = await find("admin", [word], { below });
  assert.deepEqual(rest.places[0]?.id, found.places.find(({ id }) => Number(id) < Number(below))?.id);
});

test("a request without parts, or with too many, is refused by its argument", async () => {
  for (
    const query of ["", "?parts[]=", `?${Array(101).fill("parts[]=a").join("&")}`, "?parts[]=a&between=x"]
  ) {
    const { status, body } = await wp.call("admin", "GET", `/find${query}`);
    assert.equal(status, 400, query);
    assert.match(String(body["code"]), /^rest_(invalid_param|missing_callback_param)$/);
  }
});
