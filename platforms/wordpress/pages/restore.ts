/** Fields of posts and pages of a CMS set back as they were stored: whatever is gone from the site since is refused first. */
import { GatewayError } from "../../../core/errors.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { allOrThrow } from "../../../core/async.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { Post } from "../../_content/post.ts";
import type {
  PreparedFields,
  StoredContentClient,
  StoredFields,
  StoredPlace,
} from "../../_content/stored_content.ts";
import { builderSeen, builderTold } from "../rest/builders.ts";
import { requireImage } from "../rest/media.ts";
import { changeDraft, readDraft } from "../rest/posts.ts";
import { type ContentRecord, type Kind, plainSlug } from "../rest/records.ts";
import { type StateSnapshot, toSnapshot } from "../rest/snapshot.ts";
import { type Taxonomy, termNames } from "../rest/terms.ts";
import { kindNamed, rightAt } from "../rest/types.ts";
import { accountIfShown, mayStoreAny, requireAuthor, requireRight } from "../rest/users.ts";
import { differences, pageDifferences } from "../rest/warnings.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { changeLive, readLive } from "./live.ts";
import { readDraftPage, requireParent } from "./pages.ts";
import { blockTemplate } from "./theme_templates.ts";

/** The names of the REST API for those of arguments, where they differ. */
const FIELDS: Readonly<Record<string, string>> = {
  content_html: "content",
  featured_media_id: "featured_media",
  author_id: "author",
  parent_id: "parent",
};
const TERMS = { tags: "tag", categories: "category" } as const satisfies Record<string, Taxonomy>;

/** Prepared, with what is sent. */
interface Prepared extends PreparedFields {
  readonly now: StateSnapshot;
  readonly kind: Kind;
}

/** Those of the site. */
export function storedContentOf(ctx: SiteContext): StoredContentClient {
  const wire = new WordPressClient(ctx);
  return {
    prepare: (place, fields) => prepare(wire, place, fields),
    restore: async (place, prepared, grant) => {
      const { kind, now, fields } = prepared as Prepared;
      const sent = bodyOf(fields);
      if (place.live) {
        const { record, ...done } = await changeLive(wire, kind, sent, grant, now);
        return { ...done, differences: [...notAsItWas(wire, kind, record, sent), ...done.differences] };
      }
      const { record, beside } = await changeDraft(wire, kind, Number(place.id), sent, now);
      const { id, status, url } = toSnapshot({ ...now.read, record });
      return {
        ...{ id, status, url },
        differences: [...notAsItWas(wire, kind, record, sent), ...beside],
        parts: toSnapshot({ ...now.read, record }).parts,
      };
    },
  };
}

const bodyOf = (fields: StoredFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [FIELDS[name] ?? name, value]));

async function prepare(
  wire: WordPressClient,
  { type, id, live }: StoredPlace,
  fields: StoredFields,
): Promise<Prepared> {
  const number = numericId(id, type === "page" ? "page_id" : "post_id");
  const kind = type === "page" ? "pages" as const : await kindNamed(wire, type);
  const read = live
    ? readLive(wire, kind, number)
    : kind === "pages"
    ? readDraftPage(wire, number)
    : readDraft(wire, kind, number);
  const [now, tags, categories] = await allOrThrow(
    read,
    termsThere(wire, "tags", fields),
    termsThere(wire, "categories", fields),
    requireThere(wire, kind, fields),
  );
  const { record } = now.read;
  const builder = "content_html" in fields
    ? builderTold(record) ?? await builderSeen(wire, kind, number)
    : "block";
  const names = {
    ...tags && { tags: named(now, "tags", record.tags, tags) },
    ...categories && { categories: named(now, "categories", record.categories, categories) },
  };
  return { kind, now, fields, names, shown: builder === null ? null : builder !== "visual" };
}

type Names = ReadonlyMap<Id | null, string>;

/** The names of terms as a post has them now, and as it would. */
function named(now: Partial<Post>, field: keyof typeof TERMS, ids: readonly number[], then: Names) {
  const had: Names = new Map(now[field]?.map(({ id, name }) => [id, name] as const));
  return [ids.map((id) => had.get(id) ?? String(id)), [...then.values()]] as const;
}

/** The terms that are to be set again, none of them gone; null where none are to be. */
async function termsThere(wire: WordPressClient, name: keyof typeof TERMS, fields: StoredFields) {
  if (!(name in fields)) return null;
  const ids = fields[name] as readonly number[];
  const names = await termNames(wire, TERMS[name], ids);
  const gone = ids.filter((id) => !names.has(id));
  if (gone.length > 0) throw isGone(name, `the term ${gone.join(", ")}`);
  return names;
}

/** Refuses an image, a person, a page above it and a template that are not there any more. */
async function requireThere(wire: WordPressClient, kind: Kind, fields: StoredFields): Promise<void> {
  const { featured_media_id: image, author_id: author, parent_id: parent, template } = fields;
  const is = (value: unknown): value is number => typeof value === "number" && value > 0;
  const [me] = await allOrThrow(
    is(author) ? accountIfShown(wire) : null,
    is(image) && there("featured_media_id", `the image ${image}`, requireImage(wire, image)),
    is(author) && there("author_id", `the person ${author}`, requireAuthor(wire, author)),
    is(parent) && there("parent_id", `the page ${parent}`, requireParent(wire, parent)),
    typeof template === "string" && template !== "" &&
      there("template", `the template "${template}"`, blockTemplate(wire, template)),
  );
  if (is(author) && author !== me?.id) {
    await requireRight(
      wire,
      await rightAt(wire, kind, "edit_others_posts"),
      "write in another author's name",
    );
  }
}

async function there(field: string, what: string, look: Promise<unknown>): Promise<void> {
  await look.catch((thrown) => {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_BAD_INPUT") throw thrown;
    throw isGone(field, what, thrown);
  });
}

const isGone = (field: string, what: string, cause?: unknown) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `${field}: ${what} that stood there is on the site no longer, so nothing is set back; change what stands there with ` +
      "the tool that did",
    { cause },
  );

/** A sentence for each field that is not to the letter what stood there. */
function notAsItWas(
  wire: WordPressClient,
  kind: Kind,
  record: ContentRecord,
  sent: Readonly<Record<string, unknown>>,
): string[] {
  const compare = kind === "pages" && "template" in sent ? pageDifferences : differences;
  const found = compare(record, sent, mayStoreAny(wire));
  const stored: Readonly<Record<string, unknown>> = {
    title: record.title.raw,
    content: record.content.raw,
    excerpt: record.excerpt.raw,
    slug: record.slug,
    parent: record.parent,
    template: record.template,
  };
  const exact = Object.entries(sent).filter(([name, value]) =>
    name in stored && stored[name] !== (name === "slug" ? plainSlug(String(value)) : value)
  ).map(([name]) => Object.entries(FIELDS).find(([, own]) => own === name)?.[0] ?? name)
    .filter((field) => !found.some((one) => one.startsWith(`${field}:`)));
  return [
    ...found,
    ...exact.map((field) =>
      `${field}: is not to the letter what stood there; a plugin or a filter of the site changes what is saved`
    ),
  ];
}
