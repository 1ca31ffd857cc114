/** Images of a site's media library: found, and described. */
import type { Id } from "../../core/ids.ts";
import type { Capability } from "../_connector/connector.ts";
import type { Compared } from "./compared.ts";
import type { ListQuery } from "./post.ts";

/** An image of the library. */
export interface LibraryImage {
  readonly id: Id;
  /** The address of its file. */
  readonly url: string;
  readonly title: string;
  /** What it shows, for those who cannot see it; "" for nothing. */
  readonly alt_text: string;
  readonly modified_gmt: string | null;
}

/** One page of them; the totals are null where the site did not tell them. */
export interface ImageList {
  readonly items: readonly LibraryImage[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
  /** What is not in it, in a sentence. */
  readonly note?: string;
}

/** What can be done with them. Every method throws E_UPSTREAM. */
export interface ImagesClient {
  list(
    query: Pick<ListQuery, "search" | "modified_after" | "sort" | "page" | "per_page">,
  ): Promise<ImageList>;
  /** Throws E_BAD_INPUT for what is no image of the library. */
  get(id: Id): Promise<LibraryImage>;
  describe(id: Id, alt_text: string): Promise<LibraryImage & Compared>;
}

/** The images of a site's library, where they can be described one by one. */
export const libraryImages: Capability<ImagesClient> = {
  capability: "library_images",
  noun: "Images of the media library",
};
