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
const ADDRESSES: Readonly<Record<string, string>> = {
  ...{ SMS: "phone", RCS: "phone", WhatsApp: "phone", Email: "email" },
};
/** Arguments that name the address in place of the person's own, those that name who gets it too, and what a text comes from: docs/upstreams/highlevel.md. */
const INSTEAD: Readonly<Record<string, string>> = { email: "emailTo", phone: "toNumber" };
const COPIES = ["emailCc", "emailBcc"] as const;
const FORWARD = { at: "forward", to: "toEmail", person: "recipientContactId" } as const;
const [REPLY_MODE, REPLY_ALL, TEMPLATE] = ["emailReplyMode", "reply_all", "templateId"] as const;
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
  const to = recipient(person, channel, given);
  const changes: Change[] = to === null ? [] : [{ field: "recipient", from: null, to }];
  for (const [name, value] of sent) changes.push({ field: name, from: stoodThere(record, name), to: value });
  const warnings = [NOT_TRIED];
  if (given[PERSON.id] !== undefined && person === null) {
    warnings.push(`Who ${idShown(String(given[PERSON.id]))} is could not be read`);
  }
  if (given[REPLY_MODE] === REPLY_ALL) {
    warnings.push("It goes to everybody else as well who is on the message that it answers");
  }
  if (given[TEMPLATE] !== undefined) {
    warnings.push(`What template ${idShown(String(given[TEMPLATE]))} adds to it is not shown`);
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

/** Who gets it: the person, the address that the channel goes to, and whom the arguments add; null where nobody is known. */
function recipient(person: Fields | null, channel: string | null, given: Fields): string | null {
  const known = channel === null ? undefined : ADDRESSES[channel];
  const kinds = known === undefined ? ["email", "phone"] : [known];
  const named = kinds.flatMap((kind) => textsIn(given[INSTEAD[kind]!]));
  const own = person === null ? [] : kinds.flatMap((kind) => textsIn(person[kind]));
  const at = named.length > 0 ? named : own;
  const who = person === null ? null : nameOf(person);
  const to = [who, at.length === 0 ? null : `<${at.join(", ")}>`].filter((one) => one !== null).join(" ");
  const forward = isFields(given[FORWARD.at]) ? given[FORWARD.at] as Fields : {};
  const further = [
    ...COPIES.flatMap((name) => textsIn(given[name])),
    ...textsIn(forward[FORWARD.to]),
    ...textsIn(forward[FORWARD.person]).map((id) => `contact ${idShown(id)}`),
  ];
  const all = [to, further.length === 0 ? "" : `and ${further.join(", ")}`].filter((one) => one !== "");
  return all.length === 0 ? null : all.join(" ");
}

function nameOf(person: Fields): string {
  const text = (name: string) => textsIn(person[name]).join(" ");
  const name = text("name") || text("contactName") || `${text("firstName")} ${text("lastName")}`.trim();
  return name || "a contact without a name";
}

const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string")
    .map((one) => one.trim()).filter((one) => one !== "");

const stoodThere = (record: Fields | null, name: string): unknown =>
  record !== null && Object.hasOwn(record, name) ? record[name] : null;

const beforeOf = (changes: readonly Change[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(changes.filter(({ from }) => from !== null).map(({ field, from }) => [field, from]));
