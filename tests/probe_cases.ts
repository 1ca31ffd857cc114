/** A service of each connector at its stand-in, and an answer of it that tests change. */
import type { Kit, KitOptions } from "./kit.ts";
import { gateway, site } from "./kit.ts";
import { startPages } from "../sandbox/cloudflare_pages/start.ts";
import { BehaviorWorld } from "./tools/_behavior.ts";
import { CrmWorld } from "./tools/_crm.ts";
import { dudaWorld } from "./tools/_duda.ts";
import { GoogleWorld } from "./tools/_google.ts";
import { MetaWorld } from "./tools/_meta.ts";
import { world as cmsWorld } from "./tools/_stand_in.ts";
import { StaticWorld } from "./tools/_static.ts";
import { TopicWorld } from "./tools/_topicmap.ts";

/** An object or a list of an answer. */
export interface Json {
  [name: string]: Json;
}

/** A service, and an answer of it that is changed. */
export interface ProbeCase {
  readonly service: string;
  readonly site: string;
  readonly costly?: readonly string[];
  /** Every read there is, in its order. */
  readonly reads: readonly string[];
  readonly read: string;
  readonly request: RegExp;
  /** The object that a name is taken out of, or given another type. */
  readonly object: (answer: Json) => Json;
  readonly name: string;
  /** Where the report says that it is. */
  readonly at: string;
  /** Set where the object is not in the first entry of a list. */
  readonly whole?: true;
  /** Set where the client goes on without the name. */
  readonly optional?: true;
  readonly refusal: { readonly status: number; readonly body: unknown; readonly code?: string };
  open(
    options: KitOptions,
  ): Promise<AsyncDisposable & { readonly gw: Kit; readonly writes: readonly unknown[] }>;
}

const GOOGLE_REFUSAL = {
  status: 403,
  body: { error: { code: 403, status: "PERMISSION_DENIED", message: "The caller does not have permission" } },
};
const google = {
  site: "closed",
  open: async (options: KitOptions) => {
    const at = await GoogleWorld.open(options);
    return Object.assign(at, { writes: at.google.writes });
  },
  refusal: GOOGLE_REFUSAL,
};

