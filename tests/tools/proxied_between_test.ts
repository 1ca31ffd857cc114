/** Writes to pages that somebody else edits at the same time, and those of which little shows: what is said of them. */
import assert from "node:assert/strict";
import { container, widget } from "../../sandbox/tool_servers/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { ToolResult } from "../../sandbox/tool_servers/sdk.ts";
import { type Args, served } from "./_served.ts";

type At = Awaited<ReturnType<typeof served>>;
const told = (text: string): Partial<ToolResult> => ({ isError: true, content: [{ type: "text", text }] });

/** A draft with two headings in one of two containers. */
function draft(at: At) {
  const [one, two] = [widget("heading", { title: "One" }), widget("heading", { title: "Two" })];
  const [from, to] = [container({}, [one, two]), container({}, [widget("spacer")])];
  const { id } = at.tools.page({ title: "Page", elements: [from, to] });
  return { id, one: one.id, two: two.id, from: from.id, to: to.id, spacer: to.elements[0]!.id };
}
type Draft = ReturnType<typeof draft>;

/** A draft of two blocks. */
function blocks(at: At) {
  const block = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;
  const content = [block("One"), block("Two")].join("\n\n");
  const { id } = addPost(at.cms.state, {
    type: "page",
    status: "draft",
    author: 1,
    title: "Blocks",
    content,
  });
  return { id, block };
}

/** A person edits another element while the tool is run, and what the tool says is not done. */
function editedMeanwhile(at: At, { id, spacer }: Draft, tool: string, result: Partial<ToolResult>) {
  const fault = { kind: "result", applied: false } as const;
  at.tools.inject({
    ...fault,
    get result() {
      const page = structuredClone(at.tools.state.pages.get(id)!);
      page.elements[1]!.elements.find((one) => one.id === spacer)!.settings.title = "By a person";
      at.tools.state.pages.set(id, page);
      return result;
    },
  }, { path: tool });
}

Deno.test("who has the page open in the editor is a warning, for saving there takes the change away", async () => {
  await using at = await served();
  const page = draft(at);
  const { id, block } = blocks(at);
  const calls: [tool: string, args: Args][] = [
    ["builder-mcp-update-element", { post_id: page.id, element_id: page.one, settings: { title: "New" } }],
    ["builder-mcp-update-page-settings", { post_id: page.id, settings: { hide_title: "yes" } }],
    ["builder-mcp-add-block", { post_id: id, markup: block("Three") }],
  ];
  const warned = async () => {
    const said: string[] = [];
    for (const [tool, args] of calls) {
      const { proof } = await at.gw.proven(tool, { site_id: "acme", ...args });
      said.push(...proof.warnings.filter((one) => one.includes("open in the editor")));
    }
    return said;
  };
  // As the companion plugin tells it.
  let site_ops_editing: unknown = null;
  at.cms.state.fields.push(() => ({ site_ops_editing }));
  assert.deepEqual(await warned(), []);
  site_ops_editing = { by: { id: 1, name: "Ann" }, at: "2026-11-21T11:59:00" };
  const sentence =
    '"Ann" has it open in the editor (last seen at 2026-11-21T11:59:00Z), and saving there would ' +
    "replace this change";
  assert.deepEqual(await warned(), calls.map(() => sentence));
});

Deno.test("an account that may not store code takes it out of every element of a page, and the answer says so", async () => {
  await using at = await served();
  const code = `<p>${"Long enough to be cut. ".repeat(9)}</p><script>count()</script>`;
  const change = async (warned: boolean) => {
    const [title, html] = [widget("heading", { title: "One" }), widget("html", { html: code })];
    const { id: post_id } = at.tools.page({ title: "Page", elements: [container({}, [title, html])] });
    const args = { site_id: "acme", post_id, element_id: title.id, settings: { title: "New" } };
    const { proof } = await at.gw.proven("builder-mcp-update-element", args);
    const stands = at.tools.state.pages.get(post_id)!.elements[0]!.elements[1]!.settings.html;
    assert.deepEqual([proof.verified, stands === code, proof.warnings.length > 0], [true, !warned, warned]);
    return proof.warnings.join();
  };
  await change(false);
  Object.assign(at.cms.users.admin, { role: "network_editor" });
  assert.match(await change(true), /may not store code.*every element of page \d+/);
  const { id: post_id } = at.tools.page({ title: "Bare", elements: [] });
  const { proof } = await at.gw.proven("builder-mcp-add-container", { site_id: "acme", post_id });
  assert.doesNotMatch(proof.warnings.join(), /may not store code/, "there was nothing to lose");
});

