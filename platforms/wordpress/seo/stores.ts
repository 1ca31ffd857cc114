/** The SEO plugins whose fields are read and written without the companion plugin, each by its own rules. */
import { z } from "zod";
import { CmsError } from "../errors.ts";
import { GatewayError } from "../../../errors.ts";
import { together } from "../../../lib/async.ts";
import {
  SEO_ROBOTS,
  SEO_TEXTS,
  type SeoChange,
  type SeoFields,
  type SeoRobot,
  type SeoText,
} from "./fields.ts";
import {
  RANK_MATH_KEYS,
  RANK_MATH_ROBOTS,
  RANK_MATH_SHARED,
  SEOPRESS_ROBOTS,
  SEOPRESS_ROUTES,
  type SeopressRoute,
  YOAST_KEYS,
} from "./keys.ts";
import type { Kind } from "../rest/records.ts";
import type { Wire } from "../rest/wire.ts";

/** A post as core REST shows it. */
export interface PostMeta {
  readonly id: number;
  readonly kind: Kind;
  /** Post meta that is open to REST. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What Yoast says the page shows; null without it. */
  readonly head: Readonly<Record<string, unknown>> | null;
}

/** Told which fields of a change stand, where not all of them do: the texts' names and `robots`. */
export type Stands = (fields: readonly string[]) => void;

/** Fields as they stand, and the names of those that are only known by what the page shows. */
export interface Stored {
  readonly fields: SeoFields;
  readonly shown?: string[];
}

/** How one SEO plugin keeps its fields. */
export interface SeoStore {
  readonly provider: string;
  /** The REST namespace that tells that it is there. */
  readonly namespace: string;
  read(wire: Wire, post: PostMeta): Promise<Stored>;
  /** The same where nothing of the post is needed for it, so that both can be read at once. */
  readApart?(wire: Wire, id: number): Promise<Stored>;
  /** Reads anew what a change of a post replaces; everything else is as it was known. */
  readChanged?(wire: Wire, id: number, change: SeoChange, known: SeoFields): Promise<Stored>;
  /** Which field of a change cannot be written, as the beginning of a sentence; null where all can. */
  closed(post: PostMeta, now: SeoFields, change: SeoChange): string | null;
  /** Where a later part of several fails, `stands` is told which fields were written. */
  write(wire: Wire, post: PostMeta, now: SeoFields, change: SeoChange, stands: Stands): Promise<void>;
}

const NO_ROBOTS = Object.fromEntries(SEO_ROBOTS.map((name) => [name, null])) as Record<SeoRobot, null>;

function byText(value: (name: SeoText) => string | null): Record<SeoText, string | null> {
  return Object.fromEntries(SEO_TEXTS.map((name) => [name, value(name)])) as Record<SeoText, string | null>;
}

const textOf = (value: unknown) => typeof value === "string" ? value : null;
const givenTexts = (change: SeoChange) => SEO_TEXTS.filter((name) => change[name] !== undefined);

/** Core REST gives the texts that the site opens; all else is what the page shows, and cannot be written. */
const yoast: SeoStore = {
  provider: "yoast",
  namespace: "yoast/v1",
  read(_, { meta, head }) {
    const stored = byText((name) => textOf(meta[YOAST_KEYS[name]]));
    const page = byText((name) => head && shownText(head, name));
    const robots = head ? shownRobots(head["robots"]) : NO_ROBOTS;
    const shown = SEO_TEXTS.filter((name) => stored[name] === null && page[name] !== null) as string[];
    const fields = { ...byText((name) => stored[name] ?? page[name]), robots };
    return Promise.resolve({ fields, shown: [...shown, ...(head ? ["robots"] : [])] });
  },
  closed({ meta }, _, change) {
    if (change.robots !== undefined) return "robots: cannot be set";
    const shut = givenTexts(change).find((name) => textOf(meta[YOAST_KEYS[name]]) === null);
    return shut === undefined ? null : `${shut}: cannot be set`;
  },
  async write(wire, { id, kind }, _, change) {
    const meta = Object.fromEntries(givenTexts(change).map((name) => [YOAST_KEYS[name], change[name]]));
    await wire.post(`wp/v2/${kind}/${id}`, { _fields: "id" }, { meta }, z.object({ id: z.literal(id) }));
  },
};

/** A text of `yoast_head_json`. */
function shownText(head: Readonly<Record<string, unknown>>, name: SeoText): string | null {
  if (name === "focus_keyword") return null;
  const value = head[name];
  if (name !== "og_image") return textOf(value) ?? "";
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return typeof first === "object" && first !== null && "url" in first ? textOf(first.url) ?? "" : "";
}

/** `{ index: "noindex", follow: "follow", … }`; what is off is not in it. */
function shownRobots(value: unknown): Record<SeoRobot, boolean> {
  const on = typeof value === "object" && value !== null ? Object.values(value) : [];
  return Object.fromEntries(SEO_ROBOTS.map((name) => [name, on.includes(name)])) as Record<SeoRobot, boolean>;
}

