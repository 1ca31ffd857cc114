/** Images: uploaded as bytes, then given their texts. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import type { Compared } from "../../_content/compared.ts";
import { CmsError } from "../errors.ts";
import { DESCRIBED, fieldsOf, MEDIA, type MediaRecord } from "./records.ts";
import { mediaDifferences, valueDifference } from "./warnings.ts";
import type { WordPressClient } from "./wordpress_client.ts";

/** An image to upload; type and name are already judged. */
export interface Image {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mime_type: string;
  /** Letters, digits, dots, dashes and underscores of ASCII only. */
  readonly filename: string;
}

/** An image of the media library. */
export interface Media {
  readonly id: number;
  readonly url: string;
  readonly mime_type: string;
  readonly width: number | null;
  readonly height: number | null;
}

/** What is told about an image after it was uploaded. */
export interface MediaTexts {
  readonly alt_text?: string;
  readonly title?: string;
  readonly caption?: string;
  /** The post it belongs to. */
  readonly post?: number;
}

/** An image in this gateway's words. */
export function media(record: MediaRecord): Media {
  const { id, source_url, mime_type, media_details } = record;
  return {
    id,
    url: source_url,
    mime_type,
    width: media_details.width ?? null,
    height: media_details.height ?? null,
  };
}

const UNSEEN = Symbol("there, and not to be looked at");

/**
 * Refuses what is no image of the library: E_BAD_INPUT. Given one that it cannot show with a post, a CMS says nothing
 * and takes the post's image away. One that hangs on another's draft may be shown, though the account may not read it.
 */
export async function requireImage(wire: WordPressClient, image: Id | undefined): Promise<void> {
  if (image === undefined) return;
  const id = numericId(image, "featured_media_id");
  const mime = z.object({ mime_type: z.string() });
  const is = await wire.get(`wp/v2/media/${id}`, { _fields: "mime_type" }, mime).then(
    ({ data }) => data.mime_type,
    (thrown) => {
      if (!(thrown instanceof CmsError)) throw thrown;
      if (thrown.upstream === 404) return null;
      if (thrown.reason === "rest_forbidden") return UNSEEN;
      throw thrown;
    },
  );
  if (is === UNSEEN || is?.startsWith("image/")) return;
  const what = is === null ? `the site has no image ${id}` : `${id} is no image but ${is}`;
  throw new GatewayError("E_BAD_INPUT", `featured_media_id: ${what}; upload one with upload_media`);
}

/**
 * The first step: puts the bytes into the media library. A CMS that fails while it makes the smaller sizes has stored the
 * image by then (docs/upstreams/wordpress.md, "Posts, pages, media, people").
 */
export async function uploadImage(
  wire: WordPressClient,
  image: Image,
  made: Making,
): Promise<Media & Compared> {
  const headers = {
    "content-type": image.mime_type,
    "content-disposition": `attachment; filename="${image.filename}"`,
  };
  const left = (id: number) => made({ what: "media", id, name: image.filename });
  const record = await wire.upload("wp/v2/media", image.bytes, headers, MEDIA, left);
  const stored = media(record);
  made({ what: "media", id: stored.id, name: stored.url });
  return { ...stored, ...compareImage(record, image) };
}

/** Compares the stored file by its kind and size. Of an image that it shows made smaller or turned a site tells neither. */
function compareImage({ mime_type, media_details }: MediaRecord, image: Image): Compared {
  const { filesize, original_image } = media_details;
  const differences = valueDifference("mime_type", image.mime_type, mime_type);
  if (original_image !== undefined) {
    return {
      differences,
      uncompared: "the site shows an image that it made of the one sent, which it keeps beside",
    };
  }
  if (filesize === undefined) {
    return { differences, uncompared: "the site does not tell how many bytes it stored of the image" };
  }
  return { differences: [...differences, ...valueDifference("bytes", image.bytes.byteLength, filesize)] };
}

/** The second step: sets texts and the post of an image that is there. */
export async function setMediaTexts(
  wire: WordPressClient,
  id: number,
  texts: MediaTexts,
): Promise<Media & Compared> {
  const query = { _fields: fieldsOf(DESCRIBED) };
  const record = await wire.post(`wp/v2/media/${id}`, query, { ...texts }, DESCRIBED);
  const { differences, unshown } = mediaDifferences(record, texts);
  if (unshown.length === 0) return { ...media(record), differences };
  return {
    ...media(record),
    differences,
    uncompared: `the site does not show ${unshown.join(", ")} of the image`,
  };
}