/** One of each service. */
export const CASES: readonly ProbeCase[] = [
  {
    ...google,
    service: "google/analytics",
    reads: ["a report"],
    read: "a report",
    request: /^POST .*:runReport$/,
    object: (answer) => answer["rows"]![0]!["metricValues"]![0]!,
    name: "value",
    at: "rows[].metricValues[].value",
    optional: true,
  },
  {
    ...google,
    service: "google/search",
    reads: ["searches by day"],
    read: "searches by day",
    request: /searchAnalytics\/query$/,
    object: (answer) => answer["rows"]![0]!,
    name: "clicks",
    at: "rows[].clicks",
    optional: true,
  },
  {
    ...google,
    service: "google/ads",
    reads: ["the customer's row"],
    read: "the customer's row",
    request: /googleAds:searchStream$/,
    object: (answer) => answer[0]!["results"]![0]!["customer"]!,
    name: "currencyCode",
    at: "[].results[].customer.currencyCode",
    optional: true,
  },
  {
    ...google,
    service: "google/sheets",
    reads: ["values of a range"],
    read: "values of a range",
    request: /^GET .*\/values\//,
    object: (answer) => answer,
    name: "range",
    at: "range",
    optional: true,
  },
  {
    ...google,
    service: "google/storage",
    reads: ["the folder", "files of the folder"],
    read: "the folder",
    request: /^GET \/drive\/v3\/files\/\w+$/,
    object: (answer) => answer,
    name: "webViewLink",
    at: "webViewLink",
    optional: true,
  },
  {
    service: "meta_ads/social_ads",
    site: "bare",
    reads: ["the ad account", "campaigns", "ad sets", "ads", "a report"],
    read: "campaigns",
    request: /\/campaigns$/,
    object: (answer) => answer["data"]![0]!,
    name: "id",
    at: "data[].id",
    refusal: {
      status: 403,
      body: { error: { code: 200, type: "OAuthException", message: "(#200) Missing permission" } },
      code: "E_SOCIAL_ADS_AUTH",
    },
    open: async (options) => {
      const at = await MetaWorld.open(options);
      return Object.assign(at, { writes: at.meta.writes });
    },
  },
  {
    service: "highlevel/crm",
    site: "client",
    reads: [
      ...[
        "the location",
        "pipelines",
        "opportunities",
        "opportunities by filters",
        "calendars",
        "appointments",
      ],
      ...[
        "conversations",
        "messages of a conversation",
        "exported messages",
        "contacts",
        "tags",
        "workflows",
      ],
      ...["campaigns", "custom fields", "funnels", "form submissions", "invoices", "payments"],
    ],
    read: "pipelines",
    request: /^GET \/opportunities\/pipelines$/,
    object: (answer) => answer["pipelines"]![0]!["stages"]![0]!,
    name: "id",
    at: "pipelines[].stages[].id",
    refusal: {
      status: 401,
      body: { statusCode: 401, message: "The token is not authorized for this scope." },
    },
    open: async (options) => {
      const at = await CrmWorld.open(options);
      return Object.assign(at, { writes: at.crm.writes });
    },
  },
  {
    service: "duda/site",
    site: "open",
    reads: ["the site", "pages", "posts"],
    read: "pages",
    request: /\/pages$/,
    object: (answer) => answer["results"]![0]!,
    name: "uuid",
    at: "results[].uuid",
    refusal: { status: 403, body: { error_code: "Forbidden", message: "No access" } },
    open: async (options) => {
      const at = await dudaWorld(options);
      return Object.assign(at, { writes: at.duda.writes });
    },
  },
  {
    service: "topic_map/topicmap",
    site: "files",
    reads: [
      ...[
        "topical maps",
        "a topical map",
        "a topical map's graph",
        "briefs",
        "a brief",
        "audits",
        "an audit",
      ],
      ...["jobs", "a job", "content types"],
    ],
    read: "a job",
    request: /\/content-jobs\/[^/]+$/,
    object: (answer) => answer,
    name: "status",
    at: "status",
    refusal: { status: 403, body: { error: { code: "forbidden", message: "Not a member" } } },
    open: async (options) => {
      const at = await TopicWorld.open(options);
      return Object.assign(at, { writes: at.service.writes });
    },
  },
  {
    service: "clarity/behavior",
    site: "client",
    costly: ["clarity"],
    reads: ["the last day"],
    read: "the last day",
    request: /project-live-insights$/,
    object: (answer) =>
      (answer as unknown as Json[]).find((one) =>
        `${one["metricName"]}` === "ScrollDepth"
      )!["information"]![0]!,
    name: "averageScrollDepth",
    at: "scrolldepth[].averagescrolldepth",
    whole: true,
    optional: true,
    refusal: { status: 429, body: "Exceeded daily limit" },
    open: async (options) => {
      const at = await BehaviorWorld.open(options);
      return Object.assign(at, { writes: at.clarity.writes });
    },
  },
  {
    service: "github/repo",
    site: "open",
    reads: [
      ...["the app's installation", "the repository", "a branch", "a commit", "a tree", "a folder"],
      "the newest commits",
    ],
    read: "a tree",
    request: /\/git\/trees\//,
    object: (answer) => answer["tree"]![0]!,
    name: "mode",
    at: "tree[].mode",
    refusal: { status: 403, body: { message: "Resource not accessible by integration" } },
    open: async (options) => {
      const at = await StaticWorld.open({ ...options, git: false });
      return Object.assign(at, { writes: [] });
    },
  },
  {
    service: "wordpress/site",
    site: "acme",
    reads: ["the index", "the account", "posts", "pages", "tags", "categories", "media", "types"],
    read: "posts",
    request: /wp\/v2\/posts$/,
    object: (answer) => answer[0]!,
    name: "modified_gmt",
    at: "[].modified_gmt",
    refusal: { status: 403, body: { code: "rest_forbidden", message: "Sorry", data: { status: 403 } } },
    open: async (options) => {
      const at = await cmsWorld(options);
      return Object.assign(at, { gw: at.kit.gw, writes: at.cms.writes });
    },
  },
  {
    service: "cloudflare_pages/hosting",
    site: "deployed",
    reads: ["deployments"],
    read: "deployments",
    request: /\/deployments$/,
    object: (answer) => answer["result"]![0]!,
    name: "environment",
    at: "result[].environment",
    refusal: {
      status: 403,
      body: { success: false, errors: [{ code: 10000, message: "Authentication error" }], result: null },
    },
    open: hosted,
  },
];

/** A gateway with a project at a stand-in for the hosting. */
async function hosted(options: KitOptions) {
  const hosting = await startPages();
  hosting.project("acme");
  hosting.deploy("acme", { branch: "main" });
  const gw = await gateway({
    ...options,
    allowPrivate: ["127.0.0.1"],
    settings: {
      upstream: {
        HOSTING_API_BASE: hosting.base_url,
        HOSTING_API_TOKEN: hosting.api_token,
        HOSTING_ACCOUNT_ID: hosting.account_id,
      },
    },
    sites: [site("deployed", "crm", { hosting_project: "acme" })],
  });
  return {
    gw,
    writes: hosting.writes,
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await hosting.stop();
    },
  };
}
