/** Sites whose record lacks what a call needs: every tool says what is missing, and none fails inside. */
import assert from "node:assert/strict";
import { FLAGS } from "../../core/model.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { NewSite } from "../../store/store.ts";
import { filled, type Shape } from "../filled_arguments.ts";
import { gateway, site } from "../kit.ts";
import { world } from "./_proxied.ts";

const flags = Object.fromEntries(FLAGS.map((flag) => [flag, true]));
const seo = { enabled: true, channel: "plugin" } as const;
const none = { credentials: {}, base_url: null };
/** Linked to everything in their records, so that each call comes as far as what is missing. */
const linked = {
  flags,
  seo,
  repo: "acme/site",
  repo_branch: "main",
  hosting_project: "acme",
  topicmap_workspace_id: "w",
  behavior_project_id: "b",
  analytics_property: "1",
  search_site_url: "https://acme.example/",
  ads_customer_id: "1234567890",
  crm_location_id: "loc",
  social_ads_account_id: "1",
  storage_folder_id: "f",
  site_alias: "alias",
  available_builders: ["block", "visual"],
};

const at = (id: string, platform: NewSite["platform"], more: object) => ({ ...site(id, platform), ...more });
/** A site of each kind with nothing set, and with everything set but credentials, or but its address. */
const SITES = (["cms", "sitebuilder", "static", "crm"] as const).flatMap((platform) => [
  at(`${platform}-empty`, platform, { ...none, flags, seo }),
  at(`${platform}-linked`, platform, { ...linked, credentials: {} }),
  at(`${platform}-nowhere`, platform, { ...linked, base_url: null }),
]) as NewSite[];

Deno.test("no tool fails inside on a site whose record lacks credentials, an address or links, and none writes", async () => {
  await using gw = await gateway({ sites: SITES, settings: { rateLimitToken: 0, rateLimitSite: 0 } });
  const tools: readonly ToolEntry[] = gw.gateway.catalog.entries();
  assert.ok(tools.length >= 106);
  const ends = new Map<string, number>();
  const inside: string[] = [];
  for (const { name, manifest, definition } of tools) {
    const args = filled(definition.input_schema as Shape);
    for (const { id } of manifest.site === "none" ? [{ id: undefined }] : SITES) {
      for (const confirm of [false, true]) {
        const ending = await gw.end(name, { ...args, ...(id && { site_id: id }), confirm });
        const code = "code" in ending ? ending.code : "answered";
        ends.set(code, (ends.get(code) ?? 0) + 1);
        if (code === "E_INTERNAL" && "code" in ending) inside.push(`${name} on ${id}: ${ending.message}`);
      }
    }
  }
  assert.deepEqual(inside, []);
  assert.deepEqual(
    gw.logged.filter(({ event }) => event === "internal"),
    [],
    "nothing is logged as a fault inside",
  );
  assert.deepEqual(
    gw.requests.filter(({ method }) => !/^(GET|HEAD)$/.test(method)).map(({ url }) => url),
    [],
  );
  assert.ok((ends.get("E_MISSING_SECRET") ?? 0) > 300, JSON.stringify([...ends]));
});

Deno.test("a site's own tools do not fail inside once its credentials are gone", async () => {
  await using at = await world();
  const { gw } = at;
  for (const { id } of await gw.store.sites.list()) {
    await gw.store.sites.update(id, { credentials: { cms: null, crm: null } });
  }
  const about = { post_id: 1, contactId: "c", element_id: "a", settings: { a: 1 }, title: "x", tags: ["a"] };
  const element = { post_id: 1, element_id: "a" };
  const codes = new Set<string>();
  for (const { name, offer } of gw.gateway.catalog.entries()) {
    for (const site_id of offer?.sites ?? []) {
      for (const args of [{}, about, element]) {
        const ending = await gw.end(name, { site_id, ...args, confirm: true });
        codes.add("code" in ending ? ending.code : "answered");
      }
    }
  }
  assert.ok(codes.has("E_MISSING_SECRET") && !codes.has("E_INTERNAL"), [...codes].join());
  assert.deepEqual(gw.logged.filter(({ event }) => event === "internal"), []);
  assert.deepEqual(at.cms.writes, []);
});
