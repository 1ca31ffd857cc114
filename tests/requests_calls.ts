/** The calls of tests/golden/requests.yaml: what is to be read or changed is made through the gateway itself. */
import type { Id } from "../core/ids.ts";
import type { Site } from "../core/model.ts";
import type { CmsSandbox } from "../sandbox/wordpress/start.ts";
import type { NewSite } from "../store/store.ts";
import { ahead, type Args, freshPng } from "./cms_kit.ts";
import { type Kit, site } from "./kit.ts";
import type { Calls } from "./requests_kit.ts";

const SITE = "counted";
/** One that no post or page of the site has. */
const title = () => `Counted ${crypto.randomUUID()}`;

/** The site whose requests are counted: its administrator may publish, and change the SEO of what is published. */
export function countedSite(
  { base_url, users }: Pick<CmsSandbox, "base_url" | "users">,
  more: { readonly channel: Site["seo"]["channel"]; readonly builders: Site["available_builders"] },
): NewSite {
  const { username, application_password } = users.admin;
  return site(SITE, "cms", {
    base_url,
    credentials: { cms: { username, application_password } },
    flags: { allow_publish: true, allow_seo_on_published: true },
    available_builders: more.builders,
    seo: { enabled: true, channel: more.channel },
  });
}

/** Things that a call is about, made anew for it. */
class Makers {
  constructor(readonly gw: Kit, readonly now: () => number) {}

  async #made(tool: string, args: Args): Promise<Id> {
    const { id } = await this.gw.call<{ id: Id }>(tool, { site_id: SITE, ...args, confirm: true });
    return id;
  }

  draft = () => this.#made("create_draft", { title: title(), content_html: "<p>x</p>", tags: ["Known"] });

  /** A word that one draft has in its title, and nothing else. */
  async named(): Promise<string> {
    const word = `zeppelin-${this.serial()}`;
    await this.#made("create_draft", { title: word, content_html: "<p>x</p>" });
    return word;
  }

  async changed(): Promise<{ post_id: Id; request_id: string }> {
    const post_id = await this.draft();
    const args = { site_id: SITE, post_id, title: "Changed", confirm: true };
    const { request_id } = await this.gw.call<{ request_id: string }>("update_draft", args);
    return { post_id, request_id };
  }

  /** A set that was shown. */
  async set(): Promise<string> {
    const changes = [{ tool: "create_draft", arguments: { site_id: SITE, title: "New", content_html: "x" } }];
    return (await this.gw.call<{ set_id: string }>("prepare_changes", { title: "One", changes })).set_id;
  }

  /** What a person is asked. */
  async asked(): Promise<string> {
    const { sites } = this.gw.store;
    const args = { site_id: SITE, title: title(), content_html: "<p>x</p>" };
    await sites.update(SITE, { confirm_policy: "human" });
    const { approval } = await this.gw.call<{ approval: { id: string } }>("create_draft", args);
    await sites.update(SITE, { confirm_policy: "flag" });
    return approval.id;
  }

  async published(): Promise<Id> {
    const post_id = await this.draft();
    return await this.#made("publish_post", { post_id });
  }

  page = () =>
    this.#made("create_page_draft", { title: title(), content_html: "<p>x</p>", page_builder: "block" });

  codePage = () =>
    this.#made("create_page_from_code", { title: title(), html: "<p>x</p>", css: "p { color: red }" });

  /** A word nobody used. */
  serial = () => crypto.randomUUID();

  at = () => ahead(86_400, this.now());

  async scheduled(): Promise<Id> {
    const id = await this.draft();
    const args = { site_id: SITE, post_id: id, scheduled_at: this.at(), confirm: true };
    await this.gw.call("schedule_draft", args);
    return id;
  }
}

