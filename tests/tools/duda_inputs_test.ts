/** What pages and posts of a site builder cannot be given: heads, bodies, paths and ids, refused with the way out. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { type DudaWorld, test } from "./_duda.ts";

const NEW_PAGE = { site_id: "open", title: "x", confirm: true };
const calls = ({ page, draft }: DudaWorld): Readonly<Record<string, Args>> => ({
  create_page_draft: NEW_PAGE,
  update_page_draft: { site_id: "open", page_id: page.uuid, confirm: true },
  duplicate_page: { site_id: "open", page_id: page.uuid, confirm: true },
  create_draft: { ...NEW_PAGE, content_html: "<p>x</p>" },
  update_draft: { site_id: "open", post_id: draft.id, confirm: true },
});
const PAGE_TOOLS = ["create_page_draft", "update_page_draft"];

test("the head of a page is held to the rules of code pages", async (world) => {
  const refused = [
    ["<p>fine</p>\n<script src='https://cdn.example/a.js'></script>", /a script from another address at 2:1/],
    ["<iframe src='https://x.example'></iframe>", /the element iframe at 1:1/],
    ["<link rel=stylesheet href='https://x.example/a.css'>", /a style sheet or script from another address/],
    ["<base href='https://x.example'>", /the element base/],
    ["<a href='java\nscript:1'>x</a>", /an address that runs a script/],
  ] as const;
  for (const tool of PAGE_TOOLS) {
    const args = calls(world)[tool]!;
    for (const [header_html, says] of refused) {
      const message = new RegExp(
        `^header_html: .*${says.source}.* \\(line:column\\); the head of a page takes`,
      );
      await world.refuses(tool, { ...args, header_html }, "E_DISALLOWED_CONTENT", message);
    }
    for (const header_html of ["<script>1", "<style>a{}", "<!-- open", "<div>"]) {
      await world.refuses(
        tool,
        { ...args, header_html },
        "E_BAD_INPUT",
        /^header_html: .*close what is opened/,
      );
    }
    const header_html = '<meta name="a" content="b"><link rel="icon" href="/i.png"><script>1</script>';
    assert.equal((await world.write(tool, { ...args, header_html }))["verified"], true);
  }
});

test("a body for a page is refused with the ways there are", async (world) => {
  for (const tool of PAGE_TOOLS) {
    const args = { ...calls(world)[tool], content_html: "<p>x</p>" };
    const says = /^content_html: "open" is a sitebuilder site, .*duplicate_page.*inject_page_section$/;
    await world.refuses(tool, args, "E_NOT_SUPPORTED", says);
  }
});

test("a slug that is no path of the site is refused, whichever tool it is given to", async (world) => {
  for (const [tool, args] of Object.entries(calls(world))) {
    for (const slug of ["../home", "a/../b", "a//b", "a/", ".", "a b", "a?b", "a#b", "a%2fb", "a\\b", "/"]) {
      const reads = tool.startsWith("update") ? "reads" : "nothing";
      await world.refuses(tool, { ...args, slug }, "E_BAD_INPUT", /^slug: expected a path such as/, reads);
    }
  }
  for (const [tool, args] of Object.entries(calls(world))) {
    const done = await world.write(tool, { ...args, slug: `/about/${tool}.html` });
    assert.equal(done["url"], `https://acme.example/about/${tool}.html`);
  }
});

test("an address for a page's image is a web address or none", async (world) => {
  for (const tool of PAGE_TOOLS) {
    const args = calls(world)[tool]!;
    for (const og_image of ["javascript:alert(1)", "image.png", "https://", "https://x.example/a b.png"]) {
      await world.refuses(tool, { ...args, seo: { og_image } }, "E_BAD_INPUT", /^seo\.og_image: /);
    }
    for (const og_image of ["https://x.example/a.png", ""]) {
      await world.write(tool, { ...args, seo: { og_image } });
    }
  }
});

test("an id of another form is shown as it was given", async (world) => {
  const site_id = "open";
  const text = /^post_id: expected an id of at most 64 letters, digits, - and _, as a text, not /;
  for (const [post_id, shown] of [[7, "7"], ["a".repeat(65), `"${"a".repeat(65)}"`]] as const) {
    await world.refuses(
      "get_post",
      { site_id, post_id },
      "E_BAD_INPUT",
      new RegExp(`${text.source}${shown}$`),
    );
  }
  await world.refuses(
    "get_page",
    { site_id, page_id: 7 },
    "E_BAD_INPUT",
    /^page_id: expected a uuid .*, not 7$/,
  );
});
