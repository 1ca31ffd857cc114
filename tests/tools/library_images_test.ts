/** Images of the media library: listed with their alternative texts, described anew, and set back. */
import assert from "node:assert/strict";
import { freshPng } from "../cms_kit.ts";
import { test, type World } from "./_stand_in.ts";

const ON = { site_id: "open" };

interface Listed {
  readonly items: readonly { readonly id: number; readonly alt_text: string; readonly url?: string }[];
  readonly total: number;
  readonly total_pages: number;
}

async function upload(at: World, filename: string, alt_text: string): Promise<number> {
  const image = { ...ON, filename, content_base64: freshPng(filename), alt_text, confirm: true };
  return (await at.kit.gw.call<{ id: number }>("upload_media", image)).id;
}

test("images are listed with their alternative texts, page by page", async (at) => {
  const [one, two] = [await upload(at, "one.png", "One"), await upload(at, "two.png", "")];
  const { items, total } = await at.kit.both<Listed>("list_content", { ...ON, type: "attachment" });
  assert.deepEqual([items.map(({ id }) => id).toSorted(), total], [[one, two], 2]);
  assert.match(items[0]!.url ?? "", /^http.*\.png$/);
  const fields = { ...ON, type: "attachment", fields: ["alt_text"], search: "one" };
  assert.deepEqual((await at.kit.both<Listed>("list_content", fields)).items, [{ id: one, alt_text: "One" }]);
  const past = await at.kit.both<Listed>("list_content", { ...ON, type: "attachment", page: 5, per_page: 1 });
  assert.deepEqual([past.items, past.total, past.total_pages], [[], 2, 2]);
});

test("an image is described as published content is changed, and its text is set back", async (at) => {
  const id = await upload(at, "sea.png", "");
  const described = { ...ON, media_id: id, alt_text: "The sea in March" };
  const shown = await at.kit.preview("revise_published", described);
  assert.equal(shown.tier, 3);
  assert.equal(shown.summary, `Describe the image "sea" (${id}) of the media library of open`);
  assert.deepEqual(shown.changes, [{ field: "alt_text", from: "", to: "The sea in March" }]);
  const { proof, row } = await at.kit.write("mcp", "revise_published", described);
  assert.deepEqual([proof.verified, proof.live], [true, null]);
  assert.deepEqual([row.tier, row._published, row.result_id], [3, true, id]);
  const alt = () => at.cms.posts.get(id)!.file!.alt_text;
  assert.equal(alt(), "The sea in March");
  await at.kit.gw.call("undo_change", { ...ON, request_id: row.request_id, confirm: true });
  assert.equal(alt(), "");
});

test("thirty images are described by one set", async (at) => {
  const ids: number[] = [];
  for (let n = 0; n < 30; n++) ids.push(await upload(at, `image-${n}.png`, ""));
  const changes = ids.map((media_id) => ({
    tool: "revise_published",
    arguments: { ...ON, media_id, alt_text: `Image ${media_id}` },
  }));
  const order = { title: "Alternative texts", changes };
  const shown = await at.kit.gw.call<{ confirm_token: string }>("prepare_changes", order);
  assert.ok(JSON.stringify(shown).length < 16_000, "a preview that can be read");
  const done = await at.kit.gw.call<{ verified: boolean }>("prepare_changes", {
    ...order,
    confirm: true,
    confirm_token: shown.confirm_token,
  });
  assert.equal(done.verified, true);
  assert.deepEqual(ids.map((id) => at.cms.posts.get(id)!.file!.alt_text), ids.map((id) => `Image ${id}`));
});

test("an image that somebody described since the preview is left alone", async (at) => {
  const id = await upload(at, "hill.png", "");
  const described = { ...ON, media_id: id, alt_text: "A hill" };
  const { confirm_token } = await at.kit.preview("revise_published", described);
  at.cms.posts.get(id)!.file!.alt_text = "A person's words";
  const args = { ...described, confirm: true, confirm_token };
  await at.kit.gw.refuses("revise_published", args, "E_STALE_PREVIEW", /"alt_text"/, { door: "rest" });
  assert.equal(at.cms.posts.get(id)!.file!.alt_text, "A person's words");
});

test("what is no image, and what an image does not have, is refused", async (at) => {
  const id = await upload(at, "b.png", "As it is");
  const alt_text = "x";
  const cases: readonly [Record<string, unknown>, RegExp, "nothing" | "reads"][] = [
    [
      { media_id: 999, alt_text },
      /^media_id: the site has no image 999; list_content with type attachment/,
      "reads",
    ],
    [{ media_id: id, alt_text: "As it is" }, /^alt_text: the image "b" \(\d+\) has this already/, "reads"],
    [
      { post_id: 1, alt_text },
      /^alt_text: is of an image of the media library; give its media_id/,
      "nothing",
    ],
    [{ media_id: id, title: "x" }, /^alt_text: missing/, "nothing"],
    [{ media_id: id, alt_text, title: "x" }, /^title: an image has none here/, "nothing"],
    [{ media_id: id, post_id: 1, alt_text }, /post_id, page_id, media_id/, "nothing"],
  ];
  for (const [args, says, sends] of cases) {
    await at.kit.refuses("revise_published", { ...ON, ...args }, "E_BAD_INPUT", says, sends);
  }
  const list = { ...ON, type: "attachment" };
  await at.kit.refuses(
    "list_content",
    { ...list, status: "draft" },
    "E_BAD_INPUT",
    /^status: an image has none/,
  );
  await at.kit.refuses(
    "list_content",
    { ...list, modified_by: "others" },
    "E_BAD_INPUT",
    /^modified_by: not told/,
  );
  const closed = { site_id: "acme", media_id: id, alt_text };
  await at.kit.refuses("revise_published", closed, "E_PUBLISH_NOT_ALLOWED", /allow_publish/);
  const built = { site_id: "builder", media_id: id, alt_text };
  await at.kit.refuses("revise_published", built, "E_NOT_SUPPORTED", /media_id|alt_text/);
});
