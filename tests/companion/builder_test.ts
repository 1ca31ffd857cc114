/** Pages made from templates of the visual builder, by a stand-in of it. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, suite } from "./site.ts";

interface Element {
  id: string;
  elType: string;
  settings: Json;
  elements: Element[];
}

let wp: Companion;
let template: number;
const test = suite(async () => {
  wp = await Companion.start("elementor");
  template = await add("Landing", TREE, {
    _wp_page_template: "elementor_canvas",
    _elementor_page_settings: {
      hide_title: "yes",
      custom: "{{FOOT}}",
      post_title: "No",
      post_status: "publish",
    },
  });
  return wp;
});

const widget = (id: string, settings: Json): Element => ({ id, elType: "widget", settings, elements: [] });
const TREE = [{
  id: "aaaaaaa",
  elType: "container",
  isInner: false,
  settings: { background: { image: { url: "{{IMAGE}}" } } },
  elements: [
    widget(
      "bbbbbbb",
      { title: "{{TITLE}} and {{TITLE}}", "{{NOT_A_VALUE}}": "x", size: 3, wide: true, none: null },
    ),
    widget("ccccccc", { tabs: [{ _id: "ddddddd", text: "{{ TITLE }} {{lower}} {{BODY_2}}" }] }),
  ],
}];

async function add(title: string, tree: unknown, meta: Json = {}, post: Json = {}): Promise<number> {
  const _elementor_data = typeof tree === "string" ? tree : JSON.stringify(tree);
  const made = await wp.peek({
    post: { post_type: "elementor_library", post_status: "publish", post_title: title, ...post },
    meta: { _elementor_data, _elementor_template_type: "page", ...meta },
  });
  return made.id;
}

async function stored(id: unknown): Promise<{ tree: Element[]; meta: Json; post: Json }> {
  const { meta, post } = await wp.peek({ id });
  return { tree: JSON.parse(meta["_elementor_data"] as string), meta, post };
}

const ids = (tree: Element[]): string[] => tree.flatMap(({ id, elements }) => [id, ...ids(elements)]);
const NASTY = `"q" 'a' \\ \\n $& $1 {{BODY_2}} </script>\n\t😀 ü &amp;`;
const VARIABLES = { TITLE: NASTY, IMAGE: "https://example.test/a.png", BODY_2: "", FOOT: 'foot \\ "x"' };

test("templates are listed with their placeholders; broken ones are marked, drafts and the site's style left out", async () => {
  const broken = await add("Broken", "[{");
  const strange = await add("Strange", [{ no: "elType" }]);
  await add("Draft", TREE, {}, { post_status: "draft" });
  await add("Kit", "[]", { _elementor_template_type: "kit" });
  const list = await wp.call("ed", "GET", "/builder/templates");
  const rows = list.body.map(({ modified_gmt: _, ...row }) => row);
  assert.deepEqual(rows, [
    {
      id: template,
      title: "Landing",
      type: "page",
      placeholders: ["BODY_2", "FOOT", "IMAGE", "TITLE"],
      elements: 3,
      valid: true,
    },
    { id: broken, title: "Broken", type: "page", placeholders: [], elements: 0, valid: false },
    { id: strange, title: "Strange", type: "page", placeholders: [], elements: 0, valid: false },
  ]);
  assert.deepEqual([list.headers.get("x-wp-total"), list.headers.get("x-wp-totalpages")], ["3", "1"]);
  const paged = await wp.call("ed", "GET", "/builder/templates?per_page=1&page=2");
  assert.deepEqual(paged.body.map(({ id }) => id), [broken]);
  const past = await wp.call("ed", "GET", "/builder/templates?per_page=2&page=9");
  assert.deepEqual(
    [past.body, past.headers.get("x-wp-total"), past.headers.get("x-wp-totalpages")],
    [[], "3", "2"],
  );
  const searched = await wp.call("ed", "GET", "/builder/templates?search=Landing");
  assert.deepEqual(searched.body.map(({ id }) => id), [template]);
  for (const id of [broken, strange]) {
    const answer = await wp.call("ed", "POST", "/builder/pages", { template_id: id, title: "x" });
    assert.deepEqual(cut(answer), [422, "site_ops_template_data"]);
  }
});

test("a page is a draft with the template's looks, every placeholder filled, and new element ids", async () => {
  const body = { template_id: template, title: `P "q" \\`, slug: "p", variables: VARIABLES };
  const made = await wp.call("ed", "POST", "/builder/pages", body);
  assert.deepEqual(cut(made, "status", "slug", "title", "elements"), [201, "draft", "p", `P "q" \\`, 3]);
  const { tree, meta, post } = await stored(made.body["id"]);
  assert.equal(post["post_title"], `P "q" \\`);
  const [first, second] = tree[0]!.elements;
  assert.deepEqual(tree[0]!.settings, { background: { image: { url: VARIABLES.IMAGE } } });
  assert.deepEqual(first!.settings, {
    title: `${NASTY} and ${NASTY}`,
    "{{NOT_A_VALUE}}": "x",
    size: 3,
    wide: true,
    none: null,
  });
  assert.deepEqual(second!.settings, { tabs: [{ _id: "ddddddd", text: "{{ TITLE }} {{lower}} " }] });
  const fresh = ids(tree);
  assert.equal(new Set([...fresh, ...ids(TREE)]).size, 6);
  assert.ok(fresh.every((id) => /^[0-9a-f]{7}$/.test(id)));
  assert.deepEqual(meta["_elementor_page_settings"], { hide_title: "yes", custom: VARIABLES.FOOT });
  assert.deepEqual(
    ["_elementor_edit_mode", "_elementor_template_type", "_wp_page_template", "_elementor_version"].map((
      key,
    ) => meta[key]),
    ["builder", "wp-page", "elementor_canvas", "3.27.0-standin"],
  );
});

test("an image whose address is filled in has the number of that image, or none, not the template's", async () => {
  const image = await wp.image("hero");
  const settings = {
    image: { url: "{{IMAGE}}", id: 12, size: "" },
    gallery: [{ id: 13, url: "https://example.test/stays.png" }],
    link: { url: "{{IMAGE}}", is_external: "" },
  };
  const page = { background_image: { url: "{{IMAGE}}", id: 14 } };
  const made_of = await add("Hero", [{ ...TREE[0], settings, elements: [] }], {
    _elementor_page_settings: page,
  });
  for (const [address, number] of [[image.url, image.id], ["https://example.test/o.png", ""]]) {
    const body = { template_id: made_of, title: "Hero", variables: { IMAGE: address } };
    const made = await wp.call("ed", "POST", "/builder/pages", body);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { tree, meta } = await stored(made.body["id"]);
    assert.deepEqual(tree[0]!.settings, {
      image: { url: address, id: number, size: "" },
      gallery: settings.gallery,
      link: { url: address, is_external: "" },
    });
    assert.deepEqual(meta["_elementor_page_settings"], { background_image: { url: address, id: number } });
  }
});

test("a draft is made anew from a template; its stale CSS goes", async () => {
  const id = await wp.draft("ed", { title: "Kept" }, "pages");
  await wp.peek({ id, meta: { _elementor_css: { time: 1 }, _elementor_data: "[]" } });
  const answer = await wp.call("ed", "POST", `/builder/pages/${id}`, {
    template_id: template,
    variables: VARIABLES,
  });
  assert.deepEqual(cut(answer, "id", "status", "title", "elements"), [200, id, "draft", "Kept", 3]);
  const before = await stored(id);
  assert.equal(before.meta["_elementor_css"], undefined);
  await wp.call("ed", "POST", `/builder/pages/${id}`, {
    template_id: template,
    title: "New",
    variables: VARIABLES,
  });
  const after = await stored(id);
  assert.equal(after.post["post_title"], "New");
  assert.equal(new Set([...ids(before.tree), ...ids(after.tree)]).size, 6);
});

test("of a page made from code that the builder has taken over it is told; of a clone no code is left", async () => {
  const code = { title: "Code", scope_class: "so-0123456789", html: "<p>x</p>", js: "window.left = 1" };
  const made = async () => (await wp.call("ed", "POST", "/code-pages", code)).body["id"];
  const taken = await made();
  const shown = async () => cut(await wp.call("ed", "GET", `/code-pages/${taken}`), "shown", "js");
  assert.deepEqual(await shown(), [200, true, code.js]);
  await wp.peek({ id: taken, meta: { _elementor_edit_mode: "builder" } });
  assert.deepEqual(await shown(), [200, false, code.js]);
  const cloned = await made();
  const body = { template_id: template, variables: VARIABLES };
  assert.equal((await wp.call("ed", "POST", `/builder/pages/${cloned}`, body)).status, 200);
  assert.equal((await wp.call("ed", "GET", `/code-pages/${cloned}`)).status, 404);
  assert.ok(!(await wp.text(await wp.publish(cloned))).includes("window.left"));
});

test("missing placeholders are all named, and nothing is made", async () => {
  const count = async () => (await wp.rest("ed", "GET", "/pages?status=draft")).headers.get("x-wp-total");
  const before = await count();
  const body = { template_id: template, title: "x", variables: { TITLE: "x", OTHER: "y" } };
  const answer = await wp.call("ed", "POST", "/builder/pages", body);
  assert.deepEqual(cut(answer), [422, "site_ops_missing_placeholder"]);
  assert.deepEqual((answer.body["data"] as Json)["missing"], ["BODY_2", "FOOT", "IMAGE"]);
  for (
    const [fields, code] of [[{ variables: { TITLE: 1.5 } }, 400], [{ variables: "x" }, 400], [
      { title: "" },
      400,
    ]] as const
  ) {
    assert.equal((await wp.call("ed", "POST", "/builder/pages", { ...body, ...fields })).status, code);
  }
  const none = await wp.call("ed", "POST", "/builder/pages", { template_id: 99999, title: "x" });
  assert.deepEqual(cut(none), [404, "site_ops_template_not_found"]);
  assert.deepEqual(cut(await wp.call("ed", "GET", "/builder/templates/99999")), [
    404,
    "site_ops_template_not_found",
  ]);
  assert.equal(await count(), before);
});

test("a published page is never changed", async () => {
  const id = await wp.published();
  const body = { template_id: template, variables: VARIABLES };
  assert.deepEqual(cut(await wp.call("ed", "POST", `/builder/pages/${id}`, body)), [
    409,
    "site_ops_published",
  ]);
  assert.equal((await wp.peek({ id })).meta["_elementor_data"], undefined);
});

test("where the builder does not take the elements, the draft's number is told", async () => {
  await wp.peek({ options: { elementor_standin_refuses: 1 } });
  const body = { template_id: template, title: "x", variables: VARIABLES };
  const answer = await wp.call("ed", "POST", "/builder/pages", body);
  await wp.peek({ options: { elementor_standin_refuses: 0 } });
  assert.deepEqual(cut(answer), [500, "site_ops_incomplete"]);
  const { post } = await wp.peek({ id: (answer.body["data"] as Json)["post_id"] });
  assert.deepEqual([post["post_status"], post["post_title"]], ["draft", "x"]);
});

test("where the builder is not loaded far enough, its data is written as it would", async () => {
  await wp.peek({ options: { elementor_standin_unloaded: 1 } });
  const body = { template_id: template, title: "x", variables: VARIABLES };
  const answer = await wp.call("ed", "POST", "/builder/pages", body);
  await wp.peek({ options: { elementor_standin_unloaded: 0 } });
  const { tree, meta } = await stored(answer.body["id"]);
  assert.equal(tree[0]!.elements[0]!.settings["title"], `${NASTY} and ${NASTY}`);
  assert.equal(meta["_elementor_version"], "3.27.0-standin");
});

test("five hundred elements are cloned, each with an id of its own", async () => {
  const many = await add("Many", [{
    ...TREE[0],
    elements: Array.from({ length: 499 }, () => widget("aaaaaaa", { t: "{{A}}" })),
  }]);
  const body = { template_id: many, title: "Many", variables: { A: "a", IMAGE: "" } };
  const answer = await wp.call("ed", "POST", "/builder/pages", body);
  assert.deepEqual(cut(answer, "elements"), [201, 500]);
  assert.equal(new Set(ids((await stored(answer.body["id"])).tree)).size, 500);
});
