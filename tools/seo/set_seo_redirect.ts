/** set_seo_redirect: where one path of a site leads from now on. */
import { allOrThrow } from "../../core/async.ts";
import { homeOf, leavesSite, redirectOf } from "../../rules/redirect.ts";
import { quoted } from "../../rules/wording.ts";
import visitor from "../../platforms/visitor/connector.ts";
import { destinationWarnings } from "../../platforms/visitor/destination.ts";
import { liveRedirect } from "../../platforms/visitor/live.ts";
import { seo } from "../../platforms/wordpress/connector.ts";
import { replacedBy } from "../../rules/change.ts";
import { compared, type Raise, tool } from "../../registry/tool.ts";

/** Where the web server itself asks everybody for a password, whose visitors are those who know it. */
const isShut = (status: number | null) => status === 401 || status === 407;

/** Why a source that may be answered today counts as one that is. */
function whyMoved(source: string, status: number | null): string {
  if (isShut(status)) {
    return `the web server asks everybody for a password (${status}), so what stands at ${source} could not be seen; ` +
      "it counts as an answer, and whoever knows the password would be sent elsewhere at once";
  }
  if (status === null || (status >= 400 && status !== 404 && status !== 410)) {
    const why = status === null ? "nothing answered" : `the answer was ${status}`;
    return `it could not be seen whether visitors get an answer at ${source} today (${why}), so it counts as if they ` +
      "did: they would be sent elsewhere at once";
  }
  return `visitors get an answer at ${source} today, and would be sent elsewhere at once`;
}

/** What moves visitors. */
const livening = (because: string): Raise => ({
  tier: 3,
  flags: ["allow_seo_on_published"],
  published: true,
  because,
});

export default tool("set_seo_redirect", {
  check(args, { site }) {
    redirectOf(args, homeOf(site.base_url));
  },
  raises(args, { site }) {
    const redirect = redirectOf(args, homeOf(site.base_url));
    if (!leavesSite(redirect, site.base_url)) return [];
    return [livening(`${redirect.destination} is not on ${site.name}: visitors would leave the site`)];
  },
  async plan(args, ctx) {
    const redirect = redirectOf(args, homeOf(ctx.site.base_url));
    const client = await ctx.use(seo);
    const reader = await ctx.use(visitor);
    const [planned, warnings] = await allOrThrow(
      client.prepareRedirect(redirect),
      // Over another channel there is no redirect to look ahead for.
      ctx.site.seo.channel === "plugin" ? destinationWarnings(reader, redirect) : [],
    );
    const { source, destination, status } = redirect;
    const { now, hides, answered } = planned;
    const verb = now ? "Change the redirect from" : "Redirect";
    const hidden = hides
      ? ` and do not reach the published ${quoted(hides.title)} (${hides.id}) that is there`
      : "";
    const seen = `${
      isShut(answered) ? "whoever knows the web server's password follows" : "visitors follow"
    } it at once${hidden}`;
    const changes = [
      { field: "source", from: now?.source ?? null, to: source },
      { field: "destination", from: now?.destination ?? null, to: destination },
      { field: "status", from: now?.status ?? null, to: status },
    ];
    return {
      summary: `${verb} ${source} on ${ctx.site.name} to ${destination} (${status}); ${seen}`,
      changes,
      revision: replacedBy(changes, {
        hides: hides?.id ?? null,
        answers: planned.answers,
        ...planned.provider === undefined ? {} : { provider: planned.provider },
      }),
      raises: planned.answers ? [livening(whyMoved(source, answered))] : [],
      warnings,
      state: planned,
    };
  },
  async run(args, ctx, { state, changes }) {
    ctx.annotate({ changes });
    const client = await ctx.use(seo);
    const set = await client.writeRedirect(state, ctx.made);
    ctx.annotate({ result_id: set.id });
    const redirect = redirectOf(args, homeOf(ctx.site.base_url));
    return compared(set).seen(await liveRedirect(await ctx.use(visitor), redirect, client.cachesAsked()));
  },
});
