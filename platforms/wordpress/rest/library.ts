/** Images of the media library: listed, and described anew. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { numericId } from "../../../core/ids.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { ImageList, ImagesClient, LibraryImage } from "../../_content/images.ts";
import { CmsError } from "../errors.ts";
import { ordered } from "./lists.ts";
import { RAW, totals, utc } from "./records.ts";
import { wordsDifference } from "./warnings.ts";
import { WordPressClient } from "./wordpress_client.ts";

const IMAGE = z.object({
  id: z.number().int().positive(),
  source_url: z.string(),
  mime_type: z.string(),
  alt_text: z.string().catch(""),
  title: RAW,
  modified_gmt: z.string().nullable().catch(null),
});
const FIELDS = "id,source_url,mime_type,alt_text,title,modified_gmt";

/** Those of the site. */
export function libraryImagesOf(ctx: SiteContext): ImagesClient {
  const wire = new WordPressClient(ctx);
  return {
    list: async (query) => await list(wire, query),
    get: async (id) => await get(wire, numericId(id, "media_id")),
    async describe(id, alt_text) {
      const route = `wp/v2/media/${numericId(id, "media_id")}`;
      const image = imageOf(await wire.post(route, { _fields: FIELDS }, { alt_text }, IMAGE));
      return { ...image, differences: wordsDifference("alt_text", alt_text, image.alt_text) };
    },
  };
}

const imageOf = ({ id, source_url, title, alt_text, modified_gmt }: z.infer<typeof IMAGE>): LibraryImage => ({
  id,
  url: source_url,
  title: title.raw,
  alt_text,
  modified_gmt: utc(modified_gmt),
});

async function get(wire: WordPressClient, id: number): Promise<LibraryImage> {
  const none = (what: string) =>
    new GatewayError(
      "E_BAD_INPUT",
      `media_id: ${what}; list_content with type attachment finds those of the site`,
    );
  try {
    const { data } = await wire.get(`wp/v2/media/${id}`, { context: "edit", _fields: FIELDS }, IMAGE);
    if (data.mime_type.startsWith("image/")) return imageOf(data);
    throw none(`${id} is no image but ${data.mime_type}`);
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.upstream !== 404) throw thrown;
    throw none(`the site has no image ${id}`);
  }
}

/** One page of them; past the end an empty one. */
async function list(
  wire: WordPressClient,
  { search, modified_after, sort, page, per_page }: Parameters<ImagesClient["list"]>[0],
): Promise<ImageList> {
  const asked = {
    context: "edit",
    media_type: "image",
    ...ordered(sort),
    search,
    modified_after,
    per_page,
    _fields: FIELDS,
  };
  const ask = (page: number) => wire.get("wp/v2/media", { ...asked, page }, z.array(IMAGE));
  try {
    const { data, headers } = await ask(page);
    const counts = totals(headers);
    const due = counts.total === null
      ? data.length
      : Math.min(per_page, Math.max(0, counts.total - (page - 1) * per_page));
    const hidden = due - data.length;
    const note = `${hidden} more on this page of the list cannot be changed by the site's account`;
    return { items: data.map(imageOf), page, per_page, ...counts, ...hidden > 0 ? { note } : {} };
  } catch (thrown) {
    const past = thrown instanceof CmsError && thrown.reason === "rest_post_invalid_page_number" && page > 1;
    if (!past) throw thrown;
    return { items: [], page, per_page, ...totals((await ask(1)).headers) };
  }
}
