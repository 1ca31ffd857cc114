/** storage_save_audit: a document saved in the site's folder as a new file. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import google from "../../platforms/google/connector.ts";
import { compared, tool } from "../../registry/tool.ts";
import { bytesOf, checkArguments, checkNamed } from "../../rules/text.ts";
import { filenameOf } from "./_filename.ts";

export default tool("storage_save_audit", {
  check(args, ctx) {
    checkArguments(args);
    checkNamed(args.title, "title");
    checkNamed(args.content, "content");
    filenameOf(args, ctx.now());
    const size = bytesOf(args.content);
    if (size <= LIMITS.STORED_FILE_BYTES) return;
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `content: has ${Math.ceil(size / 1024)} KB, and ${
        LIMITS.STORED_FILE_BYTES / 1024
      } KB is the most; save it in parts`,
    );
  },
  async plan(args, ctx) {
    const { storage } = await ctx.use(google);
    const name = filenameOf(args, ctx.now());
    const [folder, known] = await Promise.all([storage.folder(), storage.named(name)]);
    const there = known.length === 1 ? "a file" : `${known.length} files`;
    return {
      summary: `Save "${args.title}" as "${name}" in the folder "${folder.name}" of ${ctx.site.name}`,
      changes: [
        { field: "folder", from: null, to: folder.name },
        { field: "filename", from: null, to: name },
        { field: "mime_type", from: null, to: args.mime_type },
        { field: "content", from: null, to: args.content },
      ],
      revision: { folder: folder.name, filename: [name, ...known.map(({ id }) => id).sort()] },
      warnings: known.length === 0 ? [] : [
        `The folder has ${there} named "${name}" already; it stays as it is, and the new one is added beside it`,
      ],
      final: "A stored file cannot be deleted through the gateway",
      state: { name },
    };
  },
  async run({ content, mime_type }, ctx, { changes, state: { name } }) {
    const { storage } = await ctx.use(google);
    const { id, web_view_link, created_time, ...stands } = await storage.create({ name, mime_type, content });
    ctx.made({ what: "file", id, name: stands.name });
    ctx.annotate({ result_id: id, changes });
    return compared({ id, web_view_link, created_time, ...stands });
  },
});
