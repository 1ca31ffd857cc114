/** Pages of a CMS's visual builder, through the companion plugin: its templates, and pages cloned from them. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { numericId } from "../../../core/ids.ts";
import type { Making } from "../../../core/model.ts";
import type {
  Cloned,
  CloneFields,
  PageTemplate,
  PreparedClone,
  TemplateList,
  TemplatesQuery,
} from "../../_content/page.ts";
import { allOrThrow } from "../../../core/async.ts";
import {
  asking,
  COMPANION,
  makingPage,
  missingPlaceholders,
  readCompanion,
  requireCapability,
} from "../companion/plugin.ts";
import type { PartHashes } from "../companion/guarded.ts";
import { type DependsOn, readTold, writeTold } from "../companion/guarded_routes.ts";
import { requireParent } from "./pages.ts";
import { SLUG, totals, utc } from "../rest/records.ts";
import type { StateSnapshot } from "../rest/snapshot.ts";
import { checkState, requireUnpublished } from "../rest/states.ts";
import { takenWarnings } from "../rest/slugs.ts";
import { slugDifference, valueDifference, wordsDifference } from "../rest/warnings.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import { requireUnchanged, written } from "../rest/writer.ts";

const TEMPLATE = z.object({
  id: z.number().int().positive(),
  title: z.string(),
  type: z.string().default(""),
  placeholders: z.array(z.string()),
  valid: z.boolean(),
  modified_gmt: z.string().nullish(),
});

const CLONED = z.object({
  id: z.number().int().positive(),
  status: z.string(),
  url: z.string(),
  title: z.string().optional().catch(undefined),
  slug: SLUG.optional().catch(undefined),
  parent: z.number().optional().catch(undefined),
  elements: z.number(),
});
const FOUND = z.object({ template: TEMPLATE });
const STORED = CLONED.extend({ title: z.string() });

/** A clone as this platform prepared it. */
interface CmsClone extends PreparedClone {
  /** What a guarded write expects to find beside the page; nothing where the site has none. */
  readonly hashes?: PartHashes;
}

/** The plugin counts the elements it stored; no route shows their contents. */
const UNSHOWN = "the site does not show the texts that the visual builder stored";

const templateOf = ({ modified_gmt, ...rest }: z.infer<typeof TEMPLATE>): PageTemplate => ({
  ...rest,
  modified_gmt: utc(modified_gmt),
});

/** A version of the plugin that will do, for a listing; what is to be written asks again. */
const NEW_ENOUGH = "companion";
const NEW_ENOUGH_MS = 60_000;

/** Templates of the visual builder. Throws E_COMPANION_REQUIRED, E_BUILDER_NOT_AVAILABLE, CmsError. */
export async function listTemplates(wire: WordPressClient, query: TemplatesQuery): Promise<TemplateList> {
  const { page, per_page, search } = query;
  const [, got] = await allOrThrow(
    wire.cache.once(
      NEW_ENOUGH,
      NEW_ENOUGH_MS,
      async () => (await readCompanion(wire, "builder")).plugin_version,
    ),
    asking(
      "builder",
      () => wire.get(`${COMPANION}/builder/templates`, { search, page, per_page }, z.array(TEMPLATE)),
    ),
  );
  return { templates: got.data.map(templateOf), page, per_page, ...totals(got.headers) };
}

/**
 * Reads the template and proves that a page can be made from it; writes nothing. Throws E_COMPANION_REQUIRED,
 * E_BUILDER_NOT_AVAILABLE, E_BAD_TEMPLATE_DATA, E_MISSING_PLACEHOLDER (every missing key), E_BAD_INPUT, CmsError.
 */
export async function prepareClone(
  wire: WordPressClient,
  fields: CloneFields,
  isNew: boolean,
): Promise<PreparedClone> {
  const id = numericId(fields.template_id, "builder_template_id");
  const { slug, title, parent_id } = fields;
  const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
  const [{ template, hashes }, lasting] = await allOrThrow(
    findTemplate(wire, id, fields),
    isNew ? takenWarnings(wire, "pages", { slug, title, parent }) : [],
  );
  if (!template.valid) {
    throw new GatewayError(
      "E_BAD_TEMPLATE_DATA",
      `Template ${id} "${template.title}": what the site stores of its layout cannot be read; open and save it in the ` +
        "visual builder",
    );
  }
  const missing = template.placeholders.filter((key) => !Object.hasOwn(fields.variables, key));
  if (missing.length > 0) throw missingPlaceholders(missing);
  const unused = Object.keys(fields.variables).filter((key) => !template.placeholders.includes(key));
  return { fields, template, unused, lasting, parts: hashes ?? {}, ...(hashes ? { hashes } : {}) };
}

