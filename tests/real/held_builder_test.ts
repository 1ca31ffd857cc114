/** On a real WordPress, thirty tools as the page builder's plugin has them run held: what each does, shows in a dry run, and keeps. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { became, type Held, heldSuite, newId, type State, type Told, told } from "../companion/hold_kit.ts";
import { type Answer, fixture, type Json } from "../companion/site.ts";
import { call, held, type Made, makePages } from "./_held_builder.ts";

const onEach = heldSuite(fixture("builder-acts"));

/** What a tool is given, where it needs what is on the site. */
type Given = Json | ((made: Made) => Json);
/** The effects of a call besides caches, revisions and the server's own; what of them is not allowed, none where it is kept. */
type Row = readonly [tool: string, given: Given, effects: readonly string[], over?: readonly string[]];

const WIDGET = { settings: { title: "T" } };
const BLOCK = "<!-- wp:paragraph --><p>New</p><!-- /wp:paragraph -->";
const SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>";
const ELEMENTS = [{ settings: {}, children: [{ widget_type: "heading", ...WIDGET }] }];
const NEW = ["draft made postmeta", "draft made posts"];
const FIELD = ["draft changed postmeta"];
const CHANGED = ["draft changed postmeta", "draft changed posts"];
const TEXT = ["draft changed posts"];
const IMAGE = ["files made -", "files made postmeta", "files made posts"];
const widget = (widget_type: string): Row => [
  "add-free-widget",
  ({ page, container }) => ({ post_id: page, parent_id: container, widget_type, ...WIDGET }),
  CHANGED,
];

/** Calls on a site that does not allow publishing: of what it may do, each keeps just what its dry run showed. */
const ROWS: readonly Row[] = [
  ["create-page", { title: "New" }, NEW],
  ["build-page", { title: "Built", structure: ELEMENTS }, NEW],
  ["add-container", ({ page }) => ({ post_id: page, settings: { gap: 1 } }), FIELD],
  ...["heading", "image", "icon-list"].map(widget),
  ["update-element", ({ page, heading }) => ({ post_id: page, element_id: heading, ...WIDGET }), CHANGED],
  [
    "update-widget",
    ({ page, heading }) => ({ post_id: page, element_id: heading, settings: { title: "U" } }),
    CHANGED,
  ],
  ["batch-update", ({ page, heading, text }) => ({
    post_id: page,
    operations: [{ element_id: heading, settings: { title: "B" } }, {
      element_id: text,
      settings: { editor: "C" },
    }],
  }), CHANGED],
  ["duplicate-element", ({ page, heading }) => ({ post_id: page, element_id: heading }), CHANGED],
  [
    "move-element",
    ({ page, text, second }) => ({ post_id: page, element_id: text, target_parent_id: second }),
    CHANGED,
  ],
  ["reorder-elements", ({ page, container, button }) => ({
    post_id: page,
    container_id: container,
    element_ids: [button],
  }), CHANGED],
  ["remove-element", ({ page, text }) => ({ post_id: page, element_id: text }), CHANGED],
  ["apply-template", ({ page, template }) => ({ post_id: page, template_id: template }), CHANGED],
  ["import-template", ({ page }) => ({ post_id: page, template_json: ELEMENTS }), CHANGED],
  [
    "update-page-settings",
    ({ page }) => ({ post_id: page, settings: { hide_title: "yes" } }),
    ["draft made postmeta"],
  ],
  [
    "update-page-settings",
    ({ page }) => ({ post_id: page, settings: { post_status: "publish" } }),
    ["publish changed posts", "publish removed postmeta"],
    ["publish"],
  ],
  ["export-page", ({ page }) => ({ post_id: page }), []],
  ["add-block", ({ blocks }) => ({ post_id: blocks, markup: BLOCK }), TEXT],
  ["update-block", ({ blocks }) => ({ post_id: blocks, path: [0], markup: BLOCK }), TEXT],
  ["duplicate-block", ({ blocks }) => ({ post_id: blocks, path: [1] }), TEXT],
  ["move-block", ({ blocks }) => ({ post_id: blocks, path: [1] }), TEXT],
  ["remove-block", ({ blocks }) => ({ post_id: blocks, path: [0] }), TEXT],
  ["insert-pattern", ({ blocks }) => ({ post_id: blocks, pattern_name: "core/query-standard-posts" }), TEXT],
  ["sideload-image", { url: "https://images.example/a.png" }, [...IMAGE, "outbound made -"]],
  ["upload-svg-icon", { svg_content: SVG, title: "Icon" }, IMAGE],
  ["create-post", { title: "Draft" }, ["draft made posts", "draft made term_relationships"]],
  [
    "create-post",
    { title: "Tagged", tags: ["fresh"] },
    [
      "draft made posts",
      "draft made term_relationships",
      "structure made term_taxonomy",
      "structure made terms",
    ],
    ["structure"],
  ],
  ["update-post", ({ blocks }) => ({ post_id: blocks, set: "title", to: "Other" }), TEXT],
  ["update-post", ({ blocks }) => ({ post_id: blocks, set: "status", to: "publish" }), [
    "publish changed posts",
  ], [
    "publish",
  ]],
  [
    "delete-post",
    ({ blocks }) => ({ post_id: blocks }),
    ["delete changed posts", "delete made postmeta"],
    ["delete"],
  ],
  ["add-container", ({ live }) => ({ post_id: live, settings: {} }), [
    "live changed postmeta",
  ], [
    "live",
  ]],
];

