/** The images of a site's media library behind addresses: SEO plugins keep the number of an image beside its address. */
import { z } from "zod";
import { CmsError } from "../errors.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

const IMAGE = z.object({
  id: z.number(),
  source_url: z.string(),
  media_details: z.object({
    sizes: z.record(z.string(), z.object({ source_url: z.string() })).catch({}),
    original_image: z.string().nullish().catch(null),
  }).catch({ sizes: {} }),
});
type Image = z.infer<typeof IMAGE>;

const FIELDS = "id,source_url,media_details";
/** How many images of a like name are compared. */
const LIKE = 100;

/** Without what differs between two addresses of one file. */
const plain = (address: string) => address.replace(/^https?:/i, "").replace(/[?#].*$/s, "");

/** Whether an address is that of an image, of one of its sizes, or of the file that WordPress scaled down. */
function isAt({ source_url, media_details: { sizes, original_image } }: Image, address: string): boolean {
  const all = [source_url, ...Object.values(sizes).map((size) => size.source_url)];
  if (original_image) all.push(source_url.replace(/(?<![^/])[^/]*$/, () => original_image));
  return all.some((one) => plain(one) === plain(address));
}

/** The number of the library's image at an address; 0 for none. Throws CmsError. */
export async function attachmentAt(wire: WordPressClient, address: string): Promise<number> {
  const file = plain(address).split("/").at(-1)!;
  const stem = file.replace(/\.[a-z0-9]+$/i, "").replace(/-\d+x\d+$/, "").replace(/-scaled$/, "");
  if (stem === "") return 0;
  const query = { search: decoded(stem), per_page: LIKE, _fields: FIELDS };
  const { data } = await wire.get("wp/v2/media", query, z.array(IMAGE));
  return data.find((one) => isAt(one, address))?.id ?? 0;
}

/** The address that is shown for a stored address with a number beside it: the image's own; "" where that is gone. */
export async function shownAddress(
  wire: WordPressClient,
  stored: string,
  attachment: number,
): Promise<string> {
  try {
    const { data } = await wire.get(`wp/v2/media/${attachment}`, { _fields: FIELDS }, IMAGE);
    return isAt(data, stored) ? stored : data.source_url;
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    if (thrown.upstream === 404) return "";
    if (thrown.reason === "rest_forbidden") return stored; // there, and not to be looked at by this account
    throw thrown;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
