/** Rows of the site's plugins set back to the letter, through the companion plugin, which compares and writes in one step. */
import { z } from "zod";
import { type Code, GatewayError } from "../../../core/errors.ts";
import type { Site } from "../../../core/model.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { asking, COMPANION, type CompanionPart } from "../companion/plugin.ts";
import { editingWarnings } from "../companion/guarded.ts";
import { readTold, writeTold } from "../companion/guarded_routes.ts";
import {
  isSerialised,
  openedRows,
  type RowSubject,
  type RowValues,
  STORED_ROWS,
  type StoredRows,
} from "../companion/stored_rows.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { META, metaOf } from "./bridge.ts";
import { requireSeoState } from "./post.ts";
import { fieldOf, isSame, type PreparedRows, type RowsWritten } from "./row_plans.ts";

/** The same of what is seen, and of what may be seen by nobody. */
type Sending = (live: boolean) => void;

/** Rows of a site's plugins. */
export interface StoredRowsClient {
  /**
   * Reads only. Throws E_FORBIDDEN_OP for what the state forbids, for rows that another plugin, or another version of it,
   * serialised, and for what is not there any more; and what says that the companion plugin is missing or too old.
   */
  prepare(subject: RowSubject, id: number, kept: Readonly<Record<string, unknown>>): Promise<PreparedRows>;
  /** Throws E_STALE_PREVIEW where one of the rows is not as it was prepared any more; nothing is written then. */
  write(prepared: PreparedRows, sending: Sending): Promise<RowsWritten>;
  /** The page caches that were asked to drop what this client wrote. */
  cachesAsked(): readonly string[];
}

/** Those of the site. */
export function storedRowsOf(ctx: SiteContext): StoredRowsClient {
  const wire = new WordPressClient(ctx);
  return {
    prepare: (subject, id, kept) => prepare(wire, ctx.site, subject, id, kept),
    write: (prepared, sending) => write(wire, ctx.site, prepared, sending),
    cachesAsked: () => wire.cachesAsked,
  };
}

const PARTS: Readonly<Record<RowSubject, CompanionPart>> = {
  "seo-meta": "seo",
  schema: "seo",
  "custom-schema": "schema",
  "code-pages": "code_page",
};
/** Where the plugin says what is wrong with a request for them. */
const PLAIN: Readonly<Record<RowSubject, string>> = {
  "seo-meta": "seo/meta",
  schema: "seo/schema",
  "custom-schema": "schema/entries",
  "code-pages": "code-pages",
};

const STATE = z.object({ post: META, stored: STORED_ROWS.unwrap().unwrap() });
const route = (subject: RowSubject, id: number) => ({
  path: `stored/${subject}/${id}`,
  part: PARTS[subject],
  state: STATE,
});

async function prepare(
  wire: WordPressClient,
  site: Site,
  subject: RowSubject,
  id: number,
  kept: Readonly<Record<string, unknown>>,
): Promise<PreparedRows> {
  const told = await readTold(wire, route(subject, id)) ?? await untold(wire, subject, id);
  const { state: { post, stored }, hashes, siteNow } = told;
  const meta = metaOf(post, siteNow, id);
  if (guardsPublished(subject, stored)) requireSeoState(site, meta.post);
  if (subject === "code-pages" && (meta.post.live || meta.post.due !== null)) {
    throw refused(`page ${id} is ${meta.post.status}; what visitors see of its code is not changed`);
  }
  const { plugin, values } = openedRows(kept);
  requireSamePlugin(plugin, values, stored);
  return { subject, meta, stored, values, hashes, warnings: editingWarnings(told.editing) };
}

/** Whether what visitors see of it is changed only where the site allows it: an entry that is a setting is not seen. */
const guardsPublished = (subject: RowSubject, { plugin }: StoredRows) =>
  subject !== "code-pages" && (subject !== "custom-schema" || plugin.startsWith("rankmath"));

