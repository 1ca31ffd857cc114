/** diagnose_site: what works on a site, what does not, and what to do about it. */
import { GatewayError } from "../../core/errors.ts";
import { unknown } from "../../platforms/_connector/checks.ts";
import { tool } from "../../registry/tool.ts";

/** All probes are over by then, so that the answer is there within three seconds. */
const PROBES_MS = 2800;

const linking = (id: string) =>
  `If it is wanted: deno task admin site update ${id}, whose --help names what can be linked`;

export default tool("diagnose_site", {
  check({ checks = [] }, { site, upstreams }) {
    const foreign = checks.find((name) => !upstreams.kindsOf(name).includes(site.platform));
    if (foreign === undefined) return;
    const kinds = upstreams.kindsOf(foreign).join(" and ");
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `checks: only ${kinds} sites have "${foreign}"; "${site.id}" is a ${site.platform} site, and list_sites shows ` +
        "those that are",
    );
  },
  async run({ checks }, { site, upstreams }) {
    const all = await upstreams.diagnose(PROBES_MS, checks);
    const asked = checks === undefined ? all : [
      ...all.filter(({ name }) => checks.some((one) => one === name)),
      ...checks.filter((name) => all.every((one) => one.name !== name)).map((name) =>
        unknown(name, "Nothing of it is set up for the site", linking(site.id))
      ),
    ];
    return { site_id: site.id, platform: site.platform, checks: asked };
  },
});
