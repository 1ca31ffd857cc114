/** list_builders_for_site: which page builders a site may be given pages with. */
import { tool } from "../../registry/tool.ts";

export default tool("list_builders_for_site", (_, { site }) => {
  const available = site.available_builders;
  return { available, default: site.default_builder ?? available[0] ?? "", multiple: available.length > 1 };
});
