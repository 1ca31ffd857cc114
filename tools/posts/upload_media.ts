/** upload_media: one image into a site's media library. */
import { hash } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { checkArguments } from "../../rules/text.ts";
import { LIMITS } from "../../core/model.ts";
import { joined } from "../../platforms/_content/compared.ts";
import { posts } from "../../platforms/_content/posts.ts";
import wordpress from "../../platforms/wordpress/connector.ts";
import type { Media } from "../../platforms/wordpress/rest/media.ts";
import web from "../../platforms/web/connector.ts";
import { allOrThrow } from "../../core/async.ts";
import { numericId } from "../../core/ids.ts";
import { compared, tool } from "../../registry/tool.ts";
import { fromBase64, knownImage, plainFilename } from "./_images.ts";

interface Texts {
  readonly alt_text?: string;
  readonly title?: string;
  readonly caption?: string;
  readonly post_id?: string | number;
}

function given({ alt_text, title, caption, post_id }: Texts): Record<string, string | number> {
  const post = post_id === undefined ? undefined : numericId(post_id, "post_id");
  const texts = { alt_text, title, caption, post };
  return Object.fromEntries(Object.entries(texts).filter((entry) => entry[1] !== undefined)) as Record<
    string,
    string | number
  >;
}

/** The second step failed, and the image stands: a caller who tried again would have it twice. */
function halfDone(media: Media, thrown: unknown): GatewayError {
  const why = thrown instanceof GatewayError ? thrown.message : "an unexpected failure";
  const upstream = thrown instanceof GatewayError ? thrown.upstream : undefined;
  return new GatewayError(
    "E_UPSTREAM",
    `The image was uploaded as media ${media.id} (${media.url}), but its texts were not set: ${why}; do not upload it ` +
      "again, set them in the CMS",
    { cause: thrown, upstream },
  );
}

export default tool("upload_media", {
  check({ content_base64, source_url, mime_type, post_id, ...texts }, ctx) {
    checkArguments(texts);
    ctx.checkId(post_id, "post_id");
    if (content_base64 !== undefined) {
      knownImage(fromBase64(content_base64, "content_base64"), "content_base64", mime_type);
    }
    if (source_url !== undefined && URL.parse(source_url)?.protocol !== "https:") {
      throw new GatewayError("E_BAD_INPUT", "source_url: expected an address that begins with https://");
    }
  },
  async plan({ filename, content_base64, source_url, mime_type, ...texts }, ctx) {
    const client = await ctx.use(wordpress);
    const from = await ctx.use(web);
    const post = texts.post_id === undefined ? undefined : await ctx.use(posts);
    const field = source_url === undefined ? "content_base64" : "source_url";
    const [, , bytes] = await allOrThrow(
      client.mayUpload(Object.keys(given(texts)).length > 0),
      texts.post_id === undefined ? undefined : post?.check(texts.post_id, "update"),
      source_url === undefined
        ? fromBase64(content_base64 ?? "", field)
        : from.download(source_url, field, LIMITS.MEDIA_BYTES),
    );
    const image = knownImage(bytes, field, mime_type);
    const name = plainFilename(filename, image.ending);
    const size = `${Math.ceil(image.bytes.byteLength / 1024)} KiB`;
    const fields = { filename: name, mime_type: image.mime_type, ...texts };
    return {
      summary: `Upload the image "${name}" (${image.mime_type}, ${size}) to ${ctx.site.name}`,
      changes: Object.entries(fields).map(([field, to]) => ({ field, from: null, to })),
      // What stands at an address may be another image by the time it is approved.
      revision: source_url === undefined ? null : { source_url: hash("sha256", image.bytes) },
      state: { bytes: image.bytes, mime_type: image.mime_type, filename: name },
    };
  },
  async run(args, ctx, { state, changes }) {
    const client = await ctx.use(wordpress);
    const media = await client.uploadImage(state, ctx.made);
    ctx.annotate({ result_id: media.id, changes });
    const texts = given(args);
    if (Object.keys(texts).length === 0) return compared(media);
    const described = await client.setMediaTexts(media.id, texts).catch((thrown) => {
      throw halfDone(media, thrown);
    });
    return compared({ ...described, ...joined(media, described) });
  },
});
