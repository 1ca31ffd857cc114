/** What a write by a CRM's own tool would send, for who confirms it: to whom, over which channel, which text, in place of what. */
import type { Change } from "../../core/model.ts";
import { type Fields, isFields } from "../../core/values.ts";
import { payloadOf } from "../tool_servers/answers.ts";
import { toUpstreamArguments } from "../tool_servers/arguments.ts";
import type { ToolServers } from "../tool_servers/types.ts";
import { readerOf } from "./abilities.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { idShown, lookupOf } from "./record_lookup.ts";
import type { Resolved } from "./resolved.ts";
import { shownName } from "./unheld.ts";

/** What is shown, in place of a dry run that the CRM cannot make. */
export interface ToldWrite {
  readonly summary: string;
  readonly changes: readonly Change[];
  /** What was read for it: where it differs later, something else would be replaced, or somebody else reached. */
  readonly revision: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly string[];
}

/** The tool that shows a person of the CRM, the argument that names one, and how a message is sent: docs/upstreams/highlevel.md. */
const PERSON = { tool: "contacts_get-contact", id: "contactId", at: "contact" } as const;
const CHANNEL = "type";
/** Which of a person's own data is the address, by channel; any of them where the channel names none. */
const ADDRESSES: Readonly<Record<string, string>> = { SMS: "phone", WhatsApp: "phone", Email: "email" };
/** The location, which the gateway fills in. */
const FILLED: ReadonlySet<string> = new Set(["locationId", "location_id", "altId", "altType"]);

const NOT_TRIED =
  "The CRM cannot try the call: this is what would be sent to it, and its own automations may do more";

/** What a call would send. Reads the person it names and the record it changes, where the CRM has tools that show them. */
export async function toldWrite(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
): Promise<ToldWrite> {
  const { target, targetArgs } = call;
  const sent = Object.entries(targetArgs)
    .map(([name, value]) => [shownName(name), value] as const)
    .filter(([name]) => !FILLED.has(name));
  const given: Fields = Object.fromEntries(sent);
  const servers = await ports.servers(ctx);
  const [person, record] = await Promise.all([
    personOf(call, given, ctx, ports, servers),
    recordOf(call, ctx, ports, servers),
  ]);
  const channel = typeof given[CHANNEL] === "string" ? given[CHANNEL] : null;
  const to = person === null ? null : recipient(person, channel);
  const changes: Change[] = to === null ? [] : [{ field: "recipient", from: null, to }];
  for (const [name, value] of sent) changes.push({ field: name, from: stoodThere(record, name), to: value });
  const warnings = [NOT_TRIED];
  if (given[PERSON.id] !== undefined && person === null) {
    warnings.push(`Who ${idShown(String(given[PERSON.id]))} is could not be read`);
  }
  const read = { ...to === null ? {} : { recipient: to }, ...beforeOf(changes) };
  return {
    summary: [target.served.name, channel, to === null ? null : `to ${to}`].filter((one) => one !== null)
      .join(", "),
    changes,
    revision: Object.keys(read).length === 0 ? null : read,
    warnings,
  };
}

/** The person that a call names, as the CRM shows it; null where it names none, or that cannot be read. */
async function personOf(
  { target }: Resolved,
  given: Fields,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Fields | null> {
  const id = given[PERSON.id];
  const reader = readerOf(ports, target, PERSON.tool);
  if (typeof id !== "string" || reader === undefined) return null;
  const args = toUpstreamArguments(reader, { [PERSON.id]: id }, ctx.site.crm_location_id ?? "");
  const result = await servers.call(reader.ref, reader.upstream_name, args, { writes: false });
  const payload = result.isError ? null : payloadOf(result);
  const there = isFields(payload) ? payload[PERSON.at] ?? payload : null;
  return isFields(there) && (there["id"] === undefined || there["id"] === id) ? there : null;
}

/** The record that the call changes, as another tool shows it; null where it makes one, or nothing shows it. */
async function recordOf(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Fields | null> {
  const rule = call.target.shown_by;
  if (rule?.id === undefined) return null;
  const { lookup, reader } = lookupOf(call, rule, ctx, ports, servers);
  const id = reader === null ? null : lookup.idOf(null);
  if (id === null) return null;
  const found = await lookup.record(id, null);
  return typeof found === "string" ? null : found;
}

/** A person in words: the name, and the address that the channel goes to. */
function recipient(person: Fields, channel: string | null): string {
  const text = (name: string) => typeof person[name] === "string" ? (person[name] as string).trim() : "";
  const name = text("name") || text("contactName") || `${text("firstName")} ${text("lastName")}`.trim();
  const known = channel === null ? undefined : ADDRESSES[channel];
  const address = known === undefined ? [text("email"), text("phone")] : [text(known)];
  const at = address.filter((one) => one !== "").join(", ");
  return [name || "a contact without a name", at === "" ? null : `<${at}>`].filter((one) => one !== null)
    .join(" ");
}

const stoodThere = (record: Fields | null, name: string): unknown =>
  record !== null && Object.hasOwn(record, name) ? record[name] : null;

const beforeOf = (changes: readonly Change[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(changes.filter(({ from }) => from !== null).map(({ field, from }) => [field, from]));
