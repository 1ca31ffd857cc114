/** Hits become one call for each thing and tool, that puts the new text there and nothing else; what stays is named with the reason. */
import assert from "node:assert/strict";
import type { FoundPlace } from "../../../platforms/_content/text_search.ts";
import { phoneNeedle } from "../../../rules/finding/phone.ts";
import type { Rewriting } from "../../../rules/finding/rewriting.ts";
import type { Form } from "../../../rules/finding/unread.ts";
import { textNeedle } from "../../../rules/finding/text.ts";
import { formOf, isNaming, textIn } from "../../../tools/pages/_builder_texts.ts";
import { within } from "../../../tools/pages/_replacement_set.ts";
import { chosen, grouped, hitsOf, itemOf, type Made } from "../../../tools/pages/_replacing.ts";
import type { StoredText } from "../../../tools/pages/_rewrites.ts";

const OPEN = { flags: { allow_publish: true, allow_seo_on_published: true, allow_full_repo_write: true } };
const CLOSED = { flags: {} };
type Site = Parameters<typeof hitsOf>[1];

const place = (more: Partial<FoundPlace>): FoundPlace => ({
  kind: "post",
  id: 7,
  status: "draft",
  title: "T",
  field: "content_html",
  madeWith: null,
  spots: [{ before: "", found: "Zeppelin", after: "", isCutBefore: false, isCutAfter: false }],
  times: 1,
  ...more,
});

const groupsOf = (places: readonly FoundPlace[], site: unknown = OPEN) =>
  grouped(hitsOf(places, site as Site));

const AIRSHIP: Rewriting = { needle: textNeedle("zeppelin"), to: "Airship", isPhone: false, isWords: true };

/** The one call for places of one thing, whose texts are these. */
function made(
  places: readonly FoundPlace[],
  texts: Record<string, string | StoredText>,
  wanted = AIRSHIP,
  beside = {},
) {
  const { groups } = groupsOf(places);
  assert.equal(groups.length, 1);
  const stored = Object.entries(texts).map(([field, text]) => {
    const form: Form = ["title", "excerpt"].includes(field) ? "words" : "html";
    return [field, typeof text === "string" ? { text, form } : text] as const;
  });
  return itemOf(groups[0]!, { texts: Object.fromEntries(stored), beside }, wanted);
}

Deno.test("several hits in one thing are one call, of what is live with exact replacements", () => {
  const fields = ["title", "content_html", "excerpt"];
  const texts = {
    title: "The zeppelin",
    content_html: "<p>Zeppelin ZEPPELIN Zeppelin</p>",
    excerpt: "A Zeppelin",
  };
  const live = fields.map((field) => place({ field, status: "published" }));
  assert.deepEqual(made(live, texts), {
    item: {
      tool: "revise_published",
      arguments: {
        post_id: 7,
        title: "The Airship",
        excerpt: "A Airship",
        replacements: [
          { find: "Zeppelin", replace: "Airship", count: 2 },
          { find: "ZEPPELIN", replace: "Airship", count: 1 },
        ],
      },
    },
    going: [
      { id: "post:7:title", times: 1, found: ["zeppelin"] },
      { id: "post:7:content_html", times: 3, found: ["Zeppelin", "ZEPPELIN"] },
      { id: "post:7:excerpt", times: 1, found: ["Zeppelin"] },
    ],
    stays: [],
    already: 0,
  });
  assert.deepEqual(made(fields.map((field) => place({ field })), texts).item, {
    tool: "update_draft",
    arguments: {
      post_id: 7,
      title: "The Airship",
      content_html: "<p>Airship Airship Airship</p>",
      excerpt: "A Airship",
    },
  });
});

Deno.test("a text that no fifty replacements tell exactly is given whole", () => {
  const text = Array.from({ length: 60 }, (_, n) => `${"x 030 12345678 y ".repeat(80)}${n}: 030 1234567. `)
    .join("");
  const wanted = { needle: phoneNeedle("030 1234567"), to: "040 7654321", isPhone: true, isWords: false };
  const { item } = made([place({ status: "published" })], { content_html: text }, wanted);
  assert.deepEqual(item!.arguments, {
    post_id: 7,
    content_html: text.replaceAll(": 030 1234567.", ": 040 7654321."),
  });
});

Deno.test("only the texts that are chosen change", () => {
  const { item } = made([place({ field: "title" })], { title: "Zeppelin", content_html: "<p>Zeppelin</p>" });
  assert.deepEqual(item!.arguments, { post_id: 7, title: "Airship" });
});

