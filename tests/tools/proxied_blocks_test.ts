/** Tools for blocks at the stand-ins of real tool servers: the page's text is compared, with what was sent and where. */
import assert from "node:assert/strict";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import { blocksOf } from "../../platforms/tool_servers/block_tree.ts";
import { type Args, served } from "./_served.ts";

type At = Awaited<ReturnType<typeof served>>;
const block = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;
const text = (...names: string[]) => names.map(block).join("\n\n");
const draft = (at: At, content: string) =>
  addPost(at.cms.state, { type: "page", status: "draft", author: 1, title: "Blocks", content });

const proofOf = async (at: At, tool: string, { id }: Post, args: Args) =>
  (await at.gw.proven(`builder-mcp-${tool}`, { site_id: "acme", post_id: id, ...args })).proof;

/** What is asked for of a page of One, Two and Three, and the texts that then stand. */
const CALLS: readonly (readonly [tool: string, Args, stands: readonly string[]])[] = [
  ["add-block", { markup: block("New") }, ["One", "Two", "Three", "New"]],
  ["add-block", { markup: text("A", "B"), position: { mode: "prepend" } }, ["A", "B", "One", "Two", "Three"]],
  ["add-block", { markup: block("New"), position: { mode: "before", path: [1] } }, [
    "One",
    "New",
    "Two",
    "Three",
  ]],
  ["add-block", { markup: block("New"), position: { mode: "after", path: [1] } }, [
    "One",
    "Two",
    "New",
    "Three",
  ]],
  ["update-block", { path: [1], markup: block("New") }, ["One", "New", "Three"]],
  ["remove-block", { path: [1] }, ["One", "Three"]],
  ["move-block", { path: [0], position: { mode: "append" } }, ["Two", "Three", "One"]],
  ["move-block", { path: [0], position: { mode: "after", path: [1] } }, ["Two", "One", "Three"]],
  ["move-block", { path: [2], position: { mode: "before", path: [1] } }, ["One", "Three", "Two"]],
  ["duplicate-block", { path: [0] }, ["One", "One", "Two", "Three"]],
];

/** The tool stores this instead, and answers a success. */
function stores(at: At, tool: string, post: Post, content: string): void {
  const answer = JSON.stringify({ post_id: post.id, added: 1 });
  const fault = { kind: "result", applied: false } as const;
  at.tools.inject({
    ...fault,
    get result() {
      post.content = content;
      return { isError: false, content: [{ type: "text" as const, text: answer }] };
    },
  }, { path: tool });
}

Deno.test("blocks that stand as they were asked for are verified, and others are not", async () => {
  await using at = await served({ race_ms: 0 });
  const before = ["One", "Two", "Three"];
  for (const [tool, args, stands] of CALLS) {
    const page = draft(at, text(...before));
    const proof = await proofOf(at, tool, page, args);
    assert.deepEqual([proof.verified, proof.warnings, page.content], [true, [], text(...stands)], tool);
    const lost = draft(at, text(...before));
    stores(at, tool, lost, lost.content);
    assert.equal((await proofOf(at, tool, lost, args)).verified, false, `${tool}: nothing is stored`);
    const elsewhere = draft(at, text(...before));
    stores(at, tool, elsewhere, text(...stands.toReversed()));
    assert.notEqual((await proofOf(at, tool, elsewhere, args)).verified, true, `${tool}: stands elsewhere`);
    const other = draft(at, text(...before));
    stores(at, tool, other, text(...stands.toSpliced(0, 1, "Something else")));
    assert.notEqual((await proofOf(at, tool, other, args)).verified, true, `${tool}: another text`);
  }
});

Deno.test("an object without names among a block's attributes is kept as a list, and is no difference", async () => {
  await using at = await served({ race_ms: 0 });
  const group = (style: string) =>
    `<!-- wp:group {"style":${style},"layout":{"type":"flex"}} -->\n<!-- /wp:group -->`;
  const page = draft(at, group("{}"));
  const markup = group('{"spacing":{},"n":{"0":1}}');
  stores(at, "add-block", page, `${group("[]")}\n\n${group('{"spacing":[],"n":[1]}')}`);
  assert.equal((await proofOf(at, "add-block", page, { markup })).verified, true);
  stores(at, "add-block", page, `${page.content}\n\n${group("[]")}`);
  const other = { markup: group('{"color":{}}') };
  assert.equal((await proofOf(at, "add-block", page, other)).verified, false);
});

