/** Duda, a hosted site builder: the platform of sitebuilder sites, reached with the account's shared credentials. */
import { GatewayError } from "../../core/errors.ts";
import { connector, provide, type SiteContext } from "../_connector/connector.ts";
import { liveContent } from "../_content/live_content.ts";
import { posts } from "../_content/posts.ts";
import { pages } from "../_content/pages.ts";
import { base, given, secret, textField } from "../_connector/settings.ts";
import { dudaPolicy } from "./egress.ts";
import { type DudaSettings, isId } from "./routes.ts";

// What reaches a site is large, and not needed to start.
const clientOf = async (ctx: SiteContext<DudaSettings>) => (await import("./client.ts")).clientOf(ctx);
/** Of a connector's capabilities the settings are known to be its own. */
const own = (ctx: SiteContext) => clientOf(ctx as unknown as SiteContext<DudaSettings>);

/** Refuses an id that no page, or no post, can have: E_BAD_INPUT naming the field. */
function checkId(id: string | number, field: string): void {
  const kind = field === "page_id" ? "page" : field === "element_source_id" ? "section" : "post";
  if (typeof id === "string" && isId(kind, id)) return;
  const form = kind === "page"
    ? "a uuid as list_content gives it"
    : "an id of at most 64 letters, digits, - and _";
  const shown = JSON.stringify(typeof id === "string" ? id.slice(0, 80) : id);
  throw new GatewayError("E_BAD_INPUT", `${field}: expected ${form}, as a text, not ${shown}`);
}

export default connector({
  name: "duda",
  product: "Duda",
  kinds: ["sitebuilder"],
  form: { title: "A site at Duda", needs: "Its alias: the short name in the address of its editor" },
  scope: "site",
  settings: {
    SITEBUILDER_API_BASE: base("https://api.duda.co/api", "Duda"),
    SITEBUILDER_API_USER: given("Duda API user"),
    SITEBUILDER_API_PASSWORD: secret("Duda API password"),
  },
  siteFields: {
    // The words left out name what the API does with whole sites, in the place of an alias.
    site_alias: {
      ...textField(
        "a site alias of letters, digits, - and _",
        /^(?!(?:create|update|publish|unpublish|duplicate|reset|switchTemplate|byexternalid)$)[A-Za-z0-9_-]{1,64}$/i,
      ),
      label: "Alias of the site",
      asked: ["sitebuilder"],
    },
  },
  origins: ({ settings }) => [settings.SITEBUILDER_API_BASE],
  policy: dudaPolicy,
  probes: {
    site: {
      what: "Duda Partner API",
      run: async (ctx, see) => await (await import("./checks.ts")).dudaProbe(ctx, see),
    },
  },
  connect: clientOf,
  provides: [
    provide(posts, async (ctx) => (await own(ctx)).posts),
    provide(liveContent, async (ctx) => (await own(ctx)).live),
    provide(pages, async (ctx) => (await own(ctx)).pages),
  ],
  checkId,
  async ping(ctx) {
    const client = await clientOf(ctx);
    const began = ctx.now();
    const found = await client.ping();
    return { ...found, latency_ms: ctx.now() - began };
  },
  checks: [{
    kinds: ["sitebuilder"],
    names: ["site_alias", "site_answers", "allow_publish"],
    run: async (ctx, limitMs) => await (await import("./checks.ts")).dudaChecks(ctx, limitMs),
  }],
});
