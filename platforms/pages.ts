/** Pages, on whatever platform the site has. */
import { GatewayError } from "../errors.ts";
import { type Id, numericId } from "../lib/ids.ts";
import type { Moment } from "../rules/schedule.ts";
import type { Site } from "../model.ts";
import { cms, type CmsClient } from "./wordpress/client.ts";
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
import type { Platform, PublishGrant } from "./platform.ts";
import type { PostHead, Verb, Written } from "./post.ts";

export type { CloneFields, Page, PageFields, PreparedClone, PreparedPage } from "./page.ts";

/** What can be done with pages. Every method throws E_UPSTREAM; those that write or check also E_FORBIDDEN_OP. */
export interface PagesClient {
  read(id: Id): Promise<Page>;
  /** Reads only: proves rights. */
  prepare(fields: PageFields): Promise<PreparedPage>;
  /** Reads only: the template, every placeholder of it covered. */
  prepareClone(fields: CloneFields): Promise<PreparedClone>;
  create(draft: PreparedPage | PreparedClone): Promise<Written | Cloned>;
  update(id: Id, draft: PreparedPage | PreparedClone): Promise<Written | Cloned>;
  /** Reads only: refuses what the live state forbids. */
  check(id: Id, verb: Verb, moment?: Moment): Promise<PostHead>;
  schedule(id: Id, moment: Moment): Promise<Written>;
  publish(id: Id, grant: PublishGrant): Promise<Written>;

  templates(query: TemplatesQuery): Promise<TemplateList>;
}

/** Throws E_NOT_SUPPORTED in a sentence: the platform of that site is not connected. */
export function notConnected({ platform }: Site): never {
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `Pages of a ${platform} site cannot be reached: this gateway is not connected to that platform yet; use the ` +
      "platform's own editor",
  );
}

function overCms({ pages, ...client }: CmsClient): PagesClient {
  const number = (id: Id) => numericId(id, "page_id");
  return {
    read: (id) => pages.read(number(id)),
    prepare: (fields) => pages.prepare(fields),
    prepareClone: (fields) => pages.prepareClone(fields),
    create: (draft) => "template" in draft ? pages.createFromTemplate(draft) : pages.create(draft),
    update: (id, draft) =>
      "template" in draft ? pages.updateFromTemplate(number(id), draft) : pages.update(number(id), draft),
    templates: (query) => pages.templates(query),
    check: (id, verb, moment) => client.check("pages", number(id), verb, moment),
    schedule: (id, moment) => client.schedule("pages", number(id), moment),
    publish: (id, grant) => client.publish("pages", number(id), grant),
  };
}

/** Pages of a site. Throws E_NOT_SUPPORTED where the site's platform is not connected. */
export const pages: Platform<PagesClient> = {
  name: "pages",
  async connect(reach) {
    if (reach.site.platform === "cms") return overCms(await cms.connect(reach));
    return notConnected(reach.site);
  },
  forbids(out, now, site) {
    return site.platform === "cms" ? cms.forbids?.(out, now, site) ?? null : "its platform is not connected";
  },
};