Deno.test("each kind of thing has its tool and its arguments", () => {
  const page = { kind: "page", id: 9 } as const;
  const path = "src/content/a.md";
  const file = {
    kind: "file",
    id: undefined,
    status: undefined,
    title: undefined,
    field: "content",
  } as const;
  const rows: readonly (readonly [FoundPlace[], Record<string, string>, object, object?])[] = [
    [[place({ ...page })], { content_html: "<p>Zeppelin</p>" }, {
      tool: "update_page_draft",
      arguments: { page_id: 9, content_html: "<p>Airship</p>" },
    }],
    [[place({ kind: "other", type: "recipe", isForWriters: true })], { content_html: "Zeppelin" }, {
      tool: "update_draft",
      arguments: { post_id: 7, type: "recipe", content_html: "Airship" },
    }],
    [
      [
        place({ ...page, madeWith: "code", field: "title" }),
        place({ ...page, madeWith: "code" }),
        place({ ...page, madeWith: "code", field: "js" }),
      ],
      { title: "Zeppelin", content_html: "<p>Zeppelin</p>", js: "a" },
      { tool: "update_page_from_code", arguments: { page_id: 9, title: "Airship", html: "<p>Airship</p>" } },
    ],
    [[place({ field: "og_title", isSeo: true, status: "published" })], { og_title: "Zeppelin" }, {
      tool: "set_seo_meta",
      arguments: { post_id: 7, og_title: "Airship" },
    }],
    [[place({ ...file, path })], { content: "Zeppelin" }, {
      tool: "write_static_file",
      arguments: { path, content: "Airship", sha: "a", allow_overwrite: true },
    }, { sha: "a" }],
    [[place({ ...file, path: "src/pages/a.astro", isManaged: false })], { content: "Zeppelin" }, {
      tool: "bulk_write_static_files",
      arguments: {
        files: [{ path: "src/pages/a.astro", content: "Airship", allow_overwrite: true, sha: "a" }],
        target_branch: "main",
      },
    }, { sha: "a", target_branch: "main" }],
    [
      [place({ ...file, path: "src/pages/a.astro", isManaged: true })],
      { html: "<p>Zeppelin</p>", title: "Zeppelin" },
      {
        tool: "update_static_route",
        arguments: { route: "/a", html: "<p>Airship</p>", title: "Airship", description: "D", sha: "a" },
      },
      { html: "<p>Zeppelin</p>", title: "Zeppelin", description: "D", sha: "a" },
    ],
  ];
  for (const [places, texts, item, beside] of rows) {
    assert.deepEqual(made(places, texts, AIRSHIP, beside).item, item);
  }
});

Deno.test("what nothing changes stays, with the reason and another way", () => {
  const { groups, stays } = groupsOf([
    place({ kind: "menu item", id: 3, field: "label" }),
    place({ status: "published" }),
    place({ status: "published", field: "title", isSeo: true }),
    place({ kind: "page", madeWith: "visual" }),
  ], CLOSED);
  assert.deepEqual(groups, []);
  assert.deepEqual(stays, [
    { id: "menu item:3:label", why: "change it in the CMS, Appearance, Menus" },
    {
      id: "post:7:content_html",
      why: "revise_published changes it where the site has allow_publish, which an operator sets",
    },
    {
      id: "post:7:seo:title",
      why: "set_seo_meta changes it where the site has allow_seo_on_published, which an operator sets",
    },
    {
      id: "page:7:content_html",
      why:
        "change it in the visual builder, or with the site's own builder tools (builder-mcp-…) where it has them",
    },
  ]);
  const script = made([place({})], { content_html: "<p>Zeppelin</p><script>a('Zeppelin')</script>" }, {
    ...AIRSHIP,
    to: "Tom's",
  });
  assert.equal(script.item!.arguments["content_html"], "<p>Tom's</p><script>a('Zeppelin')</script>");
  assert.match(script.stays[0]!.why, /^the new text holds a sign/);
  const stored = { text: "Zeppelin", form: "html", stays: "the page is locked" } as const;
  assert.deepEqual(made([place({})], { content_html: stored }).stays, [{
    id: "post:7:content_html",
    why: "the page is locked",
  }]);
  assert.match(made([place({})], {}).stays[0]!.why, /does not tell/);
  const blank = made([place({ field: "title" })], { title: "Zeppelin" }, { ...AIRSHIP, to: "" });
  assert.deepEqual([blank.item, blank.stays.length], [null, 1]);
  const same = made([place({})], { content_html: "Airship" }, { ...AIRSHIP, needle: textNeedle("airship") });
  assert.deepEqual([same.item, same.going, same.already], [null, [], 1]);
});

