/** Probes of a site, side by side, each with its own end. */
import { asGatewayError } from "../../errors.ts";
import { findReport } from "./companion.ts";
import {
  type Companion,
  companionOf,
  type Part,
  type PartName,
  partOf,
  type Plugin,
  type Probe,
  seoOverRest,
} from "./parts.ts";
import { fieldsOf, INDEX, PLUGINS, THEMES } from "./records.ts";
import { type Me, whoami } from "./users.ts";
import type { Wire } from "./wire.ts";

/** What the site shows of itself to anybody. */
export interface Index {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly application_passwords: boolean;
  /** How far the site's clock is ahead of ours, in whole seconds. */
  readonly clock_ahead_seconds: number;
}

/** What was asked of a site at once; each part found or failed on its own. */
export interface Health {
  readonly index: Probe<Index>;
  readonly me: Probe<Me>;
  readonly theme: Probe<{ readonly name: string; readonly version: string | null }>;
  readonly companion: Probe<Companion>;
  readonly parts: Readonly<Record<PartName, Probe<Part>>>;
  /** The SEO plugin whose fields can be reached without the companion plugin; null for none. */
  readonly seo_over_rest: Probe<string | null>;
}

async function probe<T>(ask: () => Promise<T>): Promise<Probe<T>> {
  try {
    return { found: await ask() };
  } catch (thrown) {
    return { error: asGatewayError(thrown, "diagnose") };
  }
}

/** The public face of the API. */
export async function readIndex(wire: Wire): Promise<Index> {
  const { data, headers } = await wire.get("", { _fields: fieldsOf(INDEX) }, INDEX);
  const { name, namespaces, authentication } = data;
  const dated = Date.parse(headers.get("date") ?? "");
  return {
    name,
    namespaces,
    application_passwords: "application-passwords" in authentication,
    clock_ahead_seconds: Number.isNaN(dated) ? 0 : Math.round((dated - wire.now()) / 1000),
  };
}

async function readPlugins(wire: Wire): Promise<Plugin[]> {
  const { data } = await wire.get("wp/v2/plugins", { _fields: "plugin,status,version" }, PLUGINS);
  return data.map(({ plugin, status, version }) => ({
    plugin,
    version,
    active: status.includes("active") && status !== "inactive",
  }));
}

async function readTheme(wire: Wire): Promise<{ name: string; version: string | null }> {
  const query = { status: "active", _fields: "stylesheet,version" };
  const { data } = await wire.get("wp/v2/themes", query, THEMES);
  return { name: data[0]?.stylesheet ?? "", version: data[0]?.version ?? null };
}

/** Asks everything at once; never throws. The plugin list needs the right activate_plugins. */
export async function health(wire: Wire): Promise<Health> {
  const [index, me, plugins, theme, report] = await Promise.all([
    probe(() => readIndex(wire)),
    probe(() => whoami(wire)),
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
