/** crm_compute_tag_hygiene: tags that hardly any contact carries. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { open, timeless } from "./_read.ts";
import { tagHygiene } from "./_tags.ts";

export default tool("crm_compute_tag_hygiene", {
  async run({ threshold = LIMITS.CRM_TAG_USES_MIN, offset = 0 }, ctx) {
    const call = await open(ctx);
    const found = await tagHygiene(call, threshold, offset);
    const next = found.next_offset === null ? null : { offset: found.next_offset };
    return timeless(call, found, { next, truncated: next !== null });
  },
});