const CALLS: readonly [tool: string, args: (page: Draft) => Args][] = [
  ["add-free-widget", ({ from }) => ({ parent_id: from, widget_type: "heading", settings: {} })],
  ["update-element", ({ one }) => ({ element_id: one, settings: { title: "New" } })],
  ["batch-update", ({ one }) => ({ operations: [{ element_id: one, settings: { title: "New" } }] })],
  ["remove-element", ({ one }) => ({ element_id: one })],
  ["move-element", ({ one, to }) => ({ element_id: one, target_parent_id: to, position: 0 })],
  ["reorder-elements", ({ from, one, two }) => ({ container_id: from, element_ids: [two, one] })],
  ["duplicate-element", ({ one }) => ({ element_id: one })],
  ["import-template", () => ({ template_json: [{ elType: "container", settings: {}, elements: [] }] })],
  ["update-page-settings", () => ({ settings: { hide_title: "yes" } })],
];

Deno.test("a person's edit meanwhile is not taken for what a tool failed to do, nor did not do", async () => {
  await using at = await served({ race_ms: 0 });
  for (const [tool, argsOf] of CALLS) {
    const failing = draft(at);
    editedMeanwhile(at, failing, tool, told("Out of memory"));
    const call = (page: Draft) => ({ site_id: "acme", post_id: page.id, ...argsOf(page) });
    const ending = await at.gw.end(`builder-mcp-${tool}`, call(failing)) as Args;
    assert.deepEqual([ending.code, ending.outcome], ["E_TOOL_ERROR", "unknown"], tool);
    const lost = draft(at);
    editedMeanwhile(at, lost, tool, {
      isError: false,
      content: [{ type: "text", text: '{"success":true}' }],
    });
    const { proof } = await at.gw.proven(`builder-mcp-${tool}`, call(lost));
    assert.notEqual(proof.verified, true, `${tool}: nothing of it is stored`);
  }
});

Deno.test("what a person edits beside what is asked for is named in a warning", async () => {
  await using at = await served({ race_ms: 0 });
  for (const [tool, argsOf] of CALLS.filter(([tool]) => !/import|settings/.test(tool))) {
    for (const edits of [false, true]) {
      const page = draft(at);
      const call = { site_id: "acme", post_id: page.id, ...argsOf(page) };
      const { ran } = at.tools.state;
      const push = ran.push;
      if (edits) {
        ran.push = (...rows) => {
          if (rows[0]!.tool.endsWith(tool)) {
            const { elements } = at.tools.state.pages.get(page.id)!;
            elements[1]!.elements.find(({ id }) => id === page.spacer)!.settings.title = "By a person";
          }
          return push.apply(ran, rows);
        };
      }
      const { proof } = await at.gw.proven(`builder-mcp-${tool}`, call);
      ran.push = push;
      assert.equal(proof.verified, true, tool);
      const warned = proof.warnings.filter((one) => one.includes("differ from before too"));
      assert.deepEqual([tool, warned.length], [tool, edits ? 1 : 0]);
      assert.ok(!edits || warned[0]!.includes(page.spacer));
    }
  }
});

Deno.test("elements that were not moved, and blocks that were not taken out, are not verified", async () => {
  await using at = await served({ race_ms: 0 });
  for (const [tool, argsOf] of CALLS.filter(([tool]) => /move|reorder/.test(tool))) {
    const page = draft(at);
    const call = { site_id: "acme", post_id: page.id, ...argsOf(page) };
    at.tools.inject({ kind: "forgotten" }, { path: tool });
    assert.equal((await at.gw.proven(`builder-mcp-${tool}`, call)).proof.verified, false, tool);
    assert.equal((await at.gw.proven(`builder-mcp-${tool}`, call)).proof.verified, true, tool);
  }
  const { id, block } = blocks(at);
  const calls: [string, Args, boolean][] = [
    ["remove-block", { path: [0] }, false],
    ["remove-block", { path: [0] }, true],
    ["add-block", { markup: block("Three") }, false],
    ["add-block", { markup: block("Three") }, true],
    ["duplicate-block", { path: [0] }, false],
    ["duplicate-block", { path: [0] }, true],
  ];
  for (const [tool, args, kept] of calls) {
    if (!kept) at.tools.inject({ kind: "forgotten" }, { path: tool });
    const answer = await at.gw.proven(`builder-mcp-${tool}`, { site_id: "acme", post_id: id, ...args });
    assert.equal(answer.proof.verified, kept, `${tool} ${kept}`);
  }
});

