/** Pages that a tool of the site makes: what of the arguments is compared with what stands, and what is named. */
import assert from "node:assert/strict";
import { all } from "../../sandbox/tool_servers/start.ts";
import { type Args, served } from "./_served.ts";

type At = Awaited<ReturnType<typeof served>>;

const STRUCTURE = [{
  type: "container",
  children: [{ type: "widget", widget_type: "heading", settings: { title: "Hello" } }, { type: "spacer" }],
}];
const CONTENT = [{
  id: "1234567",
  elType: "container",
  settings: {},
  elements: [{ id: "2345678", elType: "widget", widgetType: "heading", settings: { title: "Hello" } }],
}];

/** Makes a page, after which `change` changes it before it is read back. */
async function made(at: At, tool: string, args: Args, change: (id: number) => unknown = () => {}) {
  const { pages } = at.tools.state;
  const set = pages.set.bind(pages);
  pages.set = (id, page) => {
    set(id, page);
    change(id);
    return pages;
  };
  try {
    return (await at.gw.proven(`builder-mcp-${tool}`, { site_id: "acme", title: "Made", ...args })).proof;
  } finally {
    pages.set = set;
  }
}

Deno.test("all that is sent for a page that is made is compared", async () => {
  await using at = await served({ race_ms: 0 });
  const widgets = (id: number) => all(at.tools.state.pages.get(id)!.elements);
  const retitled = (id: number) => void (widgets(id)[1]!.settings["title"] = "Other");
  const post = (id: number) => at.cms.posts.get(id)!;
  const whole = { status: "draft", post_type: "post", structure: STRUCTURE };
  const rows: readonly (readonly [tool: string, Args, boolean | null, RegExp, ((id: number) => unknown)?])[] =
    [
      ["build-page", whole, true, /^$/],
      ["build-page", whole, false, /title: is not stored as it was sent/, retitled],
      [
        "build-page",
        whole,
        false,
        /post_type: it is a page/,
        (id) => Object.assign(post(id), { type: "page" }),
      ],
      ["build-page", { structure: STRUCTURE }, false, /types that were sent/, (id) => {
        Object.assign(widgets(id)[1]!, { widgetType: "button" });
      }],
      ["build-page", { ...whole, page_settings: { hide_title: "yes" } }, null, /does not show page_settings/],
      ["build-page", { ...whole, dry_run: true }, null, /^It was a dry run, which makes nothing$/],
      ["create-page", { content: CONTENT, template: "elementor_canvas" }, true, /^$/],
      ["create-page", { content: CONTENT }, false, /title: is not stored as it was sent/, retitled],
      ["create-page", { content: CONTENT }, false, /content: 2 elements were sent and 0 are stored/, (id) => {
        at.tools.state.pages.get(id)!.elements.length = 0;
      }],
      [
        "create-page",
        { content: CONTENT },
        false,
        /content: page \d+ is shown by WordPress's own editor/,
        (id) => {
          post(id).meta["_elementor_edit_mode"] = "";
        },
      ],
      ["create-page", { content: [], template: "elementor_canvas" }, true, /^$/],
    ];
  for (const [tool, args, verified, says, change] of rows) {
    const proof = await made(at, tool, args, change);
    const said = `${proof.verified_reason ?? ""}${proof.warnings}`;
    assert.deepEqual([tool, proof.verified, says.test(said)], [tool, verified, true], said);
  }
});

Deno.test("a dry run that made a page all the same is not verified", async () => {
  await using at = await served({ race_ms: 0 });
  const { id } = at.tools.page({ title: "Made" });
  const content = [{ type: "text" as const, text: JSON.stringify({ post_id: id, dry_run: true }) }];
  at.tools.inject({ kind: "result", applied: false, result: { isError: false, content } }, {
    path: "build-page",
  });
  const proof = await made(at, "build-page", { structure: STRUCTURE, dry_run: true });
  assert.deepEqual([proof.verified, proof.warnings], [false, [
    `dry_run: the tool made page ${id} all the same`,
  ]]);
});

Deno.test("a page that is made without the template that was sent is not verified", async () => {
  await using at = await served({ race_ms: 0 });
  const { id } = at.tools.page({ title: "Made", elements: [] });
  const content = [{ type: "text" as const, text: JSON.stringify({ post_id: id }) }];
  const result = { isError: false, content };
  at.tools.inject({ kind: "result", applied: false, result }, { path: "create-page" });
  const proof = await made(at, "create-page", { template: "elementor_canvas" });
  assert.deepEqual([proof.verified, proof.warnings], [false, [
    "template: the page does not have it as it was sent",
  ]]);
});
