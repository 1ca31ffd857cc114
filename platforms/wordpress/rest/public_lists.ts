/** What is public on a WordPress site: its published and scheduled posts of every type that has addresses. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { PublicClient, PublicItem, PublicKind, PublicSnapshot } from "../../_content/public_content.ts";
import { PUBLIC_FIELDS } from "../egress_rules.ts";
import { CmsError } from "../errors.ts";
import { POST_STATE, totals, utc } from "./records.ts";
import { WordPressClient } from "./wordpress_client.ts";

/** A type of posts, and where its list is. */
interface PostKind {
  readonly kind: string;
  readonly route: string;
}

/** Which every site has. */
const MAIN: readonly PostKind[] = [
  { kind: "post", route: "wp/v2/posts" },
  { kind: "page", route: "wp/v2/pages" },
];

const TYPES_KEY = "public types";
const TYPES_TTL_MS = 600_000;
/** A type; only those who may edit it are told whether it has addresses (docs/upstreams/wordpress.md, "What is public"). */
export const TYPE = z.object({
  slug: z.string().regex(/^[\w-]{1,40}$/),
  rest_base: z.string().regex(/^[\w-]{1,80}$/),
  rest_namespace: z.string().regex(/^[\w-]{1,80}\/v\d{1,3}$/).default("wp/v2"),
  viewable: z.boolean(),
});
/** All types, by their names. */
export const TYPES = z.record(z.string(), z.unknown());

// Types of plugins may lack what all of WordPress's own have.
const ROW = POST_STATE.pick({ id: true, status: true }).extend({
  link: z.string().catch(""),
  date_gmt: z.string().nullable().catch(null),
  modified_gmt: z.string().nullable().catch(null),
});
const ROWS = z.array(ROW);

/** What is public on the site. */
export function publicContentOf(ctx: SiteContext): PublicClient {
  const wire = new WordPressClient(ctx);
  return {
    snapshot: (late = false) => snapshot(late ? wire.forCleanup() : wire),
    published: (kind, ids) => published(wire.forCleanup(), kind, ids),
  };
}

async function snapshot(wire: WordPressClient): Promise<PublicSnapshot> {
  const [types, ...main] = await Promise.all([
    told("which other types are public", otherTypes(wire)),
    ...MAIN.map((one) => told(nameOf(one), listOf(wire, one))),
  ]);
  const asked = "value" in types ? types.value.slice(0, LIMITS.PUBLIC_KINDS) : [];
  const others = await Promise.all(asked.map((one) => told(nameOf(one), listOf(wire, one))));
  const all = [...main, ...others];
  const more = "value" in types ? types.value.slice(LIMITS.PUBLIC_KINDS).map(nameOf) : [];
  return {
    kinds: all.flatMap((one) => "value" in one ? [one.value] : []),
    unread: [...[types, ...all].flatMap((one) => "unread" in one ? [one.unread] : []), ...more],
  };
}

const nameOf = ({ kind }: PostKind) => kind === "post" ? "posts" : kind === "page" ? "pages" : `type ${kind}`;

type Told<T> = { readonly value: T } | { readonly unread: string };

/** What was asked, or why the site did not answer it. */
async function told<T>(what: string, asking: Promise<T>): Promise<Told<T>> {
  try {
    return { value: await asking };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
    const why = thrown instanceof CmsError && thrown.reason !== ""
      ? `the site answered ${thrown.upstream} ${thrown.reason}`
      : thrown.upstream === undefined
      ? "it could not be asked"
      : `it answered ${thrown.upstream}`;
    return { unread: `${what} (${why})` };
  }
}

/** The types beside posts and pages that have addresses and that the account may edit. Throws CmsError. */
async function otherTypes(wire: WordPressClient): Promise<readonly PostKind[]> {
  return await wire.cache.once(TYPES_KEY, TYPES_TTL_MS, async () => {
    const { data } = await wire.get("wp/v2/types", { context: "edit" }, TYPES);
    return Object.values(data).flatMap((one) => {
      const { success, data } = TYPE.safeParse(one);
      // Media are public from the moment they are stored, and have no state of their own.
      if (!success || !data.viewable || ["post", "page", "attachment"].includes(data.slug)) return [];
      return [{ kind: data.slug, route: `${data.rest_namespace}/${data.rest_base}` }];
    });
  });
}

/** What of a type is published and scheduled. Throws CmsError. */
async function listOf(wire: WordPressClient, { kind, route }: PostKind): Promise<PublicKind> {
  const ask = async (status: string) => {
    const order = { orderby: "modified", order: "desc", per_page: LIMITS.PUBLIC_ITEMS };
    const { data, headers, siteNow } = await wire.get(
      route,
      { ...order, status, _fields: PUBLIC_FIELDS },
      ROWS,
    );
    const items = data.flatMap(itemOf);
    return { kind, items, total: totals(headers).total, hasScheduled: status !== "publish", siteNow };
  };
  try {
    return await ask("publish,future");
  } catch (thrown) {
    // Whoever may not edit posts of the type may list those that are published.
    const isState = thrown instanceof CmsError && thrown.reason === "rest_invalid_param";
    if (!isState) throw thrown;
    return await ask("publish");
  }
}

function itemOf({ id, status, link, date_gmt, modified_gmt }: z.infer<typeof ROW>): PublicItem[] {
  if (status !== "publish" && status !== "future") return [];
  const state = status === "publish" ? "published" : "scheduled";
  return [{ id, state, address: link, date: utc(date_gmt), modified: utc(modified_gmt) }];
}

async function published(
  wire: WordPressClient,
  kind: string,
  ids: readonly number[],
): Promise<PublicItem[] | null> {
  const route = MAIN.find((one) => one.kind === kind)?.route ??
    wire.cache.get<readonly PostKind[]>(TYPES_KEY)?.find((one) => one.kind === kind)?.route;
  const include = ids.slice(0, LIMITS.PUBLIC_ITEMS);
  if (route === undefined || include.length === 0) return null;
  const query = {
    include,
    per_page: LIMITS.PUBLIC_ITEMS,
    status: "publish",
    _fields: PUBLIC_FIELDS,
  };
  const found = await told(kind, wire.get(route, query, ROWS));
  return "value" in found ? found.value.data.flatMap(itemOf) : null;
}
