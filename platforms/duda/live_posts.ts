/** Posts of a site at Duda that are live, and changes of the fields that its API takes; pages go live with the whole site. */
import { GatewayError } from "../../core/errors.ts";
import type { LiveContent, LiveContentClient, LiveType } from "../_content/live_content.ts";
import type { PreparedDraft, Updated } from "../_content/post.ts";
import type { PublishGrant } from "../_http/request.ts";
import { bodyOf, sentParts } from "./posts.ts";
import { type PostRead, readPost, seenPost } from "./read.ts";
import { POST } from "./records.ts";
import { differences, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { unread, written } from "./written.ts";

const UNTOLD =
  "The platform does not say whether that is at once, or only once the post is published again in its editor; live says " +
  "what visitors get";

/** Refuses a page, which this platform's API changes only as a draft: E_NOT_SUPPORTED. */
function requirePost(type: LiveType): void {
  if (type === "post") return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    "page_id: a page of a sitebuilder site goes live with the whole site alone; change it in the platform's editor",
  );
}

/** Refuses what is not live, with the tool that changes it: E_FORBIDDEN_OP. */
function judgeLive({ whole: { id, status } }: PostRead): void {
  if (status === "published") return;
  const way = status === "draft" || status === "scheduled"
    ? "change it with update_draft"
    : "look at it in the platform's editor";
  throw new GatewayError("E_FORBIDDEN_OP", `Post ${id} is not live but "${status}"; ${way}`);
}

async function read(wire: Wire, id: string): Promise<LiveContent> {
  const found = await readPost(wire, id);
  judgeLive(found);
  const { warnings, ...seen } = seenPost(found);
  return { ...seen, content_html: null, from_code: false, warnings: [...warnings, UNTOLD] };
}

/** Changes the fields while the post is live, and is as it was seen. Throws E_STALE_PREVIEW, E_FORBIDDEN_OP, E_UPSTREAM. */
async function revise(
  wire: Wire,
  { fields }: PreparedDraft,
  grant: PublishGrant,
  seen: LiveContent,
): Promise<Updated> {
  const id = String(seen.id);
  const before = await readPost(wire, id);
  const sent = sentParts(fields);
  requireUnchanged("post", id, seen, before.parts, ["status", ...Object.keys(sent)]);
  judgeLive(before);
  await wire.ask("change_post", POST.nullish(), { id, json: bodyOf(fields), grant });
  let after: PostRead;
  try {
    after = await readPost(wire.forCleanup(), id);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return unread(before.whole, "the post", thrown);
  }
  return { ...written(after.whole, differences(sent, after.parts, before.parts)), parts: after.parts };
}

/** What is live on the site, as far as its API changes it. */
export const livePostsOf = (wire: Wire): LiveContentClient => ({
  async get(type, id) {
    requirePost(type);
    return await read(wire, String(id));
  },
  builderSeen: () => Promise.resolve(null),
  prepare: (_, fields) => Promise.resolve({ fields }),
  revise: (_, draft, grant, _made, seen) => revise(wire, draft, grant, seen),
});
