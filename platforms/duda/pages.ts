/** Pages of a site at Duda, as tools know them on any platform. */
import { slugOf } from "../../rules/code_pages/parts.ts";
import { GatewayError } from "../../core/errors.ts";
import type { PageFields, PreparedPage } from "../_content/page.ts";
import type { PagesClient } from "../_content/pages.ts";
import type { Seen, Updated } from "../_content/post.ts";
import type { PublishGrant } from "../_http/request.ts";
import { rowsOf } from "./listing.ts";
import { type PageRead, readPage, seenPage, wentLive } from "./read.ts";
import { create, existing, type NewPage } from "./new_pages.ts";
import { bodyOf, checkPath, defined, sentParts } from "./page_fields.ts";
import { PAGE, pageOf, PAGES } from "./records.ts";
import { differences, judge, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { unread, written } from "./written.ts";

const STAGED_WARNING =
  "The page goes live with the next publication of the whole site, which anybody with access to the platform can start";
/** What a change of it may answer: the page, or nothing. */
const CHANGED = PAGE.nullish();

/** Refuses what pages of the platform do not have: E_NOT_SUPPORTED. */
function refuseFieldless({ content_html }: PageFields): void {
  if (content_html === undefined || content_html.trim() === "") return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    "content_html: pages of the platform take no HTML; copy a page that has the content with duplicate_page, or make " +
      "the page without it and put saved sections on it with inject_page_section",
  );
}

async function prepare(wire: Wire, fields: PageFields, isNew: boolean): Promise<NewPage> {
  refuseFieldless(fields);
  checkPath(fields.slug);
  if (isNew) {
    const whole = { ...fields, slug: fields.slug ?? slugOf(fields.title ?? "") };
    return { fields: defined(whole), ...await existing(wire, whole.slug) };
  }
  return {
    fields: defined(fields),
    known: [],
    warnings: fields.publish_on_next_site_publish ? [STAGED_WARNING] : [],
  };
}

async function update(wire: Wire, id: string, { fields }: PreparedPage, seen: Seen): Promise<Updated> {
  const now = await readPage(wire, id);
  const { publish_on_next_site_publish: asked, ...given } = fields;
  const wanted = {
    ...sentParts(given, now),
    ...asked === undefined ? {} : { publish_on_next_site_publish: asked },
  };
  requireUnchanged("page", id, seen, now.parts, ["status", ...Object.keys(wanted)]);
  judge("page", now.whole, now.siteNow, "update");
  // Said again where nothing is to change: nobody knows what the platform makes of a page without it.
  const staged = asked ?? now.whole.publish_on_next_site_publish === true;
  const sent = { ...wanted, publish_on_next_site_publish: staged };
  const json = { ...bodyOf(given, now), draft_status: staged ? "STAGED_DRAFT" : "DRAFT" };
  await wire.ask("change_page", CHANGED, { id, json });
  let after: PageRead;
  try {
    after = await readPage(wire.forCleanup(), id);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return unread(now.whole, "the page", thrown);
  }
  if (after.whole.status === "published") throw wentLive(after);
  return { ...written(after.whole, differences(sent, after.parts, now.parts)), parts: after.parts };
}

async function publish(wire: Wire, id: string, grant: PublishGrant, seen: Seen): Promise<Updated> {
  const now = await readPage(wire, id);
  requireUnchanged("page", id, seen, now.parts);
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
  const after = await readPage(wire.forCleanup(), id);
  if (after.whole.status === "published") {
    const state = { status: "published", publish_on_next_site_publish: false };
    return { ...written(after.whole, differences(state, after.parts, now.parts)), parts: after.parts };
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
    read: async (id) => (await readPage(wire, String(id))).whole,
    async readDraft(id) {
      const found = await readPage(wire, String(id));
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
    prepare: (fields, id) => prepare(wire, fields, id === null),
    prepareClone: () => {
      throw new GatewayError(
        "E_NOT_SUPPORTED",
        "builder_template_id: the platform has no templates to clone; copy a page with duplicate_page",
      );
    },
    create: (draft, made) => create(wire, draft as NewPage, made),
    update: (id, draft, seen) => update(wire, String(id), draft as PreparedPage, seen),
    async check(id, verb) {
      const found = await readPage(wire, String(id));
      judge("page", found.whole, found.siteNow, verb);
      return seenPage(found, verb === "publish");
    },
    timeZone: () => Promise.resolve(undefined),
    schedule: unscheduled,
    publish: (id, grant, seen) => publish(wire, String(id), grant, seen),
    templates: ({ page, per_page }) =>
      Promise.resolve({ templates: [], page, per_page, total: 0, total_pages: 0 }),
  };
}
