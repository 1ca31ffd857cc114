/** set_seo_redirect: where one path of a site leads from now on. */
import { allOrThrow } from "../../core/async.ts";
import { homeOf, leavesSite, redirectOf } from "../../rules/redirect.ts";
import { quoted } from "../../rules/wording.ts";
import visitor from "../../platforms/visitor/connector.ts";
import { destinationWarnings } from "../../platforms/visitor/destination.ts";
import { liveRedirect } from "../../platforms/visitor/live.ts";
import { seo } from "../../platforms/wordpress/connector.ts";
import { replacedBy } from "../../rules/change.ts";
import { keptRows, rowsWhere } from "../../platforms/wordpress/companion/stored_rows.ts";
import type { PreparedRedirect, RedirectWritten } from "../../platforms/wordpress/seo/redirects.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { compared, type Plan, type Raise, tool, type ToolContext } from "../../registry/tool.ts";

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
    return [leaving(redirect.destination, site.name)];
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
    const verb = planned.now ? "Change the redirect from" : "Redirect";
    const changes = changesOf(planned);
    const rows = planned.stored ? rowsWhere(planned.stored, () => true) : {};
    return {
      summary: `${verb} ${source} on ${ctx.site.name} to ${destination} (${status}); ${
        whatVisitorsGet(planned)
      }`,
      changes,
      revision: replacedBy(changes, {
        hides: planned.hides?.id ?? null,
        answers: planned.answers,
        ...planned.provider === undefined ? {} : { provider: planned.provider },
        ...rows,
      }),
      ...redirectBefore(planned, ctx.site),
      raises: raisesOf(planned),
      warnings,
      state: planned,
    };
  },
  async run(_, ctx, { state, changes }) {
    ctx.annotate({ changes });
    const client = await ctx.use(seo);
    return await proven(await client.writeRedirect(state, ctx.made), state, client.cachesAsked(), ctx);
  },
  restore: {
    async plan({ of, values }, ctx) {
      const { destination, status, ...kept } = values as Kept;
      const { source } = of as { source: string };
      const redirect = redirectOf({ source, destination, status }, homeOf(ctx.site.base_url));
      const planned = await (await ctx.use(seo)).prepareRestore(redirect, kept);
      const { now } = planned;
      return {
        summary: `Set back the redirect from ${source} on ${ctx.site.name} to ${destination} (${status}); ${
          whatVisitorsGet(planned)
        }`,
        changes: changesOf(planned).filter(({ from, to }) => from !== to),
        revision: partsOf(now, planned),
        ...redirectBefore(planned, ctx.site),
        raises: [
          ...raisesOf(planned),
          ...leavesSite(redirect, ctx.site.base_url) ? [leaving(destination, ctx.site.name)] : [],
        ],
        state: { planned, kept },
      };
    },
    async run(_, ctx, { state: { planned, kept }, changes }) {
      ctx.annotate({ changes });
      const client = await ctx.use(seo);
      const set = await client.restoreRedirect(planned, kept);
      return await proven(set, planned, client.cachesAsked(), ctx);
    },
  },
});

/** What is kept of a redirect: where it led, and its rows. */
interface Kept extends Readonly<Record<string, unknown>> {
  readonly destination: string;
  readonly status: number;
}

const leaving = (destination: string, siteName: string) =>
  livening(`${destination} is not on ${siteName}: visitors would leave the site`);

const changesOf = ({ now, redirect: { source, destination, status } }: PreparedRedirect) => [
  { field: "source", from: now?.source ?? null, to: source },
  { field: "destination", from: now?.destination ?? null, to: destination },
  { field: "status", from: now?.status ?? null, to: status },
];

function whatVisitorsGet({ hides, answered }: PreparedRedirect): string {
  const hidden = hides
    ? ` and do not reach the published ${quoted(hides.title)} (${hides.id}) that is there`
    : "";
  const who = isShut(answered) ? "whoever knows the web server's password follows" : "visitors follow";
  return `${who} it at once${hidden}`;
}

const raisesOf = ({ answers, answered, redirect: { source } }: PreparedRedirect): Raise[] =>
  answers ? [livening(whyMoved(source, answered))] : [];

/** Where a redirect leads and the rows that hold it, as parts of a revision. */
const partsOf = (
  row: Pick<PreparedRedirect, "now">["now"],
  { stored }: Pick<PreparedRedirect, "stored">,
): Record<string, unknown> => ({
  destination: row?.destination,
  status: row?.status,
  ...stored ? rowsWhere(stored, () => true) : {},
});

const ADDED = "A redirect that was added is not taken away; nothing is deleted here";
const SHARED =
  "The site keeps that redirect together with others, or where this tool does not write, so nothing is kept that would " +
  "set it back";

/** What sets the redirect back that is there; one that is added stays. */
function redirectBefore(
  { now, stored, redirect: { source }, hashes }: PreparedRedirect,
  site: Pick<Site, "base_url">,
): Pick<Plan, "before" | "final"> {
  if (now === null) return { final: ADDED };
  if (stored === undefined) return hashes?.["plugin"] === undefined ? {} : { final: SHARED };
  const { destination, status } = now;
  try {
    redirectOf({ source, destination, status }, homeOf(site.base_url));
  } catch (thrown) {
    if (thrown instanceof GatewayError) {
      return { final: `The redirect that is there cannot be set again: ${thrown.message}` };
    }
    throw thrown;
  }
  const rows = keptRows(stored, rowsWhere(stored, () => true));
  return { before: { of: { source }, values: { ...rows, destination, status } } };
}

async function proven(
  { stored, ...set }: RedirectWritten,
  { redirect }: PreparedRedirect,
  caches: readonly string[],
  ctx: Pick<ToolContext, "annotate" | "use">,
) {
  ctx.annotate({ result_id: set.id });
  const left = stored && partsOf(set, { stored });
  return compared(set).leaving(left).seen(await liveRedirect(await ctx.use(visitor), redirect, caches));
}
