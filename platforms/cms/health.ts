/** Probes of a site, side by side, each with its own end. */
import { asGatewayError, type GatewayError } from "../../errors.ts";
import { fieldsOf, INDEX, PLUGINS, THEMES } from "./records.ts";
import { type Me, whoami } from "./users.ts";
import type { Wire } from "./wire.ts";

/** What a probe found, or why it found nothing. */
export type Probe<T> = { readonly found: T; readonly error?: undefined } | { readonly error: GatewayError };

/** What the site shows of itself to anybody. */
export interface Index {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly application_passwords: boolean;
  /** How far the site's clock is ahead of ours, in whole seconds. */
  readonly clock_ahead_seconds: number;
}

/** An installed plugin. */
export interface Plugin {
  /** "dir/file", without the ending. */
  readonly plugin: string;
  readonly active: boolean;
  readonly version: string;
}

/** What was asked of a site at once; each part found or failed on its own. */
export interface Health {
  readonly index: Probe<Index>;
  readonly me: Probe<Me>;
  /** Needs the right activate_plugins. */
  readonly plugins: Probe<readonly Plugin[]>;
  readonly theme: Probe<{ readonly name: string; readonly version: string }>;
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

async function readTheme(wire: Wire): Promise<{ name: string; version: string }> {
  const { data } = await wire.get(
    "wp/v2/themes",
    { status: "active", _fields: "stylesheet,version" },
    THEMES,
  );
  return { name: data[0]?.stylesheet ?? "", version: data[0]?.version ?? "" };
}

/** Asks everything at once; never throws. */
export async function health(wire: Wire): Promise<Health> {
  const [index, me, plugins, theme] = await Promise.all([
    probe(() => readIndex(wire)),
    probe(() => whoami(wire)),
    probe(() => readPlugins(wire)),
    probe(() => readTheme(wire)),
  ]);
  return { index, me, plugins, theme };
}