const PUBLISHED = [
  "publish made postmeta",
  "publish made posts",
  "publish made term_relationships",
  "schedule changed options",
  "settings made options",
];

/** Calls that change the whole site, and calls where it allows publishing. */
const PUBLISHING: readonly Row[] = [
  ["save-as-template", ({ page }) => ({ post_id: page, title: "Saved" }), [
    "structure made postmeta",
    "structure made posts",
    "structure made term_relationships",
  ]],
  ["update-global-colors", { colors: [{ _id: "primary", color: "#123456" }] }, ["structure made postmeta"]],
  ["update-global-typography", { typography: [{ _id: "primary" }] }, [
    "structure changed postmeta",
  ]],
  ["create-global-class", { label: "c", styles: { color: "red" } }, [
    "structure made postmeta",
    "structure made posts",
  ]],
  ["update-media", ({ media }) => ({ id: media, title: "Named", alt: "A" }), [
    "live changed posts",
    "live made postmeta",
  ]],
  ["add-container", ({ live }) => ({ post_id: live, settings: {} }), [
    "live changed postmeta",
  ]],
  ["add-block", ({ blocks }) => ({ post_id: blocks, markup: BLOCK }), TEXT],
  ["create-post", { title: "Now", status: "publish" }, PUBLISHED, ["publish", "schedule"]],
  // The three that their names hide.
  ["create-post", { title: "Now", status: "future" }, PUBLISHED, ["publish", "schedule"]],
  [
    "update-page-settings",
    ({ page }) => ({ post_id: page, settings: { post_status: "publish" } }),
    ["publish changed posts", "publish made postmeta"],
    ["publish"],
  ],
  ["export-content", {}, ["files made -"], ["files"]],
  ["create-post", { title: "Then", status: "future", date: "2040-01-01 10:00:00" }, [
    "publish made posts",
    "publish made term_relationships",
    "schedule changed options",
  ], ["publish", "schedule"]],
];

/** Effects that need no permission. */
const ALWAYS = ["cache", "own", "revision"];

/** What is another with every change, and the same within a second. */
const TIMES = /^post_(date|modified|modified_gmt)$/;

/** The effects that say what the tool did. */
const shown = ({ effects }: Pick<Told, "effects">) =>
  effects.filter(({ label, change, table, fields }) =>
    !ALWAYS.includes(label) &&
    !(table === "posts" && change === "changed" && fields.every(({ name }) => TIMES.test(name)))
  );

/** What was made, changed or removed, by label and table. */
const summary = (told: Pick<Told, "effects">) =>
  [...new Set(shown(told).map(({ label, change, table }) => `${label} ${change} ${table ?? "-"}`))].sort();

