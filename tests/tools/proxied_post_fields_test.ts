/** Tools for the fields of posts, which operators approve: what was sent is compared with the post's own record. */
import assert from "node:assert/strict";
import { type Args, fails, says, world } from "./_proxied.ts";

const UPDATE = "builder-mcp-update-post";
const CREATE = "builder-mcp-create-post";
const META = { _elementor_edit_mode: "" };

async function approved() {
  const at = await world();
  at.source.offer("emcp-tools-update-post", ["acme"], { writes: true, effect: "page", page: "post_id" });
  at.source.offer("emcp-tools-create-post", ["acme"], { writes: true, effect: "new" });
  const post_id = at.page("draft", { type: "post", title: "Old", content: "<p>Old</p>", meta: META });
  const post = at.cms.posts.get(post_id)!;
  /** What the tool does of what it is sent, before it reports a success. */
  const does = (change: (args: Args) => unknown) =>
    at.servers.answers.set("emcp-tools-update-post", (args) => {
      change(args);
      return says({ post_id, status: "draft" });
    });
  const update = async (args: Args) =>
    (await at.gw.proven(UPDATE, { site_id: "acme", post_id, ...args })).proof;
  return { ...at, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](), post, does, update };
}

Deno.test("the fields of a post that a tool writes are compared with its record, and the audit keeps them", async () => {
  await using at = await approved();
  at.does(({ post_id: _, ...fields }) => void Object.assign(at.post, fields));
  const proof = await at.update({ title: "A & B", content: "<p>New &amp; more</p>", excerpt: "In short" });
  assert.deepEqual([proof.verified, proof.warnings], [true, []]);
  const [row] = await at.gw.audit();
  const kept = (row?.changes ?? []).map(({ field }) => field);
  assert.deepEqual(kept.filter((one) => ["title", "excerpt"].includes(one)), ["title", "excerpt"]);
  assert.match(JSON.stringify(row?.changes), /New/);
});

Deno.test("a field that is not stored as it was sent is no success", async () => {
  await using at = await approved();
  at.does(() => {});
  const lost = await at.update({ title: "New" });
  assert.deepEqual([lost.verified, lost.warnings], [false, [
    "title: the page does not have it as it was sent",
  ]]);
  at.does(() => void (at.post.content = "<p>New</p>"));
  const stripped = await at.update({ content: "<p>New</p><script>1</script>" });
  assert.deepEqual([stripped.verified, stripped.warnings], [false, [
    "content: the page does not have it as it was sent",
  ]]);
});

Deno.test("what no record shows is named, and what changed beside it too", async () => {
  await using at = await approved();
  at.does(({ title }) => void Object.assign(at.post, { title, excerpt: "By a person" }));
  const proof = await at.update({ title: "New", meta: { a: "b" }, terms: { category: ["News"] } });
  assert.deepEqual([proof.verified, proof.verified_reason, proof.warnings], [
    null,
    "What is read of a page does not show meta, terms",
    ["excerpt: differs from before too, and the call does not name it"],
  ]);
});

Deno.test("a failure that changed nothing says so, and one that did too", async () => {
  await using at = await approved();
  const outcome = async (args: Args, change: () => void) => {
    at.servers.answers.set("emcp-tools-update-post", () => {
      change();
      return fails("Something went wrong");
    });
    const ending = await at.gw.end(UPDATE, { site_id: "acme", post_id: at.post.id, ...args });
    assert.ok("code" in ending && ending.code === "E_TOOL_ERROR", JSON.stringify(ending));
    return (await at.gw.audit())[0]?.outcome;
  };
  assert.equal(await outcome({ title: "New" }, () => {}), "none");
  assert.equal(await outcome({ title: "New" }, () => void (at.post.title = "New")), "made");
  assert.equal(await outcome({ meta: { a: "b" } }, () => {}), "unknown");
});

Deno.test("a post that is made has the text that was sent, or is not verified", async () => {
  await using at = await approved();
  const make = async (args: Args, stored: Args) => {
    at.servers.answers.set("emcp-tools-create-post", () => {
      const post = { type: "post", title: String(args.title), meta: META, ...stored } as const;
      return says({ post_id: at.page("draft", post as never), status: "draft" });
    });
    const { proof } = await at.gw.proven(CREATE, { site_id: "acme", ...args });
    return [proof.verified, proof.verified_reason ?? proof.warnings.join()];
  };
  const whole = { title: "New", content: "<p>A &amp; B</p>", excerpt: "In short" };
  assert.deepEqual(await make(whole, whole), [true, ""]);
  assert.deepEqual(await make(whole, { ...whole, content: "" }), [
    false,
    "content: the page does not have it as it was sent",
  ]);
  const terms = { category: ["News"] };
  assert.deepEqual(await make({ ...whole, terms }, whole), [
    null,
    "What is read of a page does not show terms",
  ]);
});
