/** What can be done with the pages of a CMS site. */
import type { Id } from "../../../lib/ids.ts";
import type {
  Cloned,
  CloneFields,
  Page,
  PageFields,
  PreparedClone,
  PreparedPage,
  TemplateList,
  TemplatesQuery,
} from "../../page.ts";
import type { Written } from "../../post.ts";
import { createFromTemplate, listTemplates, prepareClone, updateFromTemplate } from "./builder.ts";
import {
  type CodePage,
  type CodePageChange,
  type CodePageWritten,
  createCodePage,
  type NewCodePage,
  prepareCodePage,
  readCodePage,
  updateCodePage,
} from "./code_pages.ts";
import { createPage, preparePage, readPage, updatePage } from "./pages.ts";
import type { Wire } from "../rest/wire.ts";

/** Pages of blocks, of the visual builder and of code. Every method throws E_UPSTREAM. */
export interface CmsPages {
  read(id: number): Promise<Page>;
  /** Reads only: proves rights. */
  prepare(fields: PageFields): Promise<PreparedPage>;
  create(page: PreparedPage): Promise<Written>;
  update(id: number, page: PreparedPage): Promise<Written>;

  templates(query: TemplatesQuery): Promise<TemplateList>;
  /** Reads only: the template, every placeholder of it covered. */
  prepareClone(fields: CloneFields): Promise<PreparedClone>;
  createFromTemplate(clone: PreparedClone): Promise<Cloned>;
  updateFromTemplate(id: number, clone: PreparedClone): Promise<Cloned>;

  /** Reads only: proves the companion plugin and rights. */
  prepareCode(parent?: Id): Promise<void>;
  /** Refuses a page that is published, or not made from code. */
  readCode(id: number): Promise<CodePage>;
  createCode(page: NewCodePage): Promise<CodePageWritten>;
  updateCode(id: number, change: CodePageChange): Promise<CodePageWritten>;
}

/** The pages of the site that wire leads to. */
export function pagesOf(wire: Wire): CmsPages {
  return {
    read: (id) => readPage(wire, id),
    prepare: (fields) => preparePage(wire, fields),
    create: (page) => createPage(wire, page),
    update: (id, page) => updatePage(wire, id, page),
    templates: (query) => listTemplates(wire, query),
    prepareClone: (fields) => prepareClone(wire, fields),
    createFromTemplate: (clone) => createFromTemplate(wire, clone),
    updateFromTemplate: (id, clone) => updateFromTemplate(wire, id, clone),
    prepareCode: (parent) => prepareCodePage(wire, parent),
    readCode: (id) => readCodePage(wire, id),
    createCode: (page) => createCodePage(wire, page),
    updateCode: (id, change) => updateCodePage(wire, id, change),
  };
}
