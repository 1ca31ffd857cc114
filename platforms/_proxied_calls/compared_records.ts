/** A record as a write sent it, compared with the record that is read back. */
import { decodeHTML } from "entities/decode";
import { type Fields, isFields } from "../../core/values.ts";
import type { ShownBy } from "../tool_servers/types.ts";

/** What the gateway fills in itself; an `altId` is the location only beside its kind. */
const FILLED: readonly string[] = ["locationId", "location_id", "altType"];
const FILLED_OF_KIND: readonly string[] = [...FILLED, "altId"];
/** Where the CRM puts a contact's own data. */
const MERGED = "{{";
const NAMED_MAX = 10;
const NAME_CHARACTERS = 64;

/** What a comparison says. */
export interface Found {
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly reason?: string;
  readonly warnings?: readonly string[];
}

/** What a write does with the lists that it sends: they are put beside those that stand, taken out of them, or all there is. */
export type Lists = "added" | "removed" | "whole";

/** What of the arguments the record has, compared; null where a part of them does not show in it. */
export function comparedRecord(
  sent: Fields,
  record: Fields,
  rule: Pick<ShownBy, "id" | "ask" | "names" | "like" | "unshown" | "apart" | "failed">,
  lists: Lists = "whole",
): Found {
  const failed = Object.entries(rule.failed).filter(([name, values]) => values.includes(plain(record[name])));
  if (failed.length > 0) {
    return {
      verified: false,
      warnings: failed.map(([name]) => `${name}: is ${JSON.stringify(record[name])}`),
    };
  }
  const filled = Object.hasOwn(sent, "altType") ? FILLED_OF_KIND : FILLED;
  const others = new Set([rule.id ?? "id", ...rule.apart, ...Object.values(rule.ask), ...filled]);
  const own = Object.entries(sent).filter(([name, value]) => !others.has(name) && value !== undefined);
  const shown = own.flatMap(([name, value]) => {
    if (rule.unshown.includes(name)) return [];
    if (Object.hasOwn(rule.like, name)) {
      return plain(record[rule.like[name]!]).endsWith(plain(value)) ? [{ name, value, stored: value }] : [];
    }
    const at = Object.hasOwn(rule.names, name) ? rule.names[name]! : name;
    const isShown = isPlain(value) && Object.hasOwn(record, at) && isPlain(named(record[at]));
    return isShown ? [{ name, value, stored: named(record[at]) }] : [];
  });
  const differing = shown.filter(({ name, value, stored }) => !stands(name, value, stored, lists));
  if (differing.length > 0) {
    return {
      verified: false,
      warnings: differing.map(({ name }) => `${name}: the record does not have it as it was sent`),
    };
  }
  if (own.length === 0) {
    return { verified: null, reason: "Nothing was sent that the record could be compared with" };
  }
  const longer = shown.filter(({ value, stored }) => lists === "whole" && isLonger(stored, value));
  if (longer.length > 0) {
    const names = listed(longer.map(({ name }) => name));
    return { verified: null, reason: `The record has what was sent, and more beside it: ${names}` };
  }
  const told = new Set(shown.map(({ name }) => name));
  const hidden = own.map(([name]) => name).filter((name) => !told.has(name));
  if (hidden.length === 0) return { verified: true };
  return {
    verified: null,
    reason: shown.length === 0
      ? "What was written does not show in the record that is read back"
      : `The record is as it was sent, but for what does not show in it: ${listed(hidden)}`,
  };
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return names.slice(0, NAMED_MAX).map((one) => one.slice(0, NAME_CHARACTERS)).join(", ") + more;
}

/** Of what is shown as records of their own, their ids. */
function named(value: unknown): unknown {
  const own = (one: unknown) => isFields(one) ? one.id ?? one._id ?? one : one;
  return Array.isArray(value) ? value.map(own) : own(value);
}

/** Whether it is stored in the shape in which it is sent, which custom fields and other objects are not. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object");
  return typeof value !== "object" && !(typeof value === "string" && value.includes(MERGED));
}

/** Names of ids, which are other ones in other capitals; and of telephone numbers, of which the digits count. */
const IDS = /Ids?$/;
const PHONES = /phone|^(from|to)Number$/i;

function stands(name: string, sent: unknown, stored: unknown, lists: Lists): boolean {
  const read = IDS.test(name) ? exact : plain;
  if (Array.isArray(sent)) {
    const held = new Set(Array.isArray(stored) ? stored.map(read) : []);
    // Of nothing that was sent nothing stands where something is left.
    if (sent.length === 0) return lists !== "whole" || held.size === 0;
    return sent.every((one) => held.has(read(one)) !== (lists === "removed"));
  }
  if (!PHONES.test(name)) return read(sent) === read(stored);
  const [own, found] = [digits(sent), digits(stored)];
  // A number that is sent without its country is stored with it.
  return own === found || (own.length >= NUMBER_MIN && found.endsWith(own.replace(/^0+/, "")));
}

const isLonger = (stored: unknown, sent: unknown) =>
  Array.isArray(stored) && Array.isArray(sent) &&
  new Set(stored.map(plain)).size > new Set(sent.map(plain)).size;

/** So many digits are a whole number of a country. */
const NUMBER_MIN = 7;
const MOMENT = /^\d{4}-\d\d-\d\d(t\d\d:\d\d.*)?$/;

const exact = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value) ?? "").trim();

/** As the CRM compares: without regard to capitals, blanks around, and how a moment or a sign is written. */
function plain(value: unknown): string {
  const text = exact(value);
  const read = (text.includes("&") ? decodeHTML(text) : text).toLowerCase();
  return MOMENT.test(read) ? String(Date.parse(read.toUpperCase()) || read) : read;
}

const digits = (value: unknown) => exact(value).replace(/\D/g, "");