Deno.test("a change of what is not on the page was not made, and says nothing of its outcome being unknown", async () => {
  await using at = await served({ race_ms: 0 });
  const page = draft(at);
  const settings = { title: "New" };
  const calls: [string, number, Args][] = [
    ["update-element", page.id, { element_id: "missing", settings }],
    ["batch-update", page.id, { operations: [{ element_id: "missing", settings }] }],
    ["remove-element", page.id, { element_id: "missing" }],
    ["update-block", blocks(at).id, {
      path: [7],
      markup: "<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->",
    }],
    ["remove-block", blocks(at).id, { path: [7] }],
  ];
  for (const [tool, post_id, args] of calls) {
    const ending = await at.gw.end(`builder-mcp-${tool}`, { site_id: "acme", post_id, ...args }) as Args;
    assert.deepEqual([tool, ending.code, ending.outcome], [tool, "E_TOOL_ERROR", "none"]);
    assert.doesNotMatch(String(ending.message), /unknown|a part of/);
  }
});

Deno.test("a structure that is as before is no warning where the tool does not change it", async () => {
  await using at = await served({ race_ms: 0 });
  const { id } = draft(at);
  const set = { site_id: "acme", post_id: id, settings: { hide_title: "yes" } };
  const { proof } = await at.gw.proven("builder-mcp-update-page-settings", set);
  assert.deepEqual([proof.verified, proof.warnings], [null, []]);
});

Deno.test("a page that does not exist is said not to, whatever the site allows", async () => {
  await using at = await served({ race_ms: 0 });
  const page = draft(at);
  for (const site_id of ["acme", "open"]) {
    for (const [tool, argsOf] of CALLS) {
      const call = { site_id, post_id: 999_999, ...argsOf(page) };
      const said = await at.gw.refuses(`builder-mcp-${tool}`, call, "E_NOT_FOUND");
      assert.match(said, /^post_id: the site has no page or post 999999/);
    }
    const block = { site_id, post_id: 999_999, path: [0] };
    await at.gw.refuses("builder-mcp-remove-block", block, "E_NOT_FOUND");
  }
  assert.deepEqual(at.writes(), []);
});

Deno.test("a page that a tool reports as made and that is not kept is not verified", async () => {
  await using at = await served({ race_ms: 0 });
  const structure = [{ type: "container", children: [{ type: "heading" }] }];
  for (const [tool, args] of [["create-page", {}], ["build-page", { structure }]] as const) {
    at.tools.inject({ kind: "forgotten" }, { path: tool });
    const call = { site_id: "acme", title: "Made", ...args };
    const { proof } = await at.gw.proven(`builder-mcp-${tool}`, call);
    assert.equal(proof.verified, false, tool);
    assert.match(proof.warnings.join(), /reports that it made \d+, which the site does not have/);
    assert.equal((await at.gw.proven(`builder-mcp-${tool}`, call)).proof.verified, true);
  }
});

Deno.test("a social post and its changes are read back, as the CRM wraps them", async () => {
  await using at = await served({ race_ms: 0 });
  const accountIds = [String(at.hosted.records.social_accounts[0]!.id)];
  const post = { site_id: "crm", accountIds, summary: "Hello", type: "post", status: "draft", userId: "u" };
  const made = await at.gw.proven("social-media-posting_create-post", { ...post, media: [] });
  assert.equal(made.proof.verified, true, JSON.stringify(made));
  const [row] = await at.gw.audit();
  assert.equal(row?.result_id, at.hosted.records.social_posts.at(-1)!._id);
  const edit = { ...post, id: row?.result_id, summary: "Other", media: [] };
  const edited = await at.gw.proven("social-media-posting_edit-post", edit);
  assert.equal(edited.proof.verified, true, JSON.stringify(edited));
});
