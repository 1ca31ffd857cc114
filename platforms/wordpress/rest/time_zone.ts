/** The time zone a site keeps its own times in. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { WordPressClient } from "./wordpress_client.ts";

const ZONE = z.looseObject({
  timezone_string: z.string().catch(""),
  gmt_offset: z.coerce.number().min(-14).max(14).catch(0),
});
const TTL_MS = 3_600_000;

/**
 * An IANA name, or an offset such as `+05:30` where the site has only that, as its index tells; undefined where it
 * does not answer. Kept for an hour.
 */
export async function timeZoneOf(wire: WordPressClient): Promise<string | undefined> {
  try {
    return await wire.cache.once("time_zone", TTL_MS, async () => {
      const { data } = await wire.get("", { _fields: "timezone_string,gmt_offset" }, ZONE);
      return zoneNamed(data);
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
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
