/** Posts and pages of a CMS that are live: seen, and changed in place, their state, date and address left as they are. */
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { LiveContent, LiveContentClient, LiveFields, LiveType } from "../../_content/live_content.ts";
import type { PreparedDraft, Updated } from "../../_content/post.ts";
import type { PublishGrant } from "../../_http/request.ts";
import { asBlocks, isOfBlocks } from "./pages.ts";
import { builderSeen } from "../rest/builders.ts";
import { requireImage } from "../rest/media.ts";
import { bodyOf, type CmsDraft, postWithTerms, prepareDraft } from "../rest/posts.ts";
import {
  type ContentRecord,
  type Kind,
  type PostState,
  statusWord,
  TERMS_TOO,
  utc,
} from "../rest/records.ts";
import { kindNamed } from "../rest/types.ts";
import { mayStoreAny } from "../rest/users.ts";
import { readState, type StateSnapshot, toSnapshot } from "../rest/snapshot.ts";
import { changedBeside, differences } from "../rest/warnings.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { change, readable, written } from "../rest/writer.ts";

/** What is live on the site. */
export function liveContentOf(ctx: SiteContext): LiveContentClient {
  const wire = new WordPressClient(ctx);
  const number = (type: LiveType, id: Id) => numericId(id, type === "page" ? "page_id" : "post_id");
  const at = async (type: LiveType) => type === "page" ? "pages" as const : await kindNamed(wire, type);
  return {
    get: async (type, id) => await readLive(wire, await at(type), number(type, id)),
    builderSeen: async (type, id) => await builderSeen(wire, await at(type), number(type, id)),
    prepare: async (type, fields, now) => await prepare(wire, await at(type), fields, now),
    revise: async (type, draft, grant, made, seen) =>
      await revise(wire, await at(type), draft, grant, made, seen),
  };
}

/** What is live, as a plan saw it. */
type Found = LiveContent & StateSnapshot;

/** What is live, as a plan sees it. Throws E_FORBIDDEN_OP for what is not. */
export async function readLive(wire: WordPressClient, kind: Kind, id: number): Promise<Found> {
  const found = await readState(wire, kind, id, kind === "pages" ? undefined : TERMS_TOO);
  judgeLive(kind)(found);
  const { record } = found;
  const whole = await postWithTerms(wire, found);
  return {
    ...whole,
    ...toSnapshot(found),
    content_html: record.content.raw,
    from_code: record.meta._site_ops_scope !== "",
  };
}

const label = (kind: Kind) => kind === "pages" ? "Page" : "Post";

/** Refuses what is not live, with the tool that changes it: E_FORBIDDEN_OP. */
const judgeLive = (kind: Kind) => ({ record }: { readonly record: PostState }): void => {
  const why = notLive(kind, record.status);
  if (why === null) return;
  throw new GatewayError("E_FORBIDDEN_OP", `${label(kind)} ${record.id} ${why}`);
};

function notLive(kind: Kind, status: string): string | null {
  if (status === "publish") return null;
  if (status === "private") return "is private: visitors do not see it; change it in the CMS";
  if (status === "trash") return "is in the bin; restore it in the CMS first";
  const tool = kind === "pages" ? "update_page_draft" : "update_draft";
  return ["draft", "pending", "future"].includes(status)
    ? `is not live but "${statusWord(status)}"; change it with ${tool}`
    : `is not published but "${statusWord(status)}", a state of a plugin of the site; change it in the CMS`;
}

/** Looks names up; a page of blocks gets its text as blocks, as its editor keeps it, any other as it is given. */
async function prepare(
  wire: WordPressClient,
  kind: Kind,
  fields: LiveFields,
  { id, content_html: now }: LiveContent,
): Promise<PreparedDraft> {
  if (kind !== "pages") return await prepareDraft(wire, kind, fields, Number(id));
  const { content_html, featured_media_id } = fields;
  await requireImage(wire, featured_media_id);
  return content_html === undefined || !isOfBlocks(now ?? "")
    ? { fields }
    : { fields: { ...fields, content_html: asBlocks(content_html) } };
}

/**
 * Changes the given fields of what is live, while it is, and is as it was seen. Throws E_STALE_PREVIEW, E_FORBIDDEN_OP,
 * CmsError, and E_UPSTREAM where it is not live any more after it.
 */
async function revise(
  wire: WordPressClient,
  kind: Kind,
  draft: PreparedDraft,
  grant: PublishGrant,
  made: Making,
  seen: LiveContent,
): Promise<Updated> {
  const { sent, renamed } = await bodyOf(wire, draft as CmsDraft, made);
  const { record, differences: beside, ...done } = await changeLive(wire, kind, sent, grant, seen as Found);
  return {
    ...done,
    differences: [...differences(record, sent, mayStoreAny(wire)), ...renamed, ...beside],
  };
}

/** Writes fields of what is live, and answers its record, with what changed beside them. Throws as `revise`. */
export async function changeLive(
  wire: WordPressClient,
  kind: Kind,
  fields: Readonly<Record<string, unknown>>,
  grant: PublishGrant | undefined,
  seen: StateSnapshot,
): Promise<Updated & { readonly record: ContentRecord }> {
  const { read } = seen;
  const id = read.record.id;
  const dependsOn = ["status", "password"];
  const what = { kind, id, fields, dependsOn, judge: judgeLive(kind), grant } as const;
  const record = await change(wire, what, seen);
  if (record.status !== "publish") {
    throw new GatewayError(
      "E_UPSTREAM",
      `${label(kind)} ${id} was changed, and is "${
        statusWord(record.status)
      }" now, which it was not before; look at it in the CMS`,
      { upstream: 502, outcome: "made" },
    );
  }
  const beside = [
    ...changedBeside(read.record, record, fields),
    ...read.record.date_gmt === record.date_gmt ? [] : [
      `date: was not to change, and is ${utc(record.date_gmt)} instead of ${utc(read.record.date_gmt)}`,
    ],
  ];
  const elsewhere = readable(read.record.link) === readable(record.link) ? [] : [
    `url: visitors find it at ${readable(record.link)} now, no longer at ${
      readable(read.record.link)
    }; lead them there with set_seo_redirect`,
  ];
  return {
    ...written(wire, record, beside),
    record,
    warnings: elsewhere,
    caches_asked: wire.cachesAsked,
    parts: toSnapshot({ ...read, record }).parts,
  };
}
