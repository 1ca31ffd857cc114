/** inject_page_section: a saved section at the end of a page of a site builder. */
import { notConnected } from "../../platforms/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("inject_page_section", {
  check: (_, { site }) => notConnected(site),
  plan: (_, { site }) => notConnected(site),
  run: (_, { site }) => notConnected(site),
});
