/** What the gateway is made of before anything is opened: the connectors and tools that boot finds. */
import { onDemand } from "../core/async.ts";
import { assertCodes, type Connectors, readConnectors } from "../registry/connectors.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { loadTools } from "../registry/load.ts";
import type { Proxies } from "../registry/proxies.ts";

const ROOT = new URL("../", import.meta.url);

/** The connectors and the tools, as boot found them. */
export interface Registry {
  readonly connectors: Connectors;
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** What is known of sites' own tools; read when it is first needed. Throws RegistryError. */
  proxies(): Promise<readonly Proxies[]>;
}

/**
 * Loads the connectors and tools that are built in, and those of further folders with platforms/, manifests/ and
 * tools/. Throws RegistryError.
 */
export async function readRegistry(further: readonly URL[] = []): Promise<Registry> {
  const roots = [ROOT, ...further];
  const connectors = await readConnectors(roots);
  assertCodes(connectors);
  const golden = new URL("registry/catalog.yaml", ROOT);
  const proxies = onDemand(async () =>
    await (await import("../registry/proxies.ts")).readProxies(roots, connectors)
  );
  return { connectors, tools: await loadTools({ roots, known: connectors, golden }), proxies };
}
