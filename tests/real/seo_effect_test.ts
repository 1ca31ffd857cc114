/** What visitors get of SEO fields and redirects on a real WordPress, over both channels, for every SEO plugin. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { onProvider, type Provider, type RealSeo } from "./_seo.ts";
import { fresh } from "./_wordpress.ts";

const CHANNELS = ["seo", "rest"] as const;

/** Makes the type "post" noindex, tries something, and takes that back. */
async function withTypeNoindex(
  { wp }: RealSeo,
  provider: Provider,
  work: () => Promise<void>,
): Promise<void> {
  const [name, value] = {
    yoast: ["wpseo_titles", { "noindex-post": true }],
    rankmath: ["rank-math-options-titles", { pt_post_custom_robots: "on", pt_post_robots: ["noindex"] }],
    seopress: ["seopress_titles_option_name", { seopress_titles_single_titles: { post: { noindex: "1" } } }],
    none: ["none", {}],
  }[provider] as [string, Json];
  await wp.peek({ options: { [name]: value } });
  try {
    await work();
  } finally {
    await wp.peek({ options: { [name]: {} } });
  }
}

/** A type's noindex is read, previewed and lifted as what it is; SEOPress lets no post lift it. */
async function typeNoindex(at: RealSeo, provider: Provider): Promise<void> {
  await withTypeNoindex(at, provider, async () => {
    const id = await at.ask.draft("ed", { title: fresh("Noindex") });
    for (const site_id of CHANNELS.filter((channel) => channel === "seo" || provider === "seopress")) {
      const target = { site_id, post_id: id };
      const read = await at.kit.both<Args>("get_seo_meta", target);
      assert.equal((read["robots"] as Json)["noindex"], true, site_id);
      const same = await at.kit.write<Args>("mcp", "set_seo_meta", { ...target, robots: { noindex: true } });
      assert.deepEqual(same.row.changes, []);
      const lift = { ...target, robots: { noindex: false } };
      if (provider === "seopress") {
        const says = /^robots\.noindex: false would not be shown: .* goes before the post's own value/;
        await at.kit.refuses("set_seo_meta", { ...lift, confirm: true }, "E_BAD_INPUT", says, "reads");
        continue;
      }
      const { changes } = await at.kit.preview("set_seo_meta", lift);
      assert.deepEqual(changes, [{ field: "robots.noindex", from: true, origin: "type", to: false }]);
      const { done, proof } = await at.kit.write<Args>("rest", "set_seo_meta", lift);
      assert.deepEqual([(done["robots"] as Json)["noindex"], proof.verified], [false, true]);
    }
  });
}

const IMAGES: Record<Provider, readonly [url: string, id: string]> = {
  none: ["_site_ops_seo_og_image", "none"],
  yoast: ["_yoast_wpseo_opengraph-image", "_yoast_wpseo_opengraph-image-id"],
  rankmath: ["rank_math_facebook_image", "rank_math_facebook_image_id"],
  seopress: ["_seopress_social_fb_img", "_seopress_social_fb_img_attachment_id"],
};

/** An image that is there keeps its number; another of the library gets its own. */
async function imagesKeepTheirNumbers(at: RealSeo, provider: Provider): Promise<void> {
  const [url, number] = IMAGES[provider];
  const [first, second] = [await at.wp.image(`a-${provider}`), await at.wp.image(`b-${provider}`)];
  for (const site_id of CHANNELS.filter((channel) => channel === "seo" || provider !== "yoast")) {
    const id = await at.ask.draft("ed", { title: fresh("Image") });
    await at.wp.peek({ id, meta: { [url]: first.url, [number]: String(first.id) } });
    const target = { site_id, post_id: id };
    for (const image of [first, second]) {
      await at.kit.write("rest", "set_seo_meta", { ...target, og_image: image.url });
      const { meta } = await at.wp.peek({ id });
      assert.deepEqual([meta[url], meta[number]], [image.url, String(image.id)], site_id);
    }
  }
}

/** A rule by pattern and a redirect that meets it would go round in a circle. */
async function patternsCount(at: RealSeo, provider: Provider): Promise<void> {
  const name = fresh("p").replaceAll(" ", "-").toLowerCase();
  const rule = {
    id: 1,
    sources: [{ pattern: name, comparison: "start", ignore: "" }],
    url_to: `/hello-${name}/`,
    header_code: "301",
    status: "active",
  };
  if (provider === "rankmath") {
    await at.wp.peek({ options: { rankmath_standin_redirections: { 1: rule } } });
  } else {
    const meta = Object.entries({ enabled: "yes", enabled_regex: "yes", type: "301", value: rule.url_to })
      .map(([key, value]) => [`_seopress_redirections_${key}`, value]);
    const post = { post_type: "seopress_404", post_status: "publish", post_title: `^/${name}` };
    await at.wp.peek({ post, meta: Object.fromEntries(meta) });
  }
  const call = { site_id: "live", source: `/hello-${name}`, destination: `/${name}/zzz`, confirm: true };
  const says = /^destination: would lead in a circle/;
  await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "anything");
}

for (const provider of ["yoast", "rankmath", "seopress"] as const) {
  onProvider(provider, {
    "a type's noindex is what is read, previewed and changed": (at) => typeNoindex(at, provider),
    "an image of the library keeps its number beside its address": (at) =>
      imagesKeepTheirNumbers(at, provider),
    ...(provider === "yoast" ? {} : {
      "a redirect that meets a rule by pattern in a circle is refused": (at: RealSeo) =>
        patternsCount(at, provider),
    }),
  });
}
