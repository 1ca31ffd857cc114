/** duplicate_page: a copy of a page of a site builder, as a draft. */
import { notConnected } from "../../platforms/pages.ts";
import { tool } from "../../registry/tool.ts";

export default tool("duplicate_page", {
  check: (_, { site }) => notConnected(site),
  plan: (_, { site }) => notConnected(site),
  run: (_, { site }) => notConnected(site),
});
