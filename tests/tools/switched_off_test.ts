/** A plugin that somebody switches off between preview and write: refused in a sentence, and nothing is written. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { addSeopress, type SeoRows } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";
import { LIVE } from "./_write_cases.ts";
import type { Write } from "./_writes.ts";
import { PAGES } from "./_writes_posts.ts";
import { SEO } from "./_writes_seo.ts";

/** What is switched off, what each write is refused with then, and the words of that. */
interface Off {
  readonly what: string;
  readonly code: Code;
  readonly says: RegExp;
  readonly writes: readonly Write[];
  switchOff(at: Ground): void;
  /** Seen in the very moment of the write without the plugin's guarded routes too. */
  readonly always?: true;
}

const ofSeo = (...tools: string[]) => SEO.filter(({ tool }) => tools.includes(tool));
const NO_ROUTE = {
  code: "rest_no_route",
  message: "No route was found matching the URL and request method.",
  data: { status: 404 },
};
const noCompanion = (at: Ground) =>
  at.cms.inject({ kind: "answer", status: 404, body: NO_ROUTE }, {
    path: "/site-ops/v1/",
    while: () => true,
  });

const OFFS: readonly Off[] = [
  {
    what: "the SEO plugin",
    code: "E_STALE_PREVIEW",
    says: /provider.*nothing was written/,
    writes: ofSeo("set_seo_meta", "set_seo_schema", "set_seo_redirect", "get_sitemap_status"),
    switchOff: (at) => void (at.seo.provider = "none"),
  },
  {
    what: "the companion plugin",
    code: "E_SEOPLUGIN_PLUGIN_REQUIRED",
    says: /^The site has no companion plugin; version/,
    writes: ofSeo("set_seo_meta", "set_seo_schema", "set_seo_redirect", "get_sitemap_status"),
    switchOff: noCompanion,
    always: true,
  },
  {
    what: "the companion plugin, of custom schema",
    code: "E_SCHEMA_BRIDGE_REQUIRED",
    says: /^The site has no companion plugin; version/,
    writes: ofSeo("set_custom_schema"),
    switchOff: noCompanion,
    always: true,
  },
  {
    what: "the companion plugin, of pages from code",
    code: "E_COMPANION_REQUIRED",
    says: /^The site has no companion plugin; version/,
    writes: PAGES.filter(({ tool }) => tool.endsWith("_from_code")),
    switchOff: noCompanion,
    always: true,
  },
  {
    what: "the schema plugin",
    code: "E_SCHEMA_BRIDGE_REQUIRED",
    says: /no active plugin that keeps custom schema|site_ops_schema_provider_missing/,
    writes: ofSeo("set_custom_schema"),
    switchOff: (at) => void (at.schema.provider = null),
    always: true,
  },
];

async function refused(at: Ground, write: Write, off: Off, n: number, isLate: boolean): Promise<void> {
  at.seo.provider = "rankmath";
  const args: Args = { site_id: "cms", ...write.args(at, n) };
  if (args["post_id"]) {
    Object.assign(at.cms.posts.get(Number(args["post_id"]))!, { status: "publish", date: LIVE });
  }
  const { confirm_token } = await at.gw.call<{ confirm_token: string }>(write.tool, args);
  let standing = "";
  const act = async () => {
    off.switchOff(at);
    standing = await at.everything();
  };
  if (isLate) at.beforeWrite(act);
  else await act();
  const writes = at.writes();
  const call = { ...args, confirm: true, confirm_token };
  const ending = await at.gw.end(write.tool, call, { door: DOORS[n % 2] });
  const told = JSON.stringify([write.tool, isLate, ending]);
  assert.ok("code" in ending && ending.code === off.code, told);
  assert.match(ending.message, off.says, told);
  if (!isLate) assert.equal(at.writes(), writes, `${told}: nothing that changes anything was sent`);
  assert.equal(await at.everything(), standing, told);
  const { rows: [row] } = await at.gw.store.audit.list({}, { limit: 1 });
  assert.deepEqual([row?.tool, row?.status, row?.outcome], [write.tool, "error", "none"], told);
}

for (const off of OFFS) {
  for (const guarded of [true, false]) {
    const by = guarded ? "" : ", without guarded routes";
    Deno.test(`${off.what} is switched off meanwhile: every write that needs it is refused${by}`, async () => {
      let n = 0;
      for (const write of off.writes) {
        const compares = write.tool !== "get_sitemap_status" && (guarded || off.always);
        for (const isLate of compares || off.always ? [false, true] : [false]) {
          await using at = await ground({ guarded });
          await refused(at, write, off, ++n, isLate);
        }
      }
    });
  }
}

/** A site whose SEO is reached over SEOPress's own routes. */
async function overRest(): Promise<SeoWorld & { rows: SeoRows }> {
  const at = await seoWorld();
  return Object.assign(at, { rows: addSeopress(at.cms.app, at.cms.state) });
}

for (const isLate of [false, true]) {
  const when = isLate ? "right before the write" : "after the preview";
  Deno.test(`an SEO plugin that is reached over REST is switched off ${when}`, async () => {
    let meanwhile = () => {};
    await using at = await overRest();
    const { namespaces } = at.cms.state;
    const call = { site_id: "rest_live", post_id: at.draft.id, title: "T", description: "D" };
    const { confirm_token } = await at.kit.preview("set_seo_meta", call);
    meanwhile = () => {
      namespaces.splice(namespaces.indexOf("seopress/v1"), 1);
      const method = isLate ? "PUT" : undefined;
      at.cms.inject({ kind: "answer", status: 404, body: NO_ROUTE }, {
        path: "/seopress/v1/",
        method,
        while: () => true,
      });
    };
    meanwhile();
    if (isLate) namespaces.push("seopress/v1"); // the look before the write still finds it
    const told = await at.kit.gw.end("set_seo_meta", { ...call, confirm: true, confirm_token });
    assert.ok("code" in told && told.code === "E_SEOPLUGIN_PLUGIN_REQUIRED", JSON.stringify(told));
    assert.match(
      told.message,
      isLate
        ? /\(seopress\) has been switched off since it was looked at, and nothing/
        : /shows no SEO plugin/,
    );
    assert.equal(at.rows.get(at.draft.id)?.["_seopress_titles_title"], undefined);
  });
}

Deno.test("an SEO plugin whose fields are meta of the post is switched off in the moment of the write", async () => {
  const keys = ["_yoast_wpseo_title", "_yoast_wpseo_metadesc", "_yoast_wpseo_focuskw"];
  await using at = await seoWorld({
    fetch: async (input, init) => {
      // WordPress ignores the meta that nobody registers any more, and says that it saved the post.
      if (init?.method === "POST") { for (const key of keys) delete at.draft.meta[key]; }
      return await fetch(input, init);
    },
  });
  at.cms.state.namespaces.push("yoast/v1");
  Object.assign(at.draft.meta, Object.fromEntries(keys.map((key) => [key, ""])));
  const call = { site_id: "rest_live", post_id: at.draft.id, title: "T", confirm: true };
  const says = /\(yoast\) has been switched off .*nothing of what was sent is stored/;
  await at.kit.gw.fails("set_seo_meta", call, "E_SEOPLUGIN_PLUGIN_REQUIRED", says);
});