Deno.test("what differs is named: the place, the markup, or blocks that the call does not name", async () => {
  await using at = await served({ race_ms: 0 });
  const add = { markup: block("New"), position: { mode: "prepend" } };
  const rows: readonly (readonly [stored: string, boolean | null, RegExp])[] = [
    [text("One", "New"), false, /^position: the blocks are not where they were to go$/],
    [text("Nw", "One"), false, /^markup: the page does not have it as it was sent$/],
    [text("New", "One, edited"), null, /differ from before that the call does not name/],
    [
      text("New", "One").replaceAll("\n", "  ").replaceAll("wp:paragraph", "wp:core/paragraph {}"),
      true,
      /^$/,
    ],
    ["<!-- wp:group -->", null, /cannot be told apart/],
  ];
  for (const [stored, verified, says] of rows) {
    const page = draft(at, text("One"));
    stores(at, "add-block", page, stored);
    const proof = await proofOf(at, "add-block", page, add);
    assert.equal(proof.verified, verified, stored);
    assert.match(`${proof.verified_reason ?? ""}${proof.warnings}`, says);
  }
});

Deno.test("blocks within others are compared, whatever blank space their editor leaves", async () => {
  await using at = await served({ race_ms: 0 });
  const group = (...inner: string[]) =>
    `<!-- wp:group {"layout":{"type":"flex"}} -->\n<div class="g">${
      inner.join("\n\n")
    }</div>\n<!-- /wp:group -->`;
  const rows: readonly (readonly [tool: string, Args, before: string, now: string])[] = [
    [
      "add-block",
      { markup: block("B"), position: { mode: "inside", path: [0] } },
      group(block("A")),
      group(block("A"), block("B")),
    ],
    [
      "add-block",
      { markup: block("B"), position: { mode: "inside", path: [0] } },
      group(),
      group(block("B")),
    ],
    [
      "update-block",
      { path: [0, 1], markup: block("C") },
      group(block("A"), block("B")),
      group(block("A"), block("C")),
    ],
    ["remove-block", { path: [0, 0] }, group(block("A"), block("B")), group(block("B"))],
    [
      "move-block",
      { path: [0, 0], position: { mode: "after", path: [1] } },
      group(block("A"), block("B")) + block("C"),
      group(block("B")) + block("C") + block("A"),
    ],
  ];
  for (const [tool, args, before, now] of rows) {
    const page = draft(at, before);
    stores(at, tool, page, now.replaceAll("\n\n", "\n"));
    const proof = await proofOf(at, tool, page, args);
    assert.deepEqual([tool, proof.verified, proof.warnings], [tool, true, []], proof.verified_reason);
    const twice = draft(at, before);
    stores(at, tool, twice, now + now);
    assert.notEqual((await proofOf(at, tool, twice, args)).verified, true, tool);
  }
});

Deno.test("text outside of every block is one with what stands beside it", async () => {
  await using at = await served({ race_ms: 0 });
  const page = draft(at, "<p>Old</p>");
  assert.equal((await proofOf(at, "add-block", page, { markup: "<p>New</p>" })).verified, true);
  assert.equal(page.content, "<p>Old</p>\n\n<p>New</p>");
  const other = draft(at, "<p>Old</p>");
  stores(at, "add-block", other, "<p>Old</p>\n\n<p>Other</p>");
  assert.equal((await proofOf(at, "add-block", other, { markup: "<p>New</p>" })).verified, false);
});

Deno.test("what a pattern holds is not proven, and a text that changed is kept in the audit", async () => {
  await using at = await served({ race_ms: 0 });
  const page = draft(at, text("One"));
  const proof = await proofOf(at, "insert-pattern", page, { pattern_name: "site/plain" });
  assert.equal(proof.verified, null);
  assert.match(proof.verified_reason!, /What the pattern holds does not show/);
  await proofOf(at, "update-block", page, { path: [0], markup: block("Two") });
  const [row] = await at.gw.audit();
  assert.match(JSON.stringify(row?.changes), /"field":"text".*One.*Two/);
});

Deno.test("a block that a failing tool changed all the same is reported as changed", async () => {
  await using at = await served({ race_ms: 0 });
  for (const [tool, args] of CALLS) {
    for (const applied of [true, false]) {
      const page = draft(at, text("One", "Two", "Three"));
      at.tools.inject({ kind: "http", status: 500, applied }, { path: tool });
      const ending = await at.gw.end(`builder-mcp-${tool}`, {
        site_id: "acme",
        post_id: page.id,
        ...args,
      }) as Args;
      const expected = [tool, "E_UPSTREAM", applied ? "made" : "unknown"];
      assert.deepEqual([tool, ending.code, ending.outcome], expected, String(ending.message));
    }
  }
});

Deno.test("a text that is written to be slow to read is read at once, and a deep one is not gone into", () => {
  for (
    const open of ["<!-- wp:a {", "<!-- wp:a ", "<!-- ", "{", '<!-- wp:a {"a":"'].map((one) =>
      one.repeat(90_000)
    )
  ) {
    assert.equal(blocksOf(open)?.length, 1);
  }
  assert.equal(blocksOf("<!-- wp:group -->".repeat(90) + "<!-- /wp:group -->".repeat(90)), null);
  assert.equal(blocksOf(block("x").repeat(20_001)), null);
});
