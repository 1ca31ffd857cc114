/** What a write by a CRM's own tool would send, for who confirms it: to whom, over which channel, which text, in place of what. */
import type { Change } from "../../core/model.ts";
import { oneLine, quotedLine } from "../../core/one_line.ts";
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
/**
 * What a call says of addresses itself: in place of the person's own, as copies, and as where a mail is handed on to.
 * https://marketplace.gohighlevel.com/docs/ghl/conversations/send-a-new-message
 */
const IN_PLACE: readonly string[] = ["toNumber", "emailTo"];
const COPIES: readonly string[] = ["emailCc", "emailBcc"];
const FORWARD = { name: "forward", to: ["toEmail", "recipientContactId"] } as const;
const REPLY = { name: "emailReplyMode", all: "reply_all" } as const;
/** Of more copies the rest is counted; all stand among the changes. */
const COPIES_NAMED = 5;
/** Of a name or an address, which visitors and callers choose. */
const NAMED_CHARACTERS = 120;
const TEMPLATE = "templateId";
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
  const reached = reachedBy(given);
  const to = recipient(person, channel, reached);
  const changes: Change[] = to === null ? [] : [{ field: "recipient", from: null, to }];
  for (const [name, value] of sent) changes.push({ field: name, from: stoodThere(record, name), to: value });
  const warnings = [NOT_TRIED];
  if (given[PERSON.id] !== undefined && person === null) {
    warnings.push(`Who ${idShown(String(given[PERSON.id]))} is could not be read`);
  }
  warnings.push(...elsewhere(person, reached));
  if (given[REPLY.name] === REPLY.all) warnings.push("It goes to everybody in the conversation");
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

/** The addresses that a call names itself. */
interface Reached {
  /** By the argument that names it. */
  readonly inPlace: readonly (readonly [name: string, address: string])[];
  readonly copies: readonly string[];
}

function reachedBy(given: Fields): Reached {
  const forward = given[FORWARD.name];
  return {
    inPlace: IN_PLACE.flatMap((name) => addressesIn(given[name]).map((one) => [name, one] as const)),
    copies: [
      ...COPIES.flatMap((name) => addressesIn(given[name])),
      ...isFields(forward) ? FORWARD.to.flatMap((name) => addressesIn(forward[name])) : [],
    ],
  };
}

const addressesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string" && one.trim() !== "")
    .map((one: string) => oneLine(one, NAMED_CHARACTERS));

const textIn = (person: Fields, name: string) =>
  typeof person[name] === "string" ? oneLine(person[name] as string, NAMED_CHARACTERS) : "";

/** Who gets it in words: the name, the address that it goes to, and copies; null where nothing is known of that. */
function recipient(
  person: Fields | null,
  channel: string | null,
  { inPlace, copies }: Reached,
): string | null {
  if (person === null && inPlace.length + copies.length === 0) return null;
  const text = (name: string) => person === null ? "" : textIn(person, name);
  const name = text("name") || text("contactName") || `${text("firstName")} ${text("lastName")}`.trim();
  const known = channel !== null && Object.hasOwn(ADDRESSES, channel) ? ADDRESSES[channel] : undefined;
  const own = known === undefined ? [text("email"), text("phone")] : [text(known)];
  const address = inPlace.length > 0 ? inPlace.map(([, one]) => one) : own;
  const at = address.filter((one) => one !== "").join(", ");
  const more = copies.length - COPIES_NAMED;
  const named = [...copies.slice(0, COPIES_NAMED), ...more > 0 ? [`${more} more`] : []].join(", ");
  const said = [
    name || (person === null ? "somebody unknown" : "a contact without a name"),
    at === "" ? null : `<${at}>`,
    named === "" ? null : `with copies to ${named}`,
  ];
  return said.filter((one) => one !== null).join(" ");
}

/** Of addresses that the CRM does not have for the person: whoever reads the name alone would think of another. */
function elsewhere(person: Fields | null, { inPlace }: Reached): string[] {
  const own = person === null ? [] : [textIn(person, "email").toLowerCase(), textIn(person, "phone")];
  return inPlace.filter(([, one]) => !own.includes(one.trim().toLowerCase())).map(([name, one]) =>
    `${name} sends it to ${quotedLine(one)}, which is not the address that the CRM has for this person`
  );
}

const stoodThere = (record: Fields | null, name: string): unknown =>
  record !== null && Object.hasOwn(record, name) ? record[name] : null;

const beforeOf = (changes: readonly Change[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(changes.filter(({ from }) => from !== null).map(({ field, from }) => [field, from]));
