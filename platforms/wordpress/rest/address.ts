/** The address a post or page will have once it is public: while it is a draft its own link is `?p=<id>`. */
import { plainSlug } from "./records.ts";

/** How the site makes the address of a post. */
export interface AddressRule {
  /** With `%postname%` or `%pagename%` where the slug stands; dates in it are those of the draft. */
  readonly template: string;
  /** As far as the site tells, free of what other posts have. */
  readonly slug: string;
  /** The site's own time of the draft's date, without a zone, and the same in UTC; null where that is not known. */
  readonly dated: { readonly local: string; readonly utc: string } | null;
}

/** When a post goes live. */
export interface GoesLive {
  /** Milliseconds since the epoch; null where it keeps the date it has. */
  readonly at: number | null;
  /** The site's zone, an IANA name or an offset, where that is known. */
  readonly zone?: string | undefined;
}

/** An address to be. */
export interface Address {
  readonly url: string;
  /** The same without what the clock decides: what a revision holds. */
  readonly timeless: string;
  /** The day in it, by the site's clock; null for none, and where it stands already. */
  readonly day: string | null;
}

/** An address as people read it. */
export const readable = (url: string): string => plainSlug(url);

/** The address that rule gives to what goes live then. */
export function addressToBe({ template, slug, dated }: AddressRule, { at, zone }: GoesLive): Address {
  const named = (text: string) => readable(text.replace(/%(postname|pagename)%/, () => slug));
  const [year = "", month = "", day = ""] = dated?.local.slice(0, 10).split("-") ?? [];
  const written = new RegExp(`/${year}/(?:${month}/(?:${day}/)?)?`).exec(template)?.[0];
  if (!dated || written === undefined || at === null) {
    return { url: named(template), timeless: named(template), day: null };
  }
  const today = dayAt(at, zone) ?? dayAt(at + Date.parse(`${dated.local}Z`) - Date.parse(dated.utc), "UTC")!;
  const depth = written.split("/").length - 2;
  const then = `/${today.split("-").slice(0, depth).join("/")}/`;
  return {
    url: named(template.replace(written, then)),
    timeless: named(template.replace(written, "/(date)/")),
    day: today,
  };
}

/** `YYYY-MM-DD` there; null for a zone that is not known. */
function dayAt(at: number, zone: string | undefined): string | null {
  if (zone === undefined) return null;
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(at);
  } catch {
    return null; // a zone that this runtime does not know
  }
}
