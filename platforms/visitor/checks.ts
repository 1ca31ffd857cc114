/** The check of diagnose_site on a site whose own connectors never ask its address: whether visitors get an answer there. */
import { type Check, fail, pass, probe, unknown } from "../_connector/checks.ts";
import type { SiteContext } from "../_connector/connector.ts";
import { Visitor } from "./client.ts";

const NAME = "address";

/** What visitors get at the site's base_url, within that many milliseconds; never throws. */
export async function addressCheck(ctx: SiteContext, limitMs: number): Promise<Check[]> {
  const { base_url, id } = ctx.site;
  const set = `deno task admin site update ${id} --base-url <address>`;
  if (base_url === null) {
    return [unknown(NAME, "Not asked: no base_url is set, so nobody knows where visitors are", set)];
  }
  const seen = await probe(() => new Visitor(ctx).visit(base_url, ctx.now() + limitMs));
  if (seen.error) {
    return [
      fail(NAME, seen.error.message, `See that the domain leads to where the site is hosted, or: ${set}`),
    ];
  }
  const { status, ends, address } = seen.found;
  if (ends !== null) return [fail(NAME, `${base_url} ${ends}`, set)];
  return status !== null && status < 400
    ? [pass(NAME, `Visitors get an answer at ${address} (${status})`)]
    : [fail(NAME, `${address} answers ${status}`, "Look at it with view_live; see what is deployed there")];
}
