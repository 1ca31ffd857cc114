/** The connectors found at boot, and everything the rest of the gateway derives from them. */
import type {
  Capability,
  Connector,
  CredentialSpec,
  Diagnosis,
  Provision,
  Setting,
  SiteField,
} from "../platforms/_connector/connector.ts";
import { type CodeEntry, CODES } from "../core/errors.ts";
import type { PlatformKind, Site } from "../core/model.ts";
import { connectorFaults } from "./connector_faults.ts";
import { checksOf, collected, optionsOf, variablesOf } from "./connector_names.ts";
import { shapeFaults } from "./connector_shape.ts";
import { findIn, firstLine, importAll, RegistryError } from "./files.ts";

/** One setting, by its environment name. */
export interface NamedSetting extends Setting {
  readonly name: string;
  readonly connector: string;
}

/** The connectors by name. What cannot be derived from them without doubt is refused when it is made: RegistryError. */
export class Connectors {
  readonly all: readonly Connector[];
  /** Every kind of site, by name. */
  readonly kinds: readonly PlatformKind[];
  readonly settings: readonly NamedSetting[];
  readonly siteFields: ReadonlyMap<string, SiteField>;
  readonly credentials: ReadonlyMap<string, CredentialSpec>;
  /** The codes they bring beside the gateway's own. */
  readonly codes: ReadonlyMap<string, CodeEntry>;
  /** Link name → the connector that judges it. */
  readonly links: ReadonlyMap<string, Connector>;
  /** The names of every check of diagnose_site. */
  readonly checkNames: readonly string[];
  readonly #byName: ReadonlyMap<string, Connector>;
  readonly #byKind: ReadonlyMap<string, Connector>;
  /** Of records as the store keeps them, which are never changed. */
  readonly #integrations = new WeakMap<Site, Readonly<Record<string, boolean>>>();

