/** Pages, on whatever platform the site has. */
import type { Builder, Making } from "../../core/model.ts";
import type { Id } from "../../core/ids.ts";
import type { Moment } from "../../rules/schedule.ts";
import type { Capability } from "../_connector/connector.ts";
import type {
  Cloned,
  CloneFields,
  Page,
  PageFields,
  PreparedClone,
  PreparedPage,
  TemplateList,
  TemplatesQuery,
} from "./page.ts";
import type { PublishGrant } from "../_http/request.ts";
import type { ContentList, ListQuery, Seen, Updated, Verb } from "./post.ts";

export type { CloneFields, Page, PageFields, PreparedClone, PreparedPage } from "./page.ts";

/**
 * What can be done with pages. Every method throws E_UPSTREAM; those that write or check also E_FORBIDDEN_OP; those that
 * change what is there also E_STALE_PREVIEW, where somebody changed what they replace since it was seen.
 */
export interface PagesClient {
  read(id: Id): Promise<Page>;
  /** A page that is to be changed; refuses what its state forbids. */
  readDraft(id: Id): Promise<Page & Seen>;
  /** Reads only: what visitors see of a page whose own record does not tell; null where nothing does. */
  builderSeen(id: Id): Promise<Builder | null>;
  /** Pages of every status, last changed first. */
  list(query: ListQuery): Promise<ContentList>;
  /**
   * Reads only: looks names up and, for a new page (no id), proves rights; for one that is to be changed readDraft does.
   */
  prepare(fields: PageFields, id: Id | null): Promise<PreparedPage>;
  /** Reads only: the template, every placeholder of it covered. Without an id it is for a new page. */
  prepareClone(fields: CloneFields, id: Id | null): Promise<PreparedClone>;
  create(draft: PreparedPage | PreparedClone, made: Making): Promise<Updated | Cloned>;
  update(id: Id, draft: PreparedPage | PreparedClone, seen: Seen): Promise<Updated | Cloned>;
  /** Reads only: refuses what the live state forbids. */
  check(id: Id, verb: Verb, moment?: Moment): Promise<Seen>;
  /** Reads only: the site's own time zone, an IANA name or an offset; undefined where it does not tell. */
  timeZone(): Promise<string | undefined>;
  schedule(id: Id, moment: Moment, seen: Seen): Promise<Updated>;
  publish(id: Id, grant: PublishGrant, seen: Seen): Promise<Updated>;

  templates(query: TemplatesQuery): Promise<TemplateList>;
}

/** Pages of a site, whichever connector has them. */
export const pages: Capability<PagesClient> = { capability: "pages", noun: "Pages" };
/** The same where a page is made with one of the site's builders, and its arguments say which. */
export const builtPages: Capability<PagesClient> = {
  capability: "built_pages",
  noun: "Pages made with a builder",
};
