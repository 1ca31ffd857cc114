/** Proxied tools that change pages: the page's state first, one writer at a time, read back by the site's own tools. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { parted } from "../proof.ts";
import { ADD, add, type Args, brokenOff, fails, says, world } from "./_proxied.ts";

Deno.test("an element is added to a draft, read back, and the audit keeps what changed", async () => {
  await using at = await world();
  const id = at.page("draft");
  for (const door of DOORS) {
    const before = at.servers.reached.length;
    const answer = await at.gw.end(ADD, add(id), { door });
    assert.ok("value" in answer, JSON.stringify(answer));
    assert.deepEqual(at.servers.reached.slice(before).map(({ name, writes }) => [name, writes]), [
      ["emcp-tools-get-page-structure", false],
      ["emcp-tools-add-free-widget", true],
      ["emcp-tools-get-page-structure", false],
      ["emcp-tools-get-element-settings", false],
    ]);
    const element_id = door === "rest" ? "e1" : "e2";
    assert.deepEqual(answer.value, { success: true, element_id });
    assert.equal(parted(answer.beside).proof.verified, true);
  }
  assert.equal(at.servers.pages.get(id)?.length, 2);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.status, row?.tier, row?.error, row?._published], ["ok", 2, null, undefined]);
  assert.match(JSON.stringify(row?.changes), /element e2.*heading/);
});

Deno.test("over MCP the items of a verified write are the tool's alone, and the proof stands in _meta", async () => {
  await using at = await world();
  const result = await at.mcp(ADD, add(at.page("draft")));
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(result.content[0]!.text), { success: true, element_id: "e1" });
  assert.deepEqual([parted(result._meta).proof.verified, "structuredContent" in result], [true, false]);
  const read = await at.mcp("builder-mcp-list-pages", { site_id: "acme", status: "publish" });
  assert.deepEqual([read.content.length, "structuredContent" in read], [1, false]);
});

Deno.test("what visitors see, or may see, is changed only where the site allows publishing", async () => {
  await using at = await world();
  const soon = { date: { at: at.gw.clock.now + 30_000, floating: false } };
  const states: [string, number][] = [
    ["published", at.page("publish")],
    ["private", at.page("private")],
    ["goes live at", at.page("future", soon)],
    ["no page or post with the id 999999 can be read", 999_999],
  ];
  for (const [word, id] of states) {
    const said = await at.gw.refuses(ADD, add(id), "E_FORBIDDEN_OP");
    assert.match(said, new RegExp(`needs allow_publish on site "acme", because .*${word}`));
    const { proof } = await at.gw.proven(ADD, add(id, { site_id: "open" }));
    assert.equal(proof.verified, true, word);
    const [row] = await at.gw.audit();
    assert.deepEqual([row?.tier, row?._published], [3, true], "the change goes live");
  }
  assert.equal(at.servers.writes.length, states.length);
  await at.gw.refuses(ADD, add(states[0]![1], { site_id: "open" }), "E_SCOPE_DENIED", { as: "two" });
  assert.equal(at.servers.writes.length, states.length, "a ceiling below publishing holds");
  const post = at.page("publish", { type: "post" });
  await at.gw.refuses(ADD, add(post), "E_FORBIDDEN_OP");
});

Deno.test("a page in the bin is not changed, whoever may publish", async () => {
  await using at = await world();
  const id = at.page("trash");
  for (const door of DOORS) {
    const args = add(id, { site_id: "open" });
    const said = await at.gw.refuses(ADD, args, "E_FORBIDDEN_OP", { door });
    assert.match(said, new RegExp(`^Page ${id} is in the bin; restore it in the CMS first`));
  }
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("drafts, pending ones and those scheduled for later are changed, the last with a warning", async () => {
  await using at = await world();
  const later = { date: { at: at.gw.clock.now + 3_600_000, floating: false } };
  for (
    const [status, more, warned] of [["draft", {}, 0], ["pending", {}, 0], ["future", later, 1]] as const
  ) {
    const { proof } = await at.gw.proven(ADD, add(at.page(status, more)), { as: "two" });
    assert.deepEqual([proof.verified, proof.warnings.length], [true, warned], status);
    // What the call itself takes back to a draft is scheduled no more.
    for (const one of proof.warnings) {
      assert.match(
        one,
        /^Page \d+ was scheduled when the call began: .* goes live at \S+Z, where it still is$/,
      );
    }
  }
});

Deno.test("the page is named by a plain number, and what is judged is what is sent", async () => {
  await using at = await world();
  const id = at.page("draft");
  for (
    const wrong of [
      ` ${id}`,
      `${id} `,
      `0${id}`,
      `+${id}`,
      `${id}.0`,
      `${id}e0`,
      [id],
      { id },
      true,
      "",
      -1,
      1.5,
    ]
  ) {
    await at.gw.refuses(ADD, add(wrong), "E_BAD_INPUT");
  }
  assert.match(await at.gw.refuses(ADD, add(undefined), "E_BAD_INPUT"), /^post_id is required/);
  const other = { operations: [{ post_id: at.page("publish"), element_id: "a", settings: {} }] };
  const batch = { site_id: "acme", post_id: id, ...other };
  assert.match(
    await at.gw.refuses("builder-mcp-batch-update", batch, "E_BAD_INPUT"),
    /another page than post_id/,
  );
  for (const name of ["page_id", "postId", "pageID", "POST_ID"]) {
    const said = await at.gw.refuses(ADD, add(id, { [name]: at.page("publish") }), "E_BAD_INPUT");
    assert.match(said, /names another page than post_id/, name);
  }
  assert.deepEqual(at.servers.reached, []);
  await at.gw.call(ADD, add(String(id), { page_id: id }));
  assert.deepEqual(at.servers.writes.map(({ args }) => args.post_id), [id]);
});

Deno.test("a success that did not persist is not verified", async () => {
  await using at = await world();
  const id = at.page("draft");
  at.servers.answers.set("emcp-tools-add-free-widget", () => says({ success: true, element_id: "e9" }));
  const { done, proof } = await at.gw.proven<Args>(ADD, add(id));
  assert.deepEqual([done.element_id, proof.verified], ["e9", false]);
  assert.match(proof.warnings[0]!, /nothing of the change is stored/);
  at.servers.answers.set("emcp-tools-add-free-widget", (args) => {
    at.servers.own("emcp-tools-add-free-widget", args);
    return says({ success: true, element_id: "e9" });
  });
  const lost = (await at.gw.proven(ADD, add(id))).proof;
  assert.equal(lost.verified, false);
  assert.match(lost.warnings[0]!, /"e9", which is not on the page/);
});

Deno.test("settings are compared with what the element has afterwards", async () => {
  await using at = await world();
  const id = at.page("draft");
  at.servers.pages.set(id, [{ id: "a", widgetType: "heading", settings: { title: "Old", size: "xl" } }]);
  const update = { site_id: "acme", post_id: id, element_id: "a", settings: { title: "New" } };
  assert.equal((await at.gw.proven("builder-mcp-update-element", update)).proof.verified, true);
  at.servers.answers.set("emcp-tools-update-element", () => says({ success: true }));
  const other = { ...update, settings: { title: "Newer" } };
  const { proof } = await at.gw.proven("builder-mcp-update-element", other);
  assert.deepEqual([proof.verified, proof.warnings], [false, ["a, title: is not stored as it was sent"]]);
  // PHP keeps an object without names, or with 0, 1, 2 for names, as a list.
  at.servers.answers.set("emcp-tools-update-element", () => {
    const kept = { link: [], lists: { a: [], b: [[]] }, rows: ["x", "y"] };
    Object.assign(at.servers.pages.get(id)![0]!.settings, kept);
    return says({ success: true });
  });
  const objects = { link: {}, lists: { a: {}, b: [{}] }, rows: { 0: "x", 1: "y" } };
  const kept = { ...update, settings: objects };
  assert.equal((await at.gw.proven("builder-mcp-update-element", kept)).proof.verified, true);
  const more = { ...update, settings: { ...objects, rows: {} } };
  const lost = (await at.gw.proven("builder-mcp-update-element", more)).proof;
  assert.deepEqual(lost.warnings, ["a, rows: is not stored as it was sent"]);
  const remove = { site_id: "acme", post_id: id, element_id: "a" };
  assert.equal((await at.gw.proven("builder-mcp-remove-element", remove)).proof.verified, true);
  const settings = { site_id: "acme", post_id: id, settings: { hide_title: "yes" } };
  const page = (await at.gw.proven("builder-mcp-update-page-settings", settings)).proof;
  assert.deepEqual([page.verified, typeof page.verified_reason], [null, "string"]);
});

Deno.test("a failure is reported with what became of the change: made, none, unknown", async () => {
  await using at = await world();
  const id = at.page("draft");
  const add1 = (args: Args) => at.servers.own("emcp-tools-add-free-widget", args);
  const rows: [string, (args: Args) => ReturnType<typeof says>, string, string][] = [
    ["fails and is stored", (args) => (add1(args), fails("Out of memory")), "E_TOOL_ERROR", "made"],
    ["fails", () => fails("Invalid input"), "E_TOOL_ERROR", "none"],
    [
      "breaks off and is stored",
      (args) => {
        add1(args);
        throw brokenOff();
      },
      "E_UPSTREAM",
      "made",
    ],
    [
      "breaks off",
      () => {
        throw brokenOff();
      },
      "E_UPSTREAM",
      "unknown",
    ],
  ];
  for (const [what, answer, code, outcome] of rows) {
    at.servers.answers.set("emcp-tools-add-free-widget", answer);
    const ending = await at.gw.end(ADD, add(id)) as Args;
    assert.deepEqual([ending.code, ending.outcome], [code, outcome], what);
    const [row] = await at.gw.audit();
    assert.deepEqual([row?.status, row?.error, row?.outcome], ["error", code, outcome], what);
  }
  at.servers.answers.set("emcp-tools-update-page-settings", () => fails("Nobody knows"));
  const settings = { site_id: "acme", post_id: id, settings: {} };
  const ending = await at.gw.end("builder-mcp-update-page-settings", settings) as Args;
  assert.deepEqual([ending.code, ending.outcome], ["E_TOOL_ERROR", "unknown"]);
  assert.match(String(ending.message), /in the words of the site's own tool: "Nobody knows"/);
  for (
    const refused of [
      fails("Permission denied"),
      fails('Ability "x" has invalid input. Reason: settings is required'),
      fails("Element not found."),
      fails('Element "a" not found on this page.'),
      fails("Parent container not found."),
      fails('Widget type "no-such" not found.'),
      fails("Target element is not a widget."),
      says({ success: false }, { isError: true, soft: true, status: 422 }),
    ]
  ) {
    at.servers.answers.set("emcp-tools-update-page-settings", () => refused);
    const { outcome } = await at.gw.end("builder-mcp-update-page-settings", settings) as Args;
    assert.equal(outcome, "none", JSON.stringify(refused));
  }
  at.servers.answers.set("emcp-tools-update-page-settings", () => fails("Saved; Element not found."));
  const { outcome } = await at.gw.end("builder-mcp-update-page-settings", settings) as Args;
  assert.equal(outcome, "unknown", "what was found missing afterwards says nothing of before");
});

Deno.test("a site whose tools cannot show a page is written to, and nothing is said to be proven", async () => {
  await using at = await world();
  at.source.offer("emcp-tools-add-lone", ["editor"], { writes: true, effect: "page", page: "post_id" });
  const call = { site_id: "editor", post_id: at.page("draft") };
  const { proof } = await at.gw.proven("builder-mcp-add-lone", call);
  assert.deepEqual([proof.verified, at.servers.reached.length], [null, 1]);
  assert.match(proof.verified_reason!, /no tool of its own that reads back/);
});

Deno.test("a page that cannot be read beforehand is not written to", async () => {
  await using at = await world();
  at.servers.answers.set("emcp-tools-get-page-structure", () => {
    throw brokenOff();
  });
  await at.gw.refuses(ADD, add(at.page("draft")), "E_UPSTREAM");
  assert.deepEqual(at.servers.writes, []);
});

Deno.test("what is made is read back: its state, and whether all its elements are stored", async () => {
  await using at = await world();
  const structure = [{ type: "heading" }, { type: "map" }, { type: "widget", widget_type: "spacer" }];
  const build = { site_id: "acme", title: "Made", structure };
  const made = (status: string, stored: number) => () => {
    const id = at.page(status, { title: "Made" });
    at.servers.pages.set(
      id,
      ["heading", "map", "spacer"].slice(0, stored).map((widgetType, n) => ({
        id: `x${n}`,
        widgetType,
        settings: {},
      })),
    );
    return says({ success: true, post_id: id });
  };
  for (
    const [status, stored, verified, warning] of [
      ["draft", 3, true, /^$/],
      ["draft", 2, false, /3 elements were sent and 2 are stored/],
      // Where the site allows it.
      ["publish", 3, false, /is public/],
    ] as const
  ) {
    at.servers.answers.set("emcp-tools-build-page", made(status, stored));
    const site_id = status === "publish" ? "open" : "acme";
    const { proof } = await at.gw.proven("builder-mcp-build-page", { ...build, site_id });
    assert.deepEqual(
      [proof.verified, warning.test(proof.warnings.join())],
      [verified, true],
      `${status} ${stored}`,
    );
  }
  const [row] = await at.gw.audit();
  assert.equal(typeof row?.result_id, "number");
});

Deno.test("what changes the whole site needs allow_publish, and goes live", async () => {
  await using at = await world();
  const colors = (site_id: string) => ({ site_id, colors: [{ _id: "primary", color: "#fff" }] });
  await at.gw.refuses("builder-mcp-update-global-colors", colors("acme"), "E_PUBLISH_NOT_ALLOWED");
  assert.deepEqual([at.servers.reached, at.gw.requests], [[], []]);
  await at.gw.refuses("builder-mcp-update-global-colors", colors("open"), "E_SCOPE_DENIED", { as: "two" });
  await at.gw.call("builder-mcp-update-global-colors", colors("open"));
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.tier, row?._published, at.servers.writes.length], [3, true, 1]);
});