/** Its own route writes every field; what is there is shown only where the site opens the post meta. */
const rankMath: SeoStore = {
  provider: "rankmath",
  namespace: "rankmath/v1",
  read(_, { meta }) {
    const list = [meta[RANK_MATH_ROBOTS]].flat().filter((word) => typeof word === "string" && word !== "");
    // Without words of its own the post has those of its type or of the site, which REST does not show.
    const robots = list.length > 0 ? shownRobots(list) : NO_ROBOTS;
    return Promise.resolve({ fields: { ...byText((name) => textOf(meta[RANK_MATH_KEYS[name]])), robots } });
  },
  closed(_, now, { robots }) {
    // The switches are one list in place of all defaults: one cannot be turned without knowing the others.
    const unknown = robots &&
      SEO_ROBOTS.find((name) => robots[name] === undefined && now.robots[name] === null);
    return unknown ? `robots.${unknown}: give all five switches, as those in effect cannot be read` : null;
  },
  async write(wire, { id }, now, change) {
    const texts = givenTexts(change);
    const meta: Record<string, unknown> = Object.fromEntries(
      texts.map((name) => [RANK_MATH_KEYS[name], change[name]]),
    );
    if (change.robots) {
      const robots = { ...now.robots, ...change.robots };
      const on = SEO_ROBOTS.filter((name) => robots[name]);
      meta[RANK_MATH_ROBOTS] = robots.noindex ? on : ["index", ...on];
    }
    if (texts.some((name) => name.startsWith("twitter_"))) meta[RANK_MATH_SHARED] = "off";
    await wire.post("rankmath/v1/updateMeta", {}, { objectType: "post", objectID: id, meta }, z.unknown());
  },
};

const ROWS = z.array(z.object({ key: z.string(), value: z.unknown() }))
  .transform((rows): Rows => new Map(rows.map(({ key, value }) => [key, value])));
const KEYWORDS = z.object({ value: z.union([z.string(), z.array(z.string())]) });
const DONE = z.object({ code: z.literal("success") });

const SEOPRESS_ALL = Object.keys(SEOPRESS_ROUTES) as SeopressRoute[];

/** The routes that a change is written to, and that tell what stands there. */
const routesOf = (change: SeoChange): SeopressRoute[] =>
  SEOPRESS_ALL.filter((route) =>
    givenTexts(change).some((name) => name in SEOPRESS_ROUTES[route]) ||
    (route === "meta-robot-settings" && change.robots !== undefined)
  );

async function readSeopress(
  wire: Wire,
  id: number,
  routes: readonly SeopressRoute[] = SEOPRESS_ALL,
): Promise<Partial<SeoFields>> {
  const get = async <T>(route: SeopressRoute, schema: z.ZodType<T>) =>
    routes.includes(route) ? (await wire.get(`seopress/v1/posts/${id}/${route}`, {}, schema)).data : null;
  const [main, words, robots, social] = await together(
    get("title-description-metas", z.object({ title: z.string(), description: z.string() })),
    get("target-keywords", KEYWORDS),
    get("meta-robot-settings", ROWS),
    get("social-settings", ROWS),
  );
  const texts = (route: SeopressRoute, rows: Rows) =>
    Object.fromEntries(
      Object.entries<string>(SEOPRESS_ROUTES[route]).map(([name, key]) => [name, rowText(rows, key)]),
    ) as Partial<Record<SeoText, string | null>>;
  return {
    ...main,
    ...words && { focus_keyword: [words.value].flat().join(",") },
    ...robots && { ...texts("meta-robot-settings", robots), robots: switchesOf(robots) },
    ...social && texts("social-settings", social),
  };
}

type Rows = ReadonlyMap<string, unknown>;

/** null where the plugin does not tell it. */
const rowText = (rows: Rows, key: string) => rows.has(key) ? textOf(rows.get(key)) ?? "" : null;

function switchesOf(rows: Rows): Record<SeoRobot, boolean | null> {
  const isOn = (name: SeoRobot) => [true, "yes", "1"].includes(rows.get(SEOPRESS_ROBOTS[name]) as string);
  return Object.fromEntries(
    SEO_ROBOTS.map((name) => [name, rows.has(SEOPRESS_ROBOTS[name]) ? isOn(name) : null]),
  ) as Record<SeoRobot, boolean | null>;
}

const readWhole = async (wire: Wire, id: number): Promise<Stored> => ({
  fields: { ...byText(() => null), robots: NO_ROBOTS, ...await readSeopress(wire, id) },
});

/** Its own routes read and write every field; each takes a part of them. */
const seopress: SeoStore = {
  provider: "seopress",
  namespace: "seopress/v1",
  read: (wire, { id }) => readWhole(wire, id),
  readApart: readWhole,
  async readChanged(wire, id, change, known) {
    return { fields: { ...known, ...await readSeopress(wire, id, routesOf(change)) } };
  },
  closed: () => null,
  async write(wire, { id }, _, change, stands) {
    const done: string[] = [];
    for (const route of routesOf(change)) {
      const names: Readonly<Partial<Record<SeoText, string>>> = SEOPRESS_ROUTES[route];
      const given = givenTexts(change).filter((name) => name in names);
      const body: Record<string, string> = Object.fromEntries(
        given.map((name) => [names[name], change[name]]),
      );
      if (route === "meta-robot-settings") {
        for (const [name, on] of Object.entries(change.robots ?? {})) {
          body[SEOPRESS_ROBOTS[name as SeoRobot]] = on ? "yes" : "";
        }
      }
      await wire.put(`seopress/v1/posts/${id}/${route}`, body, DONE).catch((thrown) =>
        halfDone(thrown, done, stands)
      );
      done.push(...given, ...(route === "meta-robot-settings" && change.robots ? ["robots"] : []));
    }
  },
};

/** A later part failed, and the earlier ones stand. */
function halfDone(thrown: unknown, done: readonly string[], stands: Stands): never {
  if (done.length === 0 || !(thrown instanceof GatewayError)) throw thrown;
  stands(done);
  const upstream = thrown instanceof CmsError ? thrown.upstream : 504;
  const said =
    `${
      done.join(", ")
    } were written, then the site failed: ${thrown.message}; read the fields and send the ` +
    "rest again";
  throw new GatewayError("E_UPSTREAM", `The fields ${said}`, { cause: thrown, upstream });
}

/** In the order in which the companion plugin looks for them too. */
export const STORES: readonly SeoStore[] = [yoast, rankMath, seopress];
