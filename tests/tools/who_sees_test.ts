/** Whom a preview says to see a change: visitors, those who sign in, or those who know a password. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { schemaWorld } from "./_schema.ts";
import { type SeoWorld, seoWorld } from "./_seo.ts";

const SCHEMA = { "@context": "https://schema.org", "@type": "Article", headline: "A" };
const CALLS: readonly (readonly [tool: string, args: Args])[] = [
  ["set_seo_meta", { title: "T" }],
  ["set_seo_schema", { schema: SCHEMA }],
];

/** Where a post is, what its preview says, and what it never says. */
const AUDIENCES:
  readonly (readonly [fields: Record<string, unknown>, says: RegExp, because: RegExp, never: RegExp])[] = [
    [
      {},
      /; visitors and search engines see that at once/,
      /is live, and visitors get the change at once/,
      /private|password/,
    ],
    [
      { status: "private" },
      /the private post "Live" on live; visitors do not see it, whoever signs in and may read it sees that at once/,
      /is private: visitors do not see it, and whoever signs in and may read it gets the change at once/,
      /is live|search engines|visitors get/,
    ],
    [
      { password: "secret" },
      /; its text is behind a password, and whoever gets the page sees that at once/,
      /is live, its text behind a password, and whoever gets the page gets the change at once/,
      /visitors get|search engines/,
    ],
  ];

async function told(at: SeoWorld, site_id: string, tool: string, args: Args) {
  const shown = await at.kit.preview(tool, { site_id, post_id: at.published.id, ...args });
  return { summary: shown.summary, because: shown.warnings.join("\n"), tier: shown.tier };
}

for (const guarded of [true, undefined] as const) {
  Deno.test(`a preview says who sees a change of SEO${guarded ? "" : ", without the guarded routes"}`, async () => {
    for (const [fields, says, because, never] of AUDIENCES) {
      await using at = await seoWorld({ guarded });
      Object.assign(at.published, fields);
      for (const [tool, args] of CALLS) {
        const shown = await told(at, "live", tool, args);
        assert.match(shown.summary, says);
        assert.match(shown.because, because);
        assert.doesNotMatch(`${shown.summary} ${shown.because}`, never);
        assert.equal(shown.tier, 3, "it counts as a publish all the same");
      }
    }
  });
}

Deno.test("a preview says who sees a change of custom schema of a private page", async () => {
  await using at = await schemaWorld({ provider: "rankmath" });
  const shown = await at.kit.preview("set_custom_schema", {
    site_id: "leave",
    id: 22,
    value: { FAQPage: { "@type": "FAQPage", name: "New" } },
  });
  assert.match(shown.summary, /it is private, whoever signs in and may read it gets the change at once/);
  assert.match(shown.warnings.join(), /is private: visitors do not see it/);
  const { proof } = await at.kit.write<Args>("rest", "set_custom_schema", {
    site_id: "leave",
    id: 22,
    value: { FAQPage: { "@type": "FAQPage", name: "New" } },
  });
  assert.deepEqual(
    [proof.verified, proof.live, proof.warnings],
    [true, null, []],
    "nobody looks as a visitor",
  );
  assert.match(String(proof.live_reason), /visitors do not see it/);
});
