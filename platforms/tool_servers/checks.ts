/** The check of diagnose_site on the CRM's tool server. */
import { type Check, fail, pass, probe, unknown, withDeadline } from "../_connector/checks.ts";
import { ToolServersClient } from "./client.ts";
import { CRM_SERVER, possibleServers } from "./servers.ts";
import type { UpstreamResult } from "./types.ts";
import type { ToolServerContext } from "./wire.ts";

const NAME = "crm_tool_server";

/**
 * Whether the CRM's tool server answers for the site's location; nothing where no location is linked. Its list of tools
 * proves nothing, for it answers that to any token: it is asked for the location.
 */
export async function crmCheck(ctx: ToolServerContext, limitMs: number): Promise<Check[]> {
  if (!possibleServers(ctx.site).includes(CRM_SERVER)) return [];
  const client = new ToolServersClient(withDeadline(ctx, ctx.now() + limitMs));
  const location = { path_locationId: ctx.site.crm_location_id };
  const asked = await probe(() =>
    client.call(CRM_SERVER, "locations_get-location", location, { writes: false })
  );
  if (asked.error) {
    const { error } = asked;
    const next = "Check CRM_MCP_URL and the integration token, then diagnose again";
    const definite = error.code === "E_FORBIDDEN_OP" || (error.upstream ?? 500) < 500;
    return [(definite ? fail : unknown)(NAME, error.message, next)];
  }
  return [
    asked.found.isError
      ? fail(
        NAME,
        refusal(asked.found),
        "Check crm_location_id and the integration token, then diagnose again",
      )
      : pass(NAME, "The CRM's tool server answers for the location"),
  ];
}

function refusal({ status }: UpstreamResult): string {
  const why = status === undefined ? "" : ` with status ${status}`;
  return `The CRM's tool server refused to show the location${why}`;
}
