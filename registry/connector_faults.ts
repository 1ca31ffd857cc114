/** What the parts of a connector contradict: said at boot, for it would otherwise surface at a call or not at all. */
import { GATEWAY_CODES } from "../core/errors.ts";
import { Wrong } from "../core/env_values.ts";
import type { Connector, SiteField } from "../platforms/_connector/connector.ts";
import { type Site, SITE_POLICIES } from "../core/model.ts";
import { GATEWAY_SETTINGS, HOST_VARIABLES } from "../core/settings.ts";
import { firstLine } from "./files.ts";
import { optionsOf } from "./connector_names.ts";
import { ONCE } from "./dialect.ts";
import { fieldType, optionForm, OWN_OPTIONS } from "./field_schema.ts";

/** What every site has, whatever its connectors name; `integrations` is shown beside its fields. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  "id",
  "name",
  "platform",
  "base_url",
  "project_id",
  ...SITE_POLICIES,
  "credentials",
  "credentials_version",
  "created_at",
  "updated_at",
  "integrations",
]);
/** What only a connector that connects can have: nothing would ever ask for it. */
const NEED_CONNECT = [
  "links",
  "provides",
  "ping",
  "overview",
  "origins",
  "policy",
  "borrows",
  "sign",
  "lends",
  "checkId",
  "setups",
  "linkable",
  "probes",
  "previews",
  "deployment",
  "allowance",
  "daily",
  "account",
] as const;
/** What is asked of the sites of its kinds only. */
const NEED_KINDS = ["address", "initial", "provides", "ping", "checkId"] as const;

/** What faults of one connector are judged by. */
export interface Others {
  readonly kinds: readonly string[];
  get(name: string): Connector | undefined;
}

/** What is wrong with one connector among the others, a sentence each. Its parts are of the right kinds (shapeFaults). */
export function connectorFaults(one: Connector, others: Others): string[] {
  return [
    ...wayOut(one),
    ...naming(one, others),
    ...unbound(one),
    ...settingFaults(one),
    ...fieldFaults(one),
    ...codeFaults(one),
  ];
}

function codeFaults({ codes = {} }: Connector): string[] {
  return Object.entries(codes).flatMap(([name, { status }]) => [
    ...(/^E_[A-Z][A-Z0-9_]*$/.test(name) ? [] : [`the code "${name}" must be E_ and capitals`]),
    ...(Object.hasOwn(GATEWAY_CODES, name) ? [`the code "${name}" is the gateway's own`] : []),
    ...(status < 400 || status > 599 ? [`the code "${name}" must have a status from 400 to 599`] : []),
  ]);
}

function wayOut(one: Connector): string[] {
  const found: string[] = [];
  if (one.connect) {
    if (!one.origins) found.push("a connector that connects must say its origins");
    if (!one.policy) found.push("a connector that connects must have a policy");
    if (one.scope === "account" && !one.account) found.push("scope account needs account");
  } else {
    const idle = NEED_CONNECT.filter((part) => one[part] !== undefined);
    if (idle.length > 0) found.push(`${idle.join(", ")}: nothing asks for it without connect`);
  }
  if (one.scope !== "account" && one.account) found.push(`account is for scope account, not ${one.scope}`);
  if (one.kinds === undefined) {
    const idle = NEED_KINDS.filter((part) => one[part] !== undefined);
    if (idle.length > 0) found.push(`${idle.join(", ")}: nothing asks for it without kinds`);
  }
  return found;
}

