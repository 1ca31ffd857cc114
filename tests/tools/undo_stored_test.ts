/** undo_change of what no argument could say: fields go back as they were stored, to nothing too, or nothing is written. */
import assert from "node:assert/strict";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, PNG, type Preview } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { live, on } from "./_live_content.ts";

interface Done {
  readonly request_id: string;
  readonly verified: boolean;
}

const both = (name: string, fn: (at: Ground) => Promise<void>) => {
  for (const guarded of [true, false]) {
    Deno.test(`${guarded ? "with the companion's guarded write" : "without it"}: ${name}`, async () => {
      await using at = await ground({ guarded });
      await fn(at);
    });
  }
};

const image = async (at: Ground) => {
  const args = { site_id: "cms", filename: "a.png", content_base64: PNG, confirm: true };
  return (await at.gw.call<{ id: number }>("upload_media", args)).id;
};

const tag = async (at: Ground, name: string) => {
  const args = { site_id: "cms", taxonomy: "tag", name, confirm: true };
  return (await at.gw.call<{ id: number }>("create_taxonomy", args)).id;
};

/** What is stored of a post, but for what each write of it changes. */
const stored = ({ modified: _, revisions: __, ...rest }: Post & Record<string, unknown>) =>
  structuredClone(rest);

const undo = (at: Ground, request_ids: readonly string[]) =>
  at.gw.call<Done & { undone: string[] }>("undo_change", { site_id: "cms", request_ids, confirm: true });

/** Changes it, takes that back, and that too: it is to the letter as it was, then as it became, then as it was. */
async function thereAndBack(at: Ground, tool: string, post: Post, change: Args): Promise<void> {
  const before = stored(post as never);
  const preview = await at.gw.call<Preview & Args>(tool, on(post, change));
  assert.equal(preview["undoable"], true, JSON.stringify(preview["undoable_reason"]));
  const { request_id } = await at.gw.call<Done>(tool, on(post, { ...change, confirm: true }));
  const after = stored(post as never);
  assert.notDeepEqual(after, before);
  const first = await undo(at, [request_id]);
  assert.deepEqual([first.verified, stored(post as never)], [true, before], tool);
  const second = await undo(at, [first.request_id]);
  assert.deepEqual([second.verified, stored(post as never)], [true, after], tool);
  await undo(at, [second.request_id]);
  assert.deepEqual(stored(post as never), before, tool);
}

both("an image, a title, an address, terms and an excerpt that were none are none again", async (at) => {
  const featured_media_id = await image(at);
  await tag(at, "Fresh");
  const fields = { featured_media_id, title: "T", excerpt: "Said", tags: ["Fresh"] };
  const empty = { featured_media: 0, excerpt: "", tags: [] };
  await thereAndBack(at, "update_draft", at.post({ ...empty, title: "", slug: "" }), {
    ...fields,
    slug: "fresh",
  });
  await thereAndBack(at, "revise_published", live(at, { ...empty, title: "" }), fields);
});

both(
  "a page has its own template, parent and text again, whatever its editor would make of that",
  async (at) => {
    const parent = at.post({ type: "page", title: "Above" });
    const page = at.post({ type: "page", title: "", content: "<p>Classic</p>", template: "", parent: 0 });
    await thereAndBack(at, "update_page_draft", page, {
      title: "T",
      content_html: "<p>New</p>",
      template: "page-wide",
      parent_id: parent.id,
    });
  },
);

both("what is gone from the site since is named, and nothing is written", async (at) => {
  const featured_media_id = await image(at);
  const parent = at.post({ type: "page", title: "Above" });
  const page = at.post({ type: "page", parent: parent.id });
  const post = at.post({ featured_media: featured_media_id });
  const old = await tag(at, "Old");
  const tagged = at.post({ tags: [old] });
  const change = async (tool: string, one: Post, fields: Args) =>
    (await at.gw.call<Done>(tool, on(one, { ...fields, confirm: true }))).request_id;
  const other = at.post({ type: "page" });
  const cases = [
    [await change("update_page_draft", page, { parent_id: other.id }), /parent_id: the page .* no longer/],
    [
      await change("update_draft", post, { featured_media_id: await image(at) }),
      /featured_media_id: the image/,
    ],
    [await change("update_draft", tagged, { tags: [] }), /tags: the term \d+ that stood there/],
  ] as const;
  at.cms.state.posts.delete(parent.id);
  at.cms.state.posts.delete(featured_media_id);
  at.cms.state.terms.delete(old);
  const writes = at.writes();
  const everything = await at.everything();
  for (const [request_id, says] of cases) {
    const args = { site_id: "cms", request_id, confirm: true };
    await at.gw.refuses("undo_change", args, "E_FORBIDDEN_OP", says);
  }
  assert.deepEqual([at.writes(), await at.everything()], [writes, everything]);
});
