/** The types of content of a site beside posts and pages: which there are for writers, where they are, who may do what. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { nearest } from "../../../core/nearest.ts";
import { LIMITS } from "../../../core/model.ts";
import { toolsForType, typeForbids } from "../content_types.ts";
import type { ContentType } from "../../_content/posts.ts";
import type { DraftFields } from "../../_content/post.ts";
import { CmsError } from "../errors.ts";
import type { Kind, OtherKind } from "./records.ts";
import type { WordPressClient } from "./wordpress_client.ts";

const KEY = "content types";
const TTL_MS = 600_000;

/** What only some versions tell is left out where it does not come. */
const listed = z.record(z.string(), z.unknown()).catch({});
const TYPE = z.object({
  slug: z.string().max(80),
  rest_base: z.string().max(200),
  rest_namespace: z.string().max(80).catch("wp/v2"),
  viewable: z.boolean().catch(false),
  supports: listed,
  taxonomies: z.array(z.string()).catch([]),
  capabilities: z.record(z.string(), z.unknown()).catch({}),
  visibility: z.object({ show_in_nav_menus: z.boolean().optional().catch(undefined) }).catch({}),
});
const TYPES = z.record(z.string(), z.unknown());

/** A type for writers. */
export interface OwnType {
  readonly slug: string;
  readonly kind: OtherKind;
  readonly supports: ReadonlySet<string>;
  readonly taxonomies: ReadonlySet<string>;
  /** The account's rights that it asks for, by WordPress's names of them for posts. */
  right(name: string): string;
}

/** A site's types as it told them: those for writers, and why the others are none. */
interface SiteTypes {
  readonly own: readonly OwnType[];
  readonly forbidden: ReadonlyMap<string, string>;
}

/** The types of the site, as its account may edit them, known for a while. Throws CmsError. */
async function siteTypes(wire: WordPressClient): Promise<SiteTypes> {
  return await wire.cache.once(KEY, TTL_MS, async () => {
    const { data } = await wire.get("wp/v2/types", { context: "edit" }, TYPES);
    const own: OwnType[] = [];
    const forbidden = new Map<string, string>();
    for (const one of Object.values(data)) {
      const { success, data: type } = TYPE.safeParse(one);
      if (!success || type.slug === "post" || type.slug === "page") continue;
      const why = typeForbids({
        slug: type.slug,
        base: type.rest_base,
        namespace: type.rest_namespace,
        viewable: type.viewable,
        in_menus: type.visibility.show_in_nav_menus,
        supports: new Set(Object.keys(type.supports)),
      });
      if (why === null) own.push(ownType(type));
      else forbidden.set(type.slug, why);
    }
    return { own, forbidden };
  });
}

function ownType({ slug, rest_base, supports, taxonomies, capabilities }: z.infer<typeof TYPE>): OwnType {
  return {
    slug,
    kind: rest_base as OtherKind, // the rule allowed it
    supports: new Set(Object.keys(supports)),
    taxonomies: new Set(taxonomies),
    right: (name) => typeof capabilities[name] === "string" ? capabilities[name] : name,
  };
}

/** The types for writers beside posts and pages, at most so many as are asked at once; none where the site does not tell. */
export async function ownTypes(wire: WordPressClient): Promise<readonly OwnType[]> {
  try {
    return (await siteTypes(wire)).own.slice(0, LIMITS.PUBLIC_KINDS);
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    return [];
  }
}

/**
 * The type of that name. Throws E_NOT_SUPPORTED, with those there are and what to do, for one that the site does not show
 * over REST and for one that is not for writers; CmsError.
 */
async function typeNamed(wire: WordPressClient, name: string): Promise<OwnType> {
  const wanted = ({ own }: SiteTypes) => own.find(({ slug }) => slug === name);
  const known = wanted(await siteTypes(wire));
  if (known) return known;
  wire.cache.drop(KEY); // somebody may have registered it since
  const types = await siteTypes(wire);
  const found = wanted(types);
  if (found) return found;
  const slugs = ["post", "page", ...types.own.map(({ slug }) => slug)];
  const there = `the types there are: ${slugs.join(", ")}`;
  const near = nearest(name, slugs);
  const meant = near === null ? "" : `, did you mean "${near}"`;
  const why = types.forbidden.get(name);
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    why === undefined
      ? `type: the site shows its account no type "${name}" over REST${meant}; where it has one, whoever registers it sets ` +
        `show_in_rest to true (in register_post_type, or in the settings of the plugin that made the type), and the ` +
        `account needs the right to edit it; ${there}`
      : `type: "${name}" is not for the gateway: ${why}; ${there}`,
  );
}

/** Where content of a type is; posts without a name. Throws as typeNamed, and for pages and files, which have tools of their own. */
export async function kindNamed(wire: WordPressClient, type: ContentType | undefined): Promise<Kind> {
  if (type === undefined || type === "post") return "posts";
  const elsewhere = toolsForType(type);
  if (elsewhere !== null) throw new GatewayError("E_NOT_SUPPORTED", `type: ${elsewhere}`);
  return (await typeNamed(wire, type)).kind;
}

/** The type whose content is there; null for posts and pages. */
export async function typeAt(wire: WordPressClient, kind: Kind): Promise<OwnType | null> {
  if (kind === "posts" || kind === "pages") return null;
  return (await siteTypes(wire)).own.find((one) => one.kind === kind) ?? null;
}

/** WordPress's name of a right over posts, as it is for what is there: `publish_pages` for `publish_posts`. */
export async function rightAt(wire: WordPressClient, kind: Kind, right: string): Promise<string> {
  if (kind === "posts") return right;
  if (kind === "pages") return right.replace("_posts", "_pages");
  return (await typeAt(wire, kind))?.right(right) ?? right;
}

/** The type that has content of that id; null where none has. A site that cannot be asked has none. */
export async function typeHaving(wire: WordPressClient, id: number): Promise<OwnType | null> {
  const query = { context: "edit", _fields: "id" };
  const types = await ownTypes(wire);
  const found = await Promise.all(types.map(async (type) => {
    try {
      await wire.get(`wp/v2/${type.kind}/${id}`, query, z.object({ id: z.literal(id) }));
      return type;
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return null;
      throw thrown;
    }
  }));
  return found.find((type) => type !== null) ?? null;
}

/** What of a draft needs the support of its type: a feature of its posts, or a taxonomy of them. */
const NEEDS = [
  ["excerpt", "supports", "excerpt", "excerpt"],
  ["featured_media_id", "supports", "thumbnail", "image"],
  ["author_id", "supports", "author", "author"],
  ["tags", "taxonomies", "post_tag", "tags"],
  ["categories", "taxonomies", "category", "categories"],
] as const;

/** Refuses fields that content of the type does not have: E_BAD_INPUT. WordPress would leave them out without a word. */
export function requireFields(type: OwnType | null, fields: DraftFields): void {
  if (type === null) return;
  for (const [field, of, name, noun] of NEEDS) {
    if (fields[field] === undefined || type[of].has(name)) continue;
    throw new GatewayError(
      "E_BAD_INPUT",
      `${field}: the type "${type.slug}" of this site has no ${noun}; leave it out`,
    );
  }
}
