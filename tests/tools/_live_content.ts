/** What is live on a ground, and a change of it. */
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import type { Args } from "../cms_kit.ts";
import type { Ground } from "./_ground.ts";
import { LIVE } from "./_write_cases.ts";

/** The text of one, with a typo in it. */
export const TEXT = "<p>Call us at 030/123 45 67 or teh shop.</p>\n<p>Ask for teh <b>roof</b>.</p>";

/** A post or page that is live. */
export const live = (at: Ground, given: Partial<Post> = {}) =>
  at.post({
    title: "Live",
    content: TEXT,
    slug: `live-${at.cms.posts.size}`,
    status: "publish",
    date: LIVE,
    ...given,
  });
/** The same as a page. */
export const page = (at: Ground, given: Partial<Post> = {}) =>
  live(at, { type: "page", excerpt: "", ...given });
/** The arguments that name it, and more. */
export const on = ({ id, type }: Post, more: Args = {}) => ({
  site_id: "cms",
  [type === "page" ? "page_id" : "post_id"]: id,
  ...["post", "page"].includes(type) ? {} : { type },
  ...more,
});

/** What a change answers. */
export interface Done {
  readonly request_id: string;
  readonly verified: boolean | null;
  readonly status: string;
  readonly warnings: readonly string[];
  readonly live: { readonly as_expected: boolean | null; readonly differs: readonly unknown[] };
}
/** Changes it. */
export const revise = (at: Ground, args: Args) =>
  at.gw.call<Done>("revise_published", { ...args, confirm: true });
/** Corrects the typo. */
export const typo = { find: "or teh shop", replace: "or the shop" };
