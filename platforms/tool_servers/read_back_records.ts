/** What stands after a hosted tool wrote a record of the CRM, read by the tool that reads such a record. */
import { putBack } from "./arguments.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Found } from "./compared.ts";
import { type ReadBack, readerOf, readWith, unproven } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";
import type { ToolServers } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What kind of record a tool writes: the tool that reads it, the argument that names it, where it stands in answers. */
const RECORDS = [
  { family: /^contacts_/, reader: "contacts_get-contact", id: "contactId", at: "contact" },
  { family: /^opportunities_/, reader: "opportunities_get-opportunity", id: "id", at: "opportunity" },
  { family: /^social-?media-?posting_/, reader: "social-media-posting_get-post", id: "id", at: "post" },
] as const;

/** The read-back of a write to a record; null where the CRM has no tool that reads it. */
export function recordReadBack(
  { target, targetArgs }: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadBack | null {
  const kind = RECORDS.find(({ family }) => family.test(target.upstream_name));
  const reader = kind && readerOf(ports, ctx.site.id, kind.reader);
  if (kind === undefined || reader === undefined) return null;
  const sent = unprefixed(targetArgs);
  const location = ctx.site.crm_location_id ?? "";
  const read = async (id: string) => {
    const found = unwrapped(await readWith(servers, reader, putBack(reader, { [kind.id]: id }, location)));
    return isFields(found) ? (isFields(found[kind.at]) ? found[kind.at] as Fields : found) : null;
  };
  return {
    before: () => Promise.resolve(),
    async after(payload) {
      const id = idOf(sent[kind.id] ?? madeId(unwrapped(payload), kind.at));
      if (id === null) return unproven("The tool does not say which record it wrote");
      ctx.note({ result_id: id });
      try {
        const record = await read(id);
        if (record === null) return unproven(`The record ${id} could not be read back`);
        const removes = target.upstream_name.includes("_remove-");
        return { warnings: [], ...compare(sent, record, removes), changes: [], changed: null };
      } catch {
        return unproven(`The record ${id} could not be read back`);
      }
    },
  };
}

const unprefixed = (args: Fields): Fields =>
  Object.fromEntries(
    Object.entries(args).map(([name, one]) => [name.replace(/^(path|query|body)_(?=.)/, ""), one]),
  );

/** Some answers have what they are about in `results`. */
const unwrapped = (payload: unknown) =>
  isFields(payload) && isFields(payload.results) ? payload.results : payload;

const idOf = (value: unknown) => typeof value === "string" && value !== "" ? value : null;

function madeId(payload: unknown, at: string): unknown {
  if (!isFields(payload)) return null;
  const record = payload[at];
  return isFields(record) ? record.id ?? record._id : payload.id ?? payload._id;
}

/** What of the arguments the record has under their names, compared. */
function compare(sent: Fields, record: Fields, removes: boolean): Found {
  const told = Object.entries(sent).filter(([name, value]) =>
    isPlain(value) && Object.hasOwn(record, name) && name !== "id"
  );
  const differing = told.filter(([name, value]) => !stands(name, value, record[name], removes)).map((
    [name],
  ) => name);
  if (differing.length > 0) {
    return {
      verified: false,
      warnings: differing.map((name) => `${name}: the record does not have it as it was sent`),
    };
  }
  return told.length > 0
    ? { verified: true }
    : { verified: null, reason: "What was written does not show in the record that is read back" };
}

/** Whether it is stored in the shape in which it is sent, which custom fields and other objects are not. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object");
  return value !== undefined && typeof value !== "object";
}

function stands(name: string, sent: unknown, stored: unknown, removes: boolean): boolean {
  if (Array.isArray(sent)) {
    const held = Array.isArray(stored) ? stored.map(plain) : [];
    return sent.every((one) => held.includes(plain(one)) !== removes);
  }
  const [own, found] = [plain(sent), plain(stored)];
  // A number that is sent without its country is stored with it.
  return own === found ||
    (name === "phone" && own.length >= NUMBER_MIN && found.endsWith(own.replace(/^0+/, "")));
}

/** So many digits are a whole number of a country. */
const NUMBER_MIN = 7;
const MOMENT = /^\d{4}-\d\d-\d\dt\d\d:\d\d/;

/**
 * As the CRM compares: without regard to capitals, blanks around, what stands between the digits of a number, and how a
 * moment is written.
 */
function plain(value: unknown): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value) ?? "").trim().toLowerCase();
  if (MOMENT.test(text)) return String(Date.parse(text.toUpperCase()) || text);
  return /^[+\d][\d\s().-]{5,}$/.test(text) ? text.replace(/\D/g, "") : text;
}
