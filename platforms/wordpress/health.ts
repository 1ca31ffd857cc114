/** Probes of a site, side by side, each with its own end; and its answers, held against what is read of them. */
import { z } from "zod";
import { type Probe, probe } from "../_connector/checks.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { See } from "../_connector/operator.ts";
import { COMPANION, findReport, HEALTH } from "./companion/plugin.ts";
import {
  type Companion,
  companionOf,
  type Part,
  type PartName,
  partOf,
  type Plugin,
  seoOverRest,
} from "./parts.ts";
import { TYPE, TYPES } from "./rest/public_lists.ts";
import { zoneNamed } from "./rest/time_zone.ts";
import { fieldsOf, INDEX, ME, MEDIA, PLUGINS, POST, POST_ROW, TERM, THEMES } from "./rest/records.ts";
import { type Me, whoami } from "./rest/users.ts";
import { type Query, WordPressClient } from "./rest/wordpress_client.ts";

/** What the site shows of itself to anybody. */
export interface Index {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly application_passwords: boolean;
  /** How far the site's clock is ahead of ours, in whole seconds; null where it does not tell the time. */
  readonly clock_ahead_seconds: number | null;
  /** An IANA name, or an offset such as `+05:30`; null where the site does not tell. */
  readonly time_zone: string | null;
}

/** The active theme; the name is null where the site shows none, the version where it is not told. */
export interface Theme {
  readonly name: string | null;
  readonly version: string | null;
}

/** What was asked of a site at once; each part found or failed on its own. */
export interface Health {
  readonly index: Probe<Index>;
  readonly me: Probe<Me>;
  readonly theme: Probe<Theme>;
  readonly companion: Probe<Companion>;
  readonly parts: Readonly<Record<PartName, Probe<Part>>>;
  /** The SEO plugin whose fields can be reached without the companion plugin; null for none. */
  readonly seo_over_rest: Probe<string | null>;
}

/** The public face of the API. */
export async function readIndex(wire: WordPressClient): Promise<Index> {
  const { data, headers } = await wire.get("", { _fields: fieldsOf(INDEX) }, INDEX);
  const { name, namespaces, authentication, timezone_string, gmt_offset } = data;
  const dated = Date.parse(headers.get("date") ?? "");
  return {
    name: await wire.shown(name),
    namespaces,
    application_passwords: "application-passwords" in authentication,
    time_zone: gmt_offset === undefined ? null : zoneNamed({ timezone_string, gmt_offset }),
    clock_ahead_seconds: Number.isNaN(dated) ? null : Math.round((dated - wire.now()) / 1000),
  };
}

async function readPlugins(wire: WordPressClient): Promise<Plugin[]> {
  const { data } = await wire.get("wp/v2/plugins", { _fields: "plugin,status,version" }, PLUGINS);
  return data.map(({ plugin, status, version }) => ({
    plugin,
    version,
    active: status.includes("active") && status !== "inactive",
  }));
}

const NO_THEME: Theme = { name: null, version: null };

async function readTheme(wire: WordPressClient): Promise<Theme> {
  const query = { status: "active", _fields: "stylesheet,version" };
  const { data } = await wire.get("wp/v2/themes", query, THEMES);
  const [theme] = data;
  return theme ? { name: await wire.shown(theme.stylesheet), version: theme.version } : NO_THEME;
}

/** The account, as it may be shown. */
async function readMe(wire: WordPressClient): Promise<Me> {
  const me = await whoami(wire);
  const roles = await Promise.all(me.roles.map((role) => wire.shown(role)));
  return { ...me, slug: await wire.shown(me.slug), roles };
}

/** Asks everything at once; never throws. The plugin list needs the right activate_plugins. */
export async function health(wire: WordPressClient): Promise<Health> {
  const [index, me, plugins, theme, report] = await Promise.all([
    probe(() => readIndex(wire)),
    probe(() => readMe(wire)),
    probe(() => readPlugins(wire)),
    probe(() => readTheme(wire)),
    probe(() => findReport(wire)),
  ]);
  const evidence = { index, plugins };
  const companion = companionOf(report, evidence);
  const part = (name: PartName) => partOf(name, companion, evidence);
  return {
    index,
    me,
    theme,
    companion,
    parts: {
      page_builder: part("page_builder"),
      tool_adapter: part("tool_adapter"),
      builder_tools: part("builder_tools"),
    },
    seo_over_rest: seoOverRest(evidence),
  };
}

const ROWS = 5;

/** Holds against what is read of it (docs/upstreams/wordpress.md): a page of each list, the account, and the companion plugin's report where the site has the plugin. */
export async function siteProbe(ctx: SiteContext, see: See): Promise<void> {
  const wire = new WordPressClient(ctx);
  const get = <T>(read: string, route: string, query: Query, schema: z.ZodType<T>) =>
    see(read, schema, async () => (await wire.get(route, query, schema)).data);
  const list = (read: string, route: string, row: z.ZodObject, more: Query = {}) =>
    get(read, `wp/v2/${route}`, { ...more, per_page: ROWS, _fields: fieldsOf(row) }, z.array(row));

  const index = await get("the index", "", { _fields: fieldsOf(INDEX) }, INDEX);
  if (index === null) return;
  await see("the account", ME, () => whoami(wire));
  const edited = { context: "edit", status: "publish,future,draft", orderby: "modified", order: "desc" };
  await list("posts", "posts", POST, edited);
  await list("pages", "pages", POST_ROW, edited);
  await list("tags", "tags", TERM);
  await list("categories", "categories", TERM);
  await list("media", "media", MEDIA);
  // Of a type that it cannot read the client makes nothing, and goes on.
  await see("types", z.record(z.string(), TYPE), () => wire.get("wp/v2/types", { context: "edit" }, TYPES));
  if (index.namespaces.includes(COMPANION)) {
    await get("the companion plugin", `${COMPANION}/health`, {}, HEALTH);
  }
}