  constructor(all: readonly Connector[]) {
    this.all = [...all].sort((a, b) => a.name < b.name ? -1 : 1);
    const faults: string[] = [];
    const collect = <T>(what: string, of: (one: Connector) => Iterable<readonly [string, T]>) =>
      collected(this.all, what, of, faults);
    this.#byName = collect("name", (one) => [[one.name, one]]);
    this.#byKind = collect("kind", (one) => (one.kinds ?? []).map((kind) => [kind, one] as const));
    this.siteFields = collect("site field", (one) => Object.entries(one.siteFields ?? {}));
    this.credentials = collect("credential", (one) => Object.entries(one.credentials ?? {}));
    this.codes = collect("code", (one) => Object.entries(one.codes ?? {}));
    this.links = collect("link", (one) => Object.keys(one.links ?? {}).map((link) => [link, one] as const));
    this.kinds = [...this.#byKind.keys()].sort() as PlatformKind[];
    this.settings = this.all.flatMap(({ name: connector, settings = {} }) =>
      Object.entries(settings).map(([name, setting]) => ({ ...setting, name, connector }))
    );
    this.checkNames = [
      ...new Set(this.all.flatMap((one) => (one.checks ?? []).flatMap(({ names }) => names))),
    ];
    collect("account", ({ account }) => account ? [[account.kind, true]] : []);
    collect("variable", variablesOf);
    collect("option", optionsOf);
    for (const kind of this.kinds) collect("check", (one) => checksOf(one, kind));
    const others = { kinds: this.kinds, get: (name: string) => this.get(name) };
    for (const one of this.all) {
      faults.push(...connectorFaults(one, others).map((fault) => `platforms/${one.name}: ${fault}`));
    }
    if (faults.length === 0) {
      for (const kind of this.kinds) collect("integration", (one) => this.#integrationsOf(one, kind, faults));
    }
    if (faults.length > 0) throw new RegistryError("connectors", [...new Set(faults)].sort());
  }

  /** The connector of that name; undefined when there is none. */
  get(name: string): Connector | undefined {
    return this.#byName.get(name);
  }

  /** The connector that is the platform of sites of that kind. */
  ofKind(kind: string): Connector | undefined {
    return this.#byKind.get(kind);
  }

  /** What does that kind of work on sites of that kind, and for which connector; null where nothing does. */
  provider(kind: string, wanted: Capability<unknown>): { connector: Connector; provision: Provision } | null {
    const connector = this.ofKind(kind);
    const provision = connector?.provides?.find(({ capability }) => capability === wanted);
    return connector && provision ? { connector, provision } : null;
  }

  /** The presence flags of a site: configured, not probed. */
  integrations(site: Site): Readonly<Record<string, boolean>> {
    const known = this.#integrations.get(site);
    if (known) return known;
    const found = Object.assign({}, ...this.all.map((one) => one.present?.(site) ?? {}));
    if (Object.isFrozen(site)) this.#integrations.set(site, Object.freeze(found));
    return found;
  }

  /** What diagnose_site asks of sites of that kind: first their platform's own, then what they can be linked to. */
  diagnoses(kind: PlatformKind): { connector: Connector; diagnosis: Diagnosis }[] {
    const own = this.ofKind(kind);
    const ordered = [...this.all].sort((a, b) => Number(b === own) - Number(a === own));
    return ordered.flatMap((connector) =>
      (connector.checks ?? []).filter(({ kinds }) => kinds === undefined || kinds.includes(kind))
        .map((diagnosis) => ({ connector, diagnosis }))
    );
  }

  /** The fields of a new site that were not given. */
  blank(given: { readonly platform: string }): Record<string, unknown> {
    const initial = [...this.siteFields].map(([name, field]) => [name, field.initial ?? null]);
    return { ...Object.fromEntries(initial), ...this.ofKind(given.platform)?.initial?.(given) };
  }

  /** What of sites the store has to know. */
  siteShape() {
    const kinds = [...this.credentials];
    return {
      blank: (given: { readonly platform: string }) => this.blank(given),
      credentialKinds: kinds.map(([kind]) => kind),
      addressBound: kinds.filter(([, { origin }]) => origin === "base_url").map(([kind]) => kind),
    };
  }

  /** The presence flags that a connector has for a new site of that kind, of which nothing is set. */
  #integrationsOf(one: Connector, platform: PlatformKind, faults: string[]): [string, true][] {
    const own = {
      id: "-",
      name: "-",
      platform,
      base_url: null,
      project_id: null,
      credentials: [],
      flags: {},
    };
    try {
      const site = { ...this.blank(own), ...own } as unknown as Site;
      one.faults?.(site);
      return Object.keys(one.present?.(site) ?? {}).map((name) => [name, true]);
    } catch (thrown) {
      faults.push(`platforms/${one.name}: a new ${platform} site cannot be looked at (${firstLine(thrown)})`);
      return [];
    }
  }
}

/**
 * Imports every `platforms/<name>/connector.ts` below the roots. Throws RegistryError with every fault at once.
 */
export async function readConnectors(roots: readonly URL[]): Promise<Connectors> {
  const faults: string[] = [];
  const found: Connector[] = [];
  for (const root of roots) {
    const files = await findIn(new URL("platforms/", root), "connector.ts");
    const modules = await importAll(files.map(({ url }) => url));
    for (const { group, url: { href } } of files) {
      const path = `platforms/${group}/connector.ts`;
      try {
        const one: unknown = modules ? modules.get(href) : (await import(href)).default;
        const wrong = descriptorFaults(group, one);
        faults.push(...wrong.map((fault) => `${path}: ${fault}`));
        if (wrong.length === 0) found.push(one as Connector);
      } catch (error) {
        faults.push(`${path}: cannot be imported (${firstLine(error)})`);
      }
    }
  }
  try {
    const connectors = new Connectors(found);
    if (faults.length === 0) return connectors;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    faults.push(...error.faults);
  }
  throw new RegistryError("connectors", faults);
}

function descriptorFaults(folder: string, one: unknown): string[] {
  const name = typeof one === "object" && one !== null && "name" in one ? one.name : undefined;
  if (name === undefined) return [`must export default connector({ name: "${folder}", … })`];
  const strange = name === folder ? [] : [`name ${JSON.stringify(name)} is not the folder's`];
  return [...strange, ...shapeFaults(one)];
}

/** Throws RegistryError where a code that a connector brings is not in core/errors.gen.ts as the connector says. */
export function assertCodes({ codes }: Connectors): void {
  const known: Readonly<Record<string, CodeEntry>> = CODES;
  const stale = [...codes].filter(([name, { status, meaning }]) =>
    known[name]?.status !== status || known[name]?.meaning !== meaning
  );
  const faults = stale.map(([name]) =>
    `${name}: is not in core/errors.gen.ts as its connector says; run deno task gen`
  );
  if (faults.length > 0) throw new RegistryError("connectors", faults);
}