async function findTemplate(
  wire: WordPressClient,
  id: number,
  { slug, parent_id }: CloneFields,
): Promise<Pick<CmsClone, "template" | "hashes">> {
  const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
  const told = await readTold(wire, { path: "builder/pages", state: FOUND }, {
    template_id: id,
    slug,
    parent,
  });
  if (told) return { template: templateOf(told.state.template), hashes: told.hashes };
  const [health, got] = await allOrThrow(
    readCompanion(wire, "builder"),
    asking("builder", () => wire.get(`${COMPANION}/builder/templates/${id}`, {}, TEMPLATE)),
    requireParent(wire, parent_id),
  );
  requireCapability(health, "edit_pages", "write pages");
  return { template: templateOf(got.data) };
}

/** Makes a draft page from the template. Throws E_FORBIDDEN_OP and what prepareClone throws. */
export async function createFromTemplate(
  wire: WordPressClient,
  clone: PreparedClone,
  made: Making,
): Promise<Cloned> {
  const { hashes } = clone as CmsClone;
  const dependsOn = hashes && { hashes, what: "what the page would be made of or be found at" };
  return await write(wire, "builder/pages", clone, dependsOn, made, () => Promise.resolve());
}

/** Makes a draft or scheduled page anew from the template. Throws E_FORBIDDEN_OP and what prepareClone throws. */
export async function updateFromTemplate(
  wire: WordPressClient,
  id: number,
  clone: PreparedClone,
  seen?: StateSnapshot,
): Promise<Cloned> {
  const before = seen ?? await checkState(wire, "pages", id, "update");
  const fields = { ...clone.fields, title: clone.fields.title ?? before.title };
  const template = (clone as CmsClone).hashes?.[TEMPLATE_PART];
  const page = before.read.guarded?.hashes;
  const dependsOn = page && template
    ? { hashes: { ...page, [TEMPLATE_PART]: template }, what: `page ${id} or its template` }
    : undefined;
  return await write(wire, `builder/pages/${id}`, { ...clone, fields }, dependsOn, null, async () => {
    const now = await checkState(wire, "pages", id, "update"); // last before the write
    requireUnchanged("pages", before.read, now.read);
  });
}

/** The plugin's part of what a clone takes from its template. */
const TEMPLATE_PART = "builder_template_id";

async function write(
  wire: WordPressClient,
  route: string,
  { fields, template, unused }: PreparedClone,
  dependsOn: DependsOn | undefined,
  made: Making | null,
  last: () => Promise<void>,
): Promise<Cloned> {
  const { title, slug, parent_id, variables } = fields;
  const parent = parent_id === undefined ? undefined : numericId(parent_id, "parent_id");
  const used = Object.fromEntries(Object.entries(variables).filter(([key]) => !unused.includes(key)));
  const given = { template_id: template.id, variables: used, title, slug, parent };
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const path = { path: route, part: "builder", state: STORED } as const;
  const done = dependsOn && await writeTold(wire, path, dependsOn, sent, CLONED, made);
  const plain = async () => {
    await last();
    return await makingPage("builder", made, () => wire.post(`${COMPANION}/${route}`, {}, sent, CLONED));
  };
  const { elements, url, title: named, slug: addressed, parent: below, ...answer } = done?.written ??
    await plain();
  const state = { ...answer, link: url, date_gmt: null, modified_gmt: null };
  await requireUnpublished(wire, "pages", state, made);
  const warnings = unused.map((key) =>
    `variables: the template has no placeholder "${key}"; it was not used`
  );
  const differences = [
    ...named === undefined ? [] : wordsDifference("title", title, named),
    ...addressed === undefined ? [] : slugDifference(slug, addressed),
    ...below === undefined ? [] : valueDifference("parent_id", parent, below),
  ];
  return { ...written(wire, state, differences), elements, warnings, uncompared: UNSHOWN };
}