/** The same one by one, without the numbers of new rows. */
const exact = (told: Pick<Told, "effects">) =>
  shown(told).map(({ change, what, fields }) =>
    [
      change,
      what.replaceAll(/\d+/g, "N"),
      ...fields.map(({ name }) => name).filter((name) => !TIMES.test(name)),
    ]
      .join(" ")
  ).sort();

/** Tables whose rows are others now. */
const changed = (before: State, after: State) =>
  Object.keys(after.tables).filter((table) =>
    JSON.stringify(before.tables[table]) !== JSON.stringify(after.tables[table])
  ).map((table) => table.replace(/^wp_/, "")).sort();

async function receipt(site: Held, id: string): Promise<Told> {
  return (await site.wp.signed("admin", site.key, "GET", `/holds/${id}`)).body as unknown as Told;
}

/** A dry run, which must leave nothing; then the call as the gateway would allow it. Gives what the site keeps then. */
async function tried(site: Held, before: State, [tool, args, effects, over]: Try, publishes: boolean) {
  const where = `${tool} ${JSON.stringify(args)}`;
  const [dry, id] = [newId(), newId()];
  const preview = await call(site, tool, args, held(tool, args, { dry: true, id: dry }));
  assert.deepEqual(became(preview), [200, null, "rolled_back"], where);
  assert.deepEqual(await site.state(), before, where);
  assert.equal(told(preview).why, null, where);
  assert.deepEqual(summary(told(preview)), effects, where);
  const answer = await call(site, tool, args, held(tool, args, { id, publishes, expect: dry }));
  const after = await site.state();
  if (over.length > 0) {
    assert.deepEqual(became(answer), [409, "not_allowed", "rolled_back"], where);
    const rest = (answer.body["data"] as Json)["over"] as string[];
    assert.ok(over.every((label) => rest.includes(label)), `${where}: ${rest}`);
    assert.deepEqual(after, before, where);
    return after;
  }
  assert.deepEqual(became(answer), [200, null, "committed"], `${where} ${JSON.stringify(answer.body)}`);
  const kept = await receipt(site, id);
  assert.deepEqual([kept.outcome, exact(kept)], ["committed", exact(told(preview))], where);
  const tables = new Set(kept.effects.flatMap(({ table }) => table === null ? [] : [table]));
  assert.deepEqual(changed(before, after).filter((table) => !tables.has(table)), [], `${where}: told all`);
  return after;
}

type Try = readonly [tool: string, args: Json, effects: readonly string[], over: readonly string[]];

async function allTried(site: Held, rows: readonly Row[], publishes: boolean): Promise<void> {
  const made = await makePages(site);
  let state = await site.state();
  for (const [tool, given, effects, over = []] of rows) {
    const args = typeof given === "function" ? given(made) : given;
    state = await tried(site, state, [tool, args, effects, over], publishes);
  }
}

onEach(
  "thirty of a page builder's tools keep what their dry runs showed, or nothing",
  (site) => allTried(site, ROWS, false),
);

onEach(
  "where publishing is allowed a builder's tools change what visitors see, and publish nothing",
  (site) => allTried(site, PUBLISHING, true),
);

onEach("a tool that cannot reach another host fails in its dry run, and leaves nothing", async (site) => {
  const args = { url: "http://127.0.0.1:9/a.png" };
  const more = held("sideload-image", args, { dry: true, id: newId() });
  const answer = await site.leavesNothing(() => call(site, "sideload-image", args, more));
  assert.deepEqual(became(answer), [200, null, "rolled_back"]);
  assert.equal(told(answer).why, "the tool answered with an error");
});

/** The confirmed call of a tool after something happened since its dry run. */
async function confirmed(
  site: Held,
  tool: string,
  args: Json,
  between: () => Promise<unknown>,
): Promise<Answer> {
  const dry = newId();
  const preview = await call(site, tool, args, held(tool, args, { dry: true, id: dry }));
  assert.equal(told(preview).why, null);
  await between();
  return await call(site, tool, args, held(tool, args, { id: newId(), expect: dry }));
}

