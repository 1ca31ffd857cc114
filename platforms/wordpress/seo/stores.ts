/** The SEO plugins whose fields are read and written without the companion plugin, each by its own rules. */
import { z } from "zod";
import { NO_EFFECT } from "./effect.ts";
import { SEO_IMAGES, SEO_ROBOTS, SEO_TEXTS, type SeoRobot, type SeoText } from "./fields.ts";
import {
  RANK_MATH_IMAGE_IDS,
  RANK_MATH_KEYS,
  RANK_MATH_ROBOTS,
  RANK_MATH_SHARED,
  YOAST_IMAGE_IDS,
  YOAST_KEYS,
} from "./keys.ts";
import { seopress } from "./seopress.ts";
import {
  byText,
  givenTexts,
  imageNumbers,
  NO_ROBOTS,
  type SeoStore,
  textOf,
  withShownImages,
} from "./store.ts";

export type { PostMeta, SeoStore, Stands, Stored } from "./store.ts";

/** Core REST gives the texts that the site opens; all else is what the page shows, and cannot be written. */
const yoast: SeoStore = {
  provider: "yoast",
  namespace: "yoast/v1",
  async read(wire, { meta, head }) {
    const open = byText((name) => textOf(meta[YOAST_KEYS[name]]));
    const stored = await withShownImages(wire, open, (name) => meta[YOAST_IMAGE_IDS[name]]);
    const page = byText((name) => head && shownText(head, name));
    const robots = head ? shownRobots(head["robots"]) : NO_ROBOTS;
    const shown = SEO_TEXTS.filter((name) => stored[name] === null && page[name] !== null) as string[];
    const fields = { ...byText((name) => stored[name] ?? page[name]), robots };
    const filled = SEO_TEXTS.filter((name) =>
      stored[name] !== null && page[name] && page[name] !== stored[name]
    )
      .map((name) => [name, { value: page[name], by: stored[name] === "" ? "settings" : "post" }]);
    const effect = { ...NO_EFFECT, inEffect: Object.fromEntries(filled) };
    return { fields, effect, shown: [...shown, ...(head ? ["robots"] : [])] };
  },
  closed({ meta }, _, change) {
    if (change.robots !== undefined) return "robots: cannot be set";
    const shut = givenTexts(change).find((name) => textOf(meta[YOAST_KEYS[name]]) === null);
    if (shut !== undefined) return `${shut}: cannot be set`;
    // The number of the image that was there would go on being shown.
    const image = SEO_IMAGES.find((name) => change[name] !== undefined && !(YOAST_IMAGE_IDS[name] in meta));
    return image === undefined ? null : `${image}: cannot be set without the number of its image`;
  },
  async write(wire, { id, kind }, change, { attachments }) {
    const texts = Object.fromEntries(givenTexts(change).map((name) => [YOAST_KEYS[name], change[name]]));
    const meta = { ...texts, ...imageNumbers(change, YOAST_IMAGE_IDS, attachments) };
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
  libraryOnly: true,
  async read(wire, { meta }) {
    const list = [meta[RANK_MATH_ROBOTS]].flat().filter((word) => typeof word === "string" && word !== "");
    // Without words of its own the post has those of its type or of the site, which REST does not show.
    const robots = list.length > 0 ? shownRobots(list) : NO_ROBOTS;
    const open = byText((name) => textOf(meta[RANK_MATH_KEYS[name]]));
    const texts = await withShownImages(wire, open, (name) => meta[RANK_MATH_IMAGE_IDS[name]]);
    const twitterFollowsOg = meta[RANK_MATH_SHARED] === "off" ? false : null;
    return { fields: { ...texts, robots }, effect: { ...NO_EFFECT, twitterFollowsOg } };
  },
  closed(_, now, { robots }) {
    // The switches are one list in place of all defaults: one cannot be turned without knowing the others.
    const unknown = robots &&
      SEO_ROBOTS.find((name) => robots[name] === undefined && now.robots[name] === null);
    return unknown ? `robots.${unknown}: give all five switches, as those in effect cannot be read` : null;
  },
  async write(wire, { id }, change, { now, attachments }) {
    const texts = givenTexts(change);
    const meta: Record<string, unknown> = {
      ...Object.fromEntries(texts.map((name) => [RANK_MATH_KEYS[name], change[name]])),
      ...imageNumbers(change, RANK_MATH_IMAGE_IDS, attachments),
    };
    if (change.robots) {
      const robots = { ...now.robots, ...change.robots };
      const on = SEO_ROBOTS.filter((name) => robots[name]);
      meta[RANK_MATH_ROBOTS] = robots.noindex ? on : ["index", ...on];
    }
    const twitter = SEO_TEXTS.filter((name) => name.startsWith("twitter_"));
    if (twitter.some((name) => change[name])) meta[RANK_MATH_SHARED] = "off";
    // With none left of its own the fields of Open Graph are shown again.
    else if (twitter.every((name) => (change[name] ?? now[name]) === "")) meta[RANK_MATH_SHARED] = "on";
    await wire.post("rankmath/v1/updateMeta", {}, { objectType: "post", objectID: id, meta }, z.unknown());
  },
};

/** In the order in which the companion plugin looks for them too. */
export const STORES: readonly SeoStore[] = [yoast, rankMath, seopress];
