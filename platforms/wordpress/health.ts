/** Probes of a site, side by side, each with its own end. */
import { type Probe, probe } from "../_connector/checks.ts";
import { findReport } from "./companion/plugin.ts";
import {
  type Companion,
  companionOf,
  type Part,
  type PartName,
  partOf,
  type Plugin,
  seoOverRest,
} from "./parts.ts";
import { fieldsOf, INDEX, PLUGINS, THEMES } from "./rest/records.ts";
import { type Me, whoami } from "./rest/users.ts";
import type { WordPressClient } from "./rest/wordpress_client.ts";

/** What the site shows of itself to anybody. */
export interface Index {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly application_passwords: boolean;
  /** How far the site's clock is ahead of ours, in whole seconds; null where it does not tell the time. */
  readonly clock_ahead_seconds: number | null;
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
  const { name, namespaces, authentication } = data;
  const dated = Date.parse(headers.get("date") ?? "");
  return {
    name: await wire.shown(name),
    namespaces,
    application_passwords: "application-passwords" in authentication,
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