/** Waits until the site's clock shows another second. */
const untilNextSecond = () => delay(1050 - Date.now() % 1000);

const KEPT = [200, null, "committed"];

onEach("what a builder makes for itself in the first call of a site is no effect", async (site) => {
  await site.wp.peek({ call: ["BuilderActs\\as_new", []] });
  const args = { title: "First", structure: [{ children: [{ widget_type: "icon", ...WIDGET }] }] };
  const dry = await site.leavesNothing(() =>
    call(site, "build-page", args, held("build-page", args, { dry: true, id: newId() }))
  );
  const { labels, effects } = told(dry);
  assert.deepEqual(labels.sort(), ["cache", "draft", "own", "revision"]);
  const caches = effects.filter(({ label }) => label === "cache").map(({ what }) => what);
  const made = [
    "GET https://news.example/info (not sent)",
    "File wp-content/uploads/elementor/css",
    "Option _elementor_assets_data",
    "Option elementor_connect_site_key",
  ];
  assert.deepEqual(made.filter((one) => !caches.includes(one)), [], caches.join());
  assert.deepEqual(became(await confirmed(site, "build-page", args, () => Promise.resolve())), KEPT);
});

const MANY = {
  title: "Many",
  structure: [{ children: Array(20).fill({ widget_type: "heading", ...WIDGET }) }],
};

onEach("pages with random ids equal their previews, also where all ids are decimal", async (site) => {
  for (const decimal of ["", "1"]) {
    await site.wp.peek({ options: { builder_acts_decimal: decimal } });
    for (let turn = 0; turn < 5; turn++) {
      const answer = await confirmed(site, "build-page", MANY, () => site.wp.draft("admin"));
      assert.deepEqual(became(answer), KEPT, JSON.stringify(answer.body));
    }
  }
  await site.wp.peek({ options: { builder_acts_decimal: "" } });
});

onEach("a new post's number may be that of a new field too", async (site) => {
  const last = await site.wp.peek({ db: ["get_var", "SELECT MAX(meta_id) FROM wp_postmeta"] });
  const post = { import_id: Number(last.result), post_title: "As high as the fields" };
  assert.equal((await site.wp.peek({ post })).id, Number(last.result));
  const answer = await confirmed(site, "build-page", MANY, () => site.wp.draft("admin"));
  assert.deepEqual(became(answer), KEPT, JSON.stringify(answer.body));
});

onEach("a preview within the second of the change before it holds in the next second", async (site) => {
  const { page, container } = await makePages(site);
  const args = { post_id: page, parent_id: container, widget_type: "spacer", settings: {} };
  await untilNextSecond();
  await call(site, "add-free-widget", args);
  const answer = await confirmed(site, "add-free-widget", args, untilNextSecond);
  assert.deepEqual(became(answer), KEPT, JSON.stringify(answer.body));
});

onEach("another term or another number than in the preview is stale", async (site) => {
  const post_id = await site.wp.draft("admin");
  const terms: unknown[] = [];
  for (const name of ["One", "Two"]) {
    terms.push(
      (await site.wp.rest("admin", "POST", "/categories", { name: `${name} of ${post_id}` })).body["id"],
    );
  }
  const set = (term: unknown, price: string) =>
    site.wp.peek({ options: { builder_acts_term: term, builder_acts_price: price } });
  for (const [term, price] of [[terms[1], "1234567"], [terms[0], "7654321"]] as const) {
    await set(terms[0], "1234567");
    const answer = await confirmed(site, "set-post-terms", { post_id }, () => set(term, price));
    assert.deepEqual(became(answer), [409, "stale", "rolled_back"]);
  }
  assert.deepEqual((await site.wp.peek({ id: post_id })).meta["price"], undefined);
  await set(terms[0], "1234567");
  const answer = await confirmed(site, "set-post-terms", { post_id }, () => Promise.resolve());
  assert.deepEqual(became(answer), KEPT, JSON.stringify(answer.body));
});
