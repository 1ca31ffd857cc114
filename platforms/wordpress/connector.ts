/** WordPress: the platform of cms sites. */
import { z } from "zod";
import { allOrThrow, onDemand } from "../../core/async.ts";
import { choice, closed, expected, text, yesNo } from "../../core/fields.ts";
import { numericId } from "../../core/ids.ts";
import { BUILDERS, type Site } from "../../core/model.ts";
import {
  type Capability,
  type Configured,
  connector,
  provide,
  type SiteContext,
} from "../_connector/connector.ts";
import { contentStates, posts, postTexts, siteZone, typedPosts } from "../_content/posts.ts";
import { builtPages, pages } from "../_content/pages.ts";
import { storedContent } from "../_content/stored_content.ts";
import { libraryImages } from "../_content/images.ts";
import { liveContent } from "../_content/live_content.ts";
import { history } from "../_content/history.ts";
import { holds } from "../_content/holds.ts";
import { textSearch } from "../_content/text_search.ts";
import { publicContent } from "../_content/public_content.ts";
import { cmsPolicy } from "./egress.ts";
import type { CodePagesClient } from "./pages/client.ts";
import type { StoredRowsClient } from "./seo/stored.ts";
import type { SeoClient } from "./seo/client.ts";
import type { StructuredDataClient } from "./structured_data/client.ts";
import { GatewayError } from "../../core/errors.ts";

/** Where a published post or page of any type is found by its id alone (docs/upstreams/visitors.md, "How it asks"). */
export const pageAddress = ({ base_url }: Pick<Site, "base_url">, id: number): string =>
  `${base_url?.endsWith("/") ? base_url.slice(0, -1) : base_url}/?p=${id}`;

/** Throws E_SEOPLUGIN_DISABLED where the site has the feature off. */
export function assertSeo({ site }: Configured): void {
  if (!site || site.seo.enabled) return;
  throw new GatewayError(
    "E_SEOPLUGIN_DISABLED",
    `The SEO feature is off for site "${site.id}"; an operator turns it on with deno task admin site update ` +
      `${site.id} --seo enabled=true`,
  );
}

/** Throws E_SCHEMA_BRIDGE_REQUIRED where the site's SEO channel is not `plugin`. */
export function assertSchemaBridge({ site }: Configured): void {
  if (!site || site.seo.channel === "plugin") return;
  throw new GatewayError(
    "E_SCHEMA_BRIDGE_REQUIRED",
    `Custom schema of "${site.id}" is reached through the companion plugin alone, and the site's SEO channel is ` +
      `"${site.seo.channel}"; an operator sets it with deno task admin site update ${site.id} --seo channel=plugin`,
  );
}

/** The SEO of a site: its fields, structured data, redirects and sitemap. */
export const seo: Capability<SeoClient> = { capability: "seo", noun: "SEO" };
/** Pages made from code. */
export const codePages: Capability<CodePagesClient> = { capability: "code_pages", noun: "Pages from code" };
/** Rows of the site's plugins, set back as they were. */
export const storedRows: Capability<StoredRowsClient> = {
  capability: "stored_rows",
  noun: "Setting back rows as they were stored",
};
/** Structured data that a plugin of the site keeps apart from posts. */
export const structuredData: Capability<StructuredDataClient> = {
  capability: "structured_data",
  noun: "Structured data",
};

const CAPABILITIES = [
  "edit_posts",
  "edit_pages",
  "publish_posts",
  "upload_files",
  "list_users",
  "unfiltered_html",
] as const;

// What reaches a site is large, and not needed to start.
const client = onDemand(() => import("./client.ts"));
const restPosts = onDemand(() => import("./rest/posts.ts"));
const reader = onDemand(() => import("./rest/reader.ts"));
const publicLists = onDemand(() => import("./rest/public_lists.ts"));
const live = onDemand(() => import("./pages/live.ts"));
const pagesClient = onDemand(() => import("./pages/client.ts"));
const seoClient = onDemand(() => import("./seo/client.ts"));
const structuredDataClient = onDemand(() => import("./structured_data/client.ts"));
const wire = onDemand(() => import("./rest/wordpress_client.ts"));
const holdsClient = onDemand(() => import("./companion/holds.ts"));
const clientOf = async (ctx: SiteContext) => (await client()).clientOf(ctx);
const postsOf = async (ctx: SiteContext) => (await restPosts()).postsOf(ctx);
const statesOf = async (ctx: SiteContext) => (await reader()).statesOf(ctx);
const publicOf = async (ctx: SiteContext) => (await publicLists()).publicContentOf(ctx);
const zoneOf = async (ctx: SiteContext) => {
  const { toldZoneOf } = await import("./rest/time_zone.ts");
  return { told: () => toldZoneOf(ctx) };
};
const pagesOf = async (ctx: SiteContext) => (await pagesClient()).pagesOf(ctx);

/** The builders of a new cms site: block unless told otherwise; where one is enabled, that one is the default. */
function initial({ available_builders: available = ["block"], default_builder }: Partial<Site>) {
  const only = available.length === 1 ? available[0]! : null;
  return {
    available_builders: available,
    default_builder: default_builder === undefined ? only : default_builder,
  };
}

function faults({ platform, available_builders: available, default_builder: builder }: Site): string[] {
  if (platform !== "cms" && (available.length > 0 || builder !== null)) {
    return ["available_builders: only a cms site has page builders"];
  }
  if (builder === null || available.includes(builder)) return [];
  const listed = available.length ? available.join(", ") : "empty";
  return [`default_builder: "${builder}" is not among available_builders (${listed})`];
}