function naming(one: Connector, { kinds, get }: Others): string[] {
  const found: string[] = [];
  for (const [name, { field }] of Object.entries(one.setups ?? {})) {
    if (!one.siteFields?.[field]) {
      found.push(`the setup "${name}" names "${field}", which is no site field of it`);
    }
  }
  for (const [name, { field }] of Object.entries(one.linkable ?? {})) {
    const fault = !one.siteFields?.[field]
      ? "which is no site field of it"
      : optionForm(one.siteFields[field]) !== "text"
      ? "which holds more than an id"
      : null;
    if (fault !== null) found.push(`the linkable kind "${name}" names "${field}", ${fault}`);
  }
  for (const [name, { field }] of Object.entries(one.probes ?? {})) {
    if (field === undefined && one.kinds === undefined) {
      found.push(`the probe "${name}" is of no site: it names no field, and the connector has no kinds`);
    } else if (field !== undefined && !one.siteFields?.[field]) {
      found.push(`the probe "${name}" names "${field}", which is no site field of it`);
    }
  }
  const known = (where: string, named: readonly string[] = []) => {
    for (const kind of named) if (!kinds.includes(kind)) found.push(`${where} the unknown kind "${kind}"`);
  };
  for (const check of one.checks ?? []) known("checks name", check.kinds);
  for (const [name, spec] of Object.entries(one.credentials ?? {})) {
    known(`the credential "${name}" names`, spec.kinds);
    if (spec.of !== undefined && !one.siteFields?.[spec.of]) {
      found.push(`the credential "${name}" is of "${spec.of}", which is no site field of it`);
    }
  }
  for (const name of one.borrows ?? []) {
    const lender = get(name);
    if (!lender) found.push(`borrows "${name}", which no connector is called`);
    else if (!lender.sign) found.push(`borrows "${name}", which signs nothing for others`);
  }
  for (const name of Object.keys(one.lends ?? {})) {
    if (!get(name)?.borrows?.includes(one.name)) {
      found.push(`lends to "${name}", which does not borrow from it`);
    }
  }
  if (one.deployment) {
    known("deployment names", [one.deployment.kind]);
    if (!one.links?.[one.deployment.link]) {
      found.push(`deployment names the link "${one.deployment.link}", which it does not offer`);
    }
  }
  return found;
}

/** A credential that goes to a site's address and would go to its next one as well. */
function unbound(one: Connector): string[] {
  const open = Object.entries(one.credentials ?? {}).filter(([, { origin }]) => origin === undefined);
  if (open.length === 0 || !goesToAddress(one)) return [];
  return open.map(([kind]) =>
    `the credential "${kind}" goes to the site's base_url and must say so: origin: "base_url"`
  );
}

/** Whether its requests may go where a site of its kinds is; what cannot be told apart counts as if they may. */
function goesToAddress({ kinds, origins, settings = {} }: Connector): boolean {
  const address = "https://address.invalid";
  const site = { platform: kinds?.[0], base_url: address, credentials: [], flags: {} } as unknown as Site;
  const values = Object.fromEntries(Object.entries(settings).map(([name, one]) => [name, one.default]));
  try {
    const found = origins?.({ site, settings: values }) ?? [];
    return found !== "public" && found.some((one) => URL.parse(one)?.origin === address);
  } catch {
    return true;
  }
}

function settingFaults({ settings = {}, credentials = {} }: Connector): string[] {
  const found: string[] = [];
  const own = new Set<string>([...GATEWAY_SETTINGS.map(({ name }) => name), ...HOST_VARIABLES]);
  const variables = Object.values(credentials).flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ variable }) => variable ?? [])
  );
  for (const name of [...Object.keys(settings), ...variables]) {
    if (own.has(name)) found.push(`the variable "${name}" is the gateway's own`);
  }
  for (const [name, { default: preset, read }] of Object.entries(settings)) {
    if (preset === null) continue;
    try {
      if (typeof read(preset) !== "string") found.push(`the setting "${name}" is not read as a text`);
    } catch (fault) {
      const why = fault instanceof Wrong ? fault.sentence(preset) : firstLine(fault);
      found.push(`the setting "${name}" refuses its own default (${why})`);
    }
  }
  return found;
}

function fieldFaults(one: Connector): string[] {
  const { siteFields = {}, credentials = {} } = one;
  const found = [...optionsOf(one)].filter(([option]) => OWN_OPTIONS.includes(option))
    .map(([option]) => `the option "${option}" is the command line's own`);
  for (const [name, field] of Object.entries(siteFields)) {
    const fault = OWN_FIELDS.has(name) ? "every site has one of its own" : thrownBy(field);
    if (fault !== null) found.push(`the site field "${name}" cannot be used: ${fault}`);
  }
  for (const [kind, { fields }] of Object.entries(credentials)) {
    for (const [name, field] of Object.entries(fields)) {
      const fault = thrownBy(field);
      if (fault !== null) found.push(`the credential field "${kind}.${name}" cannot be used: ${fault}`);
    }
  }
  return found;
}

/** What a schema does but answer when it is asked as bodies, types and the command line ask it; null where it answers. */
function thrownBy(field: Pick<SiteField, "schema" | "initial">): string | null {
  const { schema, initial } = field;
  try {
    optionForm(field);
    fieldType(field);
    for (const one of [null, "", "a", true, 1, [], {}]) schema.safeParse(one, ONCE);
    if (initial === undefined || schema.safeParse(initial, ONCE).success) return null;
    return "its schema refuses its initial value";
  } catch (thrown) {
    return `its schema throws (${firstLine(thrown)})`;
  }
}
