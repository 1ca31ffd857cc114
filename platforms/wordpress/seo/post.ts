/** The state of a post whose SEO is to be changed: what visitors see already is left alone unless the site allows it. */
import { GatewayError } from "../../../core/errors.ts";
import { hasLead } from "../../../rules/schedule.ts";
import type { Site } from "../../../core/model.ts";
import { staleOf } from "../companion/guarded.ts";
import { statusWord, utc } from "../rest/records.ts";

/** A post or page of any type, as far as SEO goes. */
export interface SeoPost {
  readonly id: number;
  /** `post`, `page`, or another type of the site. */
  readonly type: string;
  /** `draft`, `scheduled`, `published`, or the CMS's own word. */
  readonly status: string;
  /** "" where the site does not tell. */
  readonly title: string;
  readonly modified_gmt: string | null;
  /** Whether visitors may see it: published, private, or in a state of a plugin's that is not known to hide it. */
  readonly live: boolean;
  /** Whether its text is behind a password of its own; null where the site does not tell. */
  readonly protected: boolean | null;
  /** ISO 8601 with Z where it goes live within the minute, by the site's own clock; null otherwise. */
  readonly due: string | null;
}

/** What is read of it. */
export interface SeoPostRecord {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly title: string;
  readonly date_gmt?: string | null;
  readonly modified_gmt?: string | null;
  readonly protected?: boolean | undefined;
  /** Whether visitors, or those who sign in, see it; where the site does not tell, all but drafts count as seen. */
  readonly seen?: boolean | undefined;
}

/** Nobody sees these. */
const UNSEEN: ReadonlySet<string> = new Set(["draft", "pending", "auto-draft", "future", "trash"]);

/** A record in this gateway's words; `siteNow` is the latest time the site's clock can show. */
export function seoPost(record: SeoPostRecord, siteNow: number): SeoPost {
  const { id, type, status, title } = record;
  const at = status === "future" ? utc(record.date_gmt) : null;
  return {
    id,
    type,
    status: statusWord(status),
    title,
    modified_gmt: utc(record.modified_gmt),
    live: record.seen ?? !UNSEEN.has(status),
    protected: record.protected ?? null,
    due: at !== null && !hasLead(Date.parse(at), siteNow) ? at : null,
  };
}

/** Throws E_FORBIDDEN_OP where visitors would see a change of the post and the site does not allow that. */
export function requireSeoState(site: Site, post: SeoPost): void {
  const { id, status, live, due } = post;
  if (status === "trash") throw forbidden(`Post ${id} is in the bin; restore it in the CMS first`);
  if (site.flags.allow_seo_on_published || (!live && due === null)) return;
  const state = live ? `is ${status}` : `goes live at ${due}`;
  const by = status === "private" ? " by whoever signs in and may read it" : "";
  throw forbidden(
    `Post ${id} ${state}: a change of its SEO is seen at once${by}, which site "${site.id}" allows only with ` +
      "allow_seo_on_published; a super-admin can set it",
  );
}

/**
 * Last before a write without the guard: throws E_FORBIDDEN_OP for a state that forbids it, and E_STALE_PREVIEW where the
 * state, or one of the `differ` that the caller found, is not as it was planned.
 */
export function requireUnchanged(
  site: Site,
  planned: SeoPost,
  now: SeoPost,
  differ: readonly string[],
): void {
  requireSeoState(site, now);
  const isOpened = now.live && now.protected !== planned.protected;
  const all = [
    ...now.status === planned.status ? [] : ["status"],
    ...isOpened ? ["password"] : [],
    ...differ,
  ];
  if (all.length > 0) throw staleOf(`post ${now.id}`, all, { by: null, at: now.modified_gmt });
}

const forbidden = (message: string) => new GatewayError("E_FORBIDDEN_OP", message);
