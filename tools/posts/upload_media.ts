/** upload_media: one image into a site's media library. */
import { hash } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { checkArguments } from "../../rules/text.ts";
import { LIMITS } from "../../core/model.ts";
import { joined } from "../../platforms/_content/compared.ts";
import { posts } from "../../platforms/_content/posts.ts";
import wordpress from "../../platforms/wordpress/connector.ts";
import type { Image, Media } from "../../platforms/wordpress/rest/media.ts";
import visitor from "../../platforms/visitor/connector.ts";
import web from "../../platforms/web/connector.ts";
import { allOrThrow } from "../../core/async.ts";
import { numericId } from "../../core/ids.ts";
import { compared, type Plan, tool, type ToolContext } from "../../registry/tool.ts";
import { fromBase64, knownImage, plainFilename } from "./_images.ts";
import { MADE_FINAL } from "../../rules/wording.ts";

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

interface Upload {
  readonly image: Image;
  /** The image that is the very file, whatever it is called; null for none. */
  readonly twin: Media | null;
}

const UNREAD = "whether it is the very file could not be read, so it is uploaded again";

/** The image of the library whose file has these bytes, the first of several, and what could not be found out. */
async function twinOf(
  ctx: Pick<ToolContext, "use">,
  image: Image,
): Promise<{ twin: Media | null; unsure: string[] }> {
  const likely = await (await ctx.use(wordpress)).likelyTwins(image);
  if (likely === null) {
    return { twin: null, unsure: ["Whether the file is in the media library already could not be read"] };
  }
  const reader = await ctx.use(visitor);
  const unsure: string[] = [];
  for (const { media, address } of likely) {
    const bytes = await reader.fileAt(address, image.bytes.byteLength + 1);
    if (bytes === null) unsure.push(`Media ${media.id} (${media.url}) has the same kind and size; ${UNREAD}`);
    else if (hash("sha256", bytes) === hash("sha256", image.bytes)) return { twin: media, unsure: [] };
  }
  return { twin: null, unsure };
}

/** What the image that is there is left without. */
const leftOut = (fields: readonly string[]): string[] =>
  fields.map((field) =>
    `${field}: not set, for the image that is there is left as it is; ${
      field === "alt_text" ? "revise_published with media_id changes it" : "change it in the CMS"
    }`
  );

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
    const known = knownImage(bytes, field, mime_type);
    const image = { ...known, filename: plainFilename(filename, known.ending) };
    const { twin, unsure } = await twinOf(ctx, image);
    // What stands at an address may be another image by the time it is approved.
    const seen = source_url === undefined ? {} : { source_url: hash("sha256", image.bytes) };
    return planned({ image, twin }, ctx.site.name, texts, {
      revision: { ...seen, media_id: twin?.id ?? null },
      warnings: twin === null ? unsure : leftOut(await client.otherTexts(twin.id, given(texts))),
    });
  },
  async run(args, ctx, { state: { image, twin }, changes }) {
    const texts = given(args);
    return await ctx.exclusively(`upload ${hash("sha256", image.bytes)}`, async ({ waited }) => {
      const client = await ctx.use(wordpress);
      const there = waited && twin === null ? (await twinOf(ctx, image)).twin : twin;
      if (there !== null) {
        ctx.annotate({ result_id: there.id, changes: [] });
        const differences = leftOut(await client.otherTexts(there.id, texts));
        const warnings = ["The very file is in the media library already, and was not uploaded again"];
        return compared({ ...there, already_there: true, differences, warnings });
      }
      const media = await client.uploadImage(image, ctx.made);
      ctx.annotate({ result_id: media.id, changes });
      if (Object.keys(texts).length === 0) return compared(media);
      const described = await client.setMediaTexts(media.id, texts).catch((thrown) => {
        throw halfDone(media, thrown);
      });
      return compared({ ...described, ...joined(media, described) });
    });
  },
});

/** What is shown of an upload, or of a file that is there already. */
function planned(
  state: Upload,
  site: string,
  texts: Texts,
  seen: Pick<Plan, "revision" | "warnings">,
): Plan<Upload> {
  const { image: { filename, mime_type, bytes }, twin } = state;
  if (twin !== null) {
    const summary =
      `Upload nothing: the very file is in the media library of ${site} already, as media ${twin.id} (${twin.url})`;
    return { summary, changes: [], ...seen, state };
  }
  // What an address answers is known by its bytes alone.
  const sha256 = seen.revision?.["source_url"];
  const size = `${Math.ceil(bytes.byteLength / 1024)} KiB`;
  return {
    summary: `Upload the image "${filename}" (${mime_type}, ${size}) to ${site}`,
    changes: Object.entries({ filename, mime_type, ...sha256 === undefined ? {} : { sha256 }, ...texts })
      .map(([field, to]) => ({ field, from: null, to })),
    final: MADE_FINAL,
    ...seen,
    state,
  };
}
