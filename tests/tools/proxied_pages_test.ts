/** Proxied tools that change pages where no site holds it: the page's state first, then the write alone, and what became of it. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { parted } from "../proof.ts";
import { SERVER } from "./_proxied_tools.ts";
import { ADD, add, type Args, brokenOff, fails, says, world } from "./_proxied.ts";

const UNPROVEN = /^The site does not hold this write \(.*\), so only what is public was compared$/;

Deno.test("an element is added to a draft, and nothing is said to be proven", async () => {
  await using at = await world();
  const id = at.page("draft");
  for (const door of DOORS) {
    const before = at.servers.reached.length;
    const { done, proof } = await at.gw.proven<Args>(ADD, add(id), { door });
    assert.deepEqual(at.servers.reached.slice(before).map(({ name, writes }) => [name, writes]), [
      ["emcp-tools-add-free-widget", true],
    ]);
    assert.deepEqual(done, { success: true, element_id: door === "rest" ? "e1" : "e2" });
    assert.deepEqual([proof.verified, proof.warnings], [null, []]);
    assert.match(proof.verified_reason!, UNPROVEN);
  }
  assert.equal(at.servers.pages.get(id)?.length, 2);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.status, row?.tier, row?.error, row?._published], ["ok", 2, null, undefined]);
});

Deno.test("over MCP a write that nothing proves is not called verified: it is said whether it can be taken back, and the rest stands in _meta", async () => {
  await using at = await world();
  const result = await at.mcp(ADD, add(at.page("draft")));
  const [answered, known, ...more] = result.content.map(({ text }) => JSON.parse(text));
  assert.deepEqual([answered, more], [{ success: true, element_id: "e1" }, []]);
  const [row] = await at.gw.audit();
  assert.deepEqual(known, { undoable: false, request_id: row!.id });
  assert.deepEqual([parted(result._meta).proof.verified, "structuredContent" in result], [null, false]);
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
    assert.match(proof.verified_reason!, UNPROVEN, word);
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
    assert.deepEqual([proof.verified, proof.warnings.length], [null, warned], status);
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
  for (const name of ["page_id", "postId", "pageID", "POST_ID"]) {
    const said = await at.gw.refuses(ADD, add(id, { [name]: at.page("publish") }), "E_BAD_INPUT");
    assert.match(said, /names another page than post_id/, name);
  }
  assert.deepEqual(at.servers.reached, []);
  await at.gw.call(ADD, add(String(id)));
  assert.deepEqual(at.servers.writes.map(({ args }) => args.post_id), [id]);
});

Deno.test("a failure is reported with what became of the change: nobody knows, or the tool says that it did nothing", async () => {
  await using at = await world();
  const id = at.page("draft");
  const rows: [string, () => ReturnType<typeof says>, string][] = [
    ["fails", () => fails("Out of memory"), "E_TOOL_ERROR"],
    [
      "breaks off",
      () => {
        throw brokenOff();
      },
      "E_UPSTREAM",
    ],
  ];
  for (const [what, answer, code] of rows) {
    for (const door of DOORS) {
      at.servers.answers.set("emcp-tools-add-free-widget", answer);
      const sent = at.servers.writes.length;
      const ending = await at.gw.end(ADD, add(id), { door }) as Args;
      assert.deepEqual([ending.code, at.servers.writes.length], [code, sent + 1], what);
      const [row] = await at.gw.audit();
      assert.deepEqual([row?.status, row?.error, row?.outcome], ["error", code, "unknown"], what);
    }
  }
  at.servers.answers.set("emcp-tools-update-page-settings", () => fails("Nobody knows"));
  const settings = { site_id: "acme", post_id: id, settings: {} };
  const ending = await at.gw.end("builder-mcp-update-page-settings", settings) as Args;
  assert.deepEqual([ending.code, ending.outcome], ["E_TOOL_ERROR", "unknown"]);
  assert.equal(ending.excerpt, "Nobody knows");
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

Deno.test("a page that cannot be read beforehand is not written to", async () => {
  await using at = await world();
  const id = at.page("draft");
  at.cms.inject({ kind: "answer", status: 500, body: {} }, {
    method: "GET",
    path: /\/wp\/v2\//,
    times: Infinity,
  });
  await at.gw.refuses(ADD, add(id), "E_UPSTREAM");
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("of what a tool makes the audit keeps the id that it answers, where it is a plain one", async () => {
  await using at = await world();
  const make = { site_id: "acme", title: "Made", structure: [] };
  for (
    const [answer, kept] of [[{ post_id: 7 }, 7], [{ id: "9" }, 9], [{ post_id: "0x10" }, undefined], [
      {},
      undefined,
    ]] as const
  ) {
    at.servers.answers.set("emcp-tools-build-page", () => says(answer));
    const { proof } = await at.gw.proven("builder-mcp-build-page", make);
    assert.match(proof.verified_reason!, UNPROVEN);
    assert.equal((await at.gw.audit())[0]?.result_id, kept);
  }
});

Deno.test("a tool that only an operator knows counts as changing what visitors see", async () => {
  await using at = await world();
  const own = { writes: true, effect: "new" } as const;
  at.source.offer("emcp-tools-make-thing", ["acme", "open"], own, SERVER, ["title"]);
  const [tool, call] = ["builder-mcp-make-thing", { site_id: "acme", title: "T" }];
  const says =
    /needs allow_publish on site "acme", because the site does not hold what "builder-mcp-make-thing" writes/;
  await at.gw.refuses(tool, call, "E_FORBIDDEN_OP", says);
  await at.gw.refuses(tool, { ...call, site_id: "open" }, "E_SCOPE_DENIED", { as: "two" });
  const run = { ability_name: "emcp-tools/make-thing", parameters: { title: "T" } };
  await at.gw.refuses("mcp-adapter-execute-ability", { ...run, site_id: "acme" }, "E_FORBIDDEN_OP", says);
  assert.deepEqual(at.servers.reached, []);
  await at.gw.call(tool, { ...call, site_id: "open" });
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.tier, row?._published, at.servers.writes.length], [3, true, 1]);
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
