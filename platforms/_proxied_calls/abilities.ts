/** What tools answer that list or describe other tools: of those that may be run here, and what a person has read of them. */
import { GatewayError } from "../../core/errors.ts";
import { type Fields, isFields } from "../../core/values.ts";
import { NAME_KEYS } from "../../rules/proxied/names.ts";
import { payloadOf } from "../tool_servers/answers.ts";
import type { ProxyCaller, ProxyPorts } from "./proxied_context.ts";
import type { SiteOffer, UpstreamResult } from "../tool_servers/types.ts";

/** How callers and tools name several. */
const NAMES_KEY = "names";
/** Under what a list of them stands. */
const LISTS = ["abilities", "tools"] as const;

const quoted = (text: string) => JSON.stringify(text.slice(0, 80));

/** The tool that a site's servers of one source know by that name, or as the ability of that name. */
export function offerNamed(
  name: string,
  { site_id, ref }: Pick<SiteOffer, "site_id" | "ref">,
  { offersOf }: Pick<ProxyPorts, "offersOf">,
): SiteOffer | undefined {
  for (const offer of offersOf(site_id)) {
    if (offer.ref.source !== ref.source) continue;
    if (offer.upstream_name === name || offer.served.ability === name) return offer;
  }
  return undefined;
}

/** The reading tool of the same source at the site whose name ends so. */
export function readerOf(
  { offersOf }: Pick<ProxyPorts, "offersOf">,
  { site_id, ref: { source } }: SiteOffer,
  ending: string,
): SiteOffer | undefined {
  for (const offer of offersOf(site_id)) {
    if (offer.writes || offer.ref.source !== source) continue;
    if (offer.upstream_name === ending || offer.upstream_name.endsWith(`-${ending}`)) return offer;
  }
  return undefined;
}

/** How a tool that runs, or describes, abilities calls the one. */
const ABILITY_KEYS = ["ability_name", "ability"] as const;

/** The arguments with the ability under the name that it has among abilities: none has that of its tool. */
export function asAbility(args: Fields, by: SiteOffer, ports: Pick<ProxyPorts, "offersOf">): Fields {
  const key = ABILITY_KEYS.find((one) => typeof args[one] === "string");
  const ability = key === undefined
    ? null
    : offerNamed(args[key] as string, by, ports)?.served.ability ?? null;
  return key === undefined || ability === null ? args : { ...args, [key]: ability };
}

const WRITE_TIER = 2;

/** Whether the caller may call the tool itself. */
const mayUse = ({ token: { allowed_tools }, maxRisk }: ProxyCaller, { served, writes }: SiteOffer) =>
  (allowed_tools.includes("*") || allowed_tools.includes(served.name)) && (!writes || maxRisk >= WRITE_TIER);

/** A name without what separates its words. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** The ability that a name means which is a tool's, or has another beginning or other separators than an ability. */
function meantAbility(name: string, by: SiteOffer, caller: ProxyCaller, ports: ProxyPorts): string | null {
  const wanted = plain(name);
  const all = [...ports.offersOf(by.site_id)].filter((one) =>
    one.ref.source === by.ref.source && one.served.ability && mayUse(caller, one)
  );
  const endsWith = (end: string) =>
    wanted.includes("-") ? all.find(({ served }) => plain(served.ability!).endsWith(end)) : undefined;
  const found = all.find(({ served }) => [served.name, served.ability!].map(plain).includes(wanted)) ??
    endsWith(`-${wanted}`) ?? endsWith(wanted.slice(wanted.indexOf("-")));
  return found?.served.ability ?? null;
}

/** Why a name cannot be run, or read of. */
export function notOffered(
  name: string,
  field: string,
  by: SiteOffer,
  caller: ProxyCaller,
  ports: ProxyPorts,
): GatewayError {
  const near = meantAbility(name, by, caller, ports);
  const way = near === null
    ? ": only abilities that the site offers as tools can, and each of these can be called itself, by its name in the tools " +
      "listing; an operator can approve more"
    : `; did you mean ${quoted(near)}`;
  return new GatewayError("E_FORBIDDEN_OP", `${field}: ${quoted(name)} cannot be run or described${way}`);
}