export default connector({
  name: "wordpress",
  product: "WordPress",
  kinds: ["cms"],
  scope: "site",
  address: "required",
  form: {
    title: "A site on WordPress",
    needs:
      "Its address, an account of its own for the gateway, and an application password of that account (Users, " +
      "Profile, Application Passwords)",
  },
  siteFields: {
    available_builders: {
      schema: z.array(choice(BUILDERS), { error: expected("a list of block and visual") })
        .transform((list) => [...new Set(list)]),
      initial: [],
      option: "builders",
      value: "block,visual",
      help: "page builders that are enabled",
      label: "Page builders",
      asked: ["cms"],
    },
    default_builder: {
      schema: choice(BUILDERS),
      value: "block|visual",
      help: "what list_builders_for_site advises where there are both; a call still names its own",
      label: "Page builder that is advised",
      asked: ["cms"],
    },
    seo: {
      schema: closed({ enabled: yesNo.optional(), channel: choice(["rest", "plugin"]).optional() }),
      initial: { enabled: false, channel: "rest" },
      value: "enabled=true|false or channel=rest|plugin",
      help:
        "whether SEO fields are read and written; rest does so by WordPress itself, plugin by the companion plugin, which knows Yoast, Rank Math and SEOPress",
      label: "SEO",
      asked: ["cms"],
    },
  },
  credentials: {
    cms: {
      kinds: ["cms"],
      reason: "only a cms site signs in with a user name and an application password",
      origin: "base_url",
      fields: {
        username: {
          schema: text("a user name without a colon", /^(?! )[^\p{Cc}:]{1,200}(?<! )$/u),
          help: "the account the gateway uses",
          option: "cms-username",
        },
        application_password: {
          schema: text("characters of one line", /^(?! )[^\p{Cc}]{1,512}(?<! )$/u, true),
          help: "application password",
          option: "cms-password",
          variable: "SITE_CMS_PASSWORD",
        },
      },
    },
    companion: {
      kinds: ["cms"],
      reason: "only a cms site has a companion plugin",
      origin: "base_url",
      fields: {
        key_id: {
          schema: text("16 hexadecimal characters", /^[0-9a-f]{16}$/),
          help: "the id of the companion plugin's key, which site pair sets",
          option: "companion-key-id",
        },
        key: {
          schema: text("64 hexadecimal characters", /^[0-9a-f]{64}$/, true),
          help: "key of the companion plugin, which site pair sets",
          option: "companion-key",
          variable: "SITE_COMPANION_KEY",
        },
      },
    },
  },
  pairing: {
    credential: "companion",
    account: { credential: "cms", field: "username" },
    async pair(ctx, name, code) {
      return await (await holdsClient()).paired(ctx, name, code);
    },
  },
  initial,
  faults,
  present: (site) => ({ seoplugin: site.seo.enabled }),
  links: { seo: assertSeo, schema_bridge: assertSchemaBridge },
  origins: ({ site }) => site?.base_url ? [site.base_url] : [],
  policy: cmsPolicy,
  async sign(ctx) {
    return await (await wire()).signed(ctx);
  },
  async signRequest(ctx, out) {
    return await (await holdsClient()).holdSigned(ctx, out);
  },
  probes: {
    site: {
      what: "WordPress REST API",
      run: async (ctx, see) => await (await import("./health.ts")).siteProbe(ctx, see),
    },
  },
  connect: clientOf,
  provides: [
    provide(posts, postsOf),
    provide(postTexts, postsOf),
    provide(typedPosts, postsOf),
    provide(liveContent, async (ctx) => (await live()).liveContentOf(ctx)),
    provide(storedContent, async (ctx) => (await import("./pages/restore.ts")).storedContentOf(ctx)),
    provide(libraryImages, async (ctx) => (await import("./rest/library.ts")).libraryImagesOf(ctx)),
    provide(contentStates, statesOf),
    provide(siteZone, zoneOf),
    provide(publicContent, publicOf),
    provide(history, async (ctx) => (await import("./rest/revisions.ts")).revisionsOf(ctx)),
    provide(textSearch, async (ctx) => (await import("./find/rest_find.ts")).textSearchOf(ctx)),
    provide(holds, async (ctx) => (await holdsClient()).holdsOf(ctx)),
    provide(pages, pagesOf),
    provide(builtPages, pagesOf),
    provide(codePages, async (ctx) => (await pagesClient()).codePagesOf(ctx)),
    provide(seo, async (ctx) => (await seoClient()).seoOf(ctx)),
    provide(storedRows, async (ctx) => (await import("./seo/stored.ts")).storedRowsOf(ctx)),
    provide(structuredData, async (ctx) => (await structuredDataClient()).structuredDataOf(ctx)),
  ],
  checkId: numericId,
  async ping(ctx) {
    const client = await clientOf(ctx);
    const began = ctx.now();
    const [{ lacks, timezone, latency_ms }, { id, name, slug, roles, can }] = await allOrThrow(
      client.greet().then((greeting) => ({ ...greeting, latency_ms: ctx.now() - began })),
      client.whoami(),
    );
    return {
      user: { id, name, slug, roles },
      can: Object.fromEntries(CAPABILITIES.map((right) => [right, can(right) && !lacks(right)])),
      timezone,
      latency_ms,
    };
  },
  checks: [{
    kinds: ["cms"],
    names: [
      "rest_api",
      "credentials",
      "clock",
      "companion",
      "page_builder",
      "theme",
      "tool_adapter",
      "builder_tools",
      "theme_snippet",
      "code_page",
      "seo_bridge",
      "seo_settings",
      "schema_bridge",
    ],
    run: async (ctx, limitMs) => await (await import("./checks.ts")).cmsChecks(ctx, limitMs),
  }],
});
