/** explain_call: which steps a call would pass, and what it needs, without making it. */
import { clipped, GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";

export default tool("explain_call", {
  check({ arguments: { site_id } }, { site }) {
    if (site_id === undefined || site_id === site.id) return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `arguments.site_id: ${clipped(JSON.stringify(site_id))} is not the site_id of the call itself, ${
        JSON.stringify(site.id)
      }; leave it out`,
    );
  },
  run: async (given, { site, calls }) =>
    await calls.explain(given.tool, { ...given.arguments, site_id: site.id }),
});
