/** Pages of a WordPress site: what every platform's pages can do, and those made from code. */
import { type Id, numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import type { PagesClient } from "../../_content/pages.ts";
import { builderSeen } from "../rest/builders.ts";
import { listContent } from "../rest/lists.ts";
import type { StateSnapshot } from "../rest/snapshot.ts";
import { checkState, publish, schedule } from "../rest/states.ts";
import { timeZoneOf } from "../rest/time_zone.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { createFromTemplate, listTemplates, prepareClone, updateFromTemplate } from "./builder.ts";
import {
  type CodePage,
  type CodePageChange,
  createCodePage,
  type NewCodePage,
  prepareCodePage,
  type PreparedPlace,
  readCodePage,
  updateCodePage,
} from "./code_pages.ts";
import { codeTemplate } from "./theme_templates.ts";
import { createPage, preparePage, readDraftPage, readPage, updatePage } from "./pages.ts";

/** Pages of the site, as tools know them on any platform. */
export function pagesOf(ctx: SiteContext): PagesClient {
  const wire = new WordPressClient(ctx);
  const number = (id: Id) => numericId(id, "page_id");
  return {
    read: (id) => readPage(wire, number(id)),
    readDraft: (id) => readDraftPage(wire, number(id)),
    builderSeen: (id) => builderSeen(wire, "pages", number(id)),
    list: (query) => listContent(wire, "pages", query),
    prepare: (fields, id) => preparePage(wire, fields, id === null ? null : number(id)),
    prepareClone: (fields, id) => prepareClone(wire, fields, id === null),
    create: (draft, made) =>
      "template" in draft ? createFromTemplate(wire, draft, made) : createPage(wire, draft, made),
    update: (id, draft, seen) =>
      "template" in draft
        ? updateFromTemplate(wire, number(id), draft, seen as StateSnapshot)
        : updatePage(wire, number(id), draft, seen as StateSnapshot),
    templates: (query) => listTemplates(wire, query),
    check: (id, verb, moment) => checkState(wire, "pages", number(id), verb, moment),
    timeZone: () => timeZoneOf(wire),
    schedule: (id, moment, seen) => schedule(wire, "pages", number(id), moment, seen as StateSnapshot),
    publish: (id, grant, seen) => publish(wire, "pages", number(id), grant, seen as StateSnapshot),
  };
}

/** Pages made from code, which no other platform has. */
export type CodePagesClient = ReturnType<typeof codePagesOf>;

/** Those of the site. */
export function codePagesOf(ctx: SiteContext) {
  const wire = new WordPressClient(ctx);
  return {
    prepare: (slug: string, parent?: Id) => prepareCodePage(wire, slug, parent),
    /** Reads only: the theme's template for `wanted`, or the one that the page has; null where that is not known. */
    template: (wanted: string | undefined, current?: string) => codeTemplate(wire, wanted, current),
    read: (id: number) => readCodePage(wire, id),
    create: (page: NewCodePage, place: PreparedPlace, made: Making) =>
      createCodePage(wire, page, place, made),
    update: (id: number, change: CodePageChange, seen: CodePage) => updateCodePage(wire, id, change, seen),
  };
}
