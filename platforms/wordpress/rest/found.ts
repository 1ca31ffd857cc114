/** The state of a post or page of which only the id is known. */
import type { FoundState } from "../../content.ts";
import { CmsError } from "../errors.ts";
import { fieldsOf, head, type Kind, POST_HEAD, RAW } from "./records.ts";
import type { Wire } from "./wire.ts";

const FIELDS = fieldsOf(POST_HEAD);
const TEXT = POST_HEAD.pick({ id: true }).extend({ content: RAW });
const TEXT_FIELDS = "id,content.raw";

/** Its state; null where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
export async function findState(wire: Wire, id: number): Promise<FoundState | null> {
  return await eitherKind(async (kind) => {
    const { data, siteNow } = await wire.get(
      route(kind, id),
      { context: "edit", _fields: FIELDS },
      POST_HEAD,
    );
    return data.id === id ? { ...head(data), siteNow } : null;
  });
}

/** Whether it has content; false where neither a page nor a post has that id. Throws CmsError, E_UPSTREAM. */
export async function holdsText(wire: Wire, id: number): Promise<boolean> {
  const found = await eitherKind(async (kind) => {
    const { data } = await wire.get(route(kind, id), { context: "edit", _fields: TEXT_FIELDS }, TEXT);
    return data.id === id ? data.content.raw : null;
  });
  return found !== null && found.trim() !== "";
}

const route = (kind: Kind, id: number) => `wp/v2/${kind}/${id}`;

/** What is read of a page, or else of a post. */
async function eitherKind<T>(read: (kind: Kind) => Promise<T | null>): Promise<T | null> {
  return await orNone(read("pages")) ?? await orNone(read("posts"));
}

async function orNone<T>(reading: Promise<T | null>): Promise<T | null> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof CmsError && thrown.reason === "rest_post_invalid_id") return null;
    throw thrown;
  }
}
