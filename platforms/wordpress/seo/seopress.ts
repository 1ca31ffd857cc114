/** SEOPress without the companion plugin: its own routes below `seopress/v1/posts/{id}/`, a group of fields each. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { allOrThrow } from "../../../core/async.ts";
import { CmsError } from "../errors.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import { NO_EFFECT, type SeoEffect } from "./effect.ts";
import type { SeoChange, SeoFields, SeoRobot, SeoText } from "./fields.ts";
import { SEOPRESS_IMAGE_IDS, SEOPRESS_ROBOTS, SEOPRESS_ROUTES, type SeopressRoute } from "./keys.ts";
import {
  byText,
  givenTexts,
  imageNumbers,
  NO_ROBOTS,
  type SeoStore,
  type Stands,
  type Stored,
  textOf,
  withShownImages,
} from "./store.ts";

/** A row that the plugin's own settings decide has can_modify false, and their value. */
const ROW = z.object({
  key: z.string(),
  value: z.unknown(),
  can_modify: z.boolean().optional().catch(undefined),
});
const ROWS = z.array(ROW).transform((rows): Rows => new Map(rows.map((row) => [row.key, row])));
const KEYWORDS = z.object({ value: z.union([z.string(), z.array(z.string())]) });
const DONE = z.object({ code: z.literal("success") });

const SEOPRESS_ALL = Object.keys(SEOPRESS_ROUTES) as SeopressRoute[];

/** The routes that a change is written to, and that tell what is stored there. */
const routesOf = (change: SeoChange): SeopressRoute[] =>
  SEOPRESS_ALL.filter((route) =>
    givenTexts(change).some((name) => name in SEOPRESS_ROUTES[route]) ||
    (route === "meta-robot-settings" && change.robots !== undefined)
  );

async function readSeopress(
  wire: WordPressClient,
  id: number,
  routes: readonly SeopressRoute[] = SEOPRESS_ALL,
): Promise<{ fields: Partial<SeoFields>; fixed: Record<string, string>; origins: Record<string, string> }> {
  const get = async <T>(route: SeopressRoute, schema: z.ZodType<T>) =>
    routes.includes(route) ? (await wire.get(`seopress/v1/posts/${id}/${route}`, {}, schema)).data : null;
  const [main, words, robots, social] = await allOrThrow(
    get("title-description-metas", z.object({ title: z.string(), description: z.string() })),
    get("target-keywords", KEYWORDS),
    get("meta-robot-settings", ROWS),
    get("social-settings", ROWS),
  );
  const texts = (route: SeopressRoute, rows: Rows) =>
    Object.fromEntries(
      Object.entries<string>(SEOPRESS_ROUTES[route]).map(([name, key]) => [name, rowText(rows, key)]),
    ) as Partial<Record<SeoText, string | null>>;
  const images = social &&
    await withShownImages(
      wire,
      { ...byText(() => null), ...texts("social-settings", social) },
      (name) => social.get(SEOPRESS_IMAGE_IDS[name])?.value,
    );
  const fields = {
    ...main,
    ...words && { focus_keyword: [words.value].flat().join(",") },
    ...robots && { ...texts("meta-robot-settings", robots), robots: switchesOf(robots) },
    ...social && texts("social-settings", social),
    ...images && { og_image: images.og_image, twitter_image: images.twitter_image },
  };
  return { fields, ...robots ? settledBy(robots) : { fixed: {}, origins: {} } };
}

type Rows = ReadonlyMap<string, { readonly value?: unknown; readonly can_modify?: boolean }>;

/** null where the plugin does not tell it. */
const rowText = (rows: Rows, key: string) => rows.has(key) ? textOf(rows.get(key)!.value) ?? "" : null;

const NAMES = Object.entries(SEOPRESS_ROBOTS) as [keyof typeof SEOPRESS_ROBOTS, string][];

/** The switches in effect: a row that a setting of the type or the site decides holds what that says. */
function switchesOf(rows: Rows): Record<SeoRobot, boolean | null> {
  const isOn = (key: string) => [true, "yes", "1"].includes(rows.get(key)!.value as string);
  const known = NAMES.map(([name, key]) => [name, rows.has(key) ? isOn(key) : null]);
  return { ...NO_ROBOTS, ...Object.fromEntries(known), noarchive: false };
}

/** Which switches a post's own value does not turn, and which of them are on. */
function settledBy(rows: Rows): Pick<SeoEffect, "fixed" | "origins"> {
  const settled = NAMES.filter(([, key]) => rows.get(key)?.can_modify === false);
  const origins = Object.fromEntries(settled.map(([name]) => [`robots.${name}`, "settings"]));
  return { origins, fixed: { ...origins, "robots.noarchive": "unsupported" } };
}

async function readWhole(wire: WordPressClient, id: number): Promise<Stored> {
  const { fields, fixed, origins } = await readSeopress(wire, id);
  const effect = { ...NO_EFFECT, fixed, origins };
  return { fields: { ...byText(() => null), robots: NO_ROBOTS, ...fields }, effect };
}

/** Its own routes read and write every field; each takes a part of them. */
export const seopress: SeoStore = {
  provider: "seopress",
  namespace: "seopress/v1",
  read: (wire, { id }) => readWhole(wire, id),
  readApart: readWhole,
  async readChanged(wire, id, change, { fields, effect = NO_EFFECT }) {
    const now = await readSeopress(wire, id, routesOf(change));
    const settled = change.robots === undefined ? {} : { fixed: now.fixed, origins: now.origins };
    return { fields: { ...fields, ...now.fields }, effect: { ...effect, ...settled } };
  },
  closed: () => null,
  async write(wire, { id }, change, { attachments, stands }) {
    const done: string[] = [];
    for (const route of routesOf(change)) {
      const names: Readonly<Partial<Record<SeoText, string>>> = SEOPRESS_ROUTES[route];
      const given = givenTexts(change).filter((name) => name in names);
      const body: Record<string, string> = Object.fromEntries(
        given.map((name) => [names[name], change[name]]),
      );
      if (route === "meta-robot-settings") {
        for (const [name, on] of Object.entries(change.robots ?? {})) {
          body[SEOPRESS_ROBOTS[name as keyof typeof SEOPRESS_ROBOTS]] = on ? "yes" : "";
        }
      }
      if (route === "social-settings") {
        Object.assign(body, imageNumbers(change, SEOPRESS_IMAGE_IDS, attachments));
      }
      await wire.put(`seopress/v1/posts/${id}/${route}`, body, DONE).catch((thrown) =>
        halfDone(thrown, done, stands)
      );
      done.push(...given, ...(route === "meta-robot-settings" && change.robots ? ["robots"] : []));
    }
  },
};

/** A later part failed, and the earlier parts are stored. */
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
