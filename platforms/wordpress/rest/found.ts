/** The state of a post or page of which only the id is known. */
import type { FoundState } from "../../content.ts";
import { CmsError } from "../errors.ts";
import { fieldsOf, head, type Kind, POST_HEAD } from "./records.ts";
import type { Wire } from "./wire.ts";

const FIELDS = fieldsOf(POST_HEAD);

/** Its state; null where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
export async function findState(wire: Wire, id: number): Promise<FoundState | null> {
  return await ofKind(wire, "pages", id) ?? await ofKind(wire, "posts", id);
}

async function ofKind(wire: Wire, kind: Kind, id: number): Promise<FoundState | null> {
  try {
    const { data, siteNow } = await wire.get(
      `wp/v2/${kind}/${id}`,
      { context: "edit", _fields: FIELDS },
      POST_HEAD,
    );
    return data.id === id ? { ...head(data), siteNow } : null;
  } catch (thrown) {
    if (thrown instanceof CmsError && thrown.reason === "rest_post_invalid_id") return null;
    throw thrown;
  }
}
