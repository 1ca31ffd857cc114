/** revise_published: given fields of a post or page that is live, or exact replacements in its text; never its state. */
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import type { Change } from "../../core/model.ts";
import { maybeUnseen, refuseUnseen, whenLive } from "../../rules/change.ts";
import { checkReplacements, type Replacement, replacing } from "../../rules/replacements.ts";
import { newScript, scriptRaises } from "../../rules/code_pages/script_raises.ts";
import { checkArguments, checkNamed } from "../../rules/text.ts";
import { ofDocument } from "../../rules/whole_document.ts";
import { hasPassword, PASSWORD } from "../../rules/wording.ts";
import {
  type LiveContent,
  liveContent,
  type LiveFields,
  type LiveType,
} from "../../platforms/_content/live_content.ts";
import { CODE_APART } from "../../platforms/_content/page.ts";
import type { PreparedDraft, Updated } from "../../platforms/_content/post.ts";
import { storedContent } from "../../platforms/_content/stored_content.ts";
import visitor, { expectations } from "../../platforms/visitor/connector.ts";
import { liveAt } from "../../platforms/visitor/live.ts";
import { compared, type Plan, tool, type ToolContext } from "../../registry/tool.ts";
import { checkDescribed, describeImage, type ImageRevision, plannedImage } from "./_library.ts";
import {
  fieldChanges,
  fieldsBefore,
  lastChange,
  type Named,
  newTerms,
  ofType,
  quoted,
  replacedIn,
  restoring,
} from "./_plans.ts";

const SHOWN = "in the browser of everyone who opens it";
const OF_POSTS = ["excerpt", "tags", "categories"] as const;

/** The fields as they are asked for. */
interface Asked extends LiveFields {
  readonly replacements?: readonly Replacement[] | undefined;
}

/** What it is, by the arguments that name it. */
const named = ({ post_id, page_id, type = "post" }: Named): { readonly type: LiveType; readonly id: Id } =>
  post_id === undefined ? { type: "page", id: page_id! } : { type, id: post_id };

const titled = (type: LiveType, { title }: LiveContent) =>
  type === "page" ? `the page ${quoted(title)}` : `the post ${ofType(type)}${quoted(title)}`;

export default tool("revise_published", {
  check({ post_id, page_id, media_id, type, title, featured_media_id, alt_text, ...texts }, ctx) {
    checkArguments({ title, alt_text, ...texts });
    ctx.checkId(media_id, "media_id");
    checkDescribed({ media_id, alt_text }, { type, title, featured_media_id, ...texts });
    checkNamed(title, "title");
    ctx.checkId(post_id, "post_id");
    ctx.checkId(page_id, "page_id");
    ctx.checkId(featured_media_id, "featured_media_id");
    if (type !== undefined && page_id !== undefined) {
      throw new GatewayError("E_BAD_INPUT", "type: goes with post_id; a page is named by page_id alone");
    }
    checkReplacements(texts);
    const other = page_id === undefined ? undefined : OF_POSTS.find((name) => texts[name] !== undefined);
    if (other !== undefined) {
      throw new GatewayError("E_BAD_INPUT", `${other}: a page has none; leave it out, or give post_id`);
    }
  },
  raises: ({ replacements = [], type: _, ...fields }) =>
    scriptRaises({ ...fields, replacements: replacements.map(({ replace }) => replace) }, SHOWN, [
      "replacements",
    ]),
  plan: async ({ media_id, alt_text, ...args }, ctx): Promise<Plan<Revision | ImageRevision>> =>
    media_id === undefined ? await planned(args, ctx) : await plannedImage(media_id, alt_text!, ctx),
  run: (_, ctx, { state, changes }) =>
    "image" in state ? describeImage(ctx, state, changes) : revise(ctx, state, changes),
  restore: {
    async plan(kept, ctx) {
      const place = { ...named(kept.of as Named), live: true };
      const what = place.type === "page" ? "the page" : `the post ${ofType(place.type)}`.trimEnd();
      return await restoring(place, kept, ctx, what);
    },
    async run({ of }, ctx, { state: asStored, changes }) {
      const { now, fields, shown } = asStored;
      ctx.annotate({ result_id: now.id, changes });
      const client = await ctx.use(storedContent);
      const { parts, ...done } = await client.restore(
        { ...named(of as Named), live: true },
        asStored,
        ctx.grant,
      );
      const was = now.parts["content_html"] as string;
      const isShown = shown !== false && !hasPassword(now);
      return compared(done).leaving(parts && replacedIn({ ...now, parts }, fields, true))
        .seen(await shownOf(fields, { ...now, content_html: was, isShown }, done, ctx));
    },
  },
});

type Using = Pick<ToolContext, "use" | "site" | "can" | "annotate" | "grant" | "made">;

