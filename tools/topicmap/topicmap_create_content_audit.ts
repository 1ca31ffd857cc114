/** topicmap_create_content_audit: has a text audited; the addresses in it are data, and never asked by the gateway. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import topicMap from "../../platforms/topic_map/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { bytesOf, checkArguments, checkNamed } from "../../rules/text.ts";
import { readBack } from "./_created.ts";
import { SPENDS } from "./_rerun.ts";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);
/** Fields that an audit does not show. */
const HIDDEN = ["pasted_content", "target_keyword", "competitor_urls"];

function checkAddress(address: string, field: string): void {
  const url = /[\s\\]/.test(address) ? null : URL.parse(address);
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
  if (!plain) throw bad(`${field}: expected a whole http or https address without a user name`);
}

function checkContent(content: string): void {
  checkNamed(content, "pasted_content");
  const size = bytesOf(content);
  if (size <= LIMITS.PASTED_CONTENT_BYTES) return;
  const [has, most] = [size, LIMITS.PASTED_CONTENT_BYTES].map((bytes) => Math.ceil(bytes / 1024));
  throw new GatewayError(
    "E_PAYLOAD_TOO_LARGE",
    `pasted_content: has ${has} KB, and ${most} KB is the most; audit it in parts`,
  );
}

export default tool("topicmap_create_content_audit", {
  check({ source_type, source_url, pasted_content, target_keyword, competitor_urls = [] }) {
    checkArguments({ source_url, pasted_content, target_keyword, competitor_urls });
    const other = source_type === "pasted_text" ? { source_url } : { pasted_content };
    for (const [field, value] of Object.entries(other)) {
      if (value !== undefined) {
        throw bad(`${field}: does not go with source_type "${source_type}", leave it out`);
      }
    }
    checkNamed(target_keyword, "target_keyword");
    if (source_url !== undefined) checkAddress(source_url, "source_url");
    if (pasted_content !== undefined) checkContent(pasted_content);
    competitor_urls.forEach((address, at) => checkAddress(address, `competitor_urls[${at}]`));
  },
  plan(audit, ctx) {
    const { source_type, source_url, pasted_content = "", competitor_urls = [] } = audit;
    const what = source_url === undefined ? `a pasted text of ${bytesOf(pasted_content)} bytes` : source_url;
    const beside = competitor_urls.length === 0 ? "" : ` beside ${competitor_urls.length} of competitors`;
    return Promise.resolve({
      summary: `Have ${what} audited (${source_type}) for ${ctx.site.name}${beside}`,
      changes: Object.entries(audit).map(([field, to]) => ({ field, from: null, to })),
      warnings: [SPENDS],
      final: "An audit cannot be deleted through the gateway",
    });
  },
  async run(audit, ctx, { changes }) {
    const client = await ctx.use(topicMap);
    const { id, status } = await client.createAudit(audit);
    ctx.made({ what: "content audit", id, name: audit.source_url ?? audit.source_type });
    ctx.annotate({ result_id: id, changes });
    const read = () => client.audit(id, { steps: false, summary: true });
    return compared({ content_audit_id: id, status, ...await readBack({ ...audit }, HIDDEN, read) });
  },
});
