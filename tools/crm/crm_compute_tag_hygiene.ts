/** crm_compute_tag_hygiene: tags that hardly any contact carries. */
import { LIMITS } from "../../core/model.ts";
import { tool } from "../../registry/tool.ts";
import { clientOf, timeless } from "./_read.ts";
import { tagHygiene } from "./_tags.ts";

export default tool("crm_compute_tag_hygiene", {
  async run({ threshold = LIMITS.CRM_TAG_USES_MIN, offset = 0 }, ctx) {
    const client = await clientOf(ctx);
    const notes: string[] = [];
    return timeless(client, await tagHygiene(client, notes, threshold, offset), notes);
  },
});