async function planned(
  { post_id, page_id, type: ownType, ...asked }: Named & Asked,
  ctx: Pick<Using, "use" | "site" | "can">,
) {
  const { type, id } = named({ post_id, page_id, type: ownType });
  const client = await ctx.use(liveContent);
  const now = await client.get(type, id);
  const { fields: given, warnings } = await fieldsOf(asked, now);
  const draft = await client.prepare(type, given, now);
  const changes = fieldChanges(draft.fields, now).filter(({ from, to }) => !isSame(from, to));
  if (changes.length === 0) {
    throw new GatewayError(
      "E_BAD_INPUT",
      `${Object.keys(given).join(", ")}: ${titled(type, now)} has this already; nothing would change`,
    );
  }
  const fields = only(draft.fields, changes.map(({ field }) => field));
  const isText = fields.content_html !== undefined;
  const builder = now.page_builder ?? (isText ? await client.builderSeen(type, id) : null);
  if (isText && builder === "visual") {
    refuseUnseen(
      `${type === "page" ? "Page" : "Post"} ${id}`,
      asked.replacements ? "replacements" : "content_html",
      "",
    );
  }
  return {
    summary: `Change ${titled(type, now)}, which is live, on ${ctx.site.name}${newTerms(draft)}${
      lastChange(now)
    }`,
    changes,
    revision: replacedIn(now, fields, true),
    ...fieldsBefore({ post_id, page_id, type: ownType }, fields, now, ctx),
    warnings: [
      ...now.warnings,
      ...warnings,
      ...isText ? maybeUnseen(builder, "content_html") : [],
      ...warningsOf(fields, now, asked),
      ...builder === "visual" ? [UNSHOWN] : [],
    ],
    state: { draft: changing(draft, fields), now, type },
    raises: [
      ...whenLive(true, titled(type, now), { status: "published", protected: hasPassword(now) }),
      ...asked.replacements ? await newScript(now.content_html ?? "", fields.content_html, SHOWN) : [],
    ],
  };
}

/** What was planned, with what it relies on. */
interface Revision {
  readonly draft: PreparedDraft;
  readonly now: LiveContent;
  readonly type: LiveType;
}

async function revise(ctx: Using, { draft, now, type }: Revision, changes: readonly Change[]) {
  ctx.annotate({ result_id: now.id, changes });
  const client = await ctx.use(liveContent);
  const { parts, ...done } = await client.revise(type, draft, ctx.grant, ctx.made, now);
  const isShown = now.page_builder !== "visual" && !hasPassword(now);
  return compared(done).leaving(parts && replacedIn({ ...now, parts }, draft.fields, true))
    .seen(await shownOf(draft.fields, { ...now, isShown }, done, ctx));
}

/** What visitors get of it after a change. */
async function shownOf(
  { title, content_html }: LiveFields,
  now: Pick<LiveContent, "title" | "noindex" | "content_html"> & { readonly isShown: boolean },
  { url, caches_asked }: Pick<Updated, "url" | "caches_asked">,
  ctx: Pick<Using, "use">,
) {
  const { revised } = await expectations();
  const to = content_html ?? now.content_html;
  const isShown = now.isShown && to !== null;
  const expected = revised({
    title: title ?? now.title,
    parts: isShown ? { content_html: to } : {},
    noindex: now.noindex,
    changed: { title: title !== undefined, ...isShown ? { text: { from: now.content_html ?? "", to } } : {} },
  });
  return await liveAt(await ctx.use(visitor), url, expected, caches_asked);
}

const UNSHOWN =
  "It is made with the visual builder: what visitors see of its title and its image is what the builder makes of them";

/** The fields with what the replacements make of the text. */
async function fieldsOf({ replacements, ...given }: Asked, now: LiveContent) {
  if (replacements === undefined) return await ofDocument(given);
  const { text, warnings } = replacing(now.content_html ?? "", replacements);
  return { fields: { ...given, content_html: text }, warnings };
}

/** The terms are a set, everything else is what it is. */
function isSame(from: unknown, to: unknown): boolean {
  if (!Array.isArray(from) || !Array.isArray(to)) return String(from) === String(to);
  return JSON.stringify(from.toSorted()) === JSON.stringify([...new Set(to)].toSorted());
}

/** The draft with those fields alone. */
function changing({ tags, categories }: PreparedDraft, fields: LiveFields): PreparedDraft {
  return {
    fields,
    ...fields.tags && tags ? { tags } : {},
    ...fields.categories && categories ? { categories } : {},
  };
}

/** What to know of what is changed beside what the changes show. */
function warningsOf(fields: LiveFields, now: LiveContent, { replacements }: Asked): string[] {
  const isWhole = fields.content_html !== undefined && replacements === undefined;
  return [
    ...hasPassword(now) ? [PASSWORD] : [],
    ...isWhole && now.from_code ? [`content_html: ${CODE_APART}`] : [],
    ...fields.categories && isNested(now.url)
      ? [
        "categories: where the site's addresses hold the category, its address changes; nothing leads visitors there",
      ]
      : [],
  ];
}

/** Whether an address holds more than a date before the slug. */
const isNested = (url: string) =>
  (URL.parse(url)?.pathname ?? "").split("/").filter((part) => part !== "").slice(0, -1)
    .some((part) => Number.isNaN(Number(part)));

const only = (fields: LiveFields, names: readonly string[]): LiveFields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
