/** Pages of a site at Duda, as tools know them on any platform. */
import { slugOf } from "../../code_pages/parts.ts";
import { GatewayError } from "../../errors.ts";
import type { Making } from "../../model.ts";
import type { PageFields, PreparedPage } from "../page.ts";
import type { PagesClient } from "../pages.ts";
import type { Seen, Written } from "../post.ts";
import type { PublishGrant } from "../request.ts";
import { rowsOf } from "./listing.ts";
import { lookAtPage, type PageLook, seenPage } from "./look.ts";
import { CREATED, PAGE, pageOf, PAGES } from "./records.ts";
import { differences, judge, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { written } from "./written.ts";

const STAGED_WARNING =
  "The page goes live with the next publication of the whole site, which anybody with access to the platform can start";
/** What a change of it may answer: the page, or nothing. */
const CHANGED = PAGE.nullish();

/** A page to be made, and those there are already, to tell the new one from. */
interface DudaPage extends PreparedPage {
  readonly known: readonly string[];
}

/** Refuses what pages of the platform do not have: E_NOT_SUPPORTED. */
function refuseFieldless({ content_html }: PageFields): void {
  if (content_html === undefined || content_html.trim() === "") return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    "content_html: pages of the platform take no HTML; copy a page that has the content with duplicate_page, or make " +
      "the page without it and put saved sections on it with inject_page_section",
  );
}

const plainPath = (slug: string | undefined) => slug?.replace(/^\/+/, "");

function defined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Fields in the platform's words; `seo` is sent whole, with what stands there now where it is not given. */
function bodyOf({ title, slug, seo, header_html }: PageFields, now?: PageLook): Record<string, unknown> {
  const whole = seo && { ...defined(now?.record.seo ?? {}), ...seo };
  return defined({ title, path: plainPath(slug), seo: whole, header_html });
}

/** The same in the words of arguments, as they should stand afterwards. */
function sentParts({ title, slug, seo, header_html }: PageFields, now?: PageLook): Record<string, unknown> {
  const none = { title: null, description: null, no_index: null, og_image: null };
  const whole = seo && { ...none, ...now?.record.seo, ...seo };
  return defined({ title, slug: plainPath(slug), seo: whole, header_html });
}

/** What there is: the ids, and whether a page has that path already. */
async function existing(wire: Wire, slug: string | undefined) {
  const { results } = (await wire.ask("pages", PAGES)).data;
  const path = plainPath(slug);
  const taken = path !== undefined && results.some((page) => (page.path ?? "").replace(/^\//, "") === path);
  const warnings = taken
    ? [`slug: the site has a page "${path}" already; the platform may refuse it or choose another`]
    : [];
  return { known: results.map(({ uuid }) => uuid), warnings };
}

async function prepare(wire: Wire, fields: PageFields, seen?: Seen): Promise<DudaPage> {
  refuseFieldless(fields);
  if (seen === undefined) {
    const whole = { ...fields, slug: fields.slug ?? slugOf(fields.title ?? "") };
    return { fields: defined(whole), ...await existing(wire, whole.slug) };
  }
  const { publish_on_next_site_publish: staged = false, ...rest } = fields;
  const was = seen.parts["publish_on_next_site_publish"] === true;
  const flag = staged === was && fields.publish_on_next_site_publish === undefined
    ? {}
    : { publish_on_next_site_publish: staged };
  return { fields: { ...defined(rest), ...flag }, known: [], warnings: staged ? [STAGED_WARNING] : [] };
}

/** The id of a page that was just made: the platform need not tell it. */
async function idOfNew(wire: Wire, told: string | undefined, known: readonly string[]): Promise<string> {
  if (told !== undefined) return told;
  const { results } = (await wire.ask("pages", PAGES)).data;
  const fresh = results.filter(({ uuid }) => !known.includes(uuid));
  if (fresh.length === 1) return fresh[0]!.uuid;
  throw new GatewayError(
    "E_UPSTREAM",
    "The page was made, but the platform did not tell its id; find it with list_content",
    { upstream: 502, outcome: "made" },
  );
}

/** Looks at a new page; one that is not the DRAFT it was asked to be is made one. Throws E_FORBIDDEN_OP where it stays. */
async function requireDraft(wire: Wire, id: string): Promise<PageLook> {
  const found = await lookAtPage(wire, id);
  if (found.record.draft_status === "DRAFT") return found;
  await wire.ask("change_page", CHANGED, { id, json: { draft_status: "DRAFT" } });
  const after = await lookAtPage(wire, id);
  if (after.record.draft_status === "DRAFT") return after;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `Page ${id} was made and stands as ${
      JSON.stringify(after.record.draft_status)
    } (${after.whole.url}), and making it ` +
      "a draft failed: take it down in the platform's editor now",
    { outcome: "unknown" },
  );
}

async function create(wire: Wire, { fields, known }: DudaPage, made: Making): Promise<Written> {
  const page = { ...bodyOf(fields), draft_status: "DRAFT" };
  const { data } = await wire.ask("create_page", CREATED, { json: { page } });
  const late = wire.overtime();
  const id = await idOfNew(late, data?.uuid, known);
  made({ what: "page", id, name: fields.title });
  const after = await requireDraft(late, id);
  return written(after.whole, differences(sentParts(fields), after.parts));
}

async function update(wire: Wire, id: string, { fields }: PreparedPage, seen?: Seen): Promise<Written> {
  const now = await lookAtPage(wire, id);
  const { publish_on_next_site_publish: staged = false, ...given } = fields;
  const sent = { ...sentParts(given, now), publish_on_next_site_publish: staged };
  if (seen) requireUnchanged("page", id, seen, now.parts, ["status", ...Object.keys(sent)]);
  judge("page", now.whole, now.siteNow, "update");
  const json = { ...bodyOf(given, now), draft_status: staged ? "STAGED_DRAFT" : "DRAFT" };
  await wire.ask("change_page", CHANGED, { id, json });
  let after: PageLook;
  try {
    after = await lookAtPage(wire.overtime(), id);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return written(now.whole, [], `the page could not be read back: ${thrown.message}`);
  }
  if (after.whole.status === "published") {
    throw new GatewayError(
      "E_FORBIDDEN_OP",
      `Page ${id} was updated and stands as "published" (${after.whole.url}); look at it in the platform's editor`,
    );
  }
  return written(after.whole, differences(sent, after.parts, now.parts));
}

async function publish(wire: Wire, id: string, grant: PublishGrant, seen?: Seen): Promise<Written> {
  const now = await lookAtPage(wire, id);
  if (seen) requireUnchanged("page", id, seen, now.parts);
  judge("page", now.whole, now.siteNow, "publish");
  try {
    await wire.ask("change_page", CHANGED, { id, json: { draft_status: "PUBLISHED" }, grant });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.upstream !== 400) throw thrown;
    throw new GatewayError(
      "E_UPSTREAM",
      `${thrown.message}; where the platform does not publish a page by itself, set publish_on_next_site_publish with ` +
        "update_page_draft and publish the site in the platform's editor",
      { cause: thrown, upstream: thrown.upstream },
    );
  }
  const after = await lookAtPage(wire.overtime(), id);
  if (after.whole.status === "published") {
    const state = { status: "published", publish_on_next_site_publish: false };
    return written(after.whole, differences(state, after.parts, now.parts));
  }
  throw new GatewayError(
    "E_UPSTREAM",
    `Page ${id} was to be published, but the site shows "${after.record.draft_status}"; look at it there`,
    { upstream: 502 },
  );
}

