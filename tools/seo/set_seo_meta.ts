/** set_seo_meta: given SEO fields of a post, of a published one only where the site allows it. */
import { numericId } from "../../core/ids.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt, notLive, unknownBy, UNPUBLISHED } from "../../platforms/visitor/live.ts";
import { pageAddress, seo } from "../../platforms/wordpress/connector.ts";
import { valuesMeant } from "../../platforms/wordpress/seo/effect.ts";
import { replacedBy } from "../../rules/change.ts";
import { compared, tool } from "../../registry/tool.ts";
import {
  answerOf,
  changeOf,
  fieldChanges,
  placeOf,
  seenBy,
  stateOf,
  storedBefore,
  textsBefore,
} from "./_meta.ts";

export default tool("set_seo_meta", {
  check({ post_id, ...fields }) {
    numericId(post_id, "post_id");
    changeOf(fields);
  },
  async plan({ post_id, ...fields }, ctx) {
    const change = changeOf(fields);
    const now = await (await ctx.use(seo)).prepareMeta(numericId(post_id, "post_id"), change);
    const changes = fieldChanges(change, now);
    const place = placeOf(now.post, ctx.site);
    const idle = changes.length === 0;
    return {
      summary: idle
        ? `Change nothing: the SEO fields given are so already on ${
          placeOf({ ...now.post, live: false }, ctx.site)
        }`
        : `Change the SEO fields of ${place}`,
      changes,
      revision: replacedBy(storedBefore(change, now), stateOf(now)),
      ...idle ? {} : textsBefore(post_id, change, now),
      warnings: now.warnings ?? [],
      raises: idle ? [] : seenBy(now.post),
      state: now,
    };
  },
  async run({ post_id, ...fields }, ctx, { state, changes }) {
    ctx.annotate({ result_id: post_id, changes });
    const sending = (live: boolean) => live && ctx.annotate({ _published: true });
    const stands = (fields: readonly string[]) =>
      ctx.annotate({ changes: changes.filter(({ field }) => fields.includes(field.split(".")[0]!)) });
    const client = await ctx.use(seo);
    const change = changeOf(fields);
    const { differences, warnings, uncompared, ...after } = await client.writeMeta(
      change,
      state,
      sending,
      stands,
    );
    const proven = compared({ ...answerOf(after), differences, warnings, uncompared })
      .leaving(replacedBy(storedBefore(change, after), stateOf(after)));
    if (after.post.status !== "published") return proven.seen(notLive(UNPUBLISHED));
    const address = pageAddress(ctx.site, after.post.id);
    const { seoShown, unjudged } = await expectations();
    const meant = valuesMeant(after.effect);
    const seen = await liveAt(
      await ctx.use(visitor),
      address,
      seoShown(change, meant),
      client.cachesAsked(),
    );
    return proven.seen(unknownBy(unjudged(change, meant), seen));
  },
});
