/** Reading one post or page by its id; an id of the other kind is answered with the tool that takes it. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { CmsError } from "../errors.ts";
import type { Kind } from "./records.ts";
import type { Query, Wire } from "./wire.ts";

const OTHER = {
  posts: {
    kind: "pages",
    is: "a page, not a post; the tools for pages take it (get_page), and unschedule with type page",
  },
  pages: { kind: "posts", is: "a post, not a page; the tools for posts take it (get_post)" },
} as const;

/** The record and what came with it. Throws CmsError; its 404 says whether the other kind has that id. */
export async function readOne<T>(wire: Wire, kind: Kind, id: number, query: Query, schema: z.ZodType<T>) {
  try {
    return await wire.get(`wp/v2/${kind}/${id}`, query, schema);
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.reason !== "rest_post_invalid_id") throw thrown;
    throw await explained(wire, kind, id, thrown);
  }
}

async function explained(wire: Wire, kind: Kind, id: number, thrown: CmsError): Promise<CmsError> {
  const other = OTHER[kind];
  const query = { context: "edit", _fields: "id" };
  const found = await wire.get(`wp/v2/${other.kind}/${id}`, query, z.object({ id: z.literal(id) }))
    .catch((failed) => {
      if (failed instanceof GatewayError) return null;
      throw failed;
    });
  const message = found === null
    ? `${thrown.message}; list_content finds ids`
    : `CMS 404 ${thrown.reason}: ${id} is ${other.is}`;
  return new CmsError(message, 404, thrown.reason, thrown.data);
}
