/** The connectors that are built in, as tests need them: read once a file. */
import type { Site } from "../core/model.ts";
import { type Connectors, readConnectors } from "../registry/connectors.ts";

/** Every connector of the project. */
export const CONNECTORS: Connectors = await readConnectors([new URL("../", import.meta.url)]);
/** The fields of a site's record that they name and that hold a text; null while not set. */
export const TEXT_FIELDS: readonly string[] = [...CONNECTORS.siteFields]
  .filter(([name, { initial }]) => initial === undefined && name !== "default_builder").map(([name]) => name);
/** What a store makes sites of. */
export const SITE_SHAPE = CONNECTORS.siteShape();
/** The presence flags of a site that nothing is set up for. */
export const NO_INTEGRATIONS: Readonly<Record<string, boolean>> = CONNECTORS.integrations(
  { ...CONNECTORS.blank({ platform: "cms" }), credentials: [] } as unknown as Site,
);
/** A kind of credential → whether a site holds it, for a site that holds these. */
export const holding = (...kinds: string[]): Record<string, boolean> =>
  Object.fromEntries(SITE_SHAPE.credentialKinds.map((kind) => [kind, kinds.includes(kind)]));
