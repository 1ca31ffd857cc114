/** Content of a site's own types is written in one request with the comparison, where the companion plugin takes them. */
import assert from "node:assert/strict";
import { guardOwnType } from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addOwnType } from "../../sandbox/wordpress_standin/posts.ts";
import { addPost, type Post } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { LIVE, SOON } from "./_write_cases.ts";

const IN_AN_HOUR = new Date(NOW + 3_600_000).toISOString();

/** A ground with recipes; `takes` says whether its companion plugin takes them. */
async function kitchen(takes = true): Promise<Ground> {
  const at = await ground();
  const type = addOwnType(at.cms, { slug: "recipe", rest_base: "recipes" });
  if (takes) guardOwnType(at.cms.app, at.guarded!, type);
  return at;
}

const recipe = (at: Ground, more: Partial<Post> = {}) =>
  addPost(at.cms.state, { type: "recipe", author: 2, title: "Soup", content: "<p>Old</p>", ...more });

/** Each write of content, and where what it is about stands before. */
const WRITES: readonly (readonly [tool: string, args: Args, before?: Partial<Post>])[] = [
  ["update_draft", { title: "Mine", content_html: "<p>Mine</p>" }],
  ["schedule_draft", { scheduled_at: IN_AN_HOUR }],
  ["unschedule", {}, SOON],
  ["publish_post", {}],
  ["revise_published", { title: "Mine" }, { status: "publish", date: LIVE }],
];

/** What a person does in the very moment of the write, and what the refusal names. */
const EDITS: readonly (readonly [part: string, change: Partial<Post>])[] = [
  ["title", { title: "By a person" }],
  ["status", { status: "pending" }],
];

for (const [tool, args, before] of WRITES) {
  Deno.test(`${tool} of a type of the site's own is compared and written in one request`, async () => {
    await using at = await kitchen();
    for (const door of DOORS) {
      const { id } = recipe(at, before);
      const call: Args = { site_id: "cms", type: "recipe", post_id: id, ...args };
      const { confirm_token } = await at.gw.call<{ confirm_token: string }>(tool, call);
      await at.gw.call(tool, { ...call, confirm: true, confirm_token }, { door });
    }
    const sent = at.gw.requests.filter(({ method }) => method === "POST").map(({ url }) =>
      new URL(url).pathname
    );
    assert.ok(sent.every((path) => path.includes("/site-ops/v1/guarded/types/recipes/")), sent.join());
  });

  Deno.test(`${tool}: what a person changes of such content right before the write is kept`, async () => {
    await using at = await kitchen();
    for (const [part, change] of EDITS) {
      if (part === "title" && tool === "unschedule") continue; // it replaces the state alone
      const post = recipe(at, before);
      const call: Args = { site_id: "cms", type: "recipe", post_id: post.id, ...args };
      const { confirm_token } = await at.gw.call<{ confirm_token: string }>(tool, call);
      at.beforeWrite(() => void Object.assign(post, change));
      const says = new RegExp(`${part}.*: post ${post.id} was changed.*nothing was written`);
      await at.gw.fails(tool, { ...call, confirm: true, confirm_token }, "E_STALE_PREVIEW", says);
      for (const [name, value] of Object.entries(change)) assert.equal(post[name as keyof Post], value);
    }
  });
}

Deno.test("with an older companion plugin content of such a type is read right before the write, as before", async () => {
  await using at = await kitchen(false);
  for (let round = 0; round < 2; round++) {
    const { id } = recipe(at);
    const call = { site_id: "cms", type: "recipe", post_id: id, title: "Mine", confirm: true };
    await at.gw.call("update_draft", call);
  }
  const guarded = at.gw.requests.filter(({ url }) => url.includes("/guarded/types/"));
  assert.deepEqual(guarded.map(({ method }) => method), ["GET"], "it is asked once for a while");
  const sent = at.gw.requests.filter(({ method }) => method === "POST").map(({ url }) =>
    new URL(url).pathname
  );
  assert.ok(sent.every((path) => path.startsWith("/wp-json/wp/v2/recipes/")), sent.join());
});
