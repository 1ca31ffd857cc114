/** Images of the media library, as the posts tools list and describe them. */
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import type { Change } from "../../core/model.ts";
import { type LibraryImage, libraryImages } from "../../platforms/_content/images.ts";
import type { ListQuery } from "../../platforms/_content/post.ts";
import { notLive } from "../../platforms/visitor/live.ts";
import { whenLive } from "../../rules/change.ts";
import { compared, type ToolContext } from "../../registry/tool.ts";
import { quoted } from "../../rules/wording.ts";

/** The type by which they are listed. */
export const IMAGES = "attachment";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** One page of them. Throws E_BAD_INPUT for what they cannot be narrowed by. */
export async function listImages(
  { status, modified_by, beside: _, ...query }: ListQuery,
  ctx: Pick<ToolContext, "use">,
) {
  if (status !== undefined) throw bad("status: an image has none; leave it out");
  if (modified_by !== undefined) throw bad("modified_by: not told of images; leave it out");
  return await (await ctx.use(libraryImages)).list(query);
}

/** Arguments that describe an image. */
export interface Described {
  readonly media_id?: Id | undefined;
  readonly alt_text?: string | undefined;
}

/** Throws E_BAD_INPUT where only one of the two is given, or another field with them. */
export function checkDescribed({ media_id, alt_text }: Described, others: object): void {
  if (media_id === undefined && alt_text === undefined) return;
  if (media_id === undefined) {
    throw bad(
      "alt_text: is of an image of the media library; give its media_id. In the text of a post or page it is part of " +
        "content_html: use replacements",
    );
  }
  if (alt_text === undefined) throw bad("alt_text: missing; of an image only that can be changed");
  const other = Object.entries(others).find(([, value]) => value !== undefined);
  if (other !== undefined) throw bad(`${other[0]}: an image has none here; leave it out`);
}

const IN_TEXTS = "Texts that hold the image keep the alternative text in them; replacements change that";

/** What a new alternative text would do. */
export async function plannedImage(media_id: Id, alt_text: string, ctx: Pick<ToolContext, "use" | "site">) {
  const now = await (await ctx.use(libraryImages)).get(media_id);
  const what = `the image ${quoted(now.title)} (${now.id})`;
  if (now.alt_text === alt_text) throw bad(`alt_text: ${what} has this already; nothing would change`);
  return {
    summary: `Describe ${what} of the media library of ${ctx.site.name}`,
    changes: [{ field: "alt_text", from: now.alt_text, to: alt_text }],
    revision: { alt_text: now.alt_text },
    before: { of: { media_id }, values: { alt_text: now.alt_text }, byArguments: true } as const,
    warnings: [IN_TEXTS],
    raises: whenLive(true, what),
    state: { image: now, alt_text },
  };
}

/** What was planned. */
export interface ImageRevision {
  readonly image: LibraryImage;
  readonly alt_text: string;
}

/** Writes it. */
export async function describeImage(
  ctx: Pick<ToolContext, "use" | "annotate">,
  { image: { id }, alt_text }: ImageRevision,
  changes: readonly Change[],
) {
  ctx.annotate({ result_id: id, changes });
  const { modified_gmt: _, ...done } = await (await ctx.use(libraryImages)).describe(id, alt_text);
  return compared(done).leaving({ alt_text: done.alt_text }).seen(notLive(WHERE_SHOWN));
}

const WHERE_SHOWN = "the site shows it where it shows the image; look at such a page with view_live";
