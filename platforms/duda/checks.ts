/** The checks of diagnose_site on a site at Duda, and the probe of what it answers. */
import type { GatewayError } from "../../core/errors.ts";
import { type Check, fail, flagChecks, pass, probe, unknown, withDeadline } from "../_connector/checks.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { See } from "../_connector/operator.ts";
import { ERROR, PAGES, POSTS, SITE } from "./records.ts";
import type { DudaSettings } from "./routes.ts";
import { Wire } from "./wire.ts";

/** Whether the platform has the site, and takes the shared credentials; within that many milliseconds. */
export const dudaChecks = async (ctx: SiteContext<DudaSettings>, limitMs: number): Promise<Check[]> => [
  aliasCheck(ctx),
  await answers(ctx, limitMs),
  ...flagChecks(ctx.site, ["allow_publish"]),
];

function aliasCheck({ site: { id, site_alias } }: SiteContext<DudaSettings>): Check {
  return site_alias === null
    ? fail(
      "site_alias",
      "The site's record has no site_alias, by which the platform knows it",
      `deno task admin site update ${id} --site-alias <alias>`,
    )
    : pass("site_alias", `The platform knows it as "${site_alias}"`);
}

async function answers(ctx: SiteContext<DudaSettings>, limitMs: number): Promise<Check> {
  if (ctx.site.site_alias === null) {
    return unknown("site_answers", "Not asked: no site_alias is set", "Repair site_alias first");
  }
  const limited = withDeadline(ctx, ctx.now() + limitMs);
  const { found, error } = { found: undefined, ...await probe(() => new Wire(limited).site()) };
  if (error && isPassing(error)) return unknown("site_answers", error.message, "Diagnose again");
  if (error) {
    const way = error.code === "E_MISSING_SECRET"
      ? "The gateway's operator sets it"
      : "Repair what it says, then diagnose again";
    return fail("site_answers", error.message, way);
  }
  return pass(
    "site_answers",
    `The platform answers and has the site (${found?.publish_status ?? "state not reported"})`,
  );
}

/** Whether it says nothing of the site itself: no answer, a platform that failed, or one that is asked too often. */
function isPassing({ code, upstream = 503 }: GatewayError): boolean {
  return code === "E_UPSTREAM" && (upstream >= 500 || upstream === 429);
}

const ROWS = 10;
/** An error may come with the status of a success. */
const part = (json: unknown) => ERROR.safeParse(json).success ? undefined : json;

/** The site, its pages and its posts, held against what is read of them (docs/upstreams/duda.md). */
export async function dudaProbe(ctx: SiteContext<DudaSettings>, see: See): Promise<void> {
  const wire = new Wire(ctx);
  await see("the site", SITE, (shape) => wire.ask("site", shape), part);
  await see("pages", PAGES, (shape) => wire.ask("pages", shape), part);
  const query = { limit: ROWS, offset: 0 };
  await see("posts", POSTS, (shape) => wire.ask("posts", shape, { query }), part);
}