/** Refuses a tool that is run, or read of, by name to a token that may not call it itself. Throws E_SCOPE_DENIED. */
export function assertMayUse(caller: ProxyCaller, { served: { name } }: SiteOffer, field: string): void {
  const { allowed_tools } = caller.token;
  if (allowed_tools.includes("*") || allowed_tools.includes(name)) return;
  throw new GatewayError(
    "E_SCOPE_DENIED",
    `${field}: the token may not use "${name}"; ask for a token whose allowed_tools name it`,
    { audit: "denied" },
  );
}

/** Refuses arguments that ask about tools which are not offered here. Throws E_FORBIDDEN_OP, E_SCOPE_DENIED. */
export function assertDescribed(
  offer: SiteOffer,
  args: Fields,
  caller: ProxyCaller,
  field: string,
  ports: ProxyPorts,
) {
  const asked = [
    ...NAME_KEYS.map((key) => [key, args[key]] as const),
    ...(Array.isArray(args[NAMES_KEY]) ? args[NAMES_KEY].map((one) => [NAMES_KEY, one] as const) : []),
  ];
  for (const [key, name] of asked) {
    if (typeof name !== "string") continue;
    const at = field === "" ? key : `${field}.${key}`;
    const found = offerNamed(name, offer, ports);
    if (found === undefined) throw notOffered(name, at, offer, caller, ports);
    assertMayUse(caller, found, at);
  }
}

/**
 * What of an answer is handed on. Of a tool that tells of others these are words that a person has read: of each tool that
 * the caller may call itself its names and what the tools listing says of it, of the others how many there are.
 */
export function filterListedTools(
  offer: SiteOffer,
  caller: ProxyCaller,
  result: UpstreamResult,
  ports: Pick<ProxyPorts, "offersOf">,
): UpstreamResult {
  if (offer.describes === undefined) return result;
  const payload = payloadOf(result);
  const key = LISTS.find((one) => isFields(payload) && Array.isArray(payload[one]));
  const rows: readonly unknown[] = Array.isArray(payload)
    ? payload
    : key !== undefined
    ? (payload as Record<string, unknown[]>)[key]!
    : [payload];
  const known = rows.map((row) => {
    const name = isFields(row) && typeof row.name === "string" ? row.name : "";
    const found = offerNamed(name, offer, ports);
    return found === undefined ? null : { name, found };
  });
  const offered = known.filter((one) => one !== null);
  const shown = offered.filter(({ found }) => mayUse(caller, found)).map(({ name, found: { served } }) => ({
    name,
    tool: served.name,
    description: served.description,
    ...(offer.describes === "fully" ? { input_schema: served.input_schema } : {}),
  }));
  const answer = key === undefined && !Array.isArray(payload) ? shown[0] ?? {} : { [key ?? "tools"]: shown };
  const text = JSON.stringify({
    ...answer,
    ...counted(known.length - offered.length, offered.length - shown.length),
  });
  return { content: [{ type: "text", text }], isError: false };
}

/** An ability that is no tool of a server shows in no list of what waits for an approval. */
const APPROVABLE =
  "an operator can approve those that the site lists as tools, and that may be approved at all";

/** How many are not shown, and why. */
function counted(held: number, beyond: number): Fields {
  const back = `${held} more ${held === 1 ? "is" : "are"} held back; ${APPROVABLE}`;
  const notes = [
    ...(held > 0 ? [back] : []),
    ...(beyond > 0 ? [`${beyond} more may not be used with this token`] : []),
  ];
  return {
    ...(held > 0 ? { held_back: held } : {}),
    ...(beyond > 0 ? { beyond_token: beyond } : {}),
    ...(notes.length > 0 ? { note: notes.join("; ") } : {}),
  };
}
