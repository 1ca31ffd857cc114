/** Images: uploaded as bytes, then given their texts. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { type Id, numericId } from "../../../lib/ids.ts";
import type { Making } from "../../../model.ts";
import { CmsError } from "../errors.ts";
import { DESCRIBED, fieldsOf, MEDIA, type MediaRecord } from "./records.ts";
import { mediaLosses } from "./warnings.ts";
import type { Wire } from "./wire.ts";

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
  /** What the site did not keep as it was sent; absent when it kept all. */
  readonly warnings?: readonly string[];
}

/** What is told about an image after it was uploaded. */
export interface MediaTexts {
  readonly alt_text?: string;
  readonly title?: string;
  readonly caption?: string;
  /** The post it belongs to. */
  readonly post?: number;
}

function media(record: MediaRecord): Media {
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
export async function requireImage(wire: Wire, image: Id | undefined): Promise<void> {
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
export async function uploadImage(wire: Wire, image: Image, made: Making): Promise<Media> {
  const headers = {
    "content-type": image.mime_type,
    "content-disposition": `attachment; filename="${image.filename}"`,
  };
  const left = (id: number) => made({ what: "media", id, name: image.filename });
  const stored = media(await wire.upload("wp/v2/media", image.bytes, headers, MEDIA, left));
  made({ what: "media", id: stored.id, name: stored.url });
  return stored;
}

/** The second step: sets texts and the post of an image that is there. */
export async function setMediaTexts(wire: Wire, id: number, texts: MediaTexts): Promise<Media> {
  const query = { _fields: fieldsOf(DESCRIBED) };
  const record = await wire.post(`wp/v2/media/${id}`, query, { ...texts }, DESCRIBED);
  const warnings = mediaLosses(record, texts);
  return warnings.length === 0 ? media(record) : { ...media(record), warnings };
}