/** Refuses a schedule, which pages of the platform do not have: E_NOT_SUPPORTED. */
function unscheduled(): never {
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    "Pages of the platform cannot be scheduled; publish_page publishes one",
  );
}

/** The pages of the site. */
export function pagesOf(wire: Wire): PagesClient {
  return {
    read: async (id) => (await lookAtPage(wire, String(id))).whole,
    async readDraft(id) {
      const found = await lookAtPage(wire, String(id));
      judge("page", found.whole, found.siteNow, "update");
      return seenPage(found);
    },
    builderSeen: () => Promise.resolve(null),
    async list(query) {
      const address = await wire.address();
      const { results } = (await wire.ask("pages", PAGES)).data;
      const all = results.map((record) => {
        const { id, status, url, title, scheduled_at, modified_gmt, slug, author_id } = pageOf(
          record,
          address,
        );
        return { id, status, url, title, scheduled_at, modified_gmt, slug, author_id };
      });
      const { rows: items, ...list } = rowsOf(all, query);
      return { items, ...list };
    },
    prepare: (fields, seen) => prepare(wire, fields, seen),
    prepareClone: () => {
      throw new GatewayError(
        "E_NOT_SUPPORTED",
        "builder_template_id: the platform has no templates to clone; copy a page with duplicate_page",
      );
    },
    create: (draft, made) => create(wire, draft as DudaPage, made),
    update: (id, draft, seen) => update(wire, String(id), draft as PreparedPage, seen),
    async check(id, verb) {
      const found = await lookAtPage(wire, String(id));
      judge("page", found.whole, found.siteNow, verb);
      return seenPage(found, verb === "publish");
    },
    schedule: unscheduled,
    publish: (id, grant, seen) => publish(wire, String(id), grant, seen),
    templates: ({ page, per_page }) =>
      Promise.resolve({ templates: [], page, per_page, total: 0, total_pages: 0 }),
  };
}

/** What a copy is made of. */
export interface CopyFields {
  readonly title?: string;
  readonly slug?: string;
}

/** A page of any state that is to be copied: what is shown of it, and the pages there are. */
export async function prepareCopy(wire: Wire, id: string, { slug }: CopyFields) {
  const found = await lookAtPage(wire, id);
  return { page: seenPage(found), ...await existing(wire, slug) };
}
export type PreparedCopy = Awaited<ReturnType<typeof prepareCopy>>;

/** Copies a page as a DRAFT, only while it is as it was seen. */
export async function copyPage(
  wire: Wire,
  fields: CopyFields,
  { page, known }: PreparedCopy,
  made: Making,
): Promise<Written> {
  const id = String(page.id);
  requireUnchanged("page", id, page, (await lookAtPage(wire, id)).parts);
  const json = { ...bodyOf(fields), draft_status: "DRAFT" };
  const { data } = await wire.ask("duplicate_page", CREATED, { id, json });
  const late = wire.overtime();
  // An answer that names the page that was copied tells nothing of the new one.
  const fresh = await idOfNew(late, data?.uuid === id ? undefined : data?.uuid, known);
  made({ what: "page", id: fresh, name: fields.title ?? page.title });
  const after = await requireDraft(late, fresh);
  return written(after.whole, differences(sentParts(fields), after.parts));
}
