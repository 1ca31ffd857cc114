/** Pages of a WordPress site: what every platform's pages can do, and those made from code. */
import { type Id, numericId } from "../../../lib/ids.ts";
import type { SiteContext } from "../../connector.ts";
import type { PagesClient } from "../../pages.ts";
import { builderSeen } from "../rest/builders.ts";
import { listContent } from "../rest/listing.ts";
import { checkState, head, publish, schedule } from "../rest/states.ts";
import { Wire } from "../rest/wire.ts";
import { createFromTemplate, listTemplates, prepareClone, updateFromTemplate } from "./builder.ts";
import {
  type CodePageChange,
  createCodePage,
  type NewCodePage,
  prepareCodePage,
  readCodePage,
  updateCodePage,
} from "./code_pages.ts";
import { createPage, preparePage, readPage, updatePage } from "./pages.ts";

/** Pages of the site, as tools know them on any platform. */
export function pagesOf(ctx: SiteContext): PagesClient {
  const wire = new Wire(ctx);
  const number = (id: Id) => numericId(id, "page_id");
  return {
    read: (id) => readPage(wire, number(id)),
    builderSeen: (id) => builderSeen(wire, "pages", number(id)),
    list: (query) => listContent(wire, "pages", query),
    prepare: (fields) => preparePage(wire, fields),
    prepareClone: (fields) => prepareClone(wire, fields),
    create: (draft) => "template" in draft ? createFromTemplate(wire, draft) : createPage(wire, draft),
    update: (id, draft) =>
      "template" in draft ? updateFromTemplate(wire, number(id), draft) : updatePage(wire, number(id), draft),
    templates: (query) => listTemplates(wire, query),
    check: async (id, verb, moment) => head(await checkState(wire, "pages", number(id), verb, moment)),
    schedule: (id, moment) => schedule(wire, "pages", number(id), moment),
    publish: (id, grant) => publish(wire, "pages", number(id), grant),
  };
}

/** Pages made from code, which no other platform has. */
export const codePagesOf = (wire: Wire) => ({
  prepare: (parent?: Id) => prepareCodePage(wire, parent),
  read: (id: number) => readCodePage(wire, id),
  create: (page: NewCodePage) => createCodePage(wire, page),
  update: (id: number, change: CodePageChange) => updateCodePage(wire, id, change),
});
