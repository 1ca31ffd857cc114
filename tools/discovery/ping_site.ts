/** ping_site: whether a site answers, and whether it takes the stored credentials. */
import { GatewayError } from "../../core/errors.ts";
import { tool } from "../../registry/tool.ts";

export default tool("ping_site", {
  check(_, { site, upstreams }) {
    if (upstreams.canPing()) return;
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `Site "${site.id}" is a ${site.platform} site; this gateway is not connected to that platform yet, so open the ` +
        "site itself",
    );
  },
  async run(_, { site: { platform }, upstreams }) {
    return { ok: true, platform, authenticated: true, ...await upstreams.ping() };
  },
});
