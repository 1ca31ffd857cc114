/** Reading one post or page by its id; an id of the other kind is answered with the tool that takes it. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { CmsError } from "../errors.ts";
import type { Kind } from "./records.ts";
import type { Query, Wire } from "./wire.ts";

const OTHER = {
  posts: {
    kind: "pages",
    is: "a page, not a post; the tools for pages take it (get_page), and unschedule takes both",
  },
  pages: { kind: "posts", is: "a post, not a page; the tools for posts take it (get_post)" },
} as const;

/** That there is no such post, or page, because the id is of the other kind. */
export class OtherKindError extends CmsError {}

/** The record and what came with it. Throws CmsError; where the other kind has that id OtherKindError. */
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
  const { message, reason, data } = thrown;
  return found === null
    ? new CmsError(`${message}; list_content finds ids`, 404, reason, data)
    : new OtherKindError(`CMS 404 ${reason}: ${id} is ${other.is}`, 404, reason, data);
}
