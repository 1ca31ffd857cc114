/** A kit at a stand-in with the companion plugin and custom schema of every type. */
import {
  addCompanionSchema,
  addGuardedSchema,
  type CompanionSchema,
  type StoredEntry,
} from "../../sandbox/wordpress_standin/companion_schema.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import type { NewSite } from "../../store/store.ts";
import { CmsKit } from "../cms_kit.ts";
import { type KitOptions, NOW, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** Where an array of markup holds its JSON-LD. */
export const TEXT = "custom-markup-custom-text";
/** Where the global entries show. */
const TARGETS = {
  shown_on: { rule: ["basic-global", "specifics"], specific: ["post-7"] },
  hidden_on: { rule: ["special-404"], specific: [] },
};

const global = { type: "custom-markup", status: "publish", targets: TARGETS };

/** Global entries: 10 a text, 11 a draft's text in its element, 12 an array, 13 a list, 14 made from settings. */
export const GLOBAL: readonly StoredEntry[] = [
  { ...global, id: 10, title: "Organization", value: '{"@type":"Organization","name":"Äcme","n":1}' },
  {
    ...global,
    id: 11,
    title: "Framed",
    status: "draft",
    value: '<script type="application/ld+json">\n{"@type":"Person"}\n</script>',
  },
  {
    ...global,
    id: 12,
    title: "Array",
    value: { "custom-markup": "custom-text", [TEXT]: '{"@type":"Event","name":"Old"}' },
  },
  { ...global, id: 13, title: "List", value: [{ "@type": "A" }], targets: undefined },
  { ...global, id: 14, title: "By settings", type: "article", value: undefined },
];

const page = { type: "FAQPage, Kept", status: "draft", targets: null };
const schemas = { FAQPage: { "@type": "FAQPage", name: "Old" }, Kept: { "@type": "Kept" } };

/** Entries of one page each: 20 of a draft, 21 of a published one, 22 of a private one. */
export const BY_PAGE: readonly StoredEntry[] = [
  { ...page, id: 20, title: "Faq", value: schemas },
  { ...page, id: 21, title: "Live", status: "publish", value: schemas },
  { ...page, id: 22, title: "Inside", status: "private", value: schemas },
];

/** A kit, its stand-in, and the plugin there. */
export interface SchemaWorld extends AsyncDisposable {
  readonly kit: CmsKit<WordPressStandIn>;
  readonly cms: WordPressStandIn;
  readonly plugin: CompanionSchema;
  entry(id: number): StoredEntry;
}

/** How a world differs. */
export interface SchemaOptions extends KitOptions {
  /** Without it the plugin is not on the site. */
  readonly plugin?: false;
  readonly provider?: CompanionSchema["provider"];
  readonly version?: string;
  /** With the plugin's guarded routes. */
  readonly guarded?: true;
}

/** Sites whose channel is the plugin: "schema", "leave" with allow_seo_on_published, and some that may less. */
function moreSites(cms: WordPressStandIn): NewSite[] {
  const { admin, ed, auth, sub } = cms.users;
  const at = (id: string, { username, application_password }: typeof admin, more: Partial<NewSite> = {}) =>
    site(id, "cms", {
      base_url: cms.base_url,
      credentials: { cms: { username, application_password } },
      seo: { channel: "plugin" },
      ...more,
    });
  return [
    at("schema", ed),
    at("leave", ed, { flags: { allow_seo_on_published: true } }),
    at("writer", auth),
    at("reader", sub),
    at("locked", { ...admin, application_password: "abcd efgh ijkl mnop qrst uvwx" }),
    at("unset", admin, { credentials: {} }),
  ];
}

/** Opens one; dispose of it with `await using`. */
export async function schemaWorld(
  { plugin: wanted, provider = "schemapro", version, guarded, ...options }: SchemaOptions = {},
): Promise<SchemaWorld> {
  const cms = await startWordPressStandIn({ now: () => NOW });
  const plugin: CompanionSchema = wanted === false
    ? { options: { version: "", visual: false }, provider, entries: new Map() }
    : addCompanionSchema(cms.app, cms.state, { provider, version });
  if (guarded) addGuardedSchema(cms.app, plugin);
  for (const one of provider === "rankmath" ? BY_PAGE : GLOBAL) {
    plugin.entries.set(one.id, structuredClone(one));
  }
  const kit = await CmsKit.open(cms, { ...options, sites: moreSites(cms) });
  return {
    kit,
    cms,
    plugin,
    entry: (id) => plugin.entries.get(id)!,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** Does something right before or after the n-th request of that method for an entry. */
export function between(
  method: "GET" | "POST",
  nth: number,
  when: "before" | "after",
  act: () => unknown,
): typeof fetch {
  let seen = 0;
  return async (input, init) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    // A read through the guard is the plan's own.
    const entry = method === "GET" ? /\/v1\/schema\/entries\/\d+$/ : /\/schema\/entries\/\d+$/;
    const now = (init?.method ?? "GET") === method && entry.test(pathname) && ++seen === nth;
    if (now && when === "before") await act();
    const response = await fetch(input, init);
    if (!now || when === "before") return response;
    const bytes = await response.bytes();
    await act();
    return new Response(bytes, response);
  };
}

/** A test in such a world of its own. */
export const test = scenes(() => schemaWorld());
