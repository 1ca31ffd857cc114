/** A stand-in whose companion plugin reports what a test wants, and what a diagnosis of it is expected to say. */
import { COMPANION_VERSION } from "../../platforms/wordpress/companion/plugin.ts";
import assert from "node:assert/strict";
import { route } from "../../sandbox/wordpress_standin/rest.ts";
import type { WordPressFault, WordPressOptions } from "../../sandbox/wordpress_standin/start.ts";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Site } from "../../core/model.ts";
import type { NewSite } from "../../store/store.ts";
import type { Args } from "../cms_kit.ts";
import { type KitOptions, site } from "../kit.ts";
import { type World, world } from "./_stand_in.ts";

/** One check as it is answered. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly next_step: string | null;
}

/** Whether a check is met, what its detail says, and what its next step, which a check that is met has none of. */
export type Seen =
  | readonly [ok: true, detail: RegExp]
  | readonly [
    ok: false | null,
    detail: RegExp,
    next: RegExp,
  ];

type Both = <T>(tool: string, args: Args) => Promise<T>;

/** Every check of a site, by name; each says something, and what to do where it is not met. */
export async function diagnose(both: Both, args: Args): Promise<Record<string, Check>> {
  const { checks, ...rest } = await both<{ checks: Check[]; site_id: string; platform: string }>(
    "diagnose_site",
    args,
  );
  assert.deepEqual(Object.keys(rest), ["site_id", "platform"]);
  for (const { name, ok, detail, next_step } of checks) {
    assert.match(detail, /\S[^.]$/, name);
    assert.equal(next_step === null, ok === true, `${name} names a next step where there is one to take`);
    assert.doesNotMatch(
      `${detail} ${next_step ?? ""}`.trim(),
      /\.$|Basic |Bearer |undefined|\[object|null\b/,
      name,
    );
  }
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

/** Asserts what the checks of those names say, asking for them alone. */
export async function says(both: Both, site_id: string, expected: Readonly<Record<string, Seen>>) {
  const found = await diagnose(both, { site_id, checks: Object.keys(expected) });
  assert.deepEqual(Object.keys(found).toSorted(), Object.keys(expected).toSorted());
  for (const [name, [ok, detail, next]] of Object.entries(expected)) {
    const check = found[name]!;
    assert.equal(check.ok, ok, `${name} of ${site_id}: ${check.detail}`);
    assert.match(check.detail, detail, name);
    if (next) assert.match(check.next_step ?? "", next, name);
  }
}

type Json = Record<string, unknown>;

/** The report of a plugin that has everything. */
export const FEATURES = {
  page_builder: { block: true, visual: { active: true, version: "3.27.0" } },
  theme_snippet: { applied: true },
  tool_adapter: { active: true, version: "0.5.0" },
  builder_tools: { active: true, version: "1.4.2", route: "/mcp/elementor-mcp-server" },
  code_page: { active: true },
  seo_bridge: { active: true, provider: "yoast", provider_version: "22.5" },
  schema_bridge: { active: true, provider: "schemapro", entries: 3 },
};
/** The rights of its account. */
export const CAPS = { edit_posts: true, edit_pages: true, edit_others_posts: true, unfiltered_html: true };
/** Its whole report. */
export const REPORT: Json = { plugin_version: COMPANION_VERSION, features: FEATURES, user: { caps: CAPS } };
const NAMESPACES = ["site-ops/v1"];

/** The report with some features different. */
export const featured = (more: Json): Json => ({ ...REPORT, features: { ...FEATURES, ...more } });

/** Sites by what their records say of SEO and of builders, all at the one CMS. */
function sitesAt({ base_url, users }: Pick<CmsSandbox, "base_url" | "users">): NewSite[] {
  const { username, application_password } = users.admin;
  const at = (id: string, more: Partial<NewSite>) =>
    site(id, "cms", { base_url, credentials: { cms: { username, application_password } }, ...more });
  const seo = (channel: Site["seo"]["channel"]) => ({ seo: { enabled: true, channel } });
  return [
    at("plugin", { ...seo("plugin"), available_builders: ["block", "visual"], topicmap_workspace_id: "w1" }),
    at("rest", seo("rest")),
  ];
}

/** A stand-in whose companion plugin gives that report; without one it has no plugin. */
export async function reporting(
  report: Json | null,
  options: WordPressOptions = {},
  kit: KitOptions = {},
): Promise<World> {
  const namespaces = [...report === null ? [] : NAMESPACES, ...options.namespaces ?? []];
  const at = await world(kit, { ...options, namespaces });
  if (report !== null) {
    route(at.cms.app, ["GET"], "/site-ops/v1/health", () => ({}), () => ({ body: report }));
  }
  for (const one of sitesAt(at.cms)) assert.ok(await at.kit.gw.store.sites.create(one));
  return at;
}

/** What a diagnosis of such a stand-in says. */
export async function told(
  report: Json | null,
  expected: Readonly<Record<string, Seen>>,
  { site_id = "plugin", trouble, path, ...options }: WordPressOptions & {
    site_id?: string;
    trouble?: WordPressFault;
    path?: string | RegExp;
  } = {},
): Promise<void> {
  await using at = await reporting(report, options);
  if (trouble) at.cms.inject(trouble, { method: "GET", path, times: 99 });
  await says(at.kit.both.bind(at.kit), site_id, expected);
  assert.deepEqual(at.cms.writes, []);
  assert.ok(at.cms.requests.every(({ method }) => method === "GET" || method === "HEAD"));
}
