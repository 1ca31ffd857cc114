/** What a site's own tool does when it is called: its server is asked. */
import { GatewayError } from "../errors.ts";
import type { Connector } from "../platforms/connector.ts";
import type { ToolServers } from "../platforms/tool_servers/types.ts";
import type { Behaviour } from "./proxied_entries.ts";

/** The behaviour of tools whose servers that connector reaches. */
export const proxiedRun = (toolServers: Connector | undefined): Behaviour => ({ name, offers }) => ({
  async run(args, ctx) {
    const offer = offers.get(ctx.site.id);
    if (!offer) throw new GatewayError("E_TOOL_NOT_FOUND", `Site "${ctx.site.id}" does not offer "${name}"`);
    const servers = await ctx.use(toolServers as Connector<ToolServers>);
    const { ref, upstream_name, writes } = offer;
    const { content, isError } = await servers.call(ref, upstream_name, args, { writes });
    if (isError) throw new GatewayError("E_TOOL_ERROR", `The site's tool reported a failure`);
    return content;
  },
});
