/** The connectors found at boot, and everything the rest of the gateway derives from them. */
import type {
  Capability,
  Connector,
  CredentialSpec,
  Diagnosis,
  Provision,
  Setting,
  SiteField,
} from "../platforms/connector.ts";
import { type CodeEntry, CODES, GATEWAY_CODES } from "../errors.ts";
import type { PlatformKind, Site } from "../model.ts";
import { findIn, firstLine, RegistryError } from "./files.ts";

/** One setting, by its environment name. */
export interface NamedSetting extends Setting {
  readonly name: string;
  readonly connector: string;
}

const NAME = /^[a-z][a-z0-9_]*$/;
const SETTING_NAME = /^[A-Z][A-Z0-9_]*$/;
const CODE_NAME = /^E_[A-Z][A-Z0-9_]*$/;
/** What every site has, whatever its connectors name. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "name",
  "platform",
  "base_url",
  "project_id",
  "flags",
  "confirm_policy",
  "credentials",
  "credentials_version",
  "created_at",
  "updated_at",
]);

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

  constructor(all: readonly Connector[]) {
    const faults: string[] = [];
    this.all = [...all].sort((a, b) => a.name < b.name ? -1 : 1);
    const collect = <T>(what: string, of: (one: Connector) => Iterable<readonly [string, T]>) => {
      const found = new Map<string, T>();
      for (const one of this.all) {
        for (const [name, value] of of(one)) {
          if (found.has(name)) {
            faults.push(`platforms/${one.name}: the ${what} "${name}" is another connector's`);
          } else found.set(name, value);
        }
      }
      return found;
    };
    this.#byName = collect("name", (one) => [[one.name, one]]);
    this.#byKind = collect("kind", (one) => (one.kinds ?? []).map((kind) => [kind, one] as const));
    this.siteFields = collect("site field", (one) => Object.entries(one.siteFields ?? {}));
    this.credentials = collect("credential", (one) => Object.entries(one.credentials ?? {}));
    this.codes = collect("code", (one) => Object.entries(one.codes ?? {}));
    this.links = collect("link", (one) => Object.keys(one.links ?? {}).map((link) => [link, one] as const));
    const settings = collect(
      "setting",
      (one) =>
        Object.entries(one.settings ?? {}).map(([name, setting]) =>
          [name, { ...setting, name, connector: one.name }] as const
        ),
    );
    this.settings = [...settings.values()];
    this.kinds = [...this.#byKind.keys()].sort() as PlatformKind[];
    this.checkNames = [
      ...new Set(this.all.flatMap((one) => (one.checks ?? []).flatMap(({ names }) => names))),
    ];
    faults.push(...this.all.flatMap((one) => this.#faults(one)));
    if (faults.length > 0) throw new RegistryError("connectors", faults.sort());
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
  integrations(site: Site): Record<string, boolean> {
    return Object.assign({}, ...this.all.map((one) => one.present?.(site) ?? {}));
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

  #faults(one: Connector): string[] {
    const found: string[] = [];
    const fault = (reason: string) => void found.push(`platforms/${one.name}: ${reason}`);
    if (!NAME.test(one.name)) fault("name must be a-z, 0-9 and _");
    for (const name of Object.keys(one.settings ?? {})) {
      if (!SETTING_NAME.test(name)) fault(`the setting "${name}" must be in capitals`);
    }
    for (const name of Object.keys(one.siteFields ?? {})) {
      if (!NAME.test(name) || OWN_FIELDS.has(name)) fault(`the site field "${name}" cannot be called so`);
    }
    for (const [name, { status }] of Object.entries(one.codes ?? {})) {
      if (status < 400 || status > 599) fault(`the code "${name}" must have a status from 400 to 599`);
      if (!CODE_NAME.test(name)) fault(`the code "${name}" must be E_ and capitals`);
      if (Object.hasOwn(GATEWAY_CODES, name)) fault(`the code "${name}" is the gateway's own`);
    }
    if (one.connect) {
      if (!one.origins) fault("a connector that connects must say its origins");
      if (!one.policy) fault("a connector that connects must have a policy");
    } else if (one.links || one.provides || one.ping || one.overview) {
      fault("links, provides, ping and overview need connect");
    }
    if (one.scope === "account" && one.connect && !one.account) fault("scope account needs account");
    for (const name of one.borrows ?? []) {
      const lender = this.get(name);
      if (!lender) fault(`borrows "${name}", which no connector is called`);
      else if (lender.connect && !lender.sign) fault(`borrows "${name}", which signs nothing for others`);
    }
    for (const { kinds = [] } of one.checks ?? []) {
      for (const kind of kinds) if (!this.#byKind.has(kind)) fault(`checks name the unknown kind "${kind}"`);
    }
    if (one.deployment && !one.links?.[one.deployment.link]) {
      fault(`deployment names the link "${one.deployment.link}", which it does not offer`);
    }
    return found;
  }
}

/**
 * Imports every `platforms/<name>/connector.ts` below the roots. Throws RegistryError with every fault at once.
 */
export async function readConnectors(roots: readonly URL[]): Promise<Connectors> {
  const faults: string[] = [];
  const found: Connector[] = [];
  for (const root of roots) {
    for (const file of await findIn(new URL("platforms/", root), "connector.ts")) {
      const path = `platforms/${file.group}/connector.ts`;
      try {
        const one = (await import(file.url.href)).default as Partial<Connector> | undefined;
        if (one?.name === file.group && one.scope) found.push(one as Connector);
        else faults.push(`${path}: must export default connector({ name: "${file.group}", scope, … })`);
      } catch (error) {
        faults.push(`${path}: cannot be imported (${firstLine(error)})`);
      }
    }
  }
  if (faults.length > 0) throw new RegistryError("connectors", faults);
  return new Connectors(found);
}

/** Throws RegistryError where a code that a connector brings does not stand in errors.gen.ts as it says. */
export function assertCodes({ codes }: Connectors): void {
  const known: Readonly<Record<string, CodeEntry>> = CODES;
  const stale = [...codes].filter(([name, { status, meaning }]) =>
    known[name]?.status !== status || known[name]?.meaning !== meaning
  );
  const faults = stale.map(([name]) =>
    `${name}: is not in errors.gen.ts as its connector says; run deno task gen`
  );
  if (faults.length > 0) throw new RegistryError("connectors", faults);
}