Deno.test("settings of a visual builder are one call of the site's own tool, each that is an object given whole", () => {
  const at = (within: string) =>
    place({ kind: "page", field: "builder", within, madeWith: "visual", status: "published" });
  const within = [
    "heading a1 title",
    "tabs b2 tabs.0.tab_title",
    "tabs b2 tabs.1.tab_content",
    "button c3 link.url",
    "button c3 text",
  ];
  const { groups } = groupsOf(within.map(at), CLOSED);
  assert.deepEqual(groups.map(({ tool, of }) => [tool, of]), [["builder-mcp-batch-update", { post_id: 7 }]]);
  const settings = new Map<string, Record<string, unknown>>([
    ["a1", { title: "Call 030 1234567", size: "xl" }],
    ["b2", {
      tabs: [{ _id: 1, tab_title: "030/1234567" }, { tab_content: "<p>+49 30 1234567</p>" }, {}],
      a: 1,
    }],
    ["c3", { link: { url: "tel:+49301234567", nofollow: "" }, text: "Tom & 030 1234567" }],
  ]);
  const before = structuredClone([...settings]);
  const wanted = { needle: phoneNeedle("+49 30 1234567"), to: "+49 40 765", isPhone: true, isWords: false };
  const texts = Object.fromEntries(
    within.map((one) => [one, { text: textIn(settings, one), form: formOf(one) }]),
  );
  const { item, stays } = itemOf(groups[0]!, { texts, beside: { settings } }, wanted);
  assert.deepEqual(stays, []);
  assert.deepEqual(item, {
    tool: "builder-mcp-batch-update",
    arguments: {
      post_id: 7,
      operations: [
        { element_id: "a1", settings: { title: "Call +49 40 765" } },
        {
          element_id: "b2",
          settings: { tabs: [{ _id: 1, tab_title: "+49 40 765" }, { tab_content: "<p>+49 40 765</p>" }, {}] },
        },
        {
          element_id: "c3",
          settings: { link: { url: "tel:+4940765", nofollow: "" }, text: "Tom & +49 40 765" },
        },
      ],
    },
  });
  assert.deepEqual([...settings], before);
  assert.deepEqual(["heading a1 _css_classes", "html a1 custom_css", "heading a1 title"].map(isNaming), [
    true,
    true,
    false,
  ]);
  assert.deepEqual(
    [textIn(settings, "heading a1 size.x"), textIn(settings, "x"), textIn(new Map(), "a b c")],
    [
      null,
      null,
      null,
    ],
  );
});

Deno.test("what is of one thing stands together, its SEO fields behind what they may follow", () => {
  const { groups } = groupsOf([
    place({ field: "og_title", isSeo: true }),
    place({ id: 8 }),
    place({ field: "title" }),
    place({ id: 8, field: "title" }),
  ]);
  assert.deepEqual(groups.map(({ tool, of, hits }) => [tool, of["post_id"], hits.map(({ id }) => id)]), [
    ["update_draft", 7, ["post:7:title"]],
    ["set_seo_meta", 7, ["post:7:seo:og_title"]],
    ["update_draft", 8, ["post:8:content_html", "post:8:title"]],
  ]);
});

Deno.test("a set has no more bytes than it may have; a small call fits behind one that does not", () => {
  const of = (characters: number): Made => ({
    item: { tool: "update_draft", arguments: { title: "ä".repeat(characters) } },
    going: [],
    stays: [],
    already: 0,
  });
  const [large, small, more] = [of(500), of(10), of(100)];
  const { fitting, over } = within([small, large, more], 1000);
  assert.deepEqual([fitting, over], [[small, more], [large]]);
  assert.deepEqual(within([large], 1).fitting, []);
});

Deno.test("hits are chosen by their names, and a name of none is refused", () => {
  const hits = hitsOf([place({}), place({ field: "title" }), place({ id: 8 })], OPEN as unknown as Site);
  const ids = (choice: Parameters<typeof chosen>[1]) => chosen(hits, choice).map(({ id }) => id);
  assert.equal(ids({}).length, 3);
  assert.deepEqual(ids({ only: ["post:7:title", "post:8:content_html"] }), [
    "post:7:title",
    "post:8:content_html",
  ]);
  assert.deepEqual(ids({ leave_out: ["post:7:title"] }), ["post:7:content_html", "post:8:content_html"]);
  assert.deepEqual(ids({ only: ["post:7:title"], leave_out: ["post:7:title"] }), []);
  for (const field of ["only", "leave_out"]) {
    assert.throws(() => ids({ [field]: ["post:7:titel"] }), {
      code: "E_BAD_INPUT",
      message: new RegExp(`^${field}: there is no hit "post:7:titel"`),
    });
  }
});