/** The rows that every site has. */
export function bareCalls(gw: Kit, now: () => number): Calls {
  const make = new Makers(gw, now);
  const site_id = SITE;
  const draft = () => ({ title: title(), content_html: "<p>x</p>" });
  let pictures = 0;
  const image = () => ({ filename: "a.png", content_base64: freshPng("x".repeat(++pictures)) });
  return {
    list_sites: () => ({}),
    list_projects: () => ({}),
    get_site: () => ({ site_id }),
    ping_site: () => ({ site_id }),
    diagnose_site: () => ({ site_id }),
    list_builders_for_site: () => ({ site_id }),
    list_cms_users: () => ({ site_id }),
    get_post: async () => ({ site_id, post_id: await make.draft() }),
    list_content: () => ({ site_id, type: "page" }),
    get_content_history: async () => ({ site_id, post_id: (await make.changed()).post_id }),
    list_drafts: () => ({ site_id }),
    list_taxonomies: () => ({ site_id, taxonomy: "tag" }),
    get_page: async () => ({ site_id, page_id: await make.page() }),
    view_live: () => ({ site_id, path: "/robots.txt" }),
    audit_seo: () => ({ site_id, per_page: 1 }),
    find_text: () => ({ site_id, text: "zeppelin" }),
    replace_text: async () => ({ site_id, find: await make.named(), replace: "Airship" }),
    list_page_templates: () => ({ site_id }),
    list_changes: () => ({ site_id }),
    undo_change: async () => ({ site_id, request_id: (await make.changed()).request_id }),
    explain_call: () => ({ site_id, tool: "publish_post", arguments: { post_id: 1 } }),
    prepare_changes: async () => ({
      title: "One",
      changes: [{
        tool: "update_draft",
        arguments: { site_id, post_id: await make.draft(), title: "Of a set" },
      }],
    }),
    get_change_set: async () => ({ set_id: await make.set() }),
    cancel_change_set: async () => ({ set_id: await make.set() }),
    get_approval: async () => ({ approval_id: await make.asked() }),
    find_tools: () => ({ query: "a draft" }),
    describe_tool: () => ({ tool: "create_draft" }),
    get_seo_meta: async () => ({ site_id, post_id: await make.draft() }),
    create_draft: () => ({ site_id, ...draft(), tags: ["Known"] }),
    "create_draft (a new tag)": () => ({ site_id, ...draft(), tags: [`New ${make.serial()}`] }),
    "create_draft (tags and categories)": () => ({
      site_id,
      ...draft(),
      tags: ["Known"],
      categories: ["Uncategorized"],
    }),
    update_draft: async () => ({ site_id, post_id: await make.draft(), title: `Changed` }),
    "update_draft (tags)": async () => ({ site_id, post_id: await make.draft(), tags: ["Known"] }),
    "update_draft (text)": async () => ({
      site_id,
      post_id: await make.draft(),
      content_html: "<p>y</p>",
    }),
    schedule_draft: async () => ({ site_id, post_id: await make.draft(), scheduled_at: make.at() }),
    unschedule: async () => ({ site_id, post_id: await make.scheduled() }),
    publish_post: async () => ({ site_id, post_id: await make.draft() }),
    revise_published: async () => ({ site_id, post_id: await make.published(), title: "Corrected" }),
    "revise_published (replacements)": async () => ({
      site_id,
      post_id: await make.published(),
      replacements: [{ find: ">x<", replace: ">y<" }],
    }),
    upload_media: () => ({ site_id, ...image() }),
    "upload_media (texts)": () => ({ site_id, ...image(), alt_text: "A dot" }),
    create_taxonomy: () => ({ site_id, taxonomy: "tag", name: `Made ${make.serial()}` }),
    "create_taxonomy (there already)": () => ({ site_id, taxonomy: "tag", name: "Known" }),
    create_page_draft: () => ({ site_id, ...draft(), page_builder: "block" }),
    "create_page_draft (below another)": async () => ({
      site_id,
      ...draft(),
      page_builder: "block",
      parent_id: await make.page(),
    }),
    update_page_draft: async () => ({ site_id, page_id: await make.page(), title: "Changed" }),
    "update_page_draft (text)": async () => ({
      site_id,
      page_id: await make.page(),
      content_html: "<p>y</p>",
    }),
    schedule_page: async () => ({ site_id, page_id: await make.page(), scheduled_at: make.at() }),
    publish_page: async () => ({ site_id, page_id: await make.page() }),
    set_seo_meta: async () => ({ site_id, post_id: await make.draft(), title: `SEO` }),
  };
}

/** The same with the companion plugin, and the rows that need it: `template` and `entry` are there on the site. */
export function pluginCalls(
  gw: Kit,
  now: () => number,
  { template, variables, entry }: { readonly template: Id; readonly variables: Args; readonly entry: Id },
): Calls {
  const make = new Makers(gw, now);
  const site_id = SITE;
  const from = { page_builder: "visual", builder_template_id: template, variables };
  const code = () => ({ title: title(), html: "<p>x</p>", css: "p { color: red }" });
  const schema = { "@context": "https://schema.org", "@type": "Event", name: "Counted" };
  return {
    ...bareCalls(gw, now),
    "create_page_draft (from a template)": () => ({ site_id, title: title(), ...from }),
    "update_page_draft (from a template)": async () => ({ site_id, page_id: await make.page(), ...from }),
    create_page_from_code: () => ({ site_id, ...code() }),
    update_page_from_code: async () => ({
      site_id,
      page_id: await make.codePage(),
      css: `p { margin: 1px }`,
    }),
    set_seo_redirect: () => ({ site_id, source: `/from-${make.serial()}`, destination: "/to" }),
    set_seo_schema: async () => ({ site_id, post_id: await make.draft(), schema }),
    get_sitemap_status: () => ({ site_id }),
    "get_sitemap_status (rebuild)": () => ({ site_id, rebuild: true }),
    get_custom_schema: () => ({ site_id, id: entry }),
    set_custom_schema: () => ({
      site_id,
      id: entry,
      value: JSON.stringify({ ...schema, name: `Counted ${make.serial()}` }),
    }),
  };
}
