/** A kit at a stand-in with the companion plugin, with pages in every state and templates of the visual builder. */
import { addCompanionGuarded } from "../../sandbox/wordpress_standin/companion_guarded.ts";
import { addGuardedPages } from "../../sandbox/wordpress_standin/companion_guarded_pages.ts";
import {
  addCompanionPages,
  type CompanionPages,
  type StoredTemplate,
} from "../../sandbox/wordpress_standin/companion_pages.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import {
  type Post,
  startWordPressStandIn,
  type WordPressStandIn,
} from "../../sandbox/wordpress_standin/start.ts";
import type { NewSite } from "../../store/store.ts";
import { CmsKit } from "../cms_kit.ts";
import { type KitOptions, NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** What a tree of a template holds: two texts with placeholders, one of them twice. */
export const TREE = [{
  id: "0a1b2c3d",
  elType: "container",
  settings: { title: "{{HERO_TITLE}}" },
  elements: [
    {
      id: "11111111",
      elType: "widget",
      widgetType: "heading",
      settings: { title: "{{HERO_TITLE}} & {{NAME_2}}" },
    },
    { id: "22222222", elType: "widget", widgetType: "html", settings: { html: "<p>no {{placeholder}}</p>" } },
  ],
}];

/** A kit, its stand-in, and what stands there. */
export interface PagesWorld extends AsyncDisposable {
  readonly kit: CmsKit<WordPressStandIn>;
  readonly cms: WordPressStandIn;
  readonly plugin: CompanionPages;
  readonly draft: Post;
  /** Goes live two hours after the start. */
  readonly scheduled: Post;
  readonly template: StoredTemplate;
}

/** How a world differs: without the plugin, or with another. */
export interface PagesOptions extends KitOptions {
  readonly plugin?: false | {
    readonly version?: string;
    readonly visual?: boolean;
    readonly theme_templates?: boolean;
  };
  /** With the plugin's guarded routes. */
  readonly guarded?: true;
}

function moreSites(cms: WordPressStandIn): NewSite[] {
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const at = (id: string, more: Partial<NewSite>) =>
    site(id, "cms", { base_url: cms.base_url, credentials, ...more });
  return [
    at("both", { available_builders: ["block", "visual"], default_builder: "block" }),
    at("visual", { available_builders: ["visual"], flags: { allow_publish: true } }),
    at("none", { available_builders: [] }),
  ];
}

/** Opens one; dispose of it with `await using`. */
export async function pagesWorld(
  { plugin: wanted = {}, guarded, ...options }: PagesOptions = {},
): Promise<PagesWorld> {
  let now = () => NOW;
  const cms = await startWordPressStandIn({ now: () => now() });
  const { state } = cms;
  const plugin = wanted === false
    ? { options: { version: "", visual: false }, templates: new Map() }
    : addCompanionPages(cms.app, state, wanted);
  if (guarded) {
    addGuardedPages(cms.app, plugin, addCompanionGuarded(cms.app, state));
  }
  const template = { id: 900, title: "Landing", type: "page", data: JSON.stringify(TREE), modified: NOW };
  plugin.templates.set(template.id, template);
  plugin.templates.set(901, { id: 901, title: "Broken", type: "page", data: '[{"id":', modified: NOW });
  const page = { type: "page", author: 2 } as const;
  const draft = addPost(state, { ...page, title: "Before", content: "<p>Old</p>", slug: "before" });
  const date = { at: NOW + 7_200_000, floating: false };
  const scheduled = addPost(state, { ...page, title: "Soon", status: "future", date });
  const kit = await CmsKit.open(cms, { ...options, sites: [...moreSites(cms), ...options.sites ?? []] });
  now = () => kit.gw.clock.now;
  return {
    kit,
    cms,
    plugin,
    draft,
    scheduled,
    template,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** The texts every placeholder of the template gets. */
export const TEXTS = { HERO_TITLE: "Hello", NAME_2: "Ann" };

/** A test in such a world of its own. */
export const test = scenes(() => pagesWorld());
