/** A kit at a stand-in that lives by the kit's clock, with one draft and one scheduled post on it. */
import assert from "node:assert/strict";
import {
  type Post,
  startWordPressStandIn,
  type WordPressOptions,
  type WordPressStandIn,
} from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { ahead, callsOf, CmsKit } from "../cms_kit.ts";
import { type KitOptions, NOW } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** A kit, its stand-in, and what stands there. */
export interface World extends AsyncDisposable {
  readonly kit: CmsKit<WordPressStandIn>;
  readonly cms: WordPressStandIn;
  readonly draft: Post;
  /** A person changes a post by other means than the gateway. */
  edit(post: Post, change: Partial<Post>): void;
  /** Goes live two hours after the start. */
  readonly scheduled: Post;
  /** The call of each tool that goes well on the site "open". */
  readonly calls: ReturnType<typeof callsOf>;
  /** ISO 8601 of so many seconds after the kit's now. */
  ahead(seconds: number): string;
}

/** Opens one; dispose of it with `await using`. */
export async function world(options: KitOptions = {}, site: WordPressOptions = {}): Promise<World> {
  let now = () => NOW;
  const cms = await startWordPressStandIn({ now: () => now(), ...site });
  const { state } = cms;
  const draft = addPost(
    state,
    { type: "post", author: 2, title: "Before", content: "<p>Old</p>", excerpt: "Short", slug: "before" },
  );
  const scheduled = addPost(state, {
    type: "post",
    author: 2,
    title: "Soon",
    status: "future",
    date: { at: NOW + 7_200_000, floating: false },
  });
  const kit = await CmsKit.open(cms, options);
  now = () => kit.gw.clock.now;
  return {
    kit,
    cms,
    draft,
    edit: (post, change) => void Object.assign(post, change),
    scheduled,
    calls: callsOf({ draft: draft.id, scheduled: scheduled.id, at: ahead(3600, NOW) }),
    ahead: (seconds) => ahead(seconds, kit.gw.clock.now),
    async [Symbol.asyncDispose]() {
      for (const { method, effective_method, headers } of cms.requests) {
        if (!headers["user-agent"]?.startsWith("site-operations-gateway/")) continue;
        assert.ok(
          method === effective_method && method !== "DELETE",
          `${method}, taken as ${effective_method}`,
        );
      }
      await kit[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** A test in such a world of its own. */
export const test = scenes(() => world());
