/** Which images of the media library may be the very file that is to be uploaded. */
import { z } from "zod";
import { unseen } from "../errors.ts";
import { type Image, type Media, media, type MediaTexts } from "./media.ts";
import { DESCRIBED, fieldsOf, MEDIA } from "./records.ts";
import { mediaDifferences } from "./warnings.ts";
import type { WordPressClient } from "./wordpress_client.ts";

/** An image of the same size and kind, and where the file is that was sent then. */
export interface LikelyTwin {
  readonly media: Media;
  readonly address: string;
}

const FIELDS = fieldsOf(MEDIA); // a part of media_details alone would bring none of it
const ROWS = z.array(z.unknown());
const LISTED = 100;
/** More are not compared: each is read whole. */
const COMPARED_MAX = 4;

/**
 * Images of the library that may be the file, the first that was uploaded first: of those uploaded last, and of those
 * with its name (docs/upstreams/wordpress.md, "Posts, pages, media, people"). Null where the site does not list them.
 */
export async function likelyTwins(wire: WordPressClient, image: Image): Promise<LikelyTwin[] | null> {
  const stem = image.filename.slice(0, image.filename.lastIndexOf("."));
  const asked = { per_page: LISTED, orderby: "date", _fields: FIELDS };
  const list = (query: Readonly<Record<string, string>>) =>
    wire.get("wp/v2/media", { ...asked, ...query }, ROWS).then(({ data }) => data);
  try {
    const found = await Promise.all([
      list({ mime_type: image.mime_type, order: "desc" }),
      list({ search: stem, order: "asc" }),
    ]);
    const twins = new Map<number, LikelyTwin>();
    for (const row of found.flat()) {
      const { success, data } = MEDIA.safeParse(row);
      const address = success && data.mime_type === image.mime_type ? fileOf(data, image, stem) : null;
      if (success && address !== null) twins.set(data.id, { media: media(data), address });
    }
    return [...twins.values()].sort((a, b) => a.media.id - b.media.id).slice(0, COMPARED_MAX);
  } catch (thrown) {
    return unseen(thrown);
  }
}

/** Where the file is that was sent for an image, if it may be this one; WordPress keeps it beside one it made smaller. */
function fileOf(
  { source_url, media_details: { filesize, original_image } }: z.infer<typeof MEDIA>,
  { bytes }: Image,
  stem: string,
): string | null {
  if (original_image === undefined) return filesize === bytes.byteLength ? source_url : null;
  return original_image.startsWith(stem) ? URL.parse(original_image, source_url)?.href ?? null : null;
}

/** Which of the texts the image does not have as they are given; those that the site does not show are none of them. */
export async function otherTexts(wire: WordPressClient, id: number, texts: MediaTexts): Promise<string[]> {
  const query = { context: "edit", _fields: fieldsOf(DESCRIBED) };
  const { data } = await wire.get(`wp/v2/media/${id}`, query, DESCRIBED);
  return Object.entries(texts).filter(([name, value]) =>
    mediaDifferences(data, { [name]: value }).differences.length > 0
  ).map(([name]) => name === "post" ? "post_id" : name);
}
