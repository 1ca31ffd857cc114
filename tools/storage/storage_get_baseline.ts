/** storage_get_baseline: what was written down of a site before work on it began. */
import { GatewayError } from "../../core/errors.ts";
import google from "../../platforms/google/connector.ts";
import { tool } from "../../registry/tool.ts";

/** The file that a baseline is kept in. */
const BASELINE = "baseline.md";

export default tool("storage_get_baseline", async (_args, ctx) => {
  const { storage } = await ctx.use(google);
  const [newest] = await storage.named(BASELINE);
  if (newest === undefined) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `The site's folder has no "${BASELINE}"; storage_save_audit saves one, with that filename`,
    );
  }
  const { id, content, truncated, modified_time } = await storage.text(newest);
  return { found: true, id, content, modified_time, ...(truncated ? { truncated } : {}) };
});
