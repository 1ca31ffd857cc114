/** A kit at a stand-in with the companion plugin's SEO routes, and sites of both channels with the switch and without. */
import { Hono } from "hono";
import { addCompanionSeo, type CompanionSeo } from "../../sandbox/wordpress_standin/companion_seo.ts";
import { addGuardedSeo } from "../../sandbox/wordpress_standin/companion_guarded_seo.ts";
import type { RestEnv } from "../../sandbox/wordpress_standin/rest.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import {
  type Post,
  startWordPressStandIn,
  type WordPressStandIn,
} from "../../sandbox/wordpress_standin/start.ts";
import type { CmsSandbox, CmsUser } from "../../sandbox/wordpress/start.ts";
import type { Site } from "../../core/model.ts";
import type { NewSite } from "../../store/store.ts";
import { CmsKit } from "../cms_kit.ts";
import { type KitOptions, NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** A kit, its stand-in, and what stands there. */
export interface SeoWorld extends AsyncDisposable {
  readonly kit: CmsKit<WordPressStandIn>;
  readonly cms: WordPressStandIn;
  readonly plugin: CompanionSeo;
  readonly draft: Post;
  /** A page. */
  readonly page: Post;
  readonly published: Post;
  /** Goes live two hours after the start. */
  readonly scheduled: Post;
}

/** How a world differs: without the plugin, or with another version of it. */
export interface SeoOptions extends KitOptions {
  readonly plugin?: false | { readonly version: string };
  /** With the plugin's guarded routes. */
  readonly guarded?: true;
}

/**
 * Sites as an administrator: "seo" may not touch published posts, "live" may, both over the plugin; "rest" and
 * "rest_live" over REST; "off" has the feature off; "ed" and "auth" are "live" with less rights.
 */
export function seoSites({ base_url, users }: Pick<CmsSandbox, "base_url" | "users">): NewSite[] {
  const flags = { allow_seo_on_published: true };
  const plugin: Site["seo"] = { enabled: true, channel: "plugin" };
  const rest: Site["seo"] = { enabled: true, channel: "rest" };
  const at = (
    id: string,
    more: Partial<NewSite>,
    { username, application_password }: CmsUser = users.admin,
  ) => site(id, "cms", { base_url, credentials: { cms: { username, application_password } }, ...more });
  return [
    at("seo", { seo: plugin }),
    at("live", { seo: plugin, flags }),
    at("rest", { seo: rest }),
    at("rest_live", { seo: rest, flags }),
    at("off", { seo: { enabled: false, channel: "plugin" }, flags }),
    at("ed", { seo: plugin, flags }, users.ed),
    at("auth", { seo: plugin, flags }, users.auth),
  ];
}

/** Opens one; dispose of it with `await using`. */
export async function seoWorld({ plugin: wanted, guarded, ...options }: SeoOptions = {}): Promise<SeoWorld> {
  let now = () => NOW;
  const cms = await startWordPressStandIn({ now: () => now() });
  const { state } = cms;
  const plugin = wanted === false
    ? addCompanionSeo(new Hono<RestEnv>(), { namespaces: [] })
    : addCompanionSeo(cms.app, state, wanted);
  if (guarded) addGuardedSeo(cms.app, plugin);
  const by = { author: 2 } as const;
  const draft = addPost(state, { ...by, type: "post", title: "Before", content: "x", slug: "before" });
  const page = addPost(state, { ...by, type: "page", title: "A page", content: "x", slug: "a-page" });
  const date = { at: NOW + 7_200_000, floating: false };
  const scheduled = addPost(state, { ...by, type: "post", title: "Soon", status: "future", date });
  const published = addPost(
    state,
    { ...by, type: "post", title: "Live", status: "publish", date: { at: NOW - 1000, floating: false } },
  );
  const kit = await CmsKit.open(cms, { ...options, sites: [...seoSites(cms), ...options.sites ?? []] });
  now = () => kit.gw.clock.now;
  return {
    kit,
    cms,
    plugin,
    draft,
    page,
    published,
    scheduled,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** A test in such a world of its own. */
export const test = scenes(() => seoWorld());
