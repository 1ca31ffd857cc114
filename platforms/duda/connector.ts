/** Duda, a hosted site builder: the platform of sitebuilder sites, reached with the account's shared credentials. */
import { GatewayError } from "../../errors.ts";
import type { Making } from "../../model.ts";
import { connector, provide, type SiteContext } from "../connector.ts";
import { content } from "../content.ts";
import { pages } from "../pages.ts";
import { base, given, secret } from "../settings.ts";
import { textField } from "../site_fields.ts";
import { dudaDiagnosis } from "./checks.ts";
import { dudaPolicy } from "./egress.ts";
import { type CopyFields, copyPage, prepareCopy, type PreparedCopy } from "./new_pages.ts";
import { pagesOf } from "./pages.ts";
import { postsOf } from "./posts.ts";
import { addressOfSite } from "./records.ts";
import { type DudaSettings, isId } from "./routes.ts";
import { addSection, type PreparedSection, prepareSection } from "./sections.ts";
import { Wire } from "./wire.ts";

/** What no other platform's pages can do. Every method throws E_UPSTREAM; those that write also E_STALE_PREVIEW. */
function clientOf(ctx: SiteContext<DudaSettings>) {
  const wire = new Wire(ctx);
  return {
    prepareCopy: (id: string, fields: CopyFields) => prepareCopy(wire, id, fields),
    copyPage: (fields: CopyFields, prepared: PreparedCopy, made: Making) =>
      copyPage(wire, fields, prepared, made),
    prepareSection: (id: string, section: string) => prepareSection(wire, id, section),
    addSection: (section: string, prepared: PreparedSection) => addSection(wire, section, prepared),
  };
}

/** Of a connector's capabilities the settings are known to be its own. */
const own = (ctx: SiteContext) => new Wire(ctx as unknown as SiteContext<DudaSettings>);

/** Refuses an id that no page, or no post, can have: E_BAD_INPUT naming the field. */
function checkId(id: string | number, field: string): void {
  const kind = field === "page_id" ? "page" : field === "element_source_id" ? "section" : "post";
  if (typeof id === "string" && isId(kind, id)) return;
  const form = kind === "page" ? "a uuid as list_content gives it" : "an id of letters, digits, - and _";
  const shown = JSON.stringify(String(id).slice(0, 40));
  throw new GatewayError("E_BAD_INPUT", `${field}: expected ${form}, as a text, not ${shown}`);
}

export default connector({
  name: "duda",
  product: "Duda",
  kinds: ["sitebuilder"],
  scope: "site",
  settings: {
    SITEBUILDER_API_BASE: base("https://api.duda.co/api", "Duda"),
    SITEBUILDER_API_USER: given("Duda API user"),
    SITEBUILDER_API_PASSWORD: secret("Duda API password"),
  },
  siteFields: {
    // The words left out name what the API does with whole sites, where an alias stands otherwise.
    site_alias: textField(
      "a site alias of letters, digits, - and _",
      /^(?!(?:create|update|publish|unpublish|duplicate|reset|switchTemplate|byexternalid)$)[A-Za-z0-9_-]{1,64}$/i,
    ),
  },
  origins: ({ settings }) => [settings.SITEBUILDER_API_BASE],
  policy: dudaPolicy,
  connect: clientOf,
  provides: [provide(content, (ctx) => postsOf(own(ctx))), provide(pages, (ctx) => pagesOf(own(ctx)))],
  checkId,
  async ping(ctx) {
    const wire = new Wire(ctx);
    const began = ctx.now();
    const site = await wire.site();
    return {
      publish_status: site.publish_status,
      site_domain: addressOfSite(site),
      latency_ms: ctx.now() - began,
    };
  },
  checks: [dudaDiagnosis],
});
