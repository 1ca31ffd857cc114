/** The time zone a site keeps its own times in. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { ToldZone } from "../../_content/posts.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { WordPressClient } from "./wordpress_client.ts";

const ZONE = z.looseObject({
  timezone_string: z.string().catch(""),
  gmt_offset: z.coerce.number().min(-14).max(14).catch(0),
});
const TTL_MS = 3_600_000;
/** For so long it is said what a site that does not answer told last. */
const LEARNED_TTL_MS = 30 * 86_400_000;
/** So soon a site that did not answer is asked again by what only shows its record. */
const SILENT_TTL_MS = 60_000;
/** What only shows a site's record waits no longer. */
const TOLD_MS = 2000;

interface Learned {
  readonly zone: string;
  readonly at: number;
}

/**
 * An IANA name, or an offset such as `+05:30` where the site has only that, as its index tells; undefined where it
 * does not answer. Kept for an hour.
 */
export async function timeZoneOf(wire: WordPressClient): Promise<string | undefined> {
  try {
    return (await learnedOf(wire)).zone;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

const learnedOf = (wire: WordPressClient): Promise<Learned> =>
  wire.cache.once("time_zone", TTL_MS, async () => {
    const { data } = await wire.get("", { _fields: "timezone_string,gmt_offset" }, ZONE);
    const learned = { zone: zoneNamed(data), at: wire.now() };
    wire.cache.set("time_zone_learned", learned, LEARNED_TTL_MS);
    wire.cache.drop("time_zone_silent");
    return learned;
  });

/**
 * The zone as a site's record is shown with it: never a failure, and within two seconds. Of a site that does not answer
 * it is the one that it told last, with when that was, or null; the reason stands beside, and for a minute it is not
 * asked again.
 */
export async function toldZoneOf(ctx: SiteContext): Promise<ToldZone> {
  const { cache } = ctx;
  try {
    const silent = cache.get<string>("time_zone_silent");
    if (silent !== undefined) return keptZone(cache.get<Learned>("time_zone_learned"), silent);
    const { zone } = await learnedOf(new WordPressClient(ctx, ctx.now() + TOLD_MS));
    return { timezone: zone };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    cache.set("time_zone_silent", thrown.message, SILENT_TTL_MS);
    return keptZone(cache.get<Learned>("time_zone_learned"), thrown.message);
  }
}

function keptZone(learned: Learned | undefined, reason: string): ToldZone {
  const timezone_note = `The site did not tell its time zone: ${reason}`;
  return learned === undefined
    ? { timezone: null, timezone_note }
    : { timezone: learned.zone, timezone_learned_at: new Date(learned.at).toISOString(), timezone_note };
}

/** The name of a zone, or its offset where a site has only that. */
export const zoneNamed = (
  { timezone_string, gmt_offset }: { readonly timezone_string: string; readonly gmt_offset: number },
): string => timezone_string || offset(gmt_offset);

function offset(hours: number): string {
  const minutes = Math.round(Math.abs(hours) * 60);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${hours < 0 ? "-" : "+"}${digits.join(":")}`;
}