/** Says why the plugin does not tell: what it refuses with, or that it is too old. */
async function untold(wire: WordPressClient, subject: RowSubject, id: number): Promise<never> {
  const part = PARTS[subject];
  await asking(part, () => wire.get(`${COMPANION}/${PLAIN[subject]}/${id}`, {}, z.unknown()));
  throw tooOld(part);
}

const NEEDED: Readonly<Record<CompanionPart, Code>> = {
  seo: "E_SEOPLUGIN_PLUGIN_REQUIRED",
  schema: "E_SCHEMA_BRIDGE_REQUIRED",
  code_page: "E_COMPANION_REQUIRED",
  builder: "E_COMPANION_REQUIRED",
};

/** The error of a companion plugin that sets no rows back. */
export const tooOld = (part: CompanionPart): GatewayError =>
  new GatewayError(
    NEEDED[part],
    "What stood there is set back by version 1.5.0 of the companion plugin or a newer one; an operator makes its zip with " +
      "deno task companion",
  );

const refused = (why: string) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `What stood there is not set back: ${why}; look at what stands there, and change it with the tool that did`,
  );

const NAMES: Readonly<Record<string, string>> = {
  yoast: "Yoast SEO",
  rankmath: "Rank Math",
  seopress: "SEOPress",
  schemapro: "Schema Pro",
  none: "the companion plugin itself",
  other: "an SEO plugin that is not known",
};

/** Refuses rows of another plugin, and those that another version serialised: it may keep them otherwise. */
export function requireSamePlugin(plugin: string, values: RowValues, stored: StoredRows): void {
  const [was, wasVersion] = plugin.split(" ");
  const [is, isVersion] = stored.plugin.split(" ");
  if (was !== is) {
    const [old, now] = [was, is].map((one) => NAMES[one!] ?? one);
    throw refused(`${old} kept it, which is switched off on the site or gone; now it is ${now}`);
  }
  const gone = Object.keys(values).filter((name) => stored.rows[name] === undefined);
  if (gone.length > 0) throw refused(`${gone.join(", ")} is not there any more`);
  if (wasVersion === isVersion) return;
  const packed = Object.entries(values).filter(([name, texts]) =>
    [...texts, ...stored.rows[name]!.values].some(isSerialised)
  );
  if (packed.length === 0) return;
  throw refused(
    `${packed.map(([name]) => name).join(", ")} was written by version ${wasVersion} of ${
      NAMES[was!] ?? was
    }, and the site has ${isVersion}, which may keep it otherwise`,
  );
}

async function write(
  wire: WordPressClient,
  site: Site,
  { subject, meta, values, hashes, stored }: PreparedRows,
  sending: Sending,
): Promise<RowsWritten> {
  const { id, live, due } = meta.post;
  sending(live);
  const names = Object.keys(values);
  const words = Object.fromEntries(names.map((name) => [`row:${name}`, fieldOf(stored, name)]));
  const dependsOn = {
    hashes,
    names: ["status", "date_gmt", "password", "plugin", ...names.map((name) => `row:${name}`)],
    what: `post ${id}`,
    words,
  };
  const seen = guardsPublished(subject, stored) && (live || due !== null);
  if (seen) requireSeoState(site, meta.post);
  const json = { rows: values, ...seen ? { allow_published: true } : {} };
  const answer = z.object({ post_id: z.literal(id) });
  const done = await writeTold(wire, route(subject, id), dependsOn, json, answer);
  if (done === null) return await untold(wire, subject, id);
  const { post, stored: after } = done.state;
  const differences = names.filter((name) => !isSame(after.rows[name]?.values, values[name])).map((name) =>
    `${fieldOf(stored, name)}: the site does not hold what stood there to the letter; look at it there`
  );
  return {
    meta: metaOf(post, wire.now(), id),
    stored: after,
    differences: [...differences, ...wire.changedElsewhere],
  };
}
